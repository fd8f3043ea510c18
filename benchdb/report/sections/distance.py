"""How far is a reference GPU? Shares of its throughput at its own batch sizes."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from benchdb.catalogue import workloads
from benchdb.metric_kinds import RATES
from benchdb.report.charts.spec import (
    SERIES,
    Chart,
    Key,
    Panel,
    Point,
    Row,
    Rows,
    at_one,
    decimals_of,
    log_scale,
    mark,
    short,
)
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.measurement import Measurement, differs
from benchdb.report.quantities import compare, quantity, way
from benchdb.report.references import Notes
from benchdb.report.sections.inputs import (
    Candidates,
    SectionInput,
    candidates,
    training,
)
from benchdb.report.view.atoms import (
    Axis,
    Quantity,
    Ratio,
    System,
    Way,
    Workload,
    unlike_sets,
)
from benchdb.report.wording import cells, terms
from benchdb.report.wording.grades import grades
from benchdb.report.wording.terms import (
    differs_text,
    one_class_text,
    sentence,
    workload_text,
)
from benchdb.report.workloads import workload_of
from benchdb.statistics.comparison import geometric_mean
from benchdb.statistics.ticks import axis_ticks
from benchdb.store.places import is_card

_FAVOURITE = "RTX 3090"  # the card that the published results refer to
_LEAST_WORKLOADS = 2
Cell = tuple[str, int | None]  # workload and batch size
Column = tuple[System, list[Measurement | None]]  # its figure in each row


class DistanceCell(msgspec.Struct, frozen=True):
    """One system's share of the reference on one workload and batch size.

    *precision* is told where the system's figures here have several.
    """

    system: System
    quantity: Quantity | None
    share: Ratio | None  # throughput / reference throughput
    precision: str | None = None
    way: Way | None = None


class DistanceRow(msgspec.Struct, frozen=True):
    """A workload at the reference's batch size.

    *precision* is the reference's, told where its figures here have several.
    """

    workload: Workload
    batch_size: int | None
    reference: Quantity
    cells: tuple[DistanceCell, ...]
    precision: str | None = None
    way: Way | None = None


class Distance(msgspec.Struct, frozen=True):
    """How far is a reference GPU? Shares up to 1 and beyond."""

    reference: System
    systems: tuple[System, ...]
    rows: tuple[DistanceRow, ...]
    axis: Axis
    sources: tuple[str, ...]


def section(inputs: SectionInput) -> Distance | None:
    """Return the section, or ``None`` without a GPU that shares enough with others."""
    rated = [m for m in inputs.steady if m.conditions.metric in RATES]
    everyone = candidates(training(rated, inputs.here)[1])
    reference = _reference(everyone)
    if reference is None:
        return None
    anchors = _anchors(everyone[reference], _shared(reference, everyone))
    columns = {
        system: [_match(own, it) for it in anchors] for system, own in everyone.items()
    }
    mixed = {
        system
        for system, column in columns.items()
        if len({m.conditions.precision for m in column if m}) > 1
    }
    del columns[reference]
    others = sorted((it for it in columns.items() if any(it[1])), key=_pace(anchors))
    rows = tuple(
        DistanceRow(
            workload=workload_of(anchor.conditions.workload),
            batch_size=anchor.conditions.batch_size,
            reference=quantity(anchor, inputs.notes),
            cells=tuple(
                _cell(
                    system, column[place], anchor, inputs.notes, precise=system in mixed
                )
                for system, column in others
            ),
            precision=anchor.conditions.precision if reference in mixed else None,
            way=way(anchor),
        )
        for place, anchor in enumerate(anchors)
    )
    shares = [cell.share.value for row in rows for cell in row.cells if cell.share]
    ticks = axis_ticks(min(*shares, 1.0), max(*shares, 1.0))
    used = [m for _, column in others for m in column if m]
    return Distance(
        reference=reference,
        systems=tuple(system for system, _ in others),
        rows=rows,
        axis=Axis(ticks[0], ticks[-1], ticks, "share"),
        sources=inputs.sources.keys(m.place.source for m in [*anchors, *used]),
    )


def _reference(everyone: Candidates) -> System | None:
    """Return the favourite if it is there, else the GPU with most in common."""

    def preference(one: System) -> tuple[object, ...]:
        cells = _shared(one, everyone)
        speeds = [max(map(_speed, _in_cell(everyone[one], cell))) for cell in cells]
        known = _FAVOURITE in one.chip
        return not known, -len(cells), -geometric_mean(speeds), one.key

    fit = [
        one
        for one, own in everyone.items()
        if all(is_card(measurement.place) for measurement in own)
        and len({workload for workload, _ in _shared(one, everyone)})
        >= _LEAST_WORKLOADS
    ]
    return min(fit, key=preference, default=None)


def _speed(one: Measurement) -> float:
    return geometric_mean(one.values)


def _cell_of(one: Measurement) -> Cell:
    return one.conditions.workload, one.conditions.batch_size


def _in_cell(own: Sequence[Measurement], cell: Cell) -> list[Measurement]:
    return [m for m in own if _cell_of(m) == cell]


def _shared(one: System, everyone: Candidates) -> list[Cell]:
    """Return what *one* and any other system ran, in the order of the catalogue."""
    others = (own for system, own in everyone.items() if system != one)
    theirs = {_cell_of(m) for own in others for m in own}
    order = list(workloads())
    return sorted(
        theirs.intersection(map(_cell_of, everyone[one])),
        key=lambda cell: (order.index(cell[0]), cell[1] or 0),
    )


def _anchors(
    reference: Sequence[Measurement], cells: Sequence[Cell]
) -> list[Measurement]:
    """Return the reference's figures, of the precision class that most cells have.

    So all rows are held against the same arithmetic, as far as there is any.
    """
    rows = [_in_cell(reference, cell) for cell in cells]
    count = Counter(
        name for row in rows for name in {m.conditions.precision_class for m in row}
    )

    def preference(one: Measurement) -> tuple[object, ...]:
        return count[one.conditions.precision_class], _speed(one), repr(one.conditions)

    return [max(row, key=preference) for row in rows]


def _match(own: Sequence[Measurement], anchor: Measurement) -> Measurement | None:
    """Return the system's figure for the same batch: least unlike, then fastest.

    Precision weighs most: another one in every row would read as another speed.
    """

    def preference(other: Measurement) -> tuple[object, ...]:
        unlike = differs(other, anchor)
        rank = -_speed(other), repr(other.conditions)
        return "precision" in unlike, len(unlike), *rank

    return min(_in_cell(own, _cell_of(anchor)), key=preference, default=None)


def _pace(anchors: Sequence[Measurement]) -> Callable[[Column], tuple[float, str]]:
    """Return what puts the slowest system first."""

    def pace(column: Column) -> tuple[float, str]:
        pairs = zip(column[1], anchors, strict=True)
        shares = [_speed(one) / _speed(anchor) for one, anchor in pairs if one]
        return geometric_mean(shares), column[0].key

    return pace


def _cell(
    system: System,
    own: Measurement | None,
    anchor: Measurement,
    notes: Notes,
    *,
    precise: bool,
) -> DistanceCell:
    if own is None:
        return DistanceCell(system, None, None)
    share = compare(own, anchor, notes)
    precision = own.conditions.precision if precise else None
    return DistanceCell(system, quantity(own, notes), share, precision, way(own))


def title(language: Language, section: Distance | None) -> str:
    """Return the heading, which names the reference."""
    if section is None:
        return language.pgettext("heading", "Distance to a reference GPU")
    return language.gettext(
        "How far away is a %(reference)s?", reference=Name(section.reference.chip)
    )


def lead(language: Language, section: Distance) -> str:
    """Return the sentence or two under the heading."""
    cells = [cell for row in section.rows for cell in row.cells]
    names = sorted({name for c in cells if c.share for name in c.share.differs})
    said = language.gettext(
        "Training throughput as a share of the %(reference)s at the same batch size.",
        reference=Name(section.reference.chip),
    )
    return language.sentences([said, differs_text(language, names)])


def remarks(language: Language, section: Distance) -> list[str]:
    """Name the precisions that meet in the distance as if they were one."""
    pairs = [
        (cell.way.precision, row.way.precision)
        for row in section.rows
        for cell in row.cells
        if cell.way and row.way
        if cell.share and "precision" not in cell.share.differs
    ]
    return [one_class_text(language, pairs)]


def alt(language: Language, section: Distance) -> str:
    """Tell the chart's finding; the numbers of the headline follow."""
    return sentence(language, title(language, section))


def tables(language: Language, section: Distance) -> list[cells.Table]:
    """Return the Markdown tables of shares; many systems take several."""
    mixed = cells.several_frameworks((*section.systems, section.reference))
    named = partial(cells.system, language, framework=mixed)
    known, sets = grades(section), unlike_sets(section)

    def precise(quantity: Quantity | None, precision: str | None) -> str:
        said = cells.figure(language, quantity, known)
        return f"{said} · {language.isolate(precision)}" if precision else said

    def share(cell: DistanceCell) -> str:
        own = precise(cell.quantity, cell.precision)
        if cell.share is None:
            return own
        percent = language.isolate(language.share(cell.share.value))
        return f"{cells.sign(cell.share.differs, sets)}{percent} · {own}"

    return [
        cells.Table(
            head=[
                language.pgettext("table header", "Workload"),
                *(named(section.systems[place]) for place in part),
                named(section.reference),
            ],
            rows=[
                [
                    workload_text(language, row.workload.title, row.batch_size),
                    *(share(row.cells[place]) for place in part),
                    precise(row.reference, row.precision),
                ]
                for row in section.rows
            ],
            figures=frozenset(range(1, len(part) + 2)),
        )
        for part in cells.runs_of(range(len(section.systems)))
    ]


def chart(language: Language, sections: Mapping[str, Any]) -> Chart:
    """Return each system's share of the reference, workload by workload."""
    section = sections["distance"]
    rows = tuple(
        Row(terms.workload_text(language, row.workload.title, row.batch_size))
        for row in section.rows
    )
    points: list[Point] = []
    for n, row in enumerate(section.rows):
        points.append(Point(1.0, n, "reference"))
        for index, cell in enumerate(row.cells):
            if (share := cell.share) and cell.quantity:
                look, unlike = SERIES[index % len(SERIES)], bool(share.differs)
                points.append(
                    mark(share.value, n, look, cell.quantity, share, hollow=unlike)
                )
    axis = log_scale(
        section.axis.ticks,
        lambda value: language.percent(value, decimals_of(value * 100)),
    )
    strokes = (at_one(len(rows), "reference"),)
    panel = Panel("", axis, Rows(rows), tuple(points), strokes)
    keys = tuple(_distance_keys(section, language))
    named, described = title(language, section), alt(language, section)
    return Chart("distance", named, described, (panel,), keys)


def _distance_keys(section: Distance, language: Language) -> Iterator[Key]:
    unlike = any(
        cell.share and cell.share.differs for row in section.rows for cell in row.cells
    )
    for index, system in enumerate(section.systems):
        text = short(language, terms.system_text(language, system))
        yield Key(SERIES[index % len(SERIES)], text, hollow=unlike)
    yield Key("reference", short(language, section.reference.chip))
    if unlike:
        yield Key(None, language.pgettext("legend", "hollow: not like for like"))
