"""Does Metal help? The same work on the same machine, with and without it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from statistics import fmean

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.exchange.lines import Device
from benchdb.report.measurement import Gap, Measurement, differs, newest
from benchdb.report.metric_kinds import (
    TIMES_OF_A_STEP,
    TIMES_OF_ALL_SAMPLES,
    trains,
    workload_of,
)
from benchdb.report.quantities import compare, quantity
from benchdb.report.references import Notes
from benchdb.report.sections.apart import apart, work
from benchdb.report.sections.material import Material
from benchdb.report.sections.metal import MetalGroup, MetalRow, MetalSection
from benchdb.report.systems import Place, is_known, tidy
from benchdb.report.view.atoms import Axis, Quantity
from benchdb.statistics.ticks import axis_ticks

# A pair is shown in seconds, so that all of them share one axis.
_METRICS = (*TIMES_OF_ALL_SAMPLES, *TIMES_OF_A_STEP)
_PLAIN = (None, "fp32")

Machine = tuple[object, ...]
Protocol = tuple[object, ...]


class _Pair(msgspec.Struct, frozen=True):
    """Both sides of one cell; *known* is one that is there, Metal's if it can be."""

    known: Measurement
    cpu: Measurement | None
    metal: Measurement | None
    missing: str | None

    @property
    def conditions(self) -> Conditions:
        return self.known.conditions

    @property
    def place(self) -> Place:
        return self.known.place

    @property
    def machine(self) -> Machine:
        return _machine(self.place), self.conditions.framework

    @property
    def protocol(self) -> Protocol:
        own = self.conditions
        return own.workload, own.parameters, own.batch_size, own.protocol


def section(material: Material) -> MetalSection | None:
    """Return the section, or ``None`` where nothing ran both ways."""
    notes, sources = material.notes, material.sources
    pairs = _shown(_pairs(material.steady, material.missing))
    if not any(pair.cpu and pair.metal for pair in pairs):
        return None
    groups: defaultdict[Protocol, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.protocol].append(pair)
    slowness = _slowness(groups.values())
    ordered = sorted(groups.values(), key=_interest)
    names = _names([group[0].conditions for group in ordered])
    shown = tuple(
        replace(_group(group, slowness, notes), apart=name)
        for group, name in zip(ordered, names, strict=True)
    )
    return MetalSection(
        groups=shown,
        axis=_axis(shown),
        sources=sources.keys(pair.place.source for group in ordered for pair in group),
    )


def _names(every: Sequence[Conditions]) -> list[tuple[str, ...]]:
    """Return of each what tells its work from that of others that are named alike."""
    alike: defaultdict[object, list[Conditions]] = defaultdict(list)
    for own in every:
        alike[own.workload, own.batch_size, own.metric].append(own)
    return [
        apart(work(some))[some.index(own)]
        for own in every
        for some in (alike[own.workload, own.batch_size, own.metric],)
    ]


def _pairs(measurements: Sequence[Measurement], gaps: Sequence[Gap]) -> list[_Pair]:
    sides: defaultdict[tuple[Machine, Conditions], dict[Device, list[Measurement]]]
    sides = defaultdict(lambda: defaultdict(list))
    for one in measurements:
        if one.conditions.metric in _METRICS and trains(one.conditions.workload):
            # What differs in versions or load is a pair, with the names of it.
            key = _machine(one.place), replace(one.conditions, surroundings=())
            sides[key][one.place.device].append(one)
    reasons = {
        (_machine(g.place), _task(g.conditions), g.place.device): g.reason for g in gaps
    }
    pairs = []
    for (machine, conditions), found in sides.items():
        cpu, metal = _likest(found.get("cpu", ()), found.get("metal", ()))
        absent: Device = "metal" if metal is None else "cpu"
        reason = reasons.get((machine, _task(conditions), absent))
        known = metal or cpu
        if known is not None and ((cpu and metal) or reason):
            pairs.append(_Pair(known, cpu, metal, reason))
    return pairs


def _likest(
    cpus: Sequence[Measurement], metals: Sequence[Measurement]
) -> tuple[Measurement | None, Measurement | None]:
    """Return the newest of both sides among the pairs that differ least."""
    if not cpus or not metals:
        return newest(cpus) if cpus else None, newest(metals) if metals else None
    pairs = list(product(cpus, metals))
    least = min(len(differs(*pair)) for pair in pairs)
    likest = [pair for pair in pairs if len(differs(*pair)) == least]
    last = newest(metal for _, metal in likest)
    return newest(cpu for cpu, metal in likest if metal == last), last


def _task(own: Conditions) -> tuple[object, ...]:
    """Return what was to be done; a run that failed early says no more of it."""
    task = own.workload, own.version, own.setting, own.framework
    return (*task, own.batch_size, own.precision)


def _machine(place: Place) -> Machine:
    """Tell machines apart: ours by their row, published ones by what is said."""
    if place.measured or not is_known(place):
        return place.source, place.machine
    return place.source, place.chip, place.model, place.ram_bytes


def _shown(pairs: Sequence[_Pair]) -> list[_Pair]:
    """Leave one pair for each machine and cell.

    What we measured is shown as whole scripts where a published script did the same
    work, else as steps. Of several precisions or compilers the plainest is shown.
    """
    published = {pair.protocol for pair in pairs if not pair.place.measured}
    wanted = [
        pair
        for pair in pairs
        if pair.conditions.metric in TIMES_OF_A_STEP or pair.protocol in published
    ]
    best: dict[tuple[object, ...], _Pair] = {}
    for pair in sorted(wanted, key=_preference):
        own = pair.conditions
        task = own.workload, own.version, own.setting, own.parameters
        cell = (pair.machine, *task, own.batch_size)
        best.setdefault(cell, pair)
    return list(best.values())


def _preference(pair: _Pair) -> tuple[object, ...]:
    own = pair.conditions
    return (
        not (pair.cpu and pair.metal),
        own.metric in TIMES_OF_A_STEP,
        own.precision not in _PLAIN,
        own.precision or "",
        own.compiler or "",
        own.metric,
        own.extent or 0,
    )


def _slowness(groups: Iterable[Sequence[_Pair]]) -> dict[Machine, float]:
    """Return how slow each machine is with Metal against its groups, in logs."""
    distances: defaultdict[Machine, list[float]] = defaultdict(list)
    for group in groups:
        times = {pair.machine: math.log(fmean(pair.known.values)) for pair in group}
        center = fmean(times.values())
        for machine, time in times.items():
            distances[machine].append(time - center)
    return {machine: fmean(found) for machine, found in distances.items()}


def _interest(group: Sequence[_Pair]) -> tuple[object, ...]:
    """Put first what more machines ran, and what gains most from Metal."""
    gains = [
        math.log(fmean(pair.cpu.values) / fmean(pair.metal.values))
        for pair in group
        if pair.cpu and pair.metal
    ]
    gain = fmean(gains) if gains else -math.inf
    own = group[0].conditions
    return -len(gains), -gain, own.workload, own.batch_size or 0, repr(own)


def _group(
    pairs: Sequence[_Pair], slowness: dict[Machine, float], notes: Notes
) -> MetalGroup:
    ordered = sorted(pairs, key=lambda p: (-slowness[p.machine], repr(p.machine)))
    own = pairs[0].conditions
    return MetalGroup(
        workload=workload_of(own.workload),
        batch_size=own.batch_size,
        metric=own.metric,
        rows=tuple(_row(pair, notes) for pair in ordered),
    )


def _row(pair: _Pair, notes: Notes) -> MetalRow:
    cpu, metal = pair.cpu, pair.metal
    both = cpu is not None and metal is not None
    return MetalRow(
        chip=tidy(pair.place.chip),
        framework=pair.conditions.framework,
        model=pair.place.model,
        cpu=quantity(cpu, notes) if cpu else None,
        metal=quantity(metal, notes) if metal else None,
        ratio=compare(metal, cpu, notes) if cpu and metal else None,
        missing=None if both else pair.missing,
    )


def _axis(groups: Sequence[MetalGroup]) -> Axis:
    sides = (side for group in groups for row in group.rows for side in _sides(row))
    seconds = [side.value for side in sides]
    ticks = axis_ticks(min(seconds), max(seconds))
    return Axis(ticks[0], ticks[-1], ticks, "s")


def _sides(row: MetalRow) -> list[Quantity]:
    return [side for side in (row.cpu, row.metal) if side is not None]
