"""The data of all comparisons: a file for each system, in no language.

A file has the system's figures and its cells with each system that comes after it in
the list of the page. Everything that is computed is computed here: ratios, verdicts and
digits stand in the files as they are shown, but for the marks of a language.
"""

import hashlib
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Generic, TypeVar

import msgspec
from msgspec.structs import replace

from benchdb import catalogue, resources
from benchdb.compare.cell_rows import CellRow, cells
from benchdb.compare.sides import Figure
from benchdb.report import language as languages
from benchdb.report import untrusted
from benchdb.report.language import (
    factor_decimals,
    range_decimals,
    rounded,
    significant_decimals,
)
from benchdb.report.language.units import shortened
from benchdb.report.view.atoms import WIDEST, Quantity, Ratio
from benchdb.report.wording.parameters import KNOWN, PLAIN
from benchdb.report.wording.terms import OF_A_MODEL
from benchdb.report.workloads import trains
from benchdb.site.addresses import RUN_LETTERS
from benchdb.site.compare.system_files import (
    KINDS,
    Card,
    Cell,
    Entry,
    Evidence,
    Kind,
    Known,
    SystemData,
    Work,
)
from benchdb.site.content import Site
from benchdb.site.system_pairs import Worker
from benchdb.statistics.comparison import geometric_mean
from benchdb.titles import framework_title

Made = TypeVar("Made")
_NEAR = 0.9  # from here to its inverse two digits may read the same
_ENOUGH = 3  # processes of each side, for a figure that is repeated
_LISTED = 6  # names of machines, systems and so on
_LETTERS = 5  # of the digest of a piece of work: they tell those of a workload apart
_GIGA = 1e9
_HUGE = 10**12  # far beyond any ratio that is one
_WIDE = f"± >{WIDEST}"  # for ends that say nothing


class _Numbers(Generic[Made]):
    """Gives entries of a system's file their numbers, each once."""

    def __init__(self, entries: list[Made]) -> None:
        self._entries = entries
        self._known: dict[Made, int] = {}

    def of(self, entry: Made) -> int:
        number = self._known.setdefault(entry, len(self._entries))
        if number == len(self._entries):
            self._entries.append(entry)
        return number


@cache
def kind_of(workload: str) -> Kind:
    """Return the kind of work; kinds never meet in one mean."""
    if workload == "llm-decode":
        return "decode"
    if workload == "llm-prefill":
        return "prefill"
    if trains(workload) or workload.endswith("-train"):
        return "training"
    known = catalogue.workloads().get(workload)
    timed = workload.endswith("-inference") or (known and known.kind != "operation")
    return "inference" if timed else "other"


def word_of(ratio: Ratio) -> str:
    """Return what ``terms.verdict_text`` makes of a ratio, but for its direction."""
    if ratio.differs:
        return "unlike unclear" if ratio.verdict == "unclear" else "unlike"
    return ratio.verdict if ratio.verdict not in ("faster", "slower") else "found"


def digits(value: float, decimals: int) -> str:
    """Return *value* with a point and so many decimals, rounded as everywhere."""
    if value < _HUGE and decimals < len(str(_HUGE)):
        return rounded(value, decimals)
    return _english().number(value, decimals).replace(",", "")


def _english() -> languages.Language:
    return languages.load("en")


def _factor(value: float) -> str:
    return digits(value, factor_decimals(value))


def ends(low: float, high: float) -> tuple[str, ...]:
    """Return the digits of a range of factors; one of them where both read the same."""
    if low > _NEAR and high < 1 / _NEAR:
        return f"{low:.3f}", f"{high:.3f}"
    decimals = range_decimals(low, high)
    first, last = map(digits, (low, high), decimals)
    return (first,) if first == last else (first, last)


def keys(site: Site, chosen: Mapping[str, Worker]) -> Mapping[str, str]:
    """Return of each of the *chosen* systems what is equal where its cells are.

    The cells of two systems follow from what they measured, what is noted of its runs
    and what those say of their work; all else in a file is made anew.
    """
    notes = site.inputs.notes
    facts = {run.facts.digest: run.facts for run in site.inputs.runs}
    given = {worker: site.systems.sides[worker] for worker in chosen.values()}

    def keys_of(workers: Iterable[Worker]) -> Iterator[str]:
        for worker in workers:
            measured = given[worker].measured
            runs = [
                facts[name] for measurement in measured for name in measurement.runs
            ]
            rows = [
                (run.spelled, run.framework, run.setting, notes.flagged(run.digest))
                for run in runs
            ]
            whole = msgspec.msgpack.encode((worker, measured, rows))
            yield hashlib.sha256(resources.program() + whole).hexdigest()

    texts = site.inputs.memo.each("systems' keys", given, keys_of)
    return dict(zip(chosen, texts, strict=True))


def system_files(
    site: Site,
    chosen: Mapping[str, Worker],
    earlier: Mapping[str, SystemData] | None = None,
) -> Mapping[str, SystemData]:
    """Return the file of each of the *chosen* systems, by its name in addresses.

    *earlier* are files of systems whose keys are as they were. What two of them say of
    each other is taken from there.
    """
    sides = site.systems.sides
    given = {text: (site.common, sides[worker]) for text, worker in chosen.items()}
    made = site.inputs.memo.each(
        "systems", given, lambda slugs: [_own(site, it, chosen[it]) for it in slugs]
    )
    files = {data.name: _empty(data) for data in made}
    before = earlier or {}
    maker = _Maker(site, files, before)
    works = {slug: sides[worker].batches.keys() for slug, worker in chosen.items()}
    for first, second in combinations(chosen, 2):
        if works[first].isdisjoint(works[second]):
            continue
        own, other = files[first], files[second]
        if first in before and second in before:
            result = [*maker.again(first, second)]
            cards = before[first].cards.get(second, [])
        else:
            rows = cells(sides[chosen[first]], sides[chosen[second]])
            result = [maker.cell(own, other, row) for row in rows]
            cards = [*maker.cards(rows)]
        if result:
            own.cells[second], own.cards[second] = result, cards
            own.shared[second] = other.shared[first] = len(result)
    return files


class _Maker:
    """Makes entries of rows; what many of them share is looked up once."""

    def __init__(
        self,
        site: Site,
        files: Mapping[str, SystemData],
        before: Mapping[str, SystemData],
    ) -> None:
        self._facts = {run.facts.digest: run.facts for run in site.inputs.runs}
        self._explained = site.inputs.notes.explained()
        self._entries: dict[int, Entry] = {}
        self._figures = {slug: _Numbers(data.figures) for slug, data in files.items()}
        self._works = {slug: _Numbers(data.works) for slug, data in files.items()}
        self._before = before
        self._moved = defaultdict[tuple[str, str], dict[int, int]](dict)

    def again(self, first: str, second: str) -> Iterator[Cell]:
        """Yield the cells of two systems as they were, with the numbers of now."""
        own, other = self._before[first], self._before[second]
        works, bases = self._moved[first, "work"], self._moved[first, "figure"]
        others = self._moved[second, "figure"]
        for item in own.cells.get(second, ()):
            # In the order in which ``cell`` gives numbers.
            if item.work not in works:
                works[item.work] = self._works[first].of(own.works[item.work])
            if item.base not in bases:
                bases[item.base] = self._figures[first].of(own.figures[item.base])
            if item.other not in others:
                others[item.other] = self._figures[second].of(other.figures[item.other])
            now = works[item.work], bases[item.base], others[item.other]
            if now == (item.work, item.base, item.other):
                yield item
            else:
                yield replace(item, work=now[0], base=now[1], other=now[2])

    def cell(self, own: SystemData, other: SystemData, row: CellRow) -> Cell:
        ratio = row.ratio
        back: tuple[str, ...] = ()
        shown: tuple[str, ...] = ()
        span: tuple[float, ...] = ()
        bounds = ratio.interval
        if bounds and bounds.wide:
            shown = back = (_WIDE,)
        elif bounds:
            shown = ends(bounds.low, bounds.high)
            back = ends(1 / bounds.high, 1 / bounds.low)
            span = _short(bounds.low), _short(bounds.high)
        return Cell(
            kind=kind_of(row.workload),
            work=self._work(own, row),
            base=self._figure(own, row.base),
            other=self._figure(other, row.other),
            word=word_of(ratio),
            value=_short(ratio.value),
            times=_factor(max(ratio.value, 1 / ratio.value)),
            ends=shown,
            back=back,
            span=span,
            differs=_names_of(ratio.differs),
            unstated=_names_of(ratio.unstated),
            noted=self._noted(row),
        )

    def _noted(self, row: CellRow) -> bool:
        return not self._explained.issuperset(row.ratio.notes)

    def _figure(self, file: SystemData, figure: Figure) -> int:
        # Its side keeps it, so that its identity stays its own.
        if id(figure) not in self._entries:
            self._entries[id(figure)] = untrusted.cleaned(_entry(figure))
        return self._figures[file.name].of(self._entries[id(figure)])

    def _work(self, file: SystemData, row: CellRow) -> int:
        own = _work(row, self._facts[row.base.quantity.run].parameters)
        return self._works[file.name].of(_cleaned(own))

    def cards(self, rows: Sequence[CellRow]) -> Iterable[Card]:
        """Yield what each kind of work says, if anything does."""
        kinds = defaultdict[Kind, list[CellRow]](list)
        for row in rows:
            kinds[kind_of(row.workload)].append(row)
        for kind in KINDS:
            if kind in kinds and (card := self._card(kind, kinds[kind])):
                yield card

    def _card(self, kind: Kind, rows: Sequence[CellRow]) -> Card | None:
        """Sum up the like cells of the way of timing with most, else the unlike ones.

        Two ways of timing never meet in one range; what is flagged is only counted.
        """
        sound = [row for row in rows if row.counts and not self._noted(row)]
        flagged = sum(row.counts for row in rows) - len(sound)
        unlike = [row for row in rows if row.ratio.differs]
        ways = defaultdict[object, list[CellRow]](list)
        for row in sound or unlike:
            ways[self._way(row) if sound else row.ratio.differs].append(row)
        if not ways:
            return None
        kept = max(ways.values(), key=lambda own: (len(own), sum(map(_least, own))))
        ratios = [row.ratio.value for row in kept]
        low, high = min(ratios), max(ratios)
        lead = 1 if low > 1 else -1 if high < 1 else 0
        if lead < 0:
            low, high = 1 / high, 1 / low
        mean = geometric_mean(ratios)
        return Card(
            kind=kind,
            evidence=_evidence(kept) if sound else "unlike",
            cells=len(kept),
            processes=min(map(_least, kept)),
            lead=lead,
            ends=ends(low, high),
            back=() if lead else ends(1 / high, 1 / low),
            mean=_factor(max(mean, 1 / mean)) if lead and sound else "",
            flagged=flagged,
            differs="" if sound else _names_of(kept[0].ratio.differs),
            framework=framework_title(kept[0].base.framework) if sound else "",
        )

    def _way(self, row: CellRow) -> object:
        facts = self._facts[row.base.quantity.run]
        return facts.framework, facts.setting, row.metric


@cache
def _cleaned(work: Work) -> Work:
    return untrusted.cleaned(work)


@cache
def _names_of(conditions: tuple[str, ...]) -> str:
    """Write conditions as they name their words: a line each."""
    return "\n".join(untrusted.cleaned(conditions))


def _least(row: CellRow) -> int:
    return min(row.base.quantity.n, row.other.quantity.n)


def _evidence(rows: Sequence[CellRow]) -> Evidence:
    if min(map(_least, rows)) >= _ENOUGH:
        return "repeated"
    most = max(max(row.base.quantity.n, row.other.quantity.n) for row in rows)
    return "single" if most == 1 else "few"


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def _entry(figure: Figure) -> Entry:
    own = figure.quantity
    shown, unit = _english().digits_and_unit(own)
    low = high = ""
    bounds = own.interval
    if bounds and bounds.wide:
        low = _WIDE
    elif bounds:
        size, _ = shortened(own.value, own.unit)
        texts = (_english().significant(x * size) for x in (bounds.low, bounds.high))
        low, high = (text.replace(",", "") for text in texts)
    return Entry(
        run=own.run[:RUN_LETTERS],
        digits=shown.replace(",", ""),
        unit=unit,
        low=low,
        high=high,
        n=own.n,
        machines=figure.machines,
        grade=own.grade or "",
        label=_trust(own),
        framework=""
        if figure.framework == "unknown"
        else framework_title(figure.framework),
        precision=figure.precision or "",
        flags=" ".join(figure.flags),
    )


def _trust(own: Quantity) -> str:
    """Return the step of the ladder, and whether it was measured here."""
    mine = own.mine and own.label == "measured"
    return f"{own.trust or own.label or ''}{' mine' if mine else ''}"


def _work(row: CellRow, parameters: Mapping[str, object]) -> Work:
    chosen = {name: str(parameters[name]) for name in OF_A_MODEL if name in parameters}
    if "model" not in chosen and row.size:
        chosen = dict(it.split(" ", 1) for it in row.size.split(", ") if " " in it)
    about = tuple(_about(name, fact) for name, fact in chosen.items())
    alone = row.batch_size == 1 and not trains(row.workload)
    return Work(row.workload, 0 if alone else row.batch_size or 0, about)


def _about(name: str, fact: str) -> str:
    """Return what a page says of a parameter, or its name where each language has."""
    if name in KNOWN:
        return f"{name}={fact}"
    return fact if name in PLAIN else f"{name.replace('_', ' ')} {fact}"


def _own(site: Site, slug: str, worker: Worker) -> SystemData:
    side = site.systems.sides[worker]
    own = defaultdict[str, list[str]](list)
    for (workload, parameters), batch in sorted(side.works, key=repr):
        whole = f"{parameters} {batch}".encode()
        own[untrusted.cleaned(workload)].append(
            hashlib.sha256(whole).hexdigest()[:_LETTERS]
        )
    return SystemData(
        name=slug,
        chip=untrusted.cleaned(worker.chip),
        device=worker.device,
        asked=shlex.quote(f"chip:{untrusted.cleaned(worker.chip)}"),
        figures=[],
        works=[],
        cells={},
        cards={},
        shared={},
        own=dict(own),
        known=[untrusted.cleaned(it) for it in _known(site, worker)],
    )


def _empty(data: SystemData) -> SystemData:
    """Return the data of a system by itself, into which that of pairs can be put."""
    return replace(data, figures=[], works=[], cells={}, cards={}, shared={})


def _known(site: Site, worker: Worker) -> Iterable[Known]:
    """Yield what is known of a system, in the order in which it is shown."""
    runs = site.systems.sides[worker].runs
    places = {run.place for run in runs}
    bins = {site.bins.of(place) for place in places}
    chips = [chip for chip in catalogue.chips() if chip.name == worker.chip]
    peaks = [
        chip.peaks["fp32"].flops_per_second for chip in chips if "fp32" in chip.peaks
    ]
    yield _range("cores", "", (item.gpu_cores for item in bins))
    speeds = (site.bins.bandwidth(item) for item in bins)
    yield _range("bandwidth", "GB/s", (speed and speed / _GIGA for speed in speeds))
    own = peaks if worker.device != "cpu" else ()
    yield _range("peak", "TFLOPS", (peak / (_GIGA * 1000) for peak in own))
    yield _range("most", "GB", (chip.max_memory_gb for chip in chips))
    yield _range("memory", "GB", (item.memory for item in bins))
    yield _names("machines", (place.model for place in places))
    facts = [run.facts for run in runs]
    yield _names("systems", (fact.software.system for fact in facts))
    yield _names(
        "frameworks",
        (
            f"{framework_title(fact.framework)} {fact.software.version}".strip()
            for fact in facts
            if fact.framework != "unknown"
        ),
    )
    yield _names("precisions", (fact.precision for fact in facts))
    yield _names("years", ((fact.started or "")[:4] for fact in facts))


def _range(name: str, unit: str, values: Iterable[float | None]) -> Known:
    known = sorted({value for value in values if value})
    shown = [
        digits(value, 0 if value == round(value) else significant_decimals(value, 3))
        for value in known
    ]
    return Known(name, unit or "#", tuple(dict.fromkeys((*shown[:1], *shown[-1:]))))


def _names(name: str, values: Iterable[str | None]) -> Known:
    known = sorted({value for value in values if value})
    more = ("…",) if len(known) > _LISTED else ()
    return Known(name, "", (*known[:_LISTED], *more))
