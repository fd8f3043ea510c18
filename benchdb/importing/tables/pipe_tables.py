"""Markdown: pipe tables, HTML tables, and CSV and JSON in blocks of code."""

import re
from collections.abc import Collection, Iterable, Sequence

import msgspec

from benchdb.importing import blocks, outline
from benchdb.importing.blocks import Line, Scanner
from benchdb.importing.document import Document
from benchdb.importing.outline import Outline
from benchdb.importing.quantities.characters import SIGNS
from benchdb.importing.sheet import Cell, Sheet, SheetRows, require_few_cells
from benchdb.importing.tables import csv, html_tables, inline, nested

_CUT = re.compile(r"\\.|\|")
_PIPE = re.compile(r"(?<!\\)(?:\\\\)*\|")
_ALIGNMENT = re.compile(r"\s*:?[-=]+:?\s*")
_RULE = re.compile(r"[-=]{3,}")
_COLUMNS = 3  # of a table without a rule below its header
_RULE_SIGNS = frozenset("|:-=+ \t")
_BOX = re.compile(r"\s*[│┃║├┌┏╒╔└┗╰╭┡╞┣╟╠]|.*(?:─┼|│)")
_PLAIN = str.maketrans(
    {char: plain for plain, chars in SIGNS["grids"].items() for char in chars}
)
_TEXT = "a line of text between rows"
_SPLIT = "a line with blank cells in a grid: one row with that above it, or two?"
_JOINED = re.compile(r"(?<=\|)[ ]*\\n[ ]*(?=\||$)")  # printed for a line's end
_SECOND_RULE = "an alignment row follows; put a blank line before another table"

_HTML_TABLE = re.compile(r"<(/?)table(?=[\s>])", re.IGNORECASE)
_HTML_OUTLINE = re.compile(r"</?(?:details|summary|h[1-6])(?=[\s>])", re.IGNORECASE)
_SEPARATED = {"csv": None, "tsv": "\t"}
_NOTE = re.compile(SIGNS["footnotes"]["below"], re.VERBOSE)
_NOTE_LINES = 40  # that are looked at below a table
_LEAD_LIMIT = 200  # characters; a longer line is prose
_LEAD = re.compile(r"\*\*[^*\s][^*]{0,100}\*\*|__[^_\s][^_]{0,100}__")


def is_rule(line: str) -> bool:
    """Tell whether *line* is the one below a header: ``|---|:--:|`` or ``---+---``."""
    line = line.strip()
    if not set(line) <= _RULE_SIGNS:
        return False
    columns = re.split(r"[|+]", line)
    inner = columns[not columns[0] : len(columns) - (not columns[-1])]
    return len(columns) > 1 and all(map(_ALIGNMENT.fullmatch, inner)) and bool(inner)


def row_cells(line: str) -> list[str]:
    """Return the cells of *line* as they stand there, without the space around them.

    A pipe in a code span parts cells, as GitHub has it.
    """
    line = line.strip()
    cuts = [cut.start() for cut in _CUT.finditer(line) if cut[0] == "|"]
    starts, ends = [0, *(cut + 1 for cut in cuts)], [*cuts, len(line)]
    cells = [line[a:b].strip() for a, b in zip(starts, ends, strict=True)]
    if len(cells) > 1 and cuts[0] == 0:
        del cells[0]
    if len(cells) > 1 and cuts[-1] == len(line) - 1:
        del cells[-1]
    return cells


class _PipeTable(msgspec.Struct):
    """A pipe table: its *rows*, each with its line and fault; the place behind it."""

    line: int
    indent: int
    quotes: int
    header: str
    end: int
    rows: list[tuple[int, str, str | None]] = []
    fault: str | None = None
    grid: bool = False  # lines are drawn between rows

    def add(self, place: int, text: str, fault: str | None = None) -> None:
        """Take the line at *place* as a row."""
        if self.grid and self.rows[-1][0] == place and not all(row_cells(text)):
            fault = _SPLIT
            self.rows[-1] = (place, self.rows[-1][1], fault)
        self.rows.append((place + 1, text, fault or self.fault))
        self.end = place + 1

    def add_rule(self, text: str, *, followed: bool) -> None:
        """Pass a line between groups of rows; below names it may begin a table."""
        self.end += 1
        self.grid = self.grid or ("+" in text and bool(self.rows))
        if not self.rows or not followed or "+" in text or self.fault:
            return
        line, last, _ = self.rows[-1]
        figures = any(cell[:1].isdigit() for cell in row_cells(last))
        if not figures and last.split() != self.header.split():
            self.fault = _SECOND_RULE
            self.rows[-1] = (line, last, _SECOND_RULE)


def _header(scanner: Scanner, at: int) -> _PipeTable | None:
    """Return the table of which the line at *at* is the header, if one begins there."""
    written = scanner.written
    if "|" not in written[at] or at + 1 >= scanner.end:
        return None
    if "-" not in written[at + 1] and "=" not in written[at + 1]:
        return None
    head, rule = scanner.line(at), scanner.line(at + 1)
    if head.quotes != rule.quotes or not is_rule(rule.text):
        return None
    text, listed = head.words, blocks.bullet(head.words)
    if rule.indent > head.indent and listed:
        text = listed[1]
    if not _PIPE.search(text) or is_rule(text):
        return None
    columns = len(rule.words.strip("|+").replace("+", "|").split("|"))
    below = written[at + 2] if at + 2 < scanner.end else ""
    if rule.words[0] == "+" and (len(row_cells(text)) != columns or "|" not in below):
        return None  # the frame of something else
    return _PipeTable(at + 1, rule.indent, head.quotes, text, at + 2)


def _below_rule(scanner: Scanner, at: int) -> _PipeTable | None:
    """Return the table whose header, at *at*, has a line of dashes above it alone."""
    if at + 1 == scanner.end or not _RULE.fullmatch(scanner.line(at - 1).words):
        return None
    head = scanner.line(at)
    widths = {len(row_cells(scanner.line(it).text)) for it in (at, at + 1)}
    if len(widths) > 1 or min(widths) < _COLUMNS:
        return None
    return _PipeTable(at + 1, head.indent, head.quotes, head.words, at + 1)


def _take_rows(table: _PipeTable, scanner: Scanner) -> None:
    while table.end < scanner.end:
        at, below = table.end, table.end + 1
        line = scanner.line(at)
        text = line.words
        if line.quotes != table.quotes or not text:
            break
        if text.startswith("<!--") and "-->" in text:  # a row that was taken out
            table.end += 1
        elif text.startswith("<!--"):
            break
        elif is_rule(text):
            followed = below < scanner.end and bool(scanner.written[below].strip())
            table.add_rule(text, followed=followed)
        elif _PIPE.search(text):
            for row in filter(None, _JOINED.split(text)):
                table.add(at, row)
        elif table.rows and _is_between(table, scanner, text, below):
            table.add(at, text, _TEXT)
        else:
            break


def _is_between(table: _PipeTable, scanner: Scanner, text: str, below: int) -> bool:
    """Tell whether *text*, which has no cells, stands between two rows."""
    if below >= scanner.end or text.startswith("<"):
        return False
    if blocks.heading(text) or blocks.bullet(text) or blocks.fence(text)[0]:
        return False
    behind = scanner.line(below)
    row = behind.quotes == table.quotes and _PIPE.search(behind.text)
    return bool(row) and _header(scanner, below) is None


def _cells(text: str, line: int) -> list[Cell]:
    """Return the cells of a row without markup."""
    cells = []
    for raw in row_cells(text):
        plain = raw.replace("\\|", "|")
        words, notes = inline.words(plain)
        cells.append(Cell(words, line, raw, notes))
    return cells


def _footnotes(
    texts: Iterable[str], marks: Collection[str]
) -> tuple[tuple[str, str], ...]:
    """Return the footnotes that *texts* begin with, below a table that has *marks*.

    A bullet is one only where the table has a star. Others may stand behind lines of
    their paragraph that are none.
    """
    notes: dict[str, str] = {}
    missed = False
    for text in texts:
        match = _NOTE.match(text)
        if match is None or (match["bullet"] and "*" not in marks):
            if missed and not text:
                break
            missed = missed or bool(text)
            continue
        *written, words = filter(None, match.groups())
        mark = "*" * match[0].count("*", 0, match.start("text")) or written[0]
        mark = mark.translate(inline.LOWER)
        if missed and (match["bullet"] or mark not in marks):
            break
        notes.setdefault(mark, inline.words(words)[0])
    return tuple(notes.items())


def _pipe_sheet(
    table: _PipeTable, context: tuple[str, ...], below: Sequence[str]
) -> Sheet:
    names = _cells(table.header, table.line)
    rows = SheetRows([name.text for name in names])
    marks = [mark for name in names for mark in name.notes]
    for line, text, fault in table.rows:
        made = [] if fault else _cells(text, line)
        rows.add(line, made, text, fault)
        if len(made) == len(names):
            marks += [mark for cell in made for mark in cell.notes]
    notes = _footnotes(below, marks)
    return rows.sheet("markdown", table.line, context, notes)


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of a Markdown document, in its order, with those of JSON."""
    return tuple(read(document.lines, Outline()))


def read(written: Sequence[str], above: Outline) -> list[Sheet]:
    """Return the tables of *written*, the first of which is line 1, under *above*.

    What stands in comments is not read; what stands in code blocks is.
    """
    written = [
        line if line.isascii() or not _BOX.match(line) else line.translate(_PLAIN)
        for line in written
    ]
    require_few_cells(sum(line.count("|") for line in written))
    reader = _Reader(written, above)
    reader.read()
    return reader.sheets


def _plain(raw: str) -> str:
    return inline.words(raw)[0]


class _Reader:
    def __init__(self, written: Sequence[str], above: Outline) -> None:
        self._scanner = Scanner(written)
        self._outline = above
        self.sheets: list[Sheet] = []

    def read(self) -> None:
        for line in self._scanner:
            if line.part == "open":
                self._outline.enter("fence")
                self._take_data(line)
            elif line.part == "close":
                self._outline.leave("fence")
            elif line.part == "hidden" or self._takes_pipe_table(line):
                pass
            elif line.fenced:
                if line.words and not _RULE.fullmatch(line.words):
                    self._outline.above(_plain(line.words))
            elif not (self._takes_html(line) or self._takes_heading(line)):
                self._take_prose(line)

    def _below(self) -> list[str]:
        """Return what stands right below a table: its footnotes, maybe."""
        at, end = self._scanner.at, self._scanner.end
        places = range(at, min(at + _NOTE_LINES, end))
        return [self._scanner.line(place).words for place in places]

    def _take_data(self, line: Line) -> None:
        """Read a code block of CSV, or of results in JSON."""
        language, context = blocks.fence(line.words)[1], self._outline.context()
        at, end = self._scanner.at, self._scanner.end
        if language in _SEPARATED:
            rows, delimiter = self._scanner.written[at:end], _SEPARATED[language]
            self.sheets += csv.read(rows, at + 1, context, delimiter)
            self._scanner.at = end
            return
        seen = [self._scanner.line(place).text for place in range(at, end)]
        if result := nested.block_sheets(seen, at + 1, context):
            self.sheets += result
            self._scanner.at = end

    def _takes_pipe_table(self, line: Line) -> bool:
        at = line.number - 1
        table = _header(self._scanner, at)
        if table is None and line.fenced and "|" in line.text:
            table = _below_rule(self._scanner, at)
        if table is None:
            return False
        _take_rows(table, self._scanner)
        self._outline.narrow(table.indent)
        context = self._outline.context()
        self._scanner.at = table.end
        self.sheets.append(_pipe_sheet(table, context, self._below()))
        self._outline.above("")
        return True

    def _takes_html(self, line: Line) -> bool:
        """Take a table or headings in HTML; a table reaches to its end tag."""
        at, scanner = line.number - 1, self._scanner
        table = _HTML_TABLE.search(line.text)
        if table and line.text.count("`", 0, table.start()) % 2 == 0:
            scanner.at = self._end_of_table(at)
        elif line.words.startswith("<") and _HTML_OUTLINE.search(line.text):
            pass
        elif line.text.lower().endswith("</details>"):
            self._outline.leave("fold")
            return True
        else:
            return False
        self._outline.end_labels()
        text = "\n".join(scanner.line(place).words for place in range(at, scanner.at))
        sheets = html_tables.read(text, at + 1, self._outline)
        if sheets:
            cells = (cell for row in sheets[-1].rows for cell in row.cells)
            marks = [mark for cell in cells for mark in cell.notes]
            notes = _footnotes(self._below(), marks)
            sheets[-1] = msgspec.structs.replace(sheets[-1], footnotes=notes)
        self.sheets += sheets
        return True

    def _end_of_table(self, at: int) -> int:
        depth, written = 0, self._scanner.written
        for place in range(at, len(written)):
            for tag in _HTML_TABLE.finditer(written[place]):
                depth += -1 if tag[1] else 1
            headed = place > at and not written[place - 1].strip()
            if headed and blocks.heading(written[place]) is not None:
                return place
            if depth <= 0:
                return place + 1
        return len(written)

    def _takes_heading(self, line: Line) -> bool:
        title = blocks.heading(line.words)
        if title is None and set(line.words) in ({"="}, {"-"}):
            title = 1 if line.words[0] == "=" else 2, self._outline.title()
        if title is None or not (title[1] or line.words.startswith("#")):
            return False
        self._outline.begin(title[0], _plain(title[1]).rstrip(" :"))
        return True

    def _take_prose(self, line: Line) -> None:
        words, above = line.words, self._outline
        if not words or blocks.is_rule("".join(words.split())):
            above.end_labels()
            return
        listed = blocks.bullet(line.text)
        above.narrow(line.indent, listed=listed is not None)
        if listed:
            above.item(_plain(listed[1]), line.indent)
        elif blocks.bold(words):
            above.begin(outline.BOLD, _plain(words).rstrip(" :"))
        elif not is_rule(words):
            if not above.grows and self._is_alone(line) and _LEAD.match(words):
                above.begin(outline.LEAD, _plain(words))
            above.prose(words, _plain)

    def _is_alone(self, line: Line) -> bool:
        """Tell whether a short *line* is all of its paragraph, as far as it begins."""
        at, scanner = line.number, self._scanner
        below = scanner.line(at).words if at < scanner.end else ""
        return len(line.words) <= _LEAD_LIMIT and (not below or "|" in below)
