"""And per watt? Work per joule, where somebody read the power of both sides."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import NamedTuple

from benchdb.report import untrusted
from benchdb.report.view.atoms import Reading
from benchdb.site.answers.efficiency import Efficiency, EfficiencyRow, efficiency
from benchdb.site.answers.evidence import group_of
from benchdb.site.answers.facts import Card, Group, Held, Look, Party, Point
from benchdb.site.answers.gpu import PREFERRED
from benchdb.site.answers.lookup import Corpus
from benchdb.site.answers.mac_names import macs, measuring, plain_chip
from benchdb.statistics.comparison import geometric_mean

# What is told of energy, and whether more of it is better.
_METRICS = {"tokens_per_joule": True, "energy_per_step_joules": False}
_POWER = "power"  # the condition: how it was read


class Work(NamedTuple):
    """What was done per joule; equal for figures that may meet."""

    workload: str
    parameters: str
    setting: str
    framework: str
    metric: str


Joules = Mapping[Party, Mapping[Work, Sequence[tuple[float, str]]]]


def per_watt(corpus: Corpus, chip: str | None) -> Card:
    """Return how much work per joule *chip* does beside a GPU, or any Mac."""
    own = [pair for pair in known(corpus) if chip in (None, pair.other.chip)]
    if not own:
        return Card("watt", chip, "none", measure=measuring(chip))
    first = max(own, key=_standing)
    others = [it for it in own if it.group != first.group]
    second = max(others, key=_standing, default=None)
    kept = (first, second) if second else (first,)
    return Card(
        question="watt",
        chip=chip,
        evidence=first.evidence,
        low=first.mean or first.low,
        high=first.mean or first.high,
        points=tuple(point for pair in kept for point in pair.points),
        held=kept,
        flagged=first.flagged,
        measure=measuring(chip),
    )


@lru_cache(maxsize=1)
def known(corpus: Corpus) -> tuple[Held, ...]:
    """Return what is known of work per joule, of Macs beside others."""
    return (*_trained(corpus), *_counted(corpus))


def comparisons(corpus: Corpus) -> tuple[Card, ...]:
    """Return the answer of each Mac whose power somebody read."""
    result = (per_watt(corpus, mac.name) for mac in corpus.chips)
    return tuple(card for card in result if card.held)


def _standing(pair: Held) -> tuple[object, ...]:
    """Return how much a comparison tells: training, then what most cells say."""
    liked = pair.base.chip in PREFERRED
    order = -PREFERRED.index(pair.base.chip) if liked else -len(PREFERRED)
    like = pair.evidence != "unlike"
    return (
        like,
        pair.group == "training",
        len(pair.names) > 1,
        order,
        pair.cells,
        pair.low,
    )


def _trained(corpus: Corpus) -> Iterator[Held]:
    """Yield what training says of Macs beside the reference."""
    read = _read(corpus)
    if read is None or read.reference is None:
        return
    reference = read.reference
    for group in read.groups:
        rows = [row for row in group.rows if row.ratio]
        if group.system.chip in macs() and group.system.device == "metal" and rows:
            yield _of_rows(
                corpus,
                Party(reference.chip, reference.device),
                Party(group.system.chip, group.system.device),
                rows,
                group.reading,
            )


@lru_cache(maxsize=1)
def _read(corpus: Corpus) -> Efficiency | None:
    return untrusted.cleaned(efficiency(corpus.site.inputs))


def _of_rows(
    corpus: Corpus,
    base: Party,
    other: Party,
    rows: Sequence[EfficiencyRow],
    reading: Reading,
) -> Held:
    ratios = [row.ratio for row in rows if row.ratio]
    values = [ratio.value for ratio in ratios]
    differs = tuple(sorted({name for ratio in ratios for name in ratio.differs}))
    counts = [row.per_joule.n for row in rows]
    unlike = bool(differs) or reading.kind == "peak"
    low, high = min(values), max(values)
    clear = not unlike and (low > 1 or high < 1)
    return Held(
        base=base,
        other=other,
        group="training",
        evidence="unlike" if unlike else "single",
        low=low,
        high=high,
        cells=len(rows),
        names=tuple(row.workload.name for row in rows),
        points=tuple(
            Point(value, _look(value, unlike=unlike), row.workload.name)
            for value, row in zip(values, rows, strict=True)
        ),
        processes=(min(counts), max(counts)),
        mean=geometric_mean(values) if clear else None,
        differs=differs or ((_POWER,) if unlike else ()),
        years=corpus.years(row.per_joule.run for row in rows),
    )


def _look(value: float, *, unlike: bool) -> Look:
    if unlike:
        return "unlike"
    return "up" if value > 1 else "down"


def _counted(corpus: Corpus) -> Iterator[Held]:
    """Yield what programs that tell energy themselves say of Macs beside GPUs.

    None of them says of what the power was, of a chip or a whole card.
    """
    joules = _joules(corpus)
    for base, theirs in joules.items():
        for other, ours in joules.items():
            if base.device == "cuda" and other.chip in macs():
                yield from _beside(corpus, (base, theirs), (other, ours))


def _joules(corpus: Corpus) -> Joules:
    result = defaultdict[Party, dict[Work, list[tuple[float, str]]]](dict)
    for worker, side in corpus.site.systems.sides.items():
        party = Party(plain_chip(worker.chip), worker.device)
        for run in side.runs if worker.device in ("metal", "cuda") else ():
            for figure in run.figures:
                if figure.metric in _METRICS and (figure.value or 0) > 0:
                    own = run.facts
                    work = Work(
                        own.workload,
                        own.spelled,
                        own.setting,
                        own.framework,
                        figure.metric,
                    )
                    value = figure.value or 0.0
                    rate = value if _METRICS[figure.metric] else 1 / value
                    result[party].setdefault(work, []).append((rate, own.digest))
    return result


def _beside(
    corpus: Corpus,
    theirs: tuple[Party, Mapping[Work, Sequence[tuple[float, str]]]],
    ours: tuple[Party, Mapping[Work, Sequence[tuple[float, str]]]],
) -> Iterator[Held]:
    """Yield a comparison for each kind of work that both did."""
    common = sorted(theirs[1].keys() & ours[1].keys())
    kinds = defaultdict[Group, list[Work]](list)
    for work in common:
        if group := group_of(work.workload):
            kinds[group].append(work)
    for group, works in kinds.items():
        values = [
            median(rate for rate, _ in ours[1][work])
            / median(rate for rate, _ in theirs[1][work])
            for work in works
        ]
        runs = [
            run for side in (theirs, ours) for work in works for _, run in side[1][work]
        ]
        names = [corpus.work(ours[1][work][0][1]) for work in works]
        counts = [len(side[1][work]) for side in (theirs, ours) for work in works]
        yield Held(
            base=theirs[0],
            other=ours[0],
            group=group,
            evidence="unlike",
            low=min(values),
            high=max(values),
            cells=len(works),
            names=tuple(dict.fromkeys(names)),
            points=tuple(
                Point(value, "unlike", name)
                for value, name in zip(values, names, strict=True)
            ),
            processes=(min(counts), max(counts)),
            differs=(_POWER,),
            years=corpus.years(runs),
        )
