"""HTML: its tables, with the headings, captions and paragraphs above them.

Cells over several columns and rows are set into the grid that they describe.
"""

import msgspec

from benchdb.importing import blocks, outline
from benchdb.importing.document import Document
from benchdb.importing.outline import Outline
from benchdb.importing.sheet import (
    CELL_LIMIT,
    COLUMN_LIMIT,
    Cell,
    Sheet,
    SheetRows,
    are_data,
    is_number,
    require_few_cells,
    unread_sheet,
)
from benchdb.importing.tables import inline
from benchdb.importing.tables.inline import Tag, tags

_NESTED = "it holds another table; take that out of it"
_OVERLAP = "its cells overlap with one that reaches in from above"
_UNEVEN = "the rows of the header are not of the same width"
_BELOW = "below another header of the same table"
_HEADER_ROWS = 4  # the most that honest tables have
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_TEXTS = frozenset({*_HEADINGS, "p", "summary", "caption", "figcaption"})


class _SpanCell(msgspec.Struct, frozen=True):
    """A cell over *columns* and *rows*, 0 for all that are left."""

    cell: Cell
    columns: int
    rows: int
    head: bool


class _Row(msgspec.Struct):
    """A row as it is written."""

    line: int
    heads: bool = False  # whether it belongs to a header
    start: int = 0
    raw: str = ""
    fault: str | None = None
    written: list[_SpanCell] = []
    cells: list[Cell] = []

    def fill(self, hanging: dict[int, tuple[Cell, float]]) -> None:
        """Set the cells, those *hanging* down from above included.

        A row of more than ``COLUMN_LIMIT`` cells ends one above it.
        """
        for cell in (*self.written, None):
            while len(self.cells) in hanging and len(self.cells) <= COLUMN_LIMIT:
                held, rows = hanging.pop(len(self.cells))
                if rows > 1:
                    hanging[len(self.cells)] = (held, rows - 1)
                self.cells.append(held)
            for _ in range(min(cell.columns, COLUMN_LIMIT + 1) if cell else 0):
                if cell is None or len(self.cells) > COLUMN_LIMIT:
                    return
                if len(self.cells) in hanging:
                    self.fault = _OVERLAP
                if cell.rows != 1:
                    rows = cell.rows - 1 if cell.rows else float("inf")
                    hanging[len(self.cells)] = (cell.cell, rows)
                self.cells.append(cell.cell)

    def is_title(self, width: int) -> bool:
        """Tell whether one cell stands over all of the *width* columns."""
        return len(self.written) == 1 and self.written[0].columns >= width > 1


class _Table(msgspec.Struct):
    """A table as it is written."""

    line: int
    context: tuple[str, ...]
    in_head: bool = False
    rows: list[_Row] = []


def _sheet(table: _Table) -> Sheet | None:
    body = [row for row in table.rows if row.written or row.fault]
    marked = any(row.heads for row in body)
    hanging: dict[int, tuple[Cell, float]] = {}
    count, above = 0, True
    for row in body:
        row.fill(hanging)
        count += len(row.cells)
        if count > CELL_LIMIT:
            why = f"more than {CELL_LIMIT:,} cells"
            return unread_sheet("html", table.line, table.context, why)
        # At the top bold says as much: a row below may be bold as the best.
        above = above and _may_head(row)
        heads = row.heads if marked else above or all(it.head for it in row.written)
        row.heads = heads and row.fault is None
    wide = [row for row in body if len(row.written) > 1]
    heads_or_all = [row for row in wide if row.heads] or wide
    width = max((len(row.cells) for row in heads_or_all), default=1)
    return _headed(table, body, width) if body else None


def _may_head(row: _Row) -> bool:
    """Tell whether *row* is bold, without numbers: not one text beside blanks alone."""
    texts = [it.cell for it in row.written if it.cell.text]
    bold = (blocks.bold(it.raw) and not is_number(it.text) for it in texts)
    return len(texts) > (len(row.written) > 1) and all(bold)


def _headed(table: _Table, body: list[_Row], width: int) -> Sheet:
    """Return the rows under their header; what stands over all of it is context."""
    context, head = table.context, list[_Row]()
    while body and body[0].is_title(width):
        context = (*context, body.pop(0).cells[0].text)
    while body and body[0].heads and len(head) < _HEADER_ROWS:
        if body[0].is_title(width):
            break
        head.append(body.pop(0))
    if not head and body and not _is_headless(body):
        head = [body.pop(0)]
    if any(row.fault or len(row.cells) != width for row in head):
        raw = "\n".join(row.raw for row in head)
        return unread_sheet("html", table.line, context, head[0].fault or _UNEVEN, raw)
    # One name under the other: "GPU / ms".
    stacked = zip(*(row.cells for row in head), strict=True) if head else [()] * width
    names = [
        " / ".join(dict.fromkeys(cell.text for cell in cells if cell.text))
        for cells in stacked
    ]
    rows = SheetRows(names)
    below = None
    for row in body:
        cells = row.cells
        if row.is_title(width):  # as in Markdown, the other cells are empty
            cells = [cells[0], *[Cell("", cells[0].line)] * (width - 1)]
        elif row.heads and head and [cell.text for cell in cells] != names:
            below = _BELOW
        rows.add(row.line, cells, row.raw, row.fault or below)
    return rows.sheet("html", table.line, context)


def _is_headless(body: list[_Row]) -> bool:
    """Tell whether the first row is data: numbers, or a name before its fact."""
    if are_data([cell.text for cell in body[0].cells]):
        return True
    return all([cell.head for cell in row.written] == [True, False] for row in body)


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of an HTML document, in its order."""
    return tuple(read(document.text, 1, Outline()))


def read(text: str, first_line: int, above: Outline) -> list[Sheet]:
    """Return the tables of *text*, which begins in line *first_line*, under *above*.

    A table inside a cell makes its row bad; it is not read itself.
    """
    reader = _Reader(text, first_line, above)
    for tag in tags(text):
        reader.take(tag)
    reader.end_table(len(text))
    return reader.sheets


class _Reader:
    """What is open at one place of the text: a table, its row, its cell; a heading."""

    def __init__(self, text: str, first_line: int, above: Outline) -> None:
        self._text = text
        self._line = inline.Lines(text, first_line).line
        self._outline = above
        self._table: _Table | None = None
        self._row: _Row | None = None
        self._cell: Tag | None = None
        self._words: Tag | None = None
        self._nested = 0
        self._count = 0
        self.sheets: list[Sheet] = []

    def take(self, tag: Tag) -> None:
        """Take the next tag."""
        table, name = self._table, tag.name
        if name == "table" and table is not None and not tag.closing:
            self._nested += 1
            self._row = self._row or _Row(self._line(tag.start), start=tag.start)
            self._row.fault = _NESTED
        elif name == "table" and self._nested:
            self._nested -= 1
        elif name == "table":
            self.end_table(tag.start)
            if not tag.closing:
                self._table = _Table(self._line(tag.start), self._outline.context())
        elif self._nested:
            pass
        elif name in _TEXTS:
            self._end_words(tag.start)
            self._words = None if tag.closing else tag
        elif table is not None:
            self._take_inside(table, tag)
        elif name == "details":
            self._end_words(tag.start)
            (self._outline.leave if tag.closing else self._outline.enter)("fold")

    def _take_inside(self, table: _Table, tag: Tag) -> None:
        if tag.name in ("thead", "tbody", "tfoot"):
            self._end_row(tag.start)
            table.in_head = tag.name == "thead" and not tag.closing
        elif tag.name in ("tr", "td", "th"):
            (self._end_row if tag.name == "tr" else self._end_cell)(tag.start)
            if not tag.closing and self._row is None:
                line, at = self._line(tag.start), tag.start
                self._row = _Row(line, table.in_head, at)
            self._cell = None if tag.closing or tag.name == "tr" else tag

    def _end_cell(self, end: int) -> None:
        tag, self._cell = self._cell, None
        if tag is None or self._row is None:
            return
        inside = self._text[tag.end : end]
        words, notes = inline.words(inside.strip(), markdown=False)
        cell = Cell(words, self._line(tag.start), inside.strip(), notes)
        self._count += 1
        require_few_cells(self._count)
        columns, rows = tag.span("colspan") or 1, tag.span("rowspan")
        self._row.written.append(_SpanCell(cell, columns, rows, tag.name == "th"))

    def _end_row(self, end: int) -> None:
        self._end_cell(end)
        if self._table is not None and self._row is not None:
            self._row.raw = self._text[self._row.start : end].strip()
            self._table.rows.append(self._row)
        self._row = None

    def end_table(self, end: int) -> None:
        """Close the table, or the text outside of one, that is open."""
        self._end_row(end)
        self._end_words(end)
        table, self._table, self._nested = self._table, None, 0
        if table is not None and (made := _sheet(table)):
            self._count += len(made.rows) * len(made.header)
            require_few_cells(self._count)
            self.sheets.append(made)
            self._outline.above("")

    def _end_words(self, end: int) -> None:
        tag, self._words = self._words, None
        if tag is None:
            return
        words = inline.words(self._text[tag.end : end], markdown=False)[0]
        if self._table is not None:
            # A paragraph in a cell is part of it.
            above = (words,) if tag.name == "caption" else ()
            self._table.context = (*self._table.context, *filter(None, above))
        elif tag.name in _HEADINGS:
            self._outline.begin(_HEADINGS[tag.name], words)
        elif tag.name == "summary":
            self._outline.begin(outline.SUMMARY, words)
        elif words:
            self._outline.above(words)
