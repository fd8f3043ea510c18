"""Cells over several columns and rows, set into the grid that they describe."""

from collections.abc import Iterator, Sequence

import msgspec

from benchdb.importing.sheet import Cell
from benchdb.importing.tables.fitting import COLUMN_LIMIT


class SpanCell(msgspec.Struct, frozen=True):
    """A cell as it is written: over *columns* and *rows*, of a header (*head*) or not.

    *rows* is 0 for all rows that are left in its section.
    """

    cell: Cell
    columns: int = 1
    rows: int = 1
    head: bool = False


class SpanRow(msgspec.Struct):
    """A row as it is written. *section* counts thead, tbody and tfoot."""

    line: int
    section: int = 0
    in_head: bool = False
    cells: list[SpanCell] = []
    start: int = 0
    raw: str = ""
    fault: str | None = None


class _Hanging(msgspec.Struct):
    cell: Cell
    rows: float


def grid(rows: Sequence[SpanRow]) -> Iterator[list[Cell]]:
    """Yield the cells of each of *rows*, those that reach into it from above included.

    A row of more than ``COLUMN_LIMIT`` cells ends one above it, however long it is.
    """
    hanging: dict[int, _Hanging] = {}
    section = None
    for row in rows:
        if row.section != section:
            hanging, section = {}, row.section
        yield _filled(row, hanging)


def _filled(row: SpanRow, hanging: dict[int, _Hanging]) -> list[Cell]:
    cells: list[Cell] = []
    for one in row.cells:
        _take_hanging(cells, hanging)
        for _ in range(min(one.columns, COLUMN_LIMIT + 1)):
            if len(cells) > COLUMN_LIMIT:
                return cells
            if len(cells) in hanging:
                row.fault = "its cells overlap with one that reaches in from above"
            if one.rows != 1:
                left = one.rows - 1 if one.rows else float("inf")
                hanging[len(cells)] = _Hanging(one.cell, left)
            cells.append(one.cell)
    _take_hanging(cells, hanging)
    return cells


def _take_hanging(cells: list[Cell], hanging: dict[int, _Hanging]) -> None:
    while (held := hanging.get(len(cells))) and len(cells) <= COLUMN_LIMIT:
        held.rows -= 1
        if held.rows <= 0:
            del hanging[len(cells)]
        cells.append(held.cell)


def is_title(row: SpanRow, width: int) -> bool:
    """Tell whether one cell of *row* stands over all of the *width* columns."""
    return len(row.cells) == 1 and width > 1 and row.cells[0].columns >= width


def titled(cell: Cell, width: int) -> tuple[Cell, ...]:
    """Return a row that *cell* stands over: as in Markdown, the others are empty."""
    empty = Cell("", cell.line)
    return (cell, *[empty] * (width - 1))
