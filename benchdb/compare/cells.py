"""Cells: the work that two sides have in common, and which of them is faster.

The first side is the baseline: a ratio says how many times as fast the other one is.
Ratios, intervals and verdicts are the report's, from ``report.quantities``.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.compare.sides import Side
from benchdb.conditions import Conditions, Difference
from benchdb.metric_kinds import headlines
from benchdb.report import quantities
from benchdb.report.measurement import Measurement, compared, newest
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.statistics import comparison
from benchdb.statistics.comparison import Fleet
from benchdb.store.places import chip_at_work

# On one machine these are what somebody compares, not what spoils the comparison.
OF_ONE_MACHINE = frozenset({"version", "system", "driver", "variables"})
_GIB = 2**30


class Figure(msgspec.Struct, frozen=True):
    """What one side reached: its quantity, on so many machines."""

    quantity: Quantity
    machines: int
    accelerator: str
    device: str
    framework: str
    precision: str | None
    compiler: str | None


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
        """Tell whether it was a comparison of like with like."""
        return self.ratio.verdict not in ("not comparable", "insufficient")


class Fact(msgspec.Struct, frozen=True):
    """A column in which the sides differ, with what each has there."""

    name: str
    base: str
    other: str


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


class _Group(msgspec.Struct, frozen=True):
    """Measurements of one cell under like conditions, the newest of each machine."""

    members: tuple[Measurement, ...]

    @property
    def first(self) -> Measurement:
        return self.members[0]


def compare(
    base: Side,
    other: Side,
    *,
    threshold: float | None = None,
    accepted: Collection[str] = (),
) -> Comparison:
    """Return what *other* does on the cells that *base* has as well.

    Conditions that are *accepted* may differ. *threshold* is the difference that counts
    as one, where it is not the usual 2 % or 5 %.
    """
    pairs = _pairs(_groups(base), _groups(other), accepted)
    cells, sided = [], []
    varied = _varied((base, other))
    for left, right in pairs:
        aligned = _aligned(left, right, base, other)
        if aligned is None:
            continue
        turned = aligned[1], aligned[0]
        unlike = _difference(left, right, accepted)
        own = quantities.ratio([turned], unlike, threshold)
        if left.first.conditions.smoke and not unlike.unlike:
            # It shows that something works, not how fast.
            own = replace(own, verdict="insufficient", leads=False)
        conditions = left.first.conditions
        row = CellRow(
            workload=conditions.workload,
            batch_size=conditions.batch_size,
            size=_size(conditions, varied[conditions.workload]),
            metric=conditions.metric,
            base=_figure(left, base),
            other=_figure(right, other),
            ratio=own,
        )
        cells.append(row)
        if row.counts:
            sided.append(turned)
    order = sorted(range(len(cells)), key=lambda place: _order(cells[place]))
    ratios = [row.ratio.value for row in cells if row.counts]
    works = [
        {(one.conditions.work, one.conditions.batch_size) for one in side.measured}
        for side in (base, other)
    ]
    return Comparison(
        base=base.asked.name,
        other=other.asked.name,
        cells=tuple(cells[place] for place in order),
        mean=quantities.ratio(sided, threshold=threshold) if sided else None,
        spread=(min(ratios), max(ratios)) if ratios else None,
        facts=tuple(_facts(base, other)),
        only_base=_by_workload(works[0] - works[1]),
        only_other=_by_workload(works[1] - works[0]),
        reason=None if sided else _reason(base, other, cells),
    )


def _reason(base: Side, other: Side, cells: Sequence[CellRow]) -> str:
    """Say why nothing could be compared."""
    for side in (base, other):
        if not side.runs:
            return f"{side.asked.name} has no runs"
        if not side.measured:
            if side.disqualified:
                return (
                    f"{side.asked.name} has no figure that counts: "
                    f"{side.disqualified} of {len(side.runs)} runs failed a check "
                    "(grade X)"
                )
            return f"{side.asked.name} has no figure of a speed or time"
    if cells:
        return "no cell is alike on both sides"
    names = [
        ", ".join(sorted({one.conditions.workload for one in side.measured}))
        for side in (base, other)
    ]
    return (
        f"no work in common; {base.asked.name} has {names[0]}, "
        f"{other.asked.name} has {names[1]}"
    )


def _groups(side: Side) -> list[_Group]:
    """Return the measurements of *side*, those of several machines together."""
    groups = defaultdict[tuple[object, ...], list[Measurement]](list)
    for one in side.measured:
        groups[_cell(one)].append(one)
    found = []
    for some in groups.values():
        machines = defaultdict[str, list[Measurement]](list)
        for one in some:
            machines[one.place.machine].append(one)
        kept = [newest(own) for own in machines.values()]
        kept.sort(key=lambda one: (one.started or "", one.runs), reverse=True)
        found.append(_Group(tuple(kept)))
    return found


def _cell(one: Measurement) -> tuple[object, ...]:
    """Return what is equal for the machines that one figure stands for.

    Their versions and systems may differ: that is part of how machines differ.
    """
    own = one.conditions
    return one.place.device, one.place.measured, replace(own, surroundings=())


def _pairs(
    ours: Sequence[_Group], theirs: Sequence[_Group], accepted: Collection[str]
) -> list[tuple[_Group, _Group]]:
    """Return the likest pairs of each cell, each processes in one pair at most.

    Another batch size is better than no pair of that work, and unlike conditions than
    no pair of that cell.
    """
    chosen: list[tuple[_Group, _Group]] = []
    for work in sorted({group.first.conditions.work for group in ours}):
        own, rivals = _doing(work, ours), _doing(work, theirs)
        batches = _batches(own) & _batches(rivals)
        if not batches:
            chosen += _likest(own, rivals, accepted)
        for batch in sorted(batches, key=lambda size: size or 0):
            chosen += _likest(
                [one for one in own if one.first.conditions.batch_size == batch],
                [one for one in rivals if one.first.conditions.batch_size == batch],
                accepted,
            )
    return chosen


def _doing(work: tuple[str, str], groups: Iterable[_Group]) -> list[_Group]:
    return [group for group in groups if group.first.conditions.work == work]


def _batches(groups: Iterable[_Group]) -> set[int | None]:
    return {group.first.conditions.batch_size for group in groups}


def _likest(
    ours: Sequence[_Group], theirs: Sequence[_Group], accepted: Collection[str]
) -> Iterator[tuple[_Group, _Group]]:
    """Yield pairs of a cell, all as like as the likest; unlike ones where none is."""
    ranked = sorted(
        (
            (_cost(own, rival, accepted), own.first.runs, rival.first.runs, own, rival)
            for own in ours
            for rival in theirs
            if _shares_unit(own.first, rival.first)
        ),
        key=lambda row: row[:3],
    )
    known, there = set[object](), set[object]()
    least: tuple[int, bool] | None = None
    for cost, _, _, own, rival in ranked:
        if least is None:
            least = cost[:2]
        if cost[:2] > least or _way(own) in known or _way(rival) in there:
            continue
        known.add(_way(own))
        there.add(_way(rival))
        yield own, rival


def _cost(
    own: _Group, rival: _Group, accepted: Collection[str]
) -> tuple[int, bool, bool, int]:
    """Return what is least for the pair that a reader would choose."""
    left, right = own.first, rival.first
    order = headlines(left.conditions.workload)
    metric = left.conditions.metric
    return (
        len(_difference(own, rival, accepted).unlike),
        (left.place.device == "cpu") != (right.place.device == "cpu"),
        left.place.device != right.place.device,
        order.index(metric) if metric in order else len(order),
    )


def _way(group: _Group) -> object:
    """Return what is equal for all metrics of the same processes."""
    own = replace(group.first.conditions, metric="", extent=None, told_by=None)
    return group.first.place.device, group.first.place.source, own


def _shares_unit(left: Measurement, right: Measurement) -> bool:
    same = left.conditions.metric == right.conditions.metric
    return same or None not in (left.throughputs, right.throughputs)


def _difference(left: _Group, right: _Group, accepted: Collection[str]) -> Difference:
    """Name what keeps the sides of a cell from being alike."""
    found = compared(left.first, right.first)
    allowed = set(accepted)
    machines = {one.place.machine for one in (*left.members, *right.members)}
    if len(machines) == 1:
        allowed |= OF_ONE_MACHINE
    unlike = tuple(name for name in found.unlike if name not in allowed)
    return replace(found, unlike=unlike)


def _aligned(
    left: _Group, right: _Group, base: Side, other: Side
) -> tuple[quantities.Side, quantities.Side] | None:
    """Return both sides of a ratio; those that timed otherwise as samples a second."""
    same = left.first.conditions.protocol == right.first.conditions.protocol
    sides = []
    for group, side in ((left, base), (right, other)):
        rates = [one.speeds if same else one.throughputs for one in group.members]
        if None in rates:
            return None
        samples = tuple(
            one.sampled(rate or ())
            for one, rate in zip(group.members, rates, strict=True)
        )
        first = group.first
        runs = [name for one in group.members for name in one.runs]
        single = len(samples) == 1
        sides.append(
            quantities.Side(
                speeds=samples[0] if single else Fleet(samples),
                notes=side.notes.on(runs, first.conditions.metric),
                session=first.session if single and len(first.sizes) == 1 else None,
                leads=all(one.leads for one in group.members),
            )
        )
    return sides[0], sides[1]


def _figure(group: _Group, side: Side) -> Figure:
    first = group.first
    shown = quantities.quantity(first, side.notes)
    if len(group.members) > 1:
        fleet = Fleet(tuple(one.sampled(one.values) for one in group.members))
        center = comparison.estimate(fleet)
        shown = replace(
            shown,
            value=center.value,
            low=center.low,
            high=center.high,
            n=fleet.count,
            printed=None,
            derived=True,
            grade=max((one.grade for one in group.members if one.grade), default=None),
        )
    return Figure(
        quantity=shown,
        machines=len(group.members),
        accelerator=chip_at_work(first.place),
        device=first.place.device,
        framework=first.conditions.framework,
        precision=first.conditions.precision,
        compiler=first.conditions.compiler,
    )


def _varied(sides: Iterable[Side]) -> dict[str, set[str]]:
    """Return the parameters of each workload that are not the same everywhere."""
    known = defaultdict[str, set[tuple[str, str]]](set)
    for side in sides:
        for one in side.measured:
            known[one.conditions.workload] |= set(one.conditions.facts.items())
    often = {
        workload: Counter(name for name, _ in facts)
        for workload, facts in known.items()
    }
    return {
        workload: {name for name, values in counts.items() if values > 1}
        for workload, counts in often.items()
    }


def _size(conditions: Conditions, varied: Collection[str]) -> str:
    """Return the parameters that tell the points of a sweep: ``size 1024``."""
    facts = sorted(conditions.facts.items())
    return ", ".join(f"{name} {fact}" for name, fact in facts if name in varied)


def _by_workload(works: Iterable[tuple[tuple[str, str], int | None]]) -> dict[str, int]:
    return dict(sorted(Counter(work[0] for work, _ in works).items()))


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


def _facts(base: Side, other: Side) -> Iterator[Fact]:
    """Yield the columns in which the sides differ, with all that each has there."""
    left, right = _columns(base), _columns(other)
    for name in left:
        if left[name] != right[name]:
            yield Fact(name, left[name], right[name])


def _columns(side: Side) -> dict[str, str]:
    environments = [
        side.environments[run.facts.environment]
        for run in side.runs
        if run.facts.environment in side.environments
    ]

    def listed(values: Iterable[object]) -> str:
        known = {str(value) for value in values if value not in (None, "")}
        return ", ".join(sorted(known)) or "not stated"

    def of_runs(name: str) -> str:
        return listed(getattr(run.facts, name) for run in side.runs)

    def of_environments(*names: str) -> str:
        return listed(
            " ".join(str(row[name]) for name in names if row[name])
            for row in environments
        )

    places = [run.place for run in side.runs]
    return {
        "accelerator": listed(map(chip_at_work, places)),
        "device": of_runs("device"),
        "machine model": listed(place.model for place in places),
        "memory": listed(
            f"{place.ram_bytes / _GIB:.0f} GiB" for place in places if place.ram_bytes
        ),
        "framework": of_environments("framework", "framework_version"),
        "system": of_environments("os_name", "os_version", "os_build"),
        "driver": listed(run.facts.software.driver for run in side.runs),
        "Python": of_environments("python"),
        "variables": listed(run.facts.software.variables for run in side.runs),
        "power limit": listed(
            f"{run.facts.limit:.0f} W" for run in side.runs if run.facts.limit
        ),
        "load": listed(run.facts.session.state for run in side.runs),
        "precision": of_runs("precision"),
        "compiler": of_runs("compiler"),
        "batch size": of_runs("batch_size"),
        "tier": of_runs("tier"),
        "collector": of_runs("collector_version"),
        "grade": of_runs("grade"),
        "label": of_runs("label"),
        "started": listed((run.facts.started or "")[:10] for run in side.runs),
    }
