"""Which system trains fastest? Each against a baseline, workload by workload."""

import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from benchdb.catalogue import workloads
from benchdb.report.measurement import Measurement, differs
from benchdb.report.metric_kinds import SPEEDS, workload_of
from benchdb.report.quantities import compare, quantity, rate, ratio, side, way
from benchdb.report.references import Notes
from benchdb.report.sections.contenders import Contender, anchor, baseline, contenders
from benchdb.report.sections.material import Material
from benchdb.report.sections.ranking import RankCell, Ranking, RankRow
from benchdb.report.view.atoms import Ratio, Workload
from benchdb.statistics.comparison import chance, geometric_mean

_LEAST_SYSTEMS = 3
_LEAST_FIGURES = 2  # a stranger's single figure under other conditions says too little
_KINDS = ("cnn", "transformer", "rnn", "mlp")


class _Line(msgspec.Struct, frozen=True):
    """A contender's measurement in each column, and whether it is like the anchor."""

    contender: Contender
    found: tuple[Measurement | None, ...]
    like: tuple[bool, ...]


def section(material: Material) -> Ranking | None:
    """Return the ranking, or ``None`` for fewer than three comparable systems."""
    notes, sources = material.notes, material.sources
    everyone = contenders(material.measured, material.missing, material.here)
    if not everyone:
        return None
    own = baseline(everyone, material.baseline)
    anchors = _anchors(own, everyone)
    lines = [line for one in everyone if _ranks(line := _line(one, anchors))]
    if len(lines) < _LEAST_SYSTEMS or not anchors:
        return None
    common = _common(lines, len(anchors))
    rows = [_row(line, anchors, common, notes) for line in lines]
    return Ranking(
        baseline=own.system,
        workloads=tuple(_columns(anchors)),
        common=tuple(anchors[column].conditions.workload for column in common),
        rows=tuple(sorted(rows, key=_best_first)),
        sources=sources.keys(m.place.source for line in lines for m in line.found if m),
    )


def _anchors(own: Contender, everyone: Sequence[Contender]) -> list[Measurement]:
    """Return the baseline's figures, one for each workload that enough systems ran."""
    found = []
    for name in sorted({m.conditions.workload for m in own.measurements}, key=_order):
        others = sum(bool(one.on(name)) for one in everyone)
        one = anchor(own, name, everyone)
        if one is not None and others >= _LEAST_SYSTEMS:
            found.append(one)
    return found


def _order(name: str) -> tuple[int, int]:
    known = workloads()
    return _KINDS.index(known[name].kind), list(known).index(name)


def _columns(anchors: Sequence[Measurement]) -> list[Workload]:
    return [workload_of(one.conditions.workload) for one in anchors]


def _line(one: Contender, anchors: Sequence[Measurement]) -> _Line:
    usual = _usual(one, anchors)
    found = tuple(_best(one, wanted, usual) for wanted in anchors)
    like = tuple(
        m is not None and not differs(m, wanted)
        for m, wanted in zip(found, anchors, strict=True)
    )
    return _Line(one, found, like)


def _usual(one: Contender, anchors: Sequence[Measurement]) -> str:
    """Return the metric that *one* has on most columns, so that its row has one."""
    names = {wanted.conditions.workload for wanted in anchors}
    cells = {
        (m.conditions.workload, m.conditions.metric)
        for m in one.measurements
        if m.conditions.workload in names and m.throughputs
    }
    counts = Counter(metric for _, metric in cells)
    return min(SPEEDS, key=lambda metric: (-counts[metric], SPEEDS.index(metric)))


def _best(one: Contender, wanted: Measurement, usual: str) -> Measurement | None:
    """Return the like measurement, else one in the usual metric, the least unlike.

    Of those, the nearest in batch size, then the fastest.
    """
    like = one.like(wanted)
    if like is not None:
        return like

    def preference(other: Measurement) -> tuple[object, ...]:
        unlike = len(differs(other, wanted))
        batches = other.conditions.batch_size, wanted.conditions.batch_size
        speed = geometric_mean(other.throughputs or (1.0,))
        return (
            other.conditions.smoke,
            other.conditions.metric != usual,
            unlike,
            _apart(*batches),
            -speed,
            repr(other.conditions),
        )

    rated = [m for m in one.on(wanted.conditions.workload) if m.throughputs]
    return min(rated, key=preference, default=None)


def _apart(one: int | None, other: int | None) -> float:
    """Return the factor between two batch sizes; unknown ones are the furthest."""
    return max(one, other) / min(one, other) if one and other else math.inf


def _ranks(line: _Line) -> bool:
    figures = sum(m is not None for m in line.found)
    if any(line.like) or line.contender.system.measured:
        return figures > 0
    return figures >= _LEAST_FIGURES


def _common(lines: Sequence[_Line], columns: int) -> tuple[int, ...]:
    """Return the columns that all systems share which share more than half of them.

    So a machine that ran a single workload takes no workload from the others.
    """
    full = [line for line in lines if 2 * sum(line.like) > columns]
    return tuple(
        column for column in range(columns) if all(line.like[column] for line in full)
    )


def _row(
    line: _Line, anchors: Sequence[Measurement], common: tuple[int, ...], notes: Notes
) -> RankRow:
    cells = tuple(
        _cell(line.contender, one, wanted, notes)
        for one, wanted in zip(line.found, anchors, strict=True)
    )
    mean = _mean(line, anchors, common, notes)
    own = [line.found[column] for column in common]
    ratios = [one.value for column in common if (one := cells[column].ratio)]
    return RankRow(
        system=line.contender.system,
        mean=mean,
        covered=sum(cell.quantity is not None for cell in cells),
        cells=cells,
        spread=(min(ratios), max(ratios)) if mean else None,
        leads=all(one is not None and one.leads for one in own),
        chance=chance([side(one, notes).speeds for one in own if one])
        if mean
        else None,
    )


def _cell(
    contender: Contender, one: Measurement | None, wanted: Measurement, notes: Notes
) -> RankCell:
    if one is None:
        return RankCell(None, None, contender.reason(wanted.conditions.workload))
    if one == wanted:
        own = quantity(one, notes)
        even = Ratio(1.0, "even", notes=own.notes, leads=one.leads)
        return RankCell(own, even, way=way(one), chance=_chance(one, notes))
    like = not differs(one, wanted)
    shown = quantity(one, notes) if like else rate(one, notes)
    against = compare(one, wanted, notes)
    stated = {**dict(one.conditions.choices), **dict(one.conditions.surroundings)}
    names = [n for n in (against.differs if against else ()) if n in stated]
    unlike = tuple((name, stated[name]) for name in names)
    known = _chance(one, notes)
    return RankCell(shown, against, way=way(one), unlike=unlike, chance=known)


def _chance(one: Measurement, notes: Notes) -> float | None:
    """Return how far chance may have moved a figure that may be in a verdict."""
    return chance([side(one, notes).speeds]) if one.leads else None


def _mean(
    line: _Line, anchors: Sequence[Measurement], common: tuple[int, ...], notes: Notes
) -> Ratio | None:
    pairs = []
    for column in common:
        one = line.found[column]
        if one is None or not line.like[column] or one.grade == "X":
            return None
        pairs.append((side(one, notes), side(anchors[column], notes)))
    if not pairs:
        return None
    found = ratio(pairs)
    if all(line.found[column] == anchors[column] for column in common):
        return Ratio(1.0, "even", notes=found.notes)
    return found


def _best_first(row: RankRow) -> tuple[object, ...]:
    if row.mean is not None:  # what may lead nothing is not above what may
        return 0 if row.leads else 1, -row.mean.value, row.system.key
    ratios = [cell.ratio.value for cell in row.cells if cell.ratio]
    return 2, -geometric_mean(ratios) if ratios else 0.0, row.system.key
