"""Pairs: which measurements of two sides are held against each other."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Difference, weight_bits
from benchdb.metric_kinds import headlines
from benchdb.report.measurement import Measurement, compared, newest
from benchdb.store.places import chip_at_work

Work = tuple[str, str]  # what was computed, for any batch size
Batches = Mapping[int | None, Sequence["Group"]]  # of one work, by the size of a batch

# Where nothing but these changed, they are what somebody compares.
_SOFTWARE = frozenset({"version", "system", "driver", "variables"})


class Group(msgspec.Struct, frozen=True, dict=True):
    """Measurements of one cell under like conditions, the newest of each machine."""

    members: tuple[Measurement, ...]

    @cached_property
    def first(self) -> Measurement:
        """Return the newest of them, which stands for their conditions."""
        return self.members[0]

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Return what tells it from the other groups of a side."""
        return (self.first.conditions.metric, *self.runs)

    @cached_property
    def timed(self) -> tuple[object, ...]:
        """Return what was timed; where it differs, sides may meet as rates."""
        return self.first.conditions.protocol

    @cached_property
    def has_rates(self) -> bool:
        """Tell whether it is known as samples per second."""
        return self.first.throughputs is not None

    @cached_property
    def system(self) -> tuple[str, str]:
        """Return the chip that worked, and as what."""
        return chip_at_work(self.first.place), self.first.place.device

    @cached_property
    def way(self) -> object:
        """Return what is equal for all metrics of the same processes."""
        work = replace(self.first.conditions, metric="", extent=None, told_by=None)
        return self.system, self.first.place.source, work

    @cached_property
    def weights(self) -> str:
        """Return how weights are stored."""
        return self.first.conditions.weights or ""

    @cached_property
    def bits(self) -> str:
        """Return in how many bits they are, where that is known."""
        return str(weight_bits(self.weights))

    @cached_property
    def rank(self) -> int:
        """Return which headline of its work its metric is."""
        own = self.first.conditions
        order = headlines(own.workload)
        return order.index(own.metric) if own.metric in order else len(order)

    @cached_property
    def machines(self) -> set[str]:
        """Return the machines that they were measured on."""
        return {member.place.machine for member in self.members}

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Return the digests of all their runs."""
        return tuple(name for member in self.members for name in member.runs)


def groups(measured: Iterable[Measurement]) -> list[Group]:
    """Return what was *measured*, that of several machines together."""
    cells = defaultdict[tuple[object, ...], list[Measurement]](list)
    for measurement in measured:
        cells[_cell(measurement)].append(measurement)
    grouped = []
    for some in cells.values():
        machines = defaultdict[str, list[Measurement]](list)
        for measurement in some:
            machines[measurement.place.machine].append(measurement)
        kept = [newest(own) for own in machines.values()]
        kept.sort(
            key=lambda measurement: (measurement.started or "", measurement.runs),
            reverse=True,
        )
        grouped.append(Group(tuple(kept)))
    return grouped


def _cell(measurement: Measurement) -> tuple[object, ...]:
    """Return what is equal for the machines that one figure stands for.

    Their versions and systems may differ: that is part of how machines differ.
    """
    own, place = replace(measurement.conditions, surroundings=()), measurement.place
    return chip_at_work(place), place.device, place.measured, own


def pairs(
    ours: Mapping[Work, Batches],
    theirs: Mapping[Work, Batches],
    accepted: Collection[str],
) -> Iterator[tuple[Group, Group, Difference]]:
    """Yield the likest pairs of each cell, each processes in one pair at most.

    With each comes what keeps it from being alike. Another batch size is better than no
    pair of that work, and unlike conditions than no pair of that cell. Sides of the
    same runs are no pair.
    """
    for work in sorted(ours.keys() & theirs.keys()):
        for own, rivals in _of_like_weights(ours[work], theirs[work]):
            batches = own.keys() & rivals.keys()
            if not batches:
                every, others = ([*chain(*item.values())] for item in (own, rivals))
                yield from _likest(every, others, accepted)
            for batch in sorted(batches, key=lambda size: size or 0):
                yield from _likest(own[batch], rivals[batch], accepted)


def _of_like_weights(
    ours: Batches, theirs: Batches
) -> Iterator[tuple[Batches, Batches]]:
    """Yield those of the same weights, of the rest those of as many bits.

    Where there are neither, all meet all.
    """
    if not any(
        group.weights for side in (ours, theirs) for group in chain(*side.values())
    ):
        yield ours, theirs  # as of nearly all work
        return
    met = False
    for likeness in (attrgetter("weights"), attrgetter("bits")):
        own, rivals = (_divided(some, likeness) for some in (ours, theirs))
        common = own.keys() & rivals.keys()
        yield from ((own[key], rivals[key]) for key in sorted(common))
        met = met or bool(common)
        ours, theirs = (_without(parts, common) for parts in (own, rivals))
    if not met:
        yield ours, theirs


def _divided(batches: Batches, likeness: Callable[[Group], str]) -> dict[str, Batches]:
    parts: dict[str, dict[int | None, list[Group]]] = {}
    for batch, some in batches.items():
        for group in some:
            part = parts.setdefault(likeness(group), {})
            part.setdefault(batch, []).append(group)
    return {**parts}


def _without(parts: Mapping[str, Batches], names: Collection[str]) -> Batches:
    rest = defaultdict[int | None, list[Group]](list)
    for name, batches in parts.items():
        if name not in names:
            for batch, some in batches.items():
                rest[batch] += some
    return rest


def _likest(
    ours: Sequence[Group], theirs: Sequence[Group], accepted: Collection[str]
) -> Iterator[tuple[Group, Group, Difference]]:
    """Yield pairs of a cell, all as like as the likest; unlike ones where none is."""
    ranked = [
        (own, rival, difference(own, rival, accepted))
        for own in ours
        for rival in theirs
        if own.timed == rival.timed or (own.has_rates and rival.has_rates)
    ]
    if len(ranked) > 1:
        ranked.sort(key=_order)
    known, there = set[object](), set[object]()
    least: tuple[int, bool, bool] | None = None
    for own, rival, unlike in ranked:
        cost = _cost(own, rival, unlike)
        if least is None:
            least = cost
        if cost > least or own.way in known or rival.way in there:
            continue
        known.add(own.way)
        there.add(rival.way)
        if own.runs != rival.runs and set(own.runs) != set(rival.runs):
            yield own, rival, unlike


def _order(pair: tuple[Group, Group, Difference]) -> tuple[object, ...]:
    """Sort first the pair that a reader would choose."""
    own, rival, _ = pair
    device = own.system[1] != rival.system[1]
    return *_cost(*pair), device, own.rank, own.first.runs, rival.first.runs


def _cost(own: Group, rival: Group, unlike: Difference) -> tuple[int, bool, bool]:
    """Return how far the sides of a pair are from each other."""
    (chip, device), (other_chip, other) = own.system, rival.system
    return len(unlike.unlike), (device == "cpu") != (other == "cpu"), chip != other_chip


def difference(left: Group, right: Group, accepted: Collection[str]) -> Difference:
    """Name what keeps the sides of a cell from being alike.

    Conditions that are *accepted* may differ; so may the software of one chip and
    framework on one machine.
    """
    comparison = compared(left.first, right.first)
    allowed = set(accepted)
    if left.machines == right.machines and _system(left) == _system(right):
        allowed |= _SOFTWARE
    if allowed.isdisjoint(comparison.unlike):
        return comparison
    unlike = tuple(name for name in comparison.unlike if name not in allowed)
    return replace(comparison, unlike=unlike)


def _system(group: Group) -> tuple[str, ...]:
    return *group.system, group.first.conditions.framework
