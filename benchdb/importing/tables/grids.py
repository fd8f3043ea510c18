"""From the rows of an HTML table to sheets: which are the header, and its names."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from benchdb.importing.sheet import Cell, Sheet
from benchdb.importing.tables import fitting, footnotes, spans
from benchdb.importing.tables.fitting import CELL_LIMIT, Place, RawRow
from benchdb.importing.tables.footnotes import Definitions
from benchdb.importing.tables.plain_numbers import are_data
from benchdb.importing.tables.spans import SpanRow

_NESTED = "it holds another table; take that out of it"
_HEADER_ROWS = 4  # the most that honest tables have


class Table(msgspec.Struct):
    """A table as it is written. *section* counts thead, tbody and tfoot."""

    line: int
    context: tuple[str, ...]
    caption: str = ""
    section: int = 0
    in_head: bool = False
    rows: list[SpanRow] = []

    def fault(self, row: SpanRow | None, line: int) -> None:
        """Take note that another table begins on *line*, in *row* or between rows."""
        if row is None:
            row = SpanRow(line, self.section)
            self.rows.append(row)
        row.fault = _NESTED


class _Line(msgspec.Struct, frozen=True):
    """A row with its cells in the grid, and whether it belongs to a header."""

    row: SpanRow
    cells: list[Cell]
    heads: bool


def sheets(table: Table, defined: Definitions) -> list[Sheet]:
    """Return the sheets of *table*: more than one if it has headers in between."""
    rows = [row for row in table.rows if row.cells or row.fault]
    caption = (table.caption,) if table.caption else ()
    place = Place("html", table.line, (*table.context, *caption))
    lines = _lines(rows)
    if lines is None:
        return [fitting.unread(place, f"more than {CELL_LIMIT:,} cells")]
    width = max((len(one.cells) for one in lines if len(one.row.cells) > 1), default=1)
    heads = [len(one.cells) for one in lines if one.heads and len(one.row.cells) > 1]
    width = max(heads, default=width)
    parts = _parts(lines, width)
    return [
        _sheet(part, width, replace(place, line=line), defined)
        for part in parts
        if part
        for line in [table.line if part is parts[0] else part[0].row.line]
    ]


def _lines(rows: Sequence[SpanRow]) -> list[_Line] | None:
    """Return *rows* with their cells; ``None`` if those are too many."""
    marked = any(row.in_head for row in rows)
    found: list[_Line] = []
    count = 0
    for row, cells in zip(rows, spans.grid(rows), strict=True):
        count += len(cells)
        if count > CELL_LIMIT:
            return None
        heads = row.in_head if marked else all(one.head for one in row.cells)
        found.append(_Line(row, cells, heads and row.fault is None))
    return found


def _parts(lines: Sequence[_Line], width: int) -> list[list[_Line]]:
    """Return *lines* in parts that each begin with their own header.

    The title right above a header in between belongs to the part that it begins.
    """
    parts: list[list[_Line]] = [[]]
    for place, line in enumerate(lines):
        part = parts[-1]
        followed = place + 1 < len(lines) and not lines[place + 1].heads
        headed = line.heads and not spans.is_title(line.row, width)
        if headed and followed and any(not one.heads for one in part):
            title = spans.is_title(part[-1].row, width)
            parts.append([part.pop()] if title else [])
        parts[-1].append(line)
    return parts


def _sheet(
    part: Sequence[_Line], width: int, place: Place, defined: Definitions
) -> Sheet:
    titles: list[str] = []
    head: list[_Line] = []
    for line in part:
        title = spans.is_title(line.row, width)
        if title and not head:
            titles.append(line.cells[0].text)
        elif line.heads and not title and len(head) < _HEADER_ROWS:
            head.append(line)
        else:
            break
    body = list(part[len(titles) + len(head) :])
    if not head and body and not _is_headless(body):
        head = [body.pop(0)]
    place = replace(place, context=(*place.context, *titles))
    if any(one.row.fault or len(one.cells) != width for one in head):
        raw = "\n".join(one.row.raw for one in head)
        why = head[0].row.fault or "the rows of the header are not of the same width"
        return fitting.unread(place, why, raw)
    rows = [_row(one, width) for one in body]
    marks = [mark for one in part for cell in one.cells for mark in cell.notes]
    told = footnotes.of_table(marks, defined, ())
    return fitting.sheet(place, _names(head, width), rows, told)


def _is_headless(body: Sequence[_Line]) -> bool:
    """Tell whether the first row is data: numbers, or a name before its fact."""
    if are_data([cell.text for cell in body[0].cells]):
        return True
    return all([cell.head for cell in one.row.cells] == [True, False] for one in body)


def _names(head: Sequence[_Line], width: int) -> list[str]:
    """Return the names of columns: ``GPU / ms`` where one stands under the other."""
    stacked = zip(*(one.cells for one in head), strict=True) if head else [()] * width
    return [
        " / ".join(dict.fromkeys(c.text for c in cells if c.text)) for cells in stacked
    ]


def _row(line: _Line, width: int) -> RawRow:
    cells = tuple(line.cells)
    if spans.is_title(line.row, width):
        cells = spans.titled(line.cells[0], width)
    return RawRow(line.row.line, cells, line.row.raw, line.row.fault)
