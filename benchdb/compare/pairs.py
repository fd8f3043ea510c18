"""Pairs: which measurements of two sides are held against each other."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Difference, weight_bits
from benchdb.metric_kinds import headlines
from benchdb.report.measurement import Measurement, compared, newest
from benchdb.store.places import chip_at_work

Work = tuple[str, str]  # what was computed, for any batch size

# Where nothing but these changed, they are what somebody compares.
_SOFTWARE = frozenset({"version", "system", "driver", "variables"})


class Group(msgspec.Struct, frozen=True, dict=True):
    """Measurements of one cell under like conditions, the newest of each machine."""

    members: tuple[Measurement, ...]

    @property
    def first(self) -> Measurement:
        """Return the newest of them, which stands for their conditions."""
        return self.members[0]

    @cached_property
    def machines(self) -> set[str]:
        """Return the machines that they were measured on."""
        return {one.place.machine for one in self.members}

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Return the digests of all their runs."""
        return tuple(name for one in self.members for name in one.runs)


def groups(measured: Iterable[Measurement]) -> list[Group]:
    """Return what was *measured*, that of several machines together."""
    cells = defaultdict[tuple[object, ...], list[Measurement]](list)
    for one in measured:
        cells[_cell(one)].append(one)
    grouped = []
    for some in cells.values():
        machines = defaultdict[str, list[Measurement]](list)
        for one in some:
            machines[one.place.machine].append(one)
        kept = [newest(own) for own in machines.values()]
        kept.sort(key=lambda one: (one.started or "", one.runs), reverse=True)
        grouped.append(Group(tuple(kept)))
    return grouped


def _cell(one: Measurement) -> tuple[object, ...]:
    """Return what is equal for the machines that one figure stands for.

    Their versions and systems may differ: that is part of how machines differ.
    """
    own, place = replace(one.conditions, surroundings=()), one.place
    return chip_at_work(place), place.device, place.measured, own


def pairs(
    ours: Mapping[Work, Sequence[Group]],
    theirs: Mapping[Work, Sequence[Group]],
    accepted: Collection[str],
) -> list[tuple[Group, Group]]:
    """Return the likest pairs of each cell, each processes in one pair at most.

    Another batch size is better than no pair of that work, and unlike conditions than
    no pair of that cell. Sides of the same runs are no pair.
    """
    chosen: list[tuple[Group, Group]] = []
    for work in sorted(ours.keys() & theirs.keys()):
        for own, rivals in _of_like_weights(ours[work], theirs[work]):
            batches = _batches(own) & _batches(rivals)
            if not batches:
                chosen += _likest(own, rivals, accepted)
            for batch in sorted(batches, key=lambda size: size or 0):
                chosen += _likest(
                    [one for one in own if one.first.conditions.batch == batch],
                    [one for one in rivals if one.first.conditions.batch == batch],
                    accepted,
                )
    return chosen


def _of_like_weights(
    ours: Sequence[Group], theirs: Sequence[Group]
) -> Iterator[tuple[list[Group], list[Group]]]:
    """Yield those of the same weights, else of as many bits, else all there are."""
    for likeness in (_weights, _bits, None):
        own, rivals = (_divided(some, likeness) for some in (ours, theirs))
        if common := own.keys() & rivals.keys():
            yield from ((own[key], rivals[key]) for key in sorted(common))
            return


def _divided(
    groups: Sequence[Group], likeness: Callable[[Group], str] | None
) -> Mapping[str, list[Group]]:
    parts = defaultdict[str, list[Group]](list)
    for group in groups:
        parts[likeness(group) if likeness else ""].append(group)
    return parts


def _weights(group: Group) -> str:
    return group.first.conditions.weights or ""


def _bits(group: Group) -> str:
    return str(weight_bits(_weights(group)))


def _batches(groups: Iterable[Group]) -> set[int | None]:
    return {group.first.conditions.batch for group in groups}


def _likest(
    ours: Sequence[Group], theirs: Sequence[Group], accepted: Collection[str]
) -> Iterator[tuple[Group, Group]]:
    """Yield pairs of a cell, all as like as the likest; unlike ones where none is."""
    ranked = sorted(
        (
            (_cost(own, rival, accepted), own.first.runs, rival.first.runs, own, rival)
            for own in ours
            for rival in theirs
            if _meet(own.first, rival.first)
        ),
        key=lambda row: row[:3],
    )
    known, there = set[object](), set[object]()
    least: tuple[int, bool, bool] | None = None
    for cost, _, _, own, rival in ranked:
        if least is None:
            least = cost[:3]
        if cost[:3] > least or _way(own) in known or _way(rival) in there:
            continue
        known.add(_way(own))
        there.add(_way(rival))
        if set(own.runs) != set(rival.runs):
            yield own, rival


def _cost(
    own: Group, rival: Group, accepted: Collection[str]
) -> tuple[int, bool, bool, bool, int]:
    """Return what is least for the pair that a reader would choose."""
    left, right = own.first, rival.first
    order = headlines(left.conditions.workload)
    metric = left.conditions.metric
    return (
        len(difference(own, rival, accepted).unlike),
        (left.place.device == "cpu") != (right.place.device == "cpu"),
        chip_at_work(left.place) != chip_at_work(right.place),
        left.place.device != right.place.device,
        order.index(metric) if metric in order else len(order),
    )


def _way(group: Group) -> object:
    """Return what is equal for all metrics of the same processes."""
    own, place = group.first.conditions, group.first.place
    work = replace(own, metric="", extent=None, told_by=None)
    return chip_at_work(place), place.device, place.source, work


def _meet(left: Measurement, right: Measurement) -> bool:
    """Tell whether both timed the same thing, or become samples per second."""
    same = left.conditions.protocol == right.conditions.protocol
    return same or None not in (left.throughputs, right.throughputs)


def difference(left: Group, right: Group, accepted: Collection[str]) -> Difference:
    """Name what keeps the sides of a cell from being alike.

    Conditions that are *accepted* may differ; so may the software of one chip and
    framework on one machine.
    """
    found = compared(left.first, right.first)
    allowed = set(accepted)
    if left.machines == right.machines and _system(left) == _system(right):
        allowed |= _SOFTWARE
    unlike = tuple(name for name in found.unlike if name not in allowed)
    return replace(found, unlike=unlike)


def _system(group: Group) -> tuple[str, ...]:
    place, framework = group.first.place, group.first.conditions.framework
    return chip_at_work(place), place.device, framework
