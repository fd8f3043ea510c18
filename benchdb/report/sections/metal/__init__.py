"""Does Metal help? The same work on the same machine, with and without it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from statistics import fmean

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.exchange.messages import Device
from benchdb.metric_kinds import TIMES_OF_A_STEP, TIMES_OF_ALL_SAMPLES
from benchdb.report.measurement import Gap, Measurement, differs, newest
from benchdb.report.quantities import compare, quantity
from benchdb.report.references import Notes
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.sections.labels import work_distinctions
from benchdb.report.view.atoms import Axis, Quantity, Ratio, Workload
from benchdb.report.workloads import trains, workload_of
from benchdb.statistics.ticks import axis_ticks
from benchdb.store.places import Place, is_known, tidy

# A pair is shown in seconds, so that all of them share one axis.
_METRICS = (*TIMES_OF_ALL_SAMPLES, *TIMES_OF_A_STEP)
_PLAIN = (None, "fp32")
_SEVERAL = 2  # chips that a finding rests on, where there are that many
Key = tuple[object, ...]


class MetalRow(msgspec.Struct, frozen=True):
    """The same work on one chip with and without Metal; a side may be missing."""

    chip: str
    framework: str
    model: str | None
    cpu: Quantity | None
    metal: Quantity | None
    ratio: Ratio | None
    missing: str | None = None  # reason, as the source or collector gave it

    @property
    def counts(self) -> bool:
        """Tell whether it may lead: like for like, without a note, with evidence."""
        ratio = self.ratio
        return bool(ratio and ratio.leads and not ratio.differs and not ratio.notes)


class MetalGroup(msgspec.Struct, frozen=True):
    """All chips for one workload, batch size and protocol, slowest chip first.

    *apart* tells its work from that of others with the same name and batch size.
    """

    workload: Workload
    batch_size: int | None
    metric: str
    rows: tuple[MetalRow, ...]
    apart: tuple[str, ...] = ()


class MetalSection(msgspec.Struct, frozen=True):
    """Does Metal help? All groups share one axis."""

    groups: tuple[MetalGroup, ...]
    axis: Axis
    sources: tuple[str, ...]

    @property
    def telling(self) -> Sequence[MetalGroup]:
        """Return the groups with several chips; all of them where none has several."""
        telling = [
            group
            for group in self.groups
            if len({row.chip for row in group.rows if row.counts}) >= _SEVERAL
        ]
        return telling or self.groups


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
    def machine(self) -> Key:
        return _machine(self.place), self.conditions.framework

    @property
    def protocol(self) -> Key:
        own = self.conditions
        return own.workload, own.parameters, own.batch_size, own.protocol


def section(inputs: SectionInput) -> MetalSection | None:
    """Return the section, or ``None`` where nothing ran both ways."""
    pairs = _shown(_pairs(inputs.steady, inputs.missing))
    if not any(pair.cpu and pair.metal for pair in pairs):
        return None
    by_protocol: defaultdict[Key, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        by_protocol[pair.protocol].append(pair)
    groups = sorted(by_protocol.values(), key=_interest)
    slowness = _slowness(groups)
    named_alike: defaultdict[Key, list[Conditions]] = defaultdict(list)
    for first, *_ in groups:
        own = first.conditions
        named_alike[own.workload, own.batch_size, own.metric].append(own)
    shown = []
    for group in groups:
        own = group[0].conditions
        others = named_alike[own.workload, own.batch_size, own.metric]
        ordered = sorted(group, key=lambda p: (-slowness[p.machine], repr(p.machine)))
        shown.append(
            MetalGroup(
                workload=workload_of(own.workload),
                batch_size=own.batch_size,
                metric=own.metric,
                rows=tuple(_row(pair, inputs.notes) for pair in ordered),
                apart=work_distinctions(others)[others.index(own)],
            )
        )
    rows = [row for group in shown for row in group.rows]
    seconds = [side.value for row in rows for side in (row.cpu, row.metal) if side]
    ticks = axis_ticks(min(seconds), max(seconds))
    used = (pair.place.source for group in groups for pair in group)
    axis = Axis(ticks[0], ticks[-1], ticks, "s")
    return MetalSection(tuple(shown), axis, inputs.sources.keys(used))


def _pairs(measurements: Sequence[Measurement], gaps: Sequence[Gap]) -> list[_Pair]:
    sides: defaultdict[tuple[Key, Conditions], dict[Device, list[Measurement]]]
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
    for (machine, conditions), by_device in sides.items():
        cpus, metals = by_device["cpu"], by_device["metal"]
        absent: Device = "cpu" if metals else "metal"
        reason = reasons.get((machine, _task(conditions), absent))
        if not ((cpus and metals) or reason):
            continue
        cpu, metal = _likest(cpus, metals)
        known = metal or cpu
        if known is not None:
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


def _task(own: Conditions) -> Key:
    """Return what was to be done; a run that failed early says no more of it."""
    task = own.workload, own.version, own.setting, own.framework
    return (*task, own.batch_size, own.precision)


def _machine(place: Place) -> Key:
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

    def preference(pair: _Pair) -> Key:
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

    best: dict[Key, _Pair] = {}
    for pair in sorted(pairs, key=preference):
        own = pair.conditions
        if own.metric in TIMES_OF_A_STEP or pair.protocol in published:
            task = own.workload, own.version, own.setting, own.parameters
            best.setdefault((pair.machine, *task, own.batch_size), pair)
    return list(best.values())


def _slowness(groups: Iterable[Sequence[_Pair]]) -> dict[Key, float]:
    """Return how slow each machine is with Metal against its groups, in logs."""
    distances: defaultdict[Key, list[float]] = defaultdict(list)
    for group in groups:
        times = {pair.machine: math.log(fmean(pair.known.values)) for pair in group}
        center = fmean(times.values())
        for machine, time in times.items():
            distances[machine].append(time - center)
    return {machine: fmean(logs) for machine, logs in distances.items()}


def _interest(group: Sequence[_Pair]) -> Key:
    """Put first what more machines ran, and what gains most from Metal."""
    gains = [
        math.log(fmean(pair.cpu.values) / fmean(pair.metal.values))
        for pair in group
        if pair.cpu and pair.metal
    ]
    gain = fmean(gains) if gains else -math.inf
    own = group[0].conditions
    return -len(gains), -gain, own.workload, own.batch_size or 0, repr(own)


def _row(pair: _Pair, notes: Notes) -> MetalRow:
    cpu, metal = pair.cpu, pair.metal
    return MetalRow(
        chip=tidy(pair.place.chip),
        framework=pair.conditions.framework,
        model=pair.place.model,
        cpu=quantity(cpu, notes) if cpu else None,
        metal=quantity(metal, notes) if metal else None,
        ratio=compare(metal, cpu, notes) if cpu and metal else None,
        missing=None if cpu and metal else pair.missing,
    )


def effect(ratios: Iterable[Ratio]) -> str:
    """Say what Metal does for a workload, as far as all of its ratios say the same."""
    verdicts = {ratio.verdict for ratio in ratios}
    if len(verdicts) == 1 and verdicts <= _EFFECTS.keys():
        return _EFFECTS[verdicts.pop()]
    if "unclear" in verdicts and not {"faster", "slower"} <= verdicts:
        return "unclear"
    return "mixed"


_EFFECTS = {"faster": "pays", "slower": "hurts", "even": "even"}
