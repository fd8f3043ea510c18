"""HTML: its tables, with the headings, captions and paragraphs above them.

Cells over several columns and rows are set into the grid that they describe.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.importing.document import Document
from benchdb.importing.sheet import Cell, Sheet
from benchdb.importing.tables import footnotes, inline
from benchdb.importing.tables.footnotes import NOTHING_DEFINED, Definitions
from benchdb.importing.tables.inline import Tag, span, tags
from benchdb.importing.tables.outline import Outline
from benchdb.importing.tables.table import (
    CELL_LIMIT,
    COLUMN_LIMIT,
    Place,
    RawRow,
    are_data,
    fitted,
    require_few_cells,
    unread,
)


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


def table_sheets(table: Table, defined: Definitions) -> list[Sheet]:
    """Return the sheets of *table*: more than one if it has headers in between."""
    rows = [row for row in table.rows if row.cells or row.fault]
    caption = (table.caption,) if table.caption else ()
    place = Place("html", table.line, (*table.context, *caption))
    lines = _lines(rows)
    if lines is None:
        return [unread(place, f"more than {CELL_LIMIT:,} cells")]
    width = max((len(one.cells) for one in lines if len(one.row.cells) > 1), default=1)
    heads = [len(one.cells) for one in lines if one.heads and len(one.row.cells) > 1]
    width = max(heads, default=width)
    parts = _parts(lines, width)
    return [
        _part_sheet(part, width, replace(place, line=line), defined)
        for part in parts
        if part
        for line in [table.line if part is parts[0] else part[0].row.line]
    ]


def _lines(rows: Sequence[SpanRow]) -> list[_Line] | None:
    """Return *rows* with their cells; ``None`` if those are too many."""
    marked = any(row.in_head for row in rows)
    found: list[_Line] = []
    count = 0
    for row, cells in zip(rows, grid(rows), strict=True):
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
        headed = line.heads and not is_title(line.row, width)
        if headed and followed and any(not one.heads for one in part):
            title = is_title(part[-1].row, width)
            parts.append([part.pop()] if title else [])
        parts[-1].append(line)
    return parts


def _part_sheet(
    part: Sequence[_Line], width: int, place: Place, defined: Definitions
) -> Sheet:
    titles: list[str] = []
    head: list[_Line] = []
    for line in part:
        title = is_title(line.row, width)
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
        return unread(place, why, raw)
    rows = [_grid_row(one, width) for one in body]
    marks = [mark for one in part for cell in one.cells for mark in cell.notes]
    told = footnotes.of_table(marks, defined, ())
    return fitted(place, _names(head, width), rows, told)


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


def _grid_row(line: _Line, width: int) -> RawRow:
    cells = tuple(line.cells)
    if is_title(line.row, width):
        cells = titled(line.cells[0], width)
    return RawRow(line.row.line, cells, line.row.raw, line.row.fault)


_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_TEXTS = frozenset({*_HEADINGS, "p", "summary", "figcaption"})
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_BOLD = re.compile(r"\s*<(b|strong)\b[^<>]*>[^<]*</\1\s*>\s*:?\s*", re.IGNORECASE)


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of an HTML document, in its order."""
    return tuple(read(document.text, 1, Outline()))


def read(
    text: str, first_line: int, outline: Outline, defined: Definitions = NOTHING_DEFINED
) -> list[Sheet]:
    """Return the tables of *text*, which begins in line *first_line* under *outline*.

    A table inside a cell makes its row bad; it is not read itself.
    """
    reader = _Reader(text, first_line, outline, defined)
    for tag in tags(text):
        reader.take(tag)
    reader.finish()
    return reader.sheets


class _Reader:
    """What is open at one place of the text: a table, its row, its cell; a heading."""

    def __init__(
        self, text: str, first_line: int, outline: Outline, defined: Definitions
    ) -> None:
        self._text = text
        self._breaks = [found.start() for found in re.finditer("\n", text)]
        self._first_line = first_line
        self._outline = outline
        self._defined = defined
        self._table: Table | None = None
        self._row: SpanRow | None = None
        self._cell: Tag | None = None
        self._words: Tag | None = None
        self._nested = 0
        self._below = False
        self._cells = 0
        self.sheets: list[Sheet] = []

    def take(self, tag: Tag) -> None:
        """Take the next tag."""
        if tag.name == "table":
            self._turn_table(tag)
        elif self._nested:
            return
        elif self._table is None:
            self._take_outside(tag)
        else:
            self._take_inside(self._table, tag)

    def finish(self) -> None:
        """Close what is still open at the end of the text."""
        self._end_table(len(self._text))

    def _line(self, at: int) -> int:
        return self._first_line + bisect_right(self._breaks, at - 1)

    def _said(self, first: Tag, end: int) -> str:
        return self._text[first.end : end]

    def _turn_table(self, tag: Tag) -> None:
        if tag.closing and self._nested:
            self._nested -= 1
        elif tag.closing:
            self._end_table(tag.start)
        elif self._table is None:
            self._end_words(tag.start)
            line = self._line(tag.start)
            self._table = Table(line, self._outline.context())
        else:
            self._nested += 1
            self._table.fault(self._row, self._line(tag.start))

    def _take_outside(self, tag: Tag) -> None:
        if tag.name == "details":
            self._end_words(tag.start)
            act = self._outline.close_details if tag.closing else None
            (act or self._outline.open_details)()
        elif tag.name in _TEXTS:
            self._end_words(tag.start)
            self._words = None if tag.closing else tag

    def _take_inside(self, table: Table, tag: Tag) -> None:
        ends: dict[str, Callable[[int], None]] = {
            "tr": self._end_row,
            "td": self._end_cell,
            "th": self._end_cell,
            "caption": self._end_caption,
        }
        if tag.name in _SECTIONS:
            self._end_row(tag.start)
            table.section += 1
            table.in_head = tag.name == "thead" and not tag.closing
        elif tag.name in ends and tag.closing:
            ends[tag.name](tag.start)
        elif tag.name == "tr":
            self._end_row(tag.start)
            self._begin_row(table, tag)
        elif tag.name in ("td", "th"):
            self._end_cell(tag.start)
            if self._row is None:
                self._begin_row(table, tag)
            self._cell = tag
        elif tag.name == "caption":
            self._words = tag

    def _begin_row(self, table: Table, tag: Tag) -> None:
        self._row = SpanRow(
            self._line(tag.start), table.section, table.in_head, start=tag.start
        )

    def _end_cell(self, end: int) -> None:
        tag, self._cell = self._cell, None
        if tag is None or self._row is None:
            return
        raw = self._said(tag, end).strip()
        # Between blank lines GitHub reads the cells of a table as Markdown.
        markdown = "\n\n" in self._said(tag, end).replace(" ", "")
        found = inline.words(
            raw, references=self._defined.references, markdown=markdown
        )
        cell = Cell(found.text, self._line(tag.start), raw, found.notes)
        self._cells += 1
        require_few_cells(self._cells)
        columns, rows = span(tag, "colspan"), span(tag, "rowspan")
        self._row.cells.append(SpanCell(cell, columns or 1, rows, tag.name == "th"))

    def _end_row(self, end: int) -> None:
        self._end_cell(end)
        if self._table is not None and self._row is not None and self._row.cells:
            self._row.raw = self._text[self._row.start : end].strip()
            self._table.rows.append(self._row)
        self._row = None

    def _end_caption(self, end: int) -> None:
        tag, self._words = self._words, None
        if tag is not None and self._table is not None:
            self._table.caption = inline.words(self._said(tag, end)).text

    def _end_table(self, end: int) -> None:
        self._end_row(end)
        table, self._table, self._nested = self._table, None, 0
        if table is None:
            self._end_words(end)
            return
        self._words = None
        made = table_sheets(table, self._defined)
        self._cells += sum(len(one.rows) * len(one.header) for one in made)
        require_few_cells(self._cells)
        self.sheets += made
        self._below = bool(made)
        self._outline.above("")

    def _is_footnote(self, raw: str) -> bool:
        """Take *raw* as a footnote of the table right above, if it begins like one."""
        if self._below:
            told = self.sheets[-1].footnotes
            self.sheets[-1] = footnotes.with_below(
                self.sheets[-1], [inline.spaced(raw)]
            )
            self._below = told != self.sheets[-1].footnotes
        return self._below

    def _end_words(self, end: int) -> None:
        tag, self._words = self._words, None
        if tag is None:
            return
        raw = self._said(tag, end)
        said = inline.words(raw, markdown=False).text
        if tag.name in _HEADINGS:
            self._outline.heading(_HEADINGS[tag.name], said)
        elif tag.name == "summary":
            self._outline.summary(said)
        elif said and _BOLD.fullmatch(raw):
            self._outline.bold(said.rstrip(" :"))
        elif said and not self._is_footnote(raw):
            self._outline.above(said)
