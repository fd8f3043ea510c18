"""How far is a reference GPU? Shares of its throughput at its own batch sizes."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence

from benchdb.catalogue import workloads
from benchdb.report.measurement import Measurement, differs
from benchdb.report.metric_kinds import RATES, workload_of
from benchdb.report.quantities import compare, quantity, way
from benchdb.report.references import Notes
from benchdb.report.sections.contenders import Contender, contenders
from benchdb.report.sections.distance import Distance, DistanceCell, DistanceRow
from benchdb.report.sections.material import Material
from benchdb.report.view.atoms import Axis, System
from benchdb.statistics.comparison import geometric_mean
from benchdb.statistics.ticks import axis_ticks

_FAVOURITE = "RTX 3090"  # the card that the published results refer to
_LEAST_WORKLOADS = 2

Cell = tuple[str, int | None]  # workload and batch size


def section(material: Material) -> Distance | None:
    """Return the section, or ``None`` without a GPU that shares enough with others."""
    notes, sources = material.notes, material.sources
    rated = [m for m in material.steady if m.conditions.metric in RATES]
    everyone = contenders(rated, (), material.here)
    reference = _reference(everyone)
    if reference is None:
        return None
    anchors = _anchors(reference, _shared(reference, everyone))
    others = _others(reference, everyone, anchors)
    mixed = _mixed((reference, *others), anchors)
    rows = tuple(_row(anchor, (reference, *others), mixed, notes) for anchor in anchors)
    used = [m for one in others for anchor in anchors if (m := _match(one, anchor))]
    return Distance(
        reference=reference.system,
        systems=tuple(one.system for one in others),
        rows=rows,
        axis=_axis(rows),
        sources=sources.keys(m.place.source for m in [*anchors, *used]),
    )


def _reference(everyone: Sequence[Contender]) -> Contender | None:
    """Return the favourite if it is there, else the GPU with most in common."""

    def preference(one: Contender) -> tuple[object, ...]:
        cells = _shared(one, everyone)
        speeds = [geometric_mean(_fastest(one, cell).values) for cell in cells]
        known = _FAVOURITE in one.system.chip
        return not known, -len(cells), -geometric_mean(speeds), one.system.key

    fit = [
        one
        for one in everyone
        if one.card
        and len({workload for workload, _ in _shared(one, everyone)})
        >= _LEAST_WORKLOADS
    ]
    return min(fit, key=preference, default=None)


def _shared(one: Contender, everyone: Iterable[Contender]) -> list[Cell]:
    """Return what *one* and any other system ran, in the order of the catalogue."""
    theirs = {cell for other in everyone if other != one for cell in _cells(other)}
    order = list(workloads())
    return sorted(
        _cells(one) & theirs, key=lambda cell: (order.index(cell[0]), cell[1] or 0)
    )


def _cells(one: Contender) -> set[Cell]:
    return {_cell(m) for m in one.measurements}


def _cell(measurement: Measurement) -> Cell:
    return measurement.conditions.workload, measurement.conditions.batch_size


def _anchors(reference: Contender, cells: Sequence[Cell]) -> list[Measurement]:
    """Return the reference's figures, of the precision class that most cells have.

    So all rows are held against the same arithmetic, as far as there is any.
    """
    count = Counter(
        name
        for cell in cells
        for name in {_class(m) for m in reference.measurements if _cell(m) == cell}
    )

    def preference(other: Measurement) -> tuple[object, ...]:
        speed = geometric_mean(other.values)
        return count[_class(other)], speed, repr(other.conditions)

    return [
        max((m for m in reference.measurements if _cell(m) == cell), key=preference)
        for cell in cells
    ]


def _class(measurement: Measurement) -> str:
    return measurement.conditions.precision_class or ""


def _fastest(one: Contender, cell: Cell) -> Measurement:
    found = [m for m in one.measurements if _cell(m) == cell]
    return max(found, key=lambda m: (geometric_mean(m.values), repr(m.conditions)))


def _others(
    reference: Contender, everyone: Iterable[Contender], anchors: Sequence[Measurement]
) -> list[Contender]:
    """Return the other systems with a figure in any row, slowest first."""

    def pace(one: Contender) -> tuple[float, str]:
        shares = [
            geometric_mean(found.values) / geometric_mean(anchor.values)
            for anchor in anchors
            if (found := _match(one, anchor)) is not None
        ]
        return geometric_mean(shares), one.system.key

    rest = [one for one in everyone if one != reference]
    return sorted((one for one in rest if any(_matches(one, anchors))), key=pace)


def _matches(one: Contender, anchors: Iterable[Measurement]) -> list[bool]:
    return [_match(one, anchor) is not None for anchor in anchors]


def _match(one: Contender, anchor: Measurement) -> Measurement | None:
    """Return the system's figure for the same batch: least unlike, then fastest.

    Precision weighs most: another one in every row would read as another speed.
    """

    def preference(other: Measurement) -> tuple[object, ...]:
        unlike = differs(other, anchor)
        speed = geometric_mean(other.values)
        return "precision" in unlike, len(unlike), -speed, repr(other.conditions)

    found = [m for m in one.measurements if _cell(m) == _cell(anchor)]
    return min(found, key=preference, default=None)


def _mixed(columns: Iterable[Contender], anchors: Sequence[Measurement]) -> set[System]:
    """Return the systems whose figures here are not all of one precision."""
    found = {one.system: [_match(one, anchor) for anchor in anchors] for one in columns}
    return {
        system
        for system, column in found.items()
        if len({m.conditions.precision for m in column if m}) > 1
    }


def _row(
    anchor: Measurement,
    columns: Sequence[Contender],
    mixed: Container[System],
    notes: Notes,
) -> DistanceRow:
    reference, *others = columns
    return DistanceRow(
        workload=workload_of(anchor.conditions.workload),
        batch_size=anchor.conditions.batch_size,
        reference=quantity(anchor, notes),
        cells=tuple(_share(one, anchor, mixed, notes) for one in others),
        precision=_told(reference, anchor, mixed),
        way=way(anchor),
    )


def _share(
    one: Contender, anchor: Measurement, mixed: Container[System], notes: Notes
) -> DistanceCell:
    found = _match(one, anchor)
    if found is None:
        return DistanceCell(one.system, None, None)
    share = compare(found, anchor, notes)
    told = _told(one, found, mixed)
    return DistanceCell(one.system, quantity(found, notes), share, told, way(found))


def _told(one: Contender, found: Measurement, mixed: Container[System]) -> str | None:
    return found.conditions.precision if one.system in mixed else None


def _axis(rows: Iterable[DistanceRow]) -> Axis:
    shares = [cell.share.value for row in rows for cell in row.cells if cell.share]
    ticks = axis_ticks(min(*shares, 1.0), max(*shares, 1.0))
    return Axis(ticks[0], ticks[-1], ticks, "share")
