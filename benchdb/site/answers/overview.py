"""What the front page shows below the answers: coverage, chips, heat, distances."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from benchdb import catalogue
from benchdb.catalogue import Chip
from benchdb.compare.cell_rows import CellRow
from benchdb.site.answers import gpu, metal
from benchdb.site.answers.evidence import group_of, held, is_flagged, protocol_of
from benchdb.site.answers.facts import (
    Cell,
    ChipRow,
    Coverage,
    Distance,
    Group,
    HeatCell,
    HeatRow,
    Held,
    Median,
    Overview,
)
from benchdb.site.answers.lookup import BASELINE, Corpus
from benchdb.site.answers.mac_names import macs, plain_chip
from benchdb.site.answers.reported import Report
from benchdb.site.answers.token_speed import usual
from benchdb.site.system_pairs import Worker
from benchdb.statistics.comparison import geometric_mean
from benchdb.store.places import Place, chip_at_work

KINDS: tuple[tuple[str, tuple[Group, ...]], ...] = (
    ("training", ("training",)),
    ("llm", ("decode", "prefill")),
    ("inference", ("inference",)),
    ("operations", ("operations",)),
)
_GPUS = 10  # rows of GPUs
_LEAST = 3  # networks that make a chip's mean one with others'


def overview(corpus: Corpus) -> Overview:
    """Return the tables of the front page."""
    cells = usual(corpus.reported)
    cell = cells[0] if cells else None
    beside = {mac.name: _training(corpus, mac.name) for mac in corpus.chips}
    common = _common(beside.values())
    helped = _helped(corpus)
    rows = tuple(
        _row(corpus, mac.name, cell, (beside[mac.name], common, helped))
        for mac in corpus.chips
    )
    reference = gpu.reference_of(corpus)
    return Overview(
        generations=tuple(dict.fromkeys(mac.generation for mac in macs().values())),
        coverage=tuple(_coverage(corpus)),
        chips=rows,
        common=tuple(sorted(common)),
        gpus=tuple(_gpus(corpus, cell)),
        heat=tuple(_heat(corpus)),
        protocol=metal.usual_protocol(corpus),
        reference=reference,
        distances=tuple(_distances(corpus, reference)) if reference else (),
        cell=cell,
        absent=tuple(
            name for name in macs() if name not in {mac.name for mac in corpus.chips}
        ),
        unmeasured=_unmeasured(corpus, rows),
        newest=_newest(corpus),
    )


def _newest(corpus: Corpus) -> str:
    """Return the day of the newest figure of a Mac."""
    days = (
        corpus.facts[run.facts.digest].started or ""
        for mac in corpus.chips
        for run in corpus.site.systems.sides[Worker(mac.name, "metal")].runs
    )
    return max((day[:10] for day in days if day), default="")


def _training(corpus: Corpus, chip: str) -> Held | None:
    """Return the training of a chip beside the baseline, like for like."""
    if chip == BASELINE.chip:
        return None
    own = held(corpus, BASELINE, Worker(chip, "metal")).get("training")
    return own if own and own.evidence != "unlike" else None


def _common(beside: Iterable[Held | None]) -> set[str]:
    """Return the works that all chips with several of them ran."""
    works = [set(it.names) for it in beside if it and len(it.names) >= _LEAST]
    return set.intersection(*works) if works else set()


def _helped(corpus: Corpus) -> set[str]:
    """Return the works that Metal makes faster on all chips."""
    card = metal.does_metal_help(corpus, None)
    return {it.name for it in card.works if it.low > 1}


def _row(
    corpus: Corpus,
    chip: str,
    cell: Cell | None,
    known: tuple[Held | None, set[str], set[str]],
) -> ChipRow:
    trained, common, helped = known
    points = trained.points if trained else ()
    kept = [it.value for it in points if it.name in common and it.look != "flagged"]
    clear = bool(kept) and (min(kept) > 1 or max(kept) < 1)
    wanted = metal.usual_protocol(corpus)
    brought = [
        point
        for entry in metal.gains(corpus)
        if entry.other.chip == chip and entry.protocol == wanted
        for point in entry.points
        if point.name in helped and point.look != "flagged"
    ]
    reports = _reports(corpus, chip, cell)
    shown = [it.value for it in points if it.look != "flagged"]
    sizes, places = _sizes(chip), _places(corpus, chip)
    cores = _ends(it.gpu_cores for it in sizes)
    lines = corpus.site.by_chip
    figures = sum(
        row.quantity is not None
        for name in lines
        if plain_chip(name) == chip
        for line in lines[name]
        for row in line
    )
    return ChipRow(
        chip=chip,
        cores=(int(cores[0]), int(cores[1])) if cores else None,
        bandwidth=_ends(it.memory_bandwidth_bytes_per_second for it in sizes),
        memory=max((it.max_memory_gb or 0 for it in sizes), default=0) or None,
        training=points,
        mean=geometric_mean(kept) if clear else None,
        spread=(min(shown), max(shown)) if shown else None,
        metal=_ends(it.value for it in brought),
        metal_works=len({it.name for it in brought}),
        decode=_median(reports.get("decode", ())),
        rates=tuple(sorted(it.rate for it in reports.get("decode", ()))),
        prefill=_median(reports.get("prefill", ())),
        figures=figures,
        machines=len(places),
        identified=all(it.anonymous_id or it.measured for it in places),
        doubted=trained is not None and chip in trained.doubts,
    )


def _places(corpus: Corpus, chip: str) -> Sequence[Place]:
    """Return the machines of a chip, as far as they are told apart."""
    places = {
        run.place.machine: run.place
        for worker, side in corpus.site.systems.sides.items()
        if plain_chip(worker.chip) == chip
        for run in side.runs
    }
    return list(places.values())


def _sizes(chip: str) -> Sequence[Chip]:
    return [it for it in catalogue.chips() if it.name.casefold() == chip.casefold()]


def _ends(values: Iterable[float | None]) -> tuple[float, float] | None:
    known = [value for value in values if value]
    return (min(known), max(known)) if known else None


def _reports(
    corpus: Corpus, chip: str, cell: Cell | None
) -> Mapping[Group, Sequence[Report]]:
    if cell is None:
        return {}
    return {
        group: [it for it in rows if plain_chip(it.place.chip) == chip]
        for group, rows in corpus.reported[cell].items()
    }


def _median(reports: Sequence[Report]) -> Median | None:
    if not reports:
        return None
    rates = [it.rate for it in reports]
    middle = median(rates)
    nearest = min(reports, key=lambda it: (abs(it.rate - middle), it.run))
    return Median(middle, min(rates), max(rates), len(rates), nearest.run)


def _coverage(corpus: Corpus) -> Iterator[Coverage]:
    chips = defaultdict[str, set[str]](set)
    years = defaultdict[str, set[str]](set)
    of = {group: kind for kind, groups in KINDS for group in groups}
    for run in corpus.site.inputs.runs:
        chip = plain_chip(chip_at_work(run.place))
        group = group_of(run.facts.workload)
        if chip in macs() and group and not run.left_out:
            chips[of[group]].add(chip)
            years[of[group]].add(corpus.year(run.facts.digest))
    generations = dict.fromkeys(mac.generation for mac in macs().values())
    for kind, _ in KINDS:
        counts = Counter(macs()[chip].generation for chip in chips[kind])
        known = sorted(year for year in years[kind] if year)
        yield Coverage(
            kind,
            (known[0], known[-1]) if known else (),
            tuple(counts[generation] for generation in generations),
        )


def _gpus(corpus: Corpus, cell: Cell | None) -> Iterator[ChipRow]:
    """Yield GPUs that people compare with, and those with most reports beside them."""
    if cell is None:
        return
    counts = Counter(
        it.place.chip
        for it in corpus.reported[cell].get("decode", ())
        if it.place.device == "cuda"
    )
    known = [name for name in gpu.PREFERRED if counts[name]]
    others = [name for name, _ in counts.most_common() if name not in known]
    chosen = (*known, *others)[:_GPUS]
    rows = [_row(corpus, name, cell, (None, set(), set())) for name in chosen]
    yield from sorted(rows, key=lambda it: it.decode.value if it.decode else 0.0)


def _heat(corpus: Corpus) -> Iterator[HeatRow]:
    """Yield what Metal does to each work in the usual protocol, chip by chip."""
    wanted = metal.usual_protocol(corpus)
    works = defaultdict[tuple[str, int | None, str], list[HeatCell]](list)
    for mac in corpus.chips:
        for row in metal.rows_with_both(corpus, mac.name).get("training", ()):
            flagged = is_flagged(corpus, row)
            if protocol_of(corpus, row) == wanted and (row.counts or flagged):
                cell = _heat_cell(mac.name, row, flagged=flagged)
                works[row.workload, row.batch_size, row.size].append(cell)
    sizes = Counter((work, batch) for work, batch, _ in works)
    for (work, batch, size), cells in sorted(
        works.items(), key=lambda it: -max(cell.ratio for cell in it[1])
    ):
        several = sizes[work, batch] > 1
        yield HeatRow(work, batch, tuple(cells), size if several else "")


def _heat_cell(chip: str, row: CellRow, *, flagged: bool) -> HeatCell:
    cpu, own = row.base.quantity, row.other.quantity
    return HeatCell(
        chip, row.ratio.value, cpu.value, own.value, own.unit, own.run, flagged
    )


def _distances(corpus: Corpus, reference: str) -> Iterator[Distance]:
    for mac in corpus.chips:
        own = [
            it
            for it in gpu.beside(corpus, mac.name, reference)
            if it.group != "operations"
        ]
        if own:
            yield Distance(mac.name, tuple(own))


def _unmeasured(corpus: Corpus, rows: Sequence[ChipRow]) -> dict[str, tuple[str, ...]]:
    """Return the chips that lack what others have, by what it is."""
    both = {
        entry.other.chip
        for entry in metal.gains(corpus)
        if entry.group == "training" and entry.evidence != "unlike"
    }
    return {
        "training": tuple(
            it.chip for it in rows if not it.training and it.chip != BASELINE.chip
        ),
        "metal": tuple(it.chip for it in rows if it.chip not in both),
        "tokens": tuple(it.chip for it in rows if not it.decode),
    }
