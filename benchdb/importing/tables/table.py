"""From a header and rows as they stand in a document to a sheet."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from benchdb.exchange.reader import BadLine
from benchdb.importing import building
from benchdb.importing.document import DocumentError
from benchdb.importing.sheet import Cell, Kind, Sheet, SheetRow

_NUMBER = re.compile(r"[-+−]?\d[\d.,'’ \u00a0\u202f]{0,40}(?:[eE][-+]?\d{1,4})?\s?%?")
_EXACT = re.compile(r"[-+−]?\d{1,20}[.,]\d{3,30}")


def is_number(text: str) -> bool:
    """Tell whether *text* is only a number, a percentage included."""
    return bool(_NUMBER.fullmatch(text))


def are_data(cells: Sequence[str]) -> bool:
    """Tell whether *cells*, a first row, can be no header.

    They are all numbers, or one has so many decimals that nobody names a column so.
    """
    said = [cell for cell in cells if cell]
    if not said:
        return False
    return all(map(is_number, said)) or any(map(_is_measured, said))


def _is_measured(text: str) -> bool:
    # 1,024 may be a batch size; 188.278 is a time.
    exact = _EXACT.fullmatch(text)
    return bool(exact) and ("." in text or len(text.partition(",")[2]) != 3)


def column_names(printed: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns headed by *printed*.

    A name met before, in whatever case, gets `` (2)``; one that is empty is
    ``column 3``.
    """
    taken: set[str] = set()
    counted: dict[str, int] = {}
    given = []
    for place, text in enumerate(printed, start=1):
        base = text or f"column {place}"
        name = base
        while name.casefold() in taken:
            counted[base.casefold()] = counted.get(base.casefold(), 1) + 1
            name = f"{base} ({counted[base.casefold()]})"
        taken.add(name.casefold())
        given.append(name)
    return tuple(given)


COLUMN_LIMIT = 1000
CELL_LIMIT = 1_000_000  # of one document; each takes a few hundred bytes


class RawRow(msgspec.Struct, frozen=True):
    """A row as it was found; *fault* says why it cannot be taken, if that is so."""

    line: int
    cells: tuple[Cell, ...]
    raw: str
    fault: str | None = None


class Place(msgspec.Struct, frozen=True):
    """Where a table stands: its kind, its line, and what stands above it."""

    kind: Kind
    line: int
    context: tuple[str, ...]


def require_few_cells(number: int) -> None:
    """Raise ``DocumentError`` if *number* cells are more than a document may have."""
    if number > CELL_LIMIT:
        raise DocumentError(f"more than {CELL_LIMIT:,} cells; split the file")


def fitted(
    place: Place,
    columns: Sequence[str],
    rows: Iterable[RawRow],
    footnotes: tuple[tuple[str, str], ...] = (),
) -> Sheet:
    """Return the table: rows that do not fit *columns* are bad, empty ones left out.

    So are rows that only repeat the header, as in files strung together.
    """
    if len(columns) > COLUMN_LIMIT:
        why = f"{len(columns):,} columns; {COLUMN_LIMIT:,} are read"
        return unread(place, why)
    taken: list[SheetRow] = []
    bad: list[BadLine] = []
    for row in rows:
        texts = [cell.text for cell in row.cells]
        fault = row.fault or misfit(len(texts), len(columns))
        if fault is not None:
            bad.append(building.bad(fault, line=row.line, raw=row.raw))
        elif any(texts) and texts != list(columns):
            taken.append(SheetRow(row.line, row.cells))
    return Sheet(
        kind=place.kind,
        line=place.line,
        context=place.context,
        header=column_names(columns),
        rows=tuple(taken),
        footnotes=footnotes,
        bad=tuple(bad),
    )


def unread(place: Place, why: str, raw: str = "") -> Sheet:
    """Return the sheet of a table that cannot be read: a bad line, and no columns."""
    refused = building.bad(why, line=place.line, raw=raw)
    return Sheet(place.kind, place.line, place.context, (), (), bad=(refused,))


def misfit(found: int, columns: int) -> str | None:
    """Return why a row of *found* cells is no row of *columns*; ``None`` if it is."""
    if found == columns:
        return None
    cells = "1 cell" if found == 1 else f"{found:,} cells"
    under = "1 column" if columns == 1 else f"{columns:,} columns"
    return f"{cells} under {under}"
