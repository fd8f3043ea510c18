"""Per watt: throughput against power, and samples per joule."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.conditions import Difference
from benchdb.report import quantities
from benchdb.report.measurement import compared
from benchdb.report.metric_kinds import unit_of, workload_of
from benchdb.report.references import Notes
from benchdb.report.sections.efficiency import (
    Efficiency,
    EfficiencyColumn,
    EfficiencyGroup,
    EfficiencyRow,
    Reading,
)
from benchdb.report.sections.efficiency.metered import (
    Metered,
    metered,
    shown,
    usual_sizes,
)
from benchdb.report.sections.efficiency.opposed import opposed
from benchdb.report.sections.efficiency.powers import PER_JOULE, powers
from benchdb.report.sections.material import Material
from benchdb.report.view.atoms import Quantity, Ratio, System
from benchdb.statistics import comparison

_Pair = tuple[Metered, EfficiencyRow]


class _Side(msgspec.Struct, frozen=True):
    """What one system did while its power was read in one way."""

    system: System
    reading: Reading
    pairs: tuple[_Pair, ...]


def section(material: Material) -> Efficiency | None:
    """Return the section, or ``None`` where nobody read the power of any training."""
    known = powers(material.runs)
    everything = metered(material.steady, known, material.here)
    chosen = shown(everything)
    if not chosen:
        return None
    sides = [_side(found, material.notes) for found in _grouped(chosen)]
    pairs = [pair for side in sides for pair in side.pairs]
    pair = opposed(pairs)
    reference, compared = pair or (None, None)
    others = [(one, row) for one, row in pairs if one.system == reference]
    return Efficiency(
        columns=_columns(chosen),
        groups=tuple(_group(side, others) for side in sides),
        sources=material.sources.keys(one.measurement.place.source for one in chosen),
        reference=reference,
        compared=compared,
        more=len(everything) - len(chosen),
    )


def _columns(chosen: Sequence[Metered]) -> tuple[EfficiencyColumn, ...]:
    sizes = usual_sizes(chosen)
    return tuple(
        EfficiencyColumn(workload_of(name), sizes[name])
        for name in workloads()
        if name in sizes
    )


def _grouped(chosen: Sequence[Metered]) -> list[list[Metered]]:
    """Return what each system did under each reading, the most efficient first."""
    best: defaultdict[str, float] = defaultdict(float)
    found: defaultdict[tuple[System, Reading], list[Metered]] = defaultdict(list)
    for one in chosen:
        best[one.workload] = max(best[one.workload], one.efficiency)
        found[one.system, one.reading].append(one)

    def standing(group: Sequence[Metered]) -> tuple[object, ...]:
        shares = [one.efficiency / best[one.workload] for one in group]
        first = group[0]
        return -comparison.geometric_mean(shares), first.system.key, repr(first.reading)

    order = list(workloads())
    return [
        sorted(group, key=lambda one: order.index(one.workload))
        for group in sorted(found.values(), key=standing)
    ]


def _side(found: Sequence[Metered], notes: Notes) -> _Side:
    pairs = tuple((one, _row(one, notes)) for one in found)
    return _Side(found[0].system, found[0].reading, pairs)


def _row(one: Metered, notes: Notes) -> EfficiencyRow:
    own = one.measurement.conditions
    return EfficiencyRow(
        workload=workload_of(own.workload),
        batch_size=own.batch_size,
        precision=own.precision,
        compiler=own.compiler,
        rate=quantities.rate(one.measurement, notes),
        power=_power(one, notes),
        per_joule=_per_joule(one, notes),
        limit=one.measurement.limit,
    )


def _power(one: Metered, notes: Notes) -> Quantity:
    found = comparison.estimate(one.measurement.sampled(one.watts))
    printed = quantities.as_printed(one.printed, found.value, derived=one.derived)
    noted = notes.on(one.measurement.runs, one.metric)
    return _quantity(one, found, "W", noted, printed=printed, derived=one.derived)


def _per_joule(one: Metered, notes: Notes) -> Quantity:
    unit = unit_of(PER_JOULE, one.workload)
    metric = PER_JOULE if one.counted else one.metric
    noted = notes.on(one.measurement.runs, metric)
    found = comparison.estimate(one.measurement.sampled(one.per_joule))
    return _quantity(one, found, unit, noted, derived=not one.counted)


def _quantity(
    one: Metered,
    found: comparison.Estimate,
    unit: str,
    noted: tuple[str, ...],
    *,
    printed: str | None = None,
    derived: bool,
) -> Quantity:
    return Quantity(
        value=found.value,
        unit=unit,
        run=one.measurement.runs[0],
        n=len(one.measurement.runs),
        printed=printed,
        low=found.low,
        high=found.high,
        notes=noted,
        derived=derived,
        grade=one.measurement.grade,
        label=one.measurement.label,
        sessions=len(one.measurement.sizes) or 1,
        mine=one.measurement.place.mine,
    )


def _group(side: _Side, others: Sequence[_Pair]) -> EfficiencyGroup:
    rows = [replace(row, ratio=_ratio(one, row, others)) for one, row in side.pairs]
    shared = set.intersection(*(set(noted(row)) for row in rows))
    return EfficiencyGroup(
        system=side.system,
        reading=side.reading,
        rows=tuple(rows),
        notes=tuple(note for note in noted(rows[0]) if note in shared),
    )


def noted(row: EfficiencyRow) -> tuple[str, ...]:
    """Return the letters of all notes on the figures of *row*, each once."""
    figures = (row.rate, row.power, row.per_joule)
    return _letters(note for figure in figures for note in figure.notes)


def _letters(notes: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(notes), key=lambda note: (len(note), note)))


def _ratio(one: Metered, row: EfficiencyRow, others: Sequence[_Pair]) -> Ratio | None:
    """Return how many times the samples per joule of the likest of *others* these are.

    What one system reached under two readings or settings is no comparison.
    """
    rivals = [pair for pair in others if pair[0].workload == one.workload]
    if not rivals or rivals[0][0].system == one.system:
        return None

    def unlikeness(pair: _Pair) -> tuple[object, ...]:
        other = pair[0]
        return len(unlike(one, other).unlike), -other.efficiency, other.measurement.runs

    other, beside = min(rivals, key=unlikeness)
    pair = (
        _side_of(one, row),
        _side_of(other, beside),
    )
    return quantities.ratio([pair], unlike(one, other))


def _side_of(one: Metered, row: EfficiencyRow) -> quantities.Side:
    return quantities.side_of(one.measurement, one.per_joule, noted(row))


def unlike(one: Metered, other: Metered) -> Difference:
    """Name what is not alike; a reading of unknown scope is like no other."""
    found = compared(one.measurement, other.measurement)
    same = one.reading == other.reading and one.reading.scope is not None
    return found if same else replace(found, unlike=(*found.unlike, "power"))
