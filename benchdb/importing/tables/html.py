"""HTML: its tables, with the headings, captions and paragraphs above them."""

import re
from bisect import bisect_right
from collections.abc import Callable

from benchdb.importing.document import Document
from benchdb.importing.sheet import Cell, Sheet
from benchdb.importing.tables import footnotes, grids, inline
from benchdb.importing.tables.fitting import require_few_cells
from benchdb.importing.tables.footnotes import NOTHING_DEFINED, Definitions
from benchdb.importing.tables.grids import Table
from benchdb.importing.tables.outline import Outline
from benchdb.importing.tables.spans import SpanCell, SpanRow
from benchdb.importing.tables.tags import Tag, span, tags

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
        made = grids.sheets(table, self._defined)
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
