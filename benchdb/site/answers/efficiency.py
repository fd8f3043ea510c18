"""What is compared per watt: training whose power was read.

Throughput and power are of the same runs. Each system shows a workload once, as like
the others as it can be, so that systems meet on the same work.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.conditions import Conditions, Difference
from benchdb.metric_kinds import SPEEDS, unit_of
from benchdb.report import quantities
from benchdb.report.inputs import Inputs, candidates, training
from benchdb.report.measurement import Measurement, compared, differs
from benchdb.report.references import Notes
from benchdb.report.runs import StoredRun
from benchdb.report.view.atoms import Quantity, Ratio, Reading, System, Workload
from benchdb.report.workloads import workload_of
from benchdb.statistics.comparison import geometric_mean
from benchdb.store.places import is_card

MEAN, PER_JOULE = "mean_power_watts", "samples_per_joule"
# What says most of the energy first.
POWERS = (MEAN, "peak_soc_power_watts", "peak_power_watts", "peak_gpu_power_watts")
_PEAKS = {"peak_soc_power_watts": "chip", "peak_gpu_power_watts": "gpu"}
_METERED = frozenset({"board", "module", "package", "soc_model"})
# Beyond these nothing is a power; ratios of such numbers are no numbers.
_LEAST, _MOST = 1e-9, 1e12
_SEVERAL = 2  # systems that make a workload comparable
_FAVOURITE = "RTX 3090"  # the card that the published results refer to


class EfficiencyRow(msgspec.Struct, frozen=True):
    """A workload on one system: samples per second, watts, and samples per joule.

    *ratio* is how many times the reference's samples per joule these are; ``None``
    where the reference has none, or is this. Among what differs may be ``power``.
    """

    workload: Workload
    batch_size: int | None
    precision: str | None
    compiler: str | None
    rate: Quantity
    power: Quantity
    per_joule: Quantity
    ratio: Ratio | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the letters of all notes on its figures, each once."""
        return tuple({*self.rate.notes, *self.power.notes, *self.per_joule.notes})


class EfficiencyGroup(msgspec.Struct, frozen=True):
    """What one system did while its power was read in one way, a row for a workload."""

    system: System
    reading: Reading
    rows: tuple[EfficiencyRow, ...]


class Efficiency(msgspec.Struct, frozen=True):
    """What was read, the most efficient system first.

    All are held against the *reference*; ``None`` where no two did the same work.
    """

    groups: tuple[EfficiencyGroup, ...]
    reference: System | None = None


class PowerFigure(msgspec.Struct, frozen=True):
    """A stored power, not 0, with the characters of its source."""

    value: float
    printed: str | None
    derived: bool


class Power(msgspec.Struct, frozen=True):
    """What is told of the power of one run: figures by metric.

    *scope* is what a meter counted in it; ``None`` where nothing says so.
    """

    figures: Mapping[str, PowerFigure]
    scope: str | None

    def reading(self, metric: str) -> Reading:
        """Return what the figure of *metric* is."""
        if metric in (MEAN, PER_JOULE):
            return Reading("mean", self.scope)
        return Reading("peak", _PEAKS.get(metric))


class Metered(msgspec.Struct, frozen=True):
    """What *system* did, with watts and samples per joule for each process.

    *metric* is the one that was read. *printed* are the source's characters of the
    watts, *counted* says that the joules of the work were counted, not computed.
    """

    system: System
    measurement: Measurement
    metric: str
    reading: Reading
    watts: tuple[float, ...]
    per_joule: tuple[float, ...]
    printed: str | None
    derived: bool
    counted: bool

    @property
    def conditions(self) -> Conditions:
        """Return the conditions of its measurement."""
        return self.measurement.conditions

    @property
    def workload(self) -> str:
        """Return the name of the work."""
        return self.conditions.workload

    @property
    def efficiency(self) -> float:
        """Return the samples per joule over all processes."""
        return geometric_mean(self.per_joule)


_Pair = tuple[Metered, EfficiencyRow]


def efficiency(inputs: Inputs) -> Efficiency | None:
    """Return it, or ``None`` where nobody read the power of any training."""
    chosen = _chosen(_metered(inputs.steady, powers(inputs.runs), inputs.here))
    if not chosen:
        return None
    groups = [
        [(metered, _row(metered, inputs.notes)) for metered in it]
        for it in _grouped(chosen)
    ]
    reference = _reference(pair for group in groups for pair in group)
    others = [pair for group in groups for pair in group if pair[0].system == reference]
    return Efficiency(tuple(_group(group, others) for group in groups), reference)


def powers(runs: Iterable[StoredRun]) -> dict[str, Power]:
    """Return what is told of power, by run; a figure of 0 tells nothing."""
    known = {}
    for run in runs:
        figures = {
            it.metric: PowerFigure(it.value, it.printed, it.derived is not None)
            for it in run.figures
            if it.metric in (*POWERS, PER_JOULE)
            and it.value is not None
            and _LEAST <= it.value <= _MOST
        }
        if figures:
            scope = run.metered if run.metered in _METERED else None
            known[run.facts.digest] = Power(figures, scope)
    return known


def _metered(
    measurements: Iterable[Measurement], powers: Mapping[str, Power], here: str | None
) -> list[Metered]:
    """Return the training whose power is known, the newest of every cell, by system."""
    known = {}
    for measurement in measurements:
        # Every process must have it.
        read = [powers[run] for run in measurement.runs if run in powers]
        metric = _metric(read) if len(read) == len(measurement.runs) else None
        if metric and measurement.throughputs is not None:
            known[measurement] = metric, read

    def preference(result: Measurement) -> tuple[object, ...]:
        own = result.conditions
        return SPEEDS.index(own.metric), -len(result.values), repr(own)

    cells: dict[tuple[object, ...], Metered] = {}
    for system, measured in candidates(training(known, here)[1]).items():
        for measurement in sorted(measured, key=preference):
            own = measurement.conditions
            work = own.workload, own.version, own.setting, own.parameters
            how = own.batch_size, own.precision, own.compiler, own.choices
            cell = (system, *work, *how)
            cells.setdefault(cell, _read(system, measurement, *known[measurement]))
    return list(cells.values())


def _metric(read: Sequence[Power]) -> str | None:
    """Return the most telling metric that all processes have, read in the same way."""
    return next(
        (
            name
            for name in (*POWERS, PER_JOULE)
            if all(name in power.figures for power in read)
            and len({power.reading(name) for power in read}) == 1
        ),
        None,
    )


def _read(
    system: System, measurement: Measurement, metric: str, read: Sequence[Power]
) -> Metered:
    figures = [power.figures[metric] for power in read]
    values = tuple(figure.value for figure in figures)
    pairs = zip(measurement.throughputs or (), values, strict=True)
    quotients = tuple(rate / value for rate, value in pairs)
    reading = read[0].reading(metric)
    counted = reading.kind == "mean" and all(PER_JOULE in p.figures for p in read)
    # What a joule did is told alone: the power follows from it.
    alone = metric == PER_JOULE
    joules = tuple(power.figures[PER_JOULE].value for power in read if counted)
    return Metered(
        system=system,
        measurement=measurement,
        metric=metric,
        reading=reading,
        watts=quotients if alone else values,
        per_joule=joules or quotients,
        printed=figures[0].printed if len(figures) == 1 and not alone else None,
        derived=alone or any(figure.derived for figure in figures),
        counted=counted,
    )


def _chosen(everything: Sequence[Metered]) -> list[Metered]:
    """Leave what several systems did, if there is any, and each system's best of it.

    That is first of the batch size that most systems ran, then what is like most other
    systems' figures, then what does most per joule.
    """
    systems: defaultdict[str, set[System]] = defaultdict(set)
    for metered in everything:
        systems[metered.workload].add(metered.system)
    shared = {name for name, them in systems.items() if len(them) >= _SEVERAL}
    wanted = [item for item in everything if not shared or item.workload in shared]
    usual = _usual_sizes(wanted)
    likeness = Counter((item.conditions, item.reading) for item in wanted)
    # What strangers measured does not decide what is shown of the others.
    known = Counter(
        (item.conditions, item.reading)
        for item in wanted
        if item.measurement.place.known
    )

    def preference(result: Metered) -> tuple[object, ...]:
        own = result.conditions
        unusual = own.batch_size != usual[own.workload]
        alike = known if result.measurement.place.known else likeness
        return unusual, -alike[own, result.reading], -result.efficiency, repr(own)

    best: dict[tuple[System, str], Metered] = {}
    for metered in sorted(wanted, key=preference):
        best.setdefault((metered.system, metered.workload), metered)
    return list(best.values())


def _usual_sizes(everything: Iterable[Metered]) -> dict[str, int | None]:
    """Return the batch size that most systems ran, by workload; else the largest."""
    ran = {
        (metered.workload, metered.conditions.batch_size, metered.system)
        for metered in everything
    }
    counts = Counter((workload, size) for workload, size, _ in ran)
    order = sorted(counts, key=lambda cell: (counts[cell], cell[1] or 0))
    return dict(order)


def _grouped(chosen: Sequence[Metered]) -> list[list[Metered]]:
    """Return what each system did under each reading, the most efficient first."""
    best: defaultdict[str, float] = defaultdict(float)
    groups: defaultdict[tuple[System, Reading], list[Metered]] = defaultdict(list)
    for metered in chosen:
        best[metered.workload] = max(best[metered.workload], metered.efficiency)
        groups[metered.system, metered.reading].append(metered)

    def standing(group: Sequence[Metered]) -> tuple[object, ...]:
        shares = [item.efficiency / best[item.workload] for item in group]
        first = group[0]
        return -geometric_mean(shares), first.system.key, repr(first.reading)

    order = list(workloads())
    return [
        sorted(group, key=lambda it: order.index(it.workload))
        for group in sorted(groups.values(), key=standing)
    ]


def _row(metered: Metered, notes: Notes) -> EfficiencyRow:
    own, runs = metered.conditions, metered.measurement.runs
    rate = quantities.rate(metered.measurement, notes)
    power = quantities.figure(
        metered.measurement,
        metered.watts,
        "W",
        notes.on(runs, metered.metric),
        printed=metered.printed,
        derived=metered.derived,
    )
    per_joule = quantities.figure(
        metered.measurement,
        metered.per_joule,
        unit_of(PER_JOULE, metered.workload),
        notes.on(runs, PER_JOULE if metered.counted else metered.metric),
        derived=not metered.counted,
    )
    return EfficiencyRow(
        workload=workload_of(own.workload),
        batch_size=own.batch_size,
        precision=own.precision,
        compiler=own.compiler,
        rate=rate,
        power=power,
        per_joule=per_joule,
    )


def _group(pairs: Sequence[_Pair], others: Sequence[_Pair]) -> EfficiencyGroup:
    rows = tuple(
        replace(row, ratio=_ratio(metered, row, others)) for metered, row in pairs
    )
    first = pairs[0][0]
    return EfficiencyGroup(first.system, first.reading, rows)


def _ratio(
    metered: Metered, row: EfficiencyRow, others: Sequence[_Pair]
) -> Ratio | None:
    """Return how many times the samples per joule of the likest of *others* these are.

    What one system reached under two readings or settings is no comparison.
    """
    rivals = [pair for pair in others if pair[0].workload == metered.workload]
    if not rivals or rivals[0][0].system == metered.system:
        return None

    def unlikeness(pair: _Pair) -> tuple[object, ...]:
        other = pair[0]
        unlike = len(difference(metered, other).unlike)
        return unlike, -other.efficiency, other.measurement.runs

    rival = min(rivals, key=unlikeness)
    left, right = (
        quantities.side_of(it.measurement, it.per_joule, figures.notes)
        for it, figures in ((metered, row), rival)
    )
    return quantities.ratio([(left, right)], difference(metered, rival[0]))


def difference(metered: Metered, other: Metered) -> Difference:
    """Name what is not alike; a reading of unknown scope is like no other."""
    result = compared(metered.measurement, other.measurement)
    same = metered.reading == other.reading and metered.reading.scope is not None
    return result if same else replace(result, unlike=(*result.unlike, "power"))


class _Side(msgspec.Struct):
    """One system: how far a joule goes, and the *sound* figures that may lead."""

    system: System
    card: bool = True
    best: dict[str, float] = {}
    sound: list[Metered] = []

    def pace(self, rival: "_Side") -> float:
        """Return the mean samples per joule of the work that *rival* did as well."""
        shared = sorted(self.best.keys() & rival.best.keys())
        return geometric_mean([self.best[name] for name in shared])


def _reference(pairs: Iterable[_Pair]) -> System | None:
    """Return the system that others are held against, if any did common work.

    Like and unflagged figures decide first, then two chips rather than one, a Mac's GPU
    beside a card, and how much work they have in common.
    """
    sides: dict[System, _Side] = {}
    for metered, row in pairs:
        side = sides.setdefault(metered.system, _Side(metered.system))
        side.card = side.card and is_card(metered.measurement.place)
        best = side.best.get(metered.workload, 0.0)
        side.best[metered.workload] = max(best, metered.efficiency)
        if (
            metered.reading.scope is not None
            and metered.measurement.leads
            and not row.notes
        ):
            side.sound.append(metered)
    matches = [
        _ordered(left, right)
        for left, right in combinations(
            sorted(sides.values(), key=lambda side: side.system.key), 2
        )
        if left.best.keys() & right.best.keys()
        if (left.system.chip, left.system.device)
        != (right.system.chip, right.system.device)
    ]
    if not matches:
        return None
    reference, _ = max(matches, key=lambda match: _preference(*match))
    return reference.system


def _ordered(result: _Side, other: _Side) -> tuple[_Side, _Side]:
    """Return the reference first: a card, else the CPU or what does less per joule."""

    def rank(side: _Side) -> tuple[object, ...]:
        system, rival = side.system, other if side is result else result
        return (
            not side.card,
            _FAVOURITE not in system.chip,
            system.device != "cpu",
            side.pace(rival),
            system.key,
        )

    return (result, other) if rank(result) <= rank(other) else (other, result)


def _preference(reference: _Side, compared: _Side) -> tuple[object, ...]:
    like = {
        own.workload
        for own in reference.sound
        for other in compared.sound
        if own.workload == other.workload
        and own.reading == other.reading
        and not differs(own.measurement, other.measurement)
    }
    return (
        bool(like),
        reference.system.chip != compared.system.chip,
        reference.card and compared.system.device == "metal",
        _FAVOURITE in reference.system.chip,
        len(like),
        len(reference.best.keys() & compared.best.keys()),
        compared.system.device == "metal",
        compared.pace(reference) / reference.pace(compared),
        reference.system.key,
        compared.system.key,
    )
