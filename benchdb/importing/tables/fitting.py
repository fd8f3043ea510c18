"""From a header and rows as they stand in a document to a sheet."""

from collections.abc import Iterable, Sequence

import msgspec

from benchdb.exchange.reader import BadLine
from benchdb.importing import building
from benchdb.importing.document import DocumentError
from benchdb.importing.sheet import Cell, Kind, Sheet, SheetRow
from benchdb.importing.tables import header

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


def sheet(
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
        header=header.names(columns),
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
