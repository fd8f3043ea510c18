"""Markdown: pipe tables and HTML tables, wherever they stand in a document."""

import re
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from benchdb.importing import blocks
from benchdb.importing.blocks import Fence, Line
from benchdb.importing.document import Document
from benchdb.importing.sheet import Sheet
from benchdb.importing.tables import csv, footnotes, html, inline, pipe_tables
from benchdb.importing.tables.footnotes import FOOTNOTE_LINES
from benchdb.importing.tables.outline import Outline
from benchdb.importing.tables.table import require_few_cells

_HTML_TABLE = re.compile(r"<(/?)table(?=[\s>])", re.IGNORECASE)
_HTML_OUTLINE = re.compile(r"</?(?:details|summary|h[1-6])(?=[\s>])", re.IGNORECASE)
# Opened, and not closed on the same line.
_LONG_HEADING = re.compile(
    r"<(summary|h[1-6])(?=[\s>])[^<>]*>(?:(?!</)[^\n])*$", re.IGNORECASE
)
_SILENT = re.compile(r"<(script|style)(?=[\s>])", re.IGNORECASE)
_PREFORMATTED = re.compile(r"<pre(?=[\s>])", re.IGNORECASE)
_SEPARATED = {"csv": None, "tsv": "\t"}


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of a Markdown document, in its order."""
    return tuple(read(document.lines, Outline()))


def read(raw_lines: Sequence[str], outline: Outline) -> list[Sheet]:
    """Return the tables of *raw_lines*, the first of which is line 1, under *outline*.

    What stands in comments is not read; what stands in code blocks is.
    """
    require_few_cells(sum(line.count("|") for line in raw_lines))
    reader = _Reader(raw_lines, outline)
    reader.read(blocks.front_matter(raw_lines), len(raw_lines))
    return reader.sheets


class _Item(msgspec.Struct):
    """A list item; it *goes on* up to a blank line."""

    indent: int
    texts: list[str]
    goes_on: bool = True


class _Reader:
    """Reads block by block: each method returns the place behind what it took."""

    def __init__(self, raw_lines: Sequence[str], outline: Outline) -> None:
        self._raw = raw_lines
        self._outline = outline
        self._defined = footnotes.definitions(raw_lines)
        self._paragraph: list[str] = []
        self._item: _Item | None = None
        self._end = len(raw_lines)
        self.sheets: list[Sheet] = []

    def read(self, at: int, end: int) -> None:
        """Read from place *at* up to *end*."""
        takers = (self._comment, self._fence, self._preformatted, self._silent)
        while at < end:
            line = blocks.unquoted(self._raw[at])
            for take in (*takers, self._pipe_table, self._html, self._heading):
                behind = take(at, line)
                if behind is not None:
                    at = behind
                    break
            else:
                self._prose(line)
                at += 1
        self._end_paragraph()

    def _said(self, raw: str) -> str:
        return inline.words(raw, references=self._defined.references).text

    def _find(self, pattern: str, at: int) -> int:
        """Return the place behind the first line from *at* on that has *pattern*."""
        closing = re.compile(pattern, re.IGNORECASE)
        places = range(at, self._end)
        found = (place for place in places if closing.search(self._raw[place]))
        return next(found, self._end - 1) + 1

    def _comment(self, at: int, line: Line) -> int | None:
        text = line.text
        start = text.find("<!--")
        if start < 0 or text.find("-->", start) >= 0:
            return None
        if text.count("`", 0, start) % 2:
            return None
        if start:
            self._prose(replace(line, text=text[:start].rstrip()))
        return self._find("-->", at + 1)

    def _fence(self, at: int, line: Line) -> int | None:
        opened = blocks.fence(line.text)
        if opened is None:
            return None
        close = blocks.closing(self._raw, at, self._end)
        self._code(at + 1, close, opened)
        return close + 1

    def _preformatted(self, at: int, line: Line) -> int | None:
        found = _PREFORMATTED.match(line.text)
        if found is None or "</pre" in line.text.lower():
            return None
        close = self._find("</pre", at + 1)
        self._code(at + 1, close - 1, Fence("", ""))
        return close

    def _silent(self, at: int, line: Line) -> int | None:
        found = _SILENT.match(line.text)
        return None if found is None else self._find(f"</{found[1]}", at)

    def _code(self, at: int, end: int, opened: Fence) -> None:
        """Read a code block: tables that were pasted, with what stands above them."""
        self._end_paragraph()
        if opened.language in _SEPARATED:
            delimiter = _SEPARATED[opened.language]
            context = self._context(0)
            self.sheets += csv.read(self._raw[at:end], at + 1, context, delimiter)
            return
        outer, self._end = self._end, end
        while at < end:
            line = blocks.unquoted(self._raw[at])
            behind = self._pipe_table(at, line)
            if behind is None and line.text:
                self._paragraph = [line.text]
            at = behind or at + 1
        self._end = outer
        self._paragraph = []

    def _pipe_table(self, at: int, line: Line) -> int | None:
        found = pipe_tables.starting(self._raw, at, self._end)
        if found is None:
            return None
        self._end_paragraph()
        context = self._context(found.indent)
        self.sheets.append(pipe_tables.sheet(found, context, self._defined))
        self._outline.above("")
        return found.end

    def _context(self, indent: int) -> tuple[str, ...]:
        """Return what stands above a table that is indented by *indent*.

        A list item does if the table is inside it, or follows without a blank line.
        """
        item = self._item
        if item is None or not (item.goes_on or indent > item.indent):
            return self._outline.context()
        return self._outline.context(self._said(" ".join(item.texts)))

    def _html(self, at: int, line: Line) -> int | None:
        """Take a table or headings in HTML; a table reaches to its end tag."""
        table = _HTML_TABLE.search(line.text)
        if table and line.text.count("`", 0, table.start()) % 2 == 0:
            end = self._end_of_table(at)
        elif line.text.startswith("<") and _HTML_OUTLINE.search(line.text):
            end = self._end_of_heading(at)
        elif line.text.lower().endswith("</details>"):
            self._outline.close_details()
            return at + 1
        else:
            return None
        self._end_paragraph()
        text = "\n".join(blocks.unquoted(raw).text for raw in self._raw[at:end])
        found = html.read(text, at + 1, self._outline, self._defined)
        if found:
            below = self._raw[end : min(end + FOOTNOTE_LINES, self._end)]
            texts = (blocks.unquoted(raw).text for raw in below)
            found[-1] = footnotes.with_below(found[-1], texts)
        self.sheets += found
        return end

    def _end_of_table(self, at: int) -> int:
        depth = 0
        for place in range(at, self._end):
            text = self._raw[place]
            for tag in _HTML_TABLE.finditer(text):
                depth += -1 if tag[1] else 1
            headed = place > at and not self._raw[place - 1].strip()
            headed = headed and blocks.heading(text) is not None
            if depth <= 0 or headed:
                return place if headed else place + 1
        return self._end

    def _end_of_heading(self, at: int) -> int:
        """Return the place behind a heading or summary, which may take a few lines."""
        opened = _LONG_HEADING.search(self._raw[at])
        if opened is None:
            return at + 1
        closing = f"</{opened[1].lower()}"
        for place in range(at + 1, min(at + 5, self._end)):
            if closing in self._raw[place].lower():
                return place + 1
        return at + 1

    def _heading(self, at: int, line: Line) -> int | None:
        found = blocks.heading(line.text)
        level = blocks.underline(line.text) if self._paragraph else None
        if found is not None:
            self._end_paragraph()
            self._outline.heading(found[0], self._said(found[1]))
        elif level is not None:
            text = " ".join(self._paragraph)
            self._paragraph = []
            self._outline.heading(level, self._said(text))
        else:
            return None
        self._item = None
        return at + 1

    def _prose(self, line: Line) -> None:
        text = line.text
        said = blocks.item(text)
        if not text or blocks.is_break(text):
            self._end_paragraph()
            if self._item is not None:
                self._item.goes_on = False
        elif said is not None:
            self._end_paragraph()
            self._outline.above("")
            self._item = _Item(line.indent, [said])
        elif blocks.is_bold(text):
            self._end_paragraph()
            self._outline.bold(self._said(text).rstrip(" :"))
        elif self._item is not None and self._item.goes_on:
            self._item.texts.append(text)
        elif not pipe_tables.is_rule(text):
            if self._item is not None and line.indent <= self._item.indent:
                self._item = None
            self._paragraph.append(text)

    def _end_paragraph(self) -> None:
        if self._paragraph:
            said = self._said(" ".join(self._paragraph))
            if blocks.begins_bold(self._paragraph):
                self._outline.lead(said)
            self._outline.above(said)
        self._paragraph = []
