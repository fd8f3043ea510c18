"""Cells: the work that two sides have in common, and which of them is faster.

The first side is the baseline: a ratio says how many times as fast the other one is.
Ratios, intervals and verdicts are the report's, from ``report.quantities``.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain

import msgspec
from msgspec.structs import replace

from benchdb.compare.differing_facts import Fact, facts
from benchdb.compare.pairs import Group, Work, pairs
from benchdb.compare.sides import Figure, Side
from benchdb.conditions import NAMES, VARIANTS, Conditions
from benchdb.errors import UsageError, suggestion
from benchdb.report import quantities
from benchdb.report.view.atoms import Ratio
from benchdb.statistics import comparison
from benchdb.statistics.comparison import Fleet
from benchdb.steps import lowest
from benchdb.store.places import chip_at_work


class CellRow(msgspec.Struct, frozen=True):
    """A cell that both sides have; *base* is the first side's figure.

    *ratio* says how many times as fast *other* is. *size* has the parameters that tell
    points of a sweep.
    """

    workload: str
    batch_size: int | None
    size: str
    metric: str
    base: Figure
    other: Figure
    ratio: Ratio

    @property
    def counts(self) -> bool:
        """Tell whether it was a comparison of like with like, with enough evidence."""
        return not self.ratio.differs and self.ratio.verdict != "insufficient"


class Comparison(msgspec.Struct, frozen=True):
    """Two sides held against each other.

    *mean* is the geometric mean over the cells that count, *spread* the least and the
    greatest ratio of them. *only_base* and *only_other* are what the other side lacks:
    how many cells, by workload.
    """

    base: str
    other: str
    cells: tuple[CellRow, ...]
    mean: Ratio | None
    spread: tuple[float, float] | None
    facts: tuple[Fact, ...]
    only_base: Mapping[str, int]
    only_other: Mapping[str, int]
    reason: str | None = None  # why there is no cell that counts


def compare(
    base: Side,
    other: Side,
    *,
    threshold: float | None = None,
    accepted: Collection[str] = (),
) -> Comparison:
    """Return what *other* does on the cells that *base* has as well.

    Conditions that are *accepted* may differ. *threshold* is the difference that counts
    as one, where it is not the usual 2 % or 5 %. Raise ``UsageError`` for an accepted
    condition that there is not.
    """
    for name in accepted:
        if name not in NAMES:
            hint = suggestion(name, NAMES)
            raise UsageError(f"no condition {name!r} to accept{hint}")
    result = list(_cells(base, other, threshold, accepted))
    rows = [row for row, _, _ in result]
    counted = [sides for row, sides, _ in result if row.counts]
    runs = {run for _, _, own in result for run in own}
    ratios = [row.ratio.value for row in rows if row.counts]
    return Comparison(
        base=base.name,
        other=other.name,
        cells=tuple(sorted(rows, key=_order)),
        mean=quantities.ratio(counted, threshold=threshold) if counted else None,
        spread=(min(ratios), max(ratios)) if ratios else None,
        facts=tuple(facts(base, other, runs)),
        only_base=_by_workload(base.works - other.works),
        only_other=_by_workload(other.works - base.works),
        reason=None if counted else _reason(base, other, rows),
    )


def cells(base: Side, other: Side) -> tuple[CellRow, ...]:
    """Return the cells of ``compare``, without what they say together."""
    rows = (row for row, _, _ in _cells(base, other))
    return tuple(sorted(rows, key=_order))


def _cells(
    base: Side,
    other: Side,
    threshold: float | None = None,
    accepted: Collection[str] = (),
) -> Iterator[tuple[CellRow, tuple[quantities.Side, quantities.Side], Sequence[str]]]:
    """Yield each cell with the sides of its ratio and the runs of both."""
    varied = cache(partial(_varied, base, other))
    for left, right, unlike in pairs(base.batches, other.batches, accepted):
        sides = _sides(left, right, base, other)
        own = quantities.ratio([sides], unlike, threshold)
        tried = left.first.conditions.smoke or right.first.conditions.smoke
        if tried and not unlike.unlike:
            # It shows that something works, not how fast.
            own = replace(own, verdict="insufficient", leads=False)
        conditions = left.first.conditions
        row = CellRow(
            workload=conditions.workload,
            batch_size=conditions.batch_size,
            size=_size(conditions, varied(conditions.workload)),
            metric=conditions.metric,
            base=figure(left, base),
            other=figure(right, other),
            ratio=own,
        )
        yield row, sides, (*left.runs, *right.runs)


def _reason(base: Side, other: Side, rows: Sequence[CellRow]) -> str:
    """Say why nothing could be compared."""
    for side in (base, other):
        if missing := _missing(side):
            return missing
    if any(row.ratio.differs for row in rows):
        names = {name for row in rows for name in row.ratio.differs}
        return f"no cell is alike on both sides: they differ in {_words(names)}"
    if rows:
        poor = "smoke runs, or figures without samples or source"
        return f"the evidence is too poor: {poor}"
    if _digests(base) & _digests(other):
        return "both sides are the same runs"
    common = base.works & other.works
    what = (
        "the same work is timed in ways that do not meet"
        if common
        else "no work in common"
    )
    named = [
        _words(
            measurement.conditions.metric if common else measurement.conditions.workload
            for measurement in side.measured
            if not common
            or (measurement.conditions.work, measurement.conditions.batch) in common
        )
        for side in (base, other)
    ]
    return f"{what}: {base.name} has {named[0]}, {other.name} has {named[1]}"


def _missing(side: Side) -> str:
    """Say why a side has no figure, if it has none."""
    if not side.runs:
        return f"{side.name} has no runs"
    if side.measured:
        return ""
    failed = side.disqualified
    if not failed:
        return f"{side.name} has no figure of a speed or time"
    checked = f"{failed} of {len(side.runs)} runs failed a check"
    return f"{side.name} has no figure that counts: {checked} (grade X)"


def _digests(side: Side) -> set[str]:
    return {run.facts.digest for run in side.runs}


def _words(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names)))


def _sides(
    left: Group, right: Group, base: Side, other: Side
) -> tuple[quantities.Side, quantities.Side]:
    """Return both sides of the ratio that says how fast the *right* one is.

    Those that timed otherwise meet as samples per second.
    """
    rates = left.timed != right.timed
    return _speeds(right, other, rates=rates), _speeds(left, base, rates=rates)


def _speeds(group: Group, side: Side, *, rates: bool) -> quantities.Side:
    key = rates, group.key
    if key not in side.speeds:
        side.speeds[key] = _new_speeds(group, side, rates=rates)
    return side.speeds[key]


def _new_speeds(group: Group, side: Side, *, rates: bool) -> quantities.Side:
    noted = side.notes.on(group.runs, group.first.conditions.metric)
    speeds = [
        (member.throughputs if rates else member.speeds) or ()
        for member in group.members
    ]
    if len(speeds) == 1:
        return quantities.side_of(group.first, speeds[0], noted)
    samples = [
        measurement.sampled(own)
        for measurement, own in zip(group.members, speeds, strict=True)
    ]
    return quantities.Side(
        Fleet(tuple(samples)),
        noted,
        leads=all(member.leads for member in group.members),
    )


def figure(group: Group, side: Side) -> Figure:
    """Return what a *group* of measurements of one *side* reached."""
    if group.key not in side.figures:
        side.figures[group.key] = _new_figure(group, side)
    return side.figures[group.key]


def _new_figure(group: Group, side: Side) -> Figure:
    first = group.first
    shown = quantities.quantity(first, side.notes)
    if len(group.members) > 1:
        fleet = Fleet(tuple(member.sampled(member.values) for member in group.members))
        center = comparison.estimate(fleet)
        shown = replace(
            shown,
            value=center.value,
            low=center.low,
            high=center.high,
            n=fleet.count,
            printed=None,
            derived=True,
            grade=max(
                (member.grade for member in group.members if member.grade), default=None
            ),
            trust=lowest(member.trust for member in group.members),
        )
    noted = side.notes.on(group.runs, first.conditions.metric)
    return Figure(
        quantity=shown,
        machines=len(group.members),
        flags=side.notes.codes(noted),
        accelerator=chip_at_work(first.place),
        device=first.place.device,
        framework=first.conditions.framework,
        precision=first.conditions.precision,
        compiler=first.conditions.compiler,
    )


def _varied(base: Side, other: Side, workload: str) -> set[str]:
    """Return the parameters of a workload that tell figures of it apart."""
    sides = base.parameters[workload], other.parameters[workload]
    every = Counter(
        name for name, _ in frozenset[tuple[str, str]]().union(*chain(*sides))
    )
    # What a side does not say of all of its figures tells these apart: the least.
    partly = {
        name
        for known in sides
        for name in VARIANTS
        if 0 < sum(name in dict(it) for it in known) < len(known)
    }
    return partly | {name for name, values in every.items() if values > 1}


def _size(conditions: Conditions, varied: Collection[str]) -> str:
    """Return the parameters that tell the points of a sweep: ``size 1024``."""
    facts = sorted(conditions.facts.items())
    return ", ".join(f"{name} {fact}" for name, fact in facts if name in varied)


def _by_workload(works: Iterable[tuple[Work, int | None]]) -> dict[str, int]:
    return dict(sorted(Counter(workload for (workload, _), _ in works).items()))


def _order(row: CellRow) -> tuple[object, ...]:
    numbers = [int(word) for word in row.size.split() if word.isdigit()]
    own = row.base
    return (
        not row.counts,
        row.workload,
        numbers,
        row.size,
        row.batch_size or 0,
        own.device,
        own.framework,
        own.precision or "",
    )
