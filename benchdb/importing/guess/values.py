"""Which figures a column holds."""

from typing import Literal

from benchdb.exchange.lines import Scalar
from benchdb.importing.guess.fields import ASSUMED, UNDECIDED, Guess
from benchdb.importing.guess.header_terms import Ideas
from benchdb.importing.guess.metrics import RATIO, Metric, metric
from benchdb.importing.guess.profile import Cells
from benchdb.importing.mapping.language import Column
from benchdb.importing.quantities.cell import unit_of

_ROLES = {
    "user": "script_user_seconds",
    "system": "script_system_seconds",
    "sys": "script_system_seconds",
    "cpu": "script_cpu_percent",
    "total": "script_wall_seconds",
    "real": "script_wall_seconds",
    "wall": "script_wall_seconds",
}


def value(
    cells: Cells,
    around: Ideas,
    *,
    unit: str | None = None,
    fields: dict[str, Scalar] | None = None,
) -> Guess:
    """Return what figures *cells* are; *fields* are what the column stands for.

    *around* are the ideas of what stands above, *unit* the one named there.
    """
    if cells.parts:
        return _several(cells, around, fields or {})
    kinds = cells.kinds
    own = cells.unit
    notes: list[tuple[str, str]] = []
    if unit is not None and own is None and all(one == "1" for one, _ in kinds):
        from_above = _kind(unit)
        kinds, own = frozenset([from_above]), unit
        notes.append((ASSUMED, f"the unit {unit}, which is named above"))
    chosen = metric(kinds, cells.ideas, around)
    if chosen.name == "score" and "lower" in cells.ideas | around:
        less = "less is better here, while more is of our scores"
        chosen = Metric("reported_value", doubt=less)
    if chosen.name == RATIO:
        return Guess(Column(is_="ratio", unit=own, set=fields or {}))
    notes += _notes(cells, chosen, own)
    column = Column(
        is_="value",
        metric=chosen.name,
        unit=own or _unit(cells, chosen),
        decimal=_decimal(cells),
        set=fields or {},
    )
    return Guess(column, tuple(notes))


def _decimal(cells: Cells) -> Literal[".", ","] | None:
    """Return the decimal mark where a reader of this column alone could not tell."""
    if cells.decimal == "," or any("," in text for text in cells.texts):
        return cells.decimal
    return None


def _kind(unit: str) -> tuple[str, str | None]:
    found = unit_of(unit)
    return (found[0], found[1]) if found else ("1", None)


def _unit(cells: Cells, chosen: Metric) -> str | None:
    """Return the unit of bare numbers; an accuracy of 0.98 is no percentage."""
    if chosen.name == "final_accuracy" and chosen.unit and cells.largest <= 1:
        return "1"
    return chosen.unit


def _notes(cells: Cells, chosen: Metric, unit: str | None) -> list[tuple[str, str]]:
    notes: list[tuple[str, str]] = []
    if chosen.doubt:
        doubt = f"{cells.header!r}: which metric? {chosen.doubt}"
        notes.append((UNDECIDED, doubt))
    elif unit is None and cells.texts and chosen.unit is None:
        notes.append((ASSUMED, f"{chosen.name}, by the cells ({cells.texts[0]})"))
    if chosen.why:
        notes.append((ASSUMED, chosen.why))
    if cells.ambiguous:
        two = f'{cells.ambiguous!r} can be two numbers; say decimal = "." or ","'
        notes.append((UNDECIDED, two))
    return notes


def _several(cells: Cells, around: Ideas, fields: dict[str, Scalar]) -> Guess:
    """Return a column whose cells have several figures each, as ``time`` prints."""
    parts: dict[str, str] = {}
    notes: list[tuple[str, str]] = [
        (ASSUMED, f"the parts of the cells ({cells.texts[0]})")
    ]
    for name, kind in cells.parts:
        if name in _ROLES and kind[0] in ("s", "%"):
            parts[name] = _ROLES[name]
            continue
        chosen = metric([kind], cells.ideas, around)
        if chosen.doubt or chosen.name == RATIO or chosen.name in parts.values():
            notes.append((UNDECIDED, f"which metric the part {name!r} is"))
            parts[name] = ""
        else:
            parts[name] = chosen.name
            notes += [(ASSUMED, chosen.why)] if chosen.why else []
    return Guess(Column(is_="value", parts=parts, set=fields), tuple(notes))
