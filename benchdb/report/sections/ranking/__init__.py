"""Which system trains fastest? Each against a baseline, workload by workload."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from benchdb.catalogue import workloads
from benchdb.metric_kinds import SPEEDS
from benchdb.report.measurement import Measurement, differs, newest
from benchdb.report.quantities import compare, quantity, rate, ratio, side, way
from benchdb.report.references import Notes
from benchdb.report.sections.inputs import (
    Candidates,
    SectionInput,
    anchor,
    baseline,
    candidates,
    count_alike,
    training,
)
from benchdb.report.systems import party
from benchdb.report.view.atoms import (
    Quantity,
    Ratio,
    System,
    Way,
    Workload,
)
from benchdb.report.workloads import workload_of
from benchdb.statistics.comparison import (
    REPEATED_THRESHOLD,
    SINGLE_THRESHOLD,
    chance,
    geometric_mean,
)

_LEAST_SYSTEMS = 3
_LEAST_FIGURES = 2  # a stranger's single figure under other conditions says too little
_KINDS = ("cnn", "transformer", "rnn", "mlp")


class RankCell(msgspec.Struct, frozen=True):
    """One system on one workload, relative to the baseline; ratio 1 for itself.

    *unlike* are the values of the conditions in which the ratio differs, as far as a
    run chooses them or names its surroundings. *chance* is how far chance may have
    moved the log of its own figure, as ``stats.chance`` has it.
    """

    quantity: Quantity | None
    ratio: Ratio | None
    missing: str | None = None
    way: Way | None = None
    unlike: tuple[tuple[str, str], ...] = ()
    chance: float | None = None


class RankRow(msgspec.Struct, frozen=True):
    """One system: its geometric mean over the common workloads, and its cells.

    *mean* is ``None`` unless every common workload has a like cell; what is noted on
    those is noted on it. *spread* are the least and the greatest ratio that it is the
    mean of. *covered* of ``len(Ranking.workloads)`` have any figure. A row *leads* if
    all of its own figures in the mean may be in a headline. *chance* is that of the
    mean, as cells have it.
    """

    system: System
    mean: Ratio | None
    covered: int
    cells: tuple[RankCell, ...]
    spread: tuple[float, float] | None = None
    leads: bool = True
    chance: float | None = None


class Ranking(msgspec.Struct, frozen=True):
    """Which system trains fastest? Rows best first; *common* enter the mean."""

    baseline: System
    workloads: tuple[Workload, ...]
    common: tuple[str, ...]
    rows: tuple[RankRow, ...]
    sources: tuple[str, ...]

    def shared(self, row: RankRow) -> list[RankCell]:
        """Return the cells of the common workloads."""
        cells = zip(self.workloads, row.cells, strict=True)
        return [cell for workload, cell in cells if workload.name in self.common]

    def faster(self, one: RankRow, other: RankRow) -> bool:
        """Tell whether the mean of *one* exceeds the other's by more than chance."""
        if not (one.mean and other.mean) or one.chance is None or other.chance is None:
            return False
        shared = [*self.shared(one), *self.shared(other)]
        counts = [cell.quantity.n for cell in shared if cell.quantity]
        # Two machines stand for their kinds, unless it is two devices of one.
        single = min(counts, default=1) == 1 or one.system.chip != other.system.chip
        least = math.log1p(SINGLE_THRESHOLD if single else REPEATED_THRESHOLD)
        distance = math.log(one.mean.value / other.mean.value)
        return distance > max(least, math.hypot(one.chance, other.chance))


class _Line(msgspec.Struct, frozen=True):
    """A system's measurement in each column, and whether it is like the anchor.

    *reasons* are those why it has no figure, by workload, where anybody said it.
    """

    system: System
    reasons: Mapping[str, str]
    found: tuple[Measurement | None, ...]
    like: tuple[bool, ...]

    @property
    def ranks(self) -> bool:
        figures = sum(m is not None for m in self.found)
        if any(self.like) or self.system.measured:
            return figures > 0
        return figures >= _LEAST_FIGURES


def section(inputs: SectionInput) -> Ranking | None:
    """Return the ranking, or ``None`` for fewer than three comparable systems."""
    systems, trained = training(inputs.measured, inputs.here)
    everyone = candidates(trained)
    if not everyone:
        return None
    reasons: dict[System, dict[str, str]] = {system: {} for system in everyone}
    for gap in inputs.missing:
        who = party(gap.place, gap.conditions.framework, inputs.here)
        if who in systems:
            reasons[systems[who]].setdefault(gap.conditions.workload, gap.reason)
    own = baseline(everyone, inputs.baseline)
    anchors = _anchors(own, everyone)
    lines = [
        _line(system, everyone[system], anchors, reasons[system]) for system in everyone
    ]
    lines = [line for line in lines if line.ranks]
    if len(lines) < _LEAST_SYSTEMS or not anchors:
        return None
    # What all systems share which share more than half of the columns: a machine that
    # ran a single workload takes none from the others.
    full = [line.like for line in lines if 2 * sum(line.like) > len(anchors)]
    columns = range(len(anchors))
    common = [n for n in columns if all(like[n] for like in full)]
    rows = [_row(line, anchors, common, inputs.notes) for line in lines]
    compared = tuple(workload_of(one.conditions.workload) for one in anchors)
    used = (m.place.source for line in lines for m in line.found if m)
    return Ranking(
        baseline=own,
        workloads=compared,
        common=tuple(compared[column].name for column in common),
        rows=tuple(sorted(rows, key=_best_first)),
        sources=inputs.sources.keys(used),
    )


def _anchors(own: System, everyone: Candidates) -> list[Measurement]:
    """Return the baseline's figures, one for each workload that enough systems ran."""
    known, likeness = workloads(), count_alike(everyone)
    ran = Counter(
        name
        for measured in everyone.values()
        for name in {one.conditions.workload for one in measured}
    )
    names = [name for name in known if ran[name] >= _LEAST_SYSTEMS]
    anchors = []
    for name in sorted(names, key=lambda name: _KINDS.index(known[name].kind)):
        mine = (one for one in everyone[own] if one.conditions.workload == name)
        figure = anchor(mine, likeness)
        if figure is not None:
            anchors.append(figure)
    return anchors


def _line(
    system: System,
    measured: Sequence[Measurement],
    anchors: Sequence[Measurement],
    reasons: Mapping[str, str],
) -> _Line:
    # The metric that it has on most columns, so that its row has one.
    names = {wanted.conditions.workload for wanted in anchors}
    cells = {
        (m.conditions.workload, m.conditions.metric)
        for m in measured
        if m.conditions.workload in names and m.throughputs
    }
    counts = Counter(metric for _, metric in cells)
    usual = min(SPEEDS, key=lambda metric: (-counts[metric], SPEEDS.index(metric)))
    best = tuple(_best(measured, wanted, usual) for wanted in anchors)
    like = tuple(
        m is not None and not differs(m, wanted)
        for m, wanted in zip(best, anchors, strict=True)
    )
    return _Line(system, reasons, best, like)


def _best(
    measured: Sequence[Measurement], wanted: Measurement, usual: str
) -> Measurement | None:
    """Return the like measurement, else one in the usual metric, the least unlike.

    Of those, the nearest in batch size, then the fastest.
    """
    like = [one for one in measured if not differs(one, wanted)]
    if like:
        return newest(like)

    def preference(other: Measurement) -> tuple[object, ...]:
        own = other.conditions
        size, other_size = own.batch_size, wanted.conditions.batch_size
        far = math.inf  # of an unknown batch size
        if size and other_size:
            far = max(size, other_size) / min(size, other_size)
        unlike = len(differs(other, wanted))
        speed = geometric_mean(other.throughputs or (1.0,))
        return own.smoke, own.metric != usual, unlike, far, -speed, repr(own)

    name = wanted.conditions.workload
    work = [m for m in measured if m.conditions.workload == name and m.throughputs]
    return min(work, key=preference, default=None)


def _row(
    line: _Line, anchors: Sequence[Measurement], common: Sequence[int], notes: Notes
) -> RankRow:
    cells = tuple(
        _cell(line.reasons, one, wanted, notes)
        for one, wanted in zip(line.found, anchors, strict=True)
    )
    mean = _mean(line, anchors, common, notes)
    own = [line.found[column] for column in common]
    ratios = [it.value for column in common if (it := cells[column].ratio)]
    moved = [side(one, notes).speeds for one in own if one] if mean else []
    return RankRow(
        system=line.system,
        mean=mean,
        covered=sum(cell.quantity is not None for cell in cells),
        cells=cells,
        spread=(min(ratios), max(ratios)) if mean else None,
        leads=all(one is not None and one.leads for one in own),
        chance=chance(moved) if mean else None,
    )


def _cell(
    reasons: Mapping[str, str],
    one: Measurement | None,
    wanted: Measurement,
    notes: Notes,
) -> RankCell:
    if one is None:
        return RankCell(None, None, reasons.get(wanted.conditions.workload))
    # How far chance may have moved a figure that may be in a verdict.
    moved = chance([side(one, notes).speeds]) if one.leads else None
    if one == wanted:
        own = quantity(one, notes)
        even = Ratio(1.0, "even", notes=own.notes, leads=one.leads)
        return RankCell(own, even, way=way(one), chance=moved)
    shown = rate(one, notes) if differs(one, wanted) else quantity(one, notes)
    against = compare(one, wanted, notes)
    stated = {**dict(one.conditions.choices), **dict(one.conditions.surroundings)}
    names = [n for n in (against.differs if against else ()) if n in stated]
    unlike = tuple((name, stated[name]) for name in names)
    return RankCell(shown, against, way=way(one), unlike=unlike, chance=moved)


def _mean(
    line: _Line, anchors: Sequence[Measurement], common: Sequence[int], notes: Notes
) -> Ratio | None:
    pairs = []
    for column in common:
        one = line.found[column]
        if one is None or not line.like[column] or one.grade == "X":
            return None
        pairs.append((side(one, notes), side(anchors[column], notes)))
    if not pairs:
        return None
    mean = ratio(pairs)
    if all(line.found[column] == anchors[column] for column in common):
        return Ratio(1.0, "even", notes=mean.notes)
    return mean


def _best_first(row: RankRow) -> tuple[object, ...]:
    if row.mean is not None:  # what may lead nothing is not above what may
        return 0 if row.leads else 1, -row.mean.value, row.system.key
    ratios = [cell.ratio.value for cell in row.cells if cell.ratio]
    return 2, -geometric_mean(ratios) if ratios else 0.0, row.system.key
