"""Pipe tables: where one begins and ends among lines of Markdown, and its sheet."""

import re
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from benchdb.importing import blocks
from benchdb.importing.sheet import Cell, Sheet
from benchdb.importing.tables import footnotes, inline
from benchdb.importing.tables.footnotes import FOOTNOTE_LINES, Definitions
from benchdb.importing.tables.inline import Words
from benchdb.importing.tables.table import Place, RawRow, fitted, misfit

_CUT = re.compile(r"\\.|\|")
_CUT_BESIDE_CODE = re.compile(r"\\.|(?<!`)(`{1,9})(?!`).*?[^`]\1(?!`)|\|")
_RULE = re.compile(r"\s*:?-+:?\s*")
_RULE_SIGNS = frozenset("|:-+ \t")


def has_pipe(line: str) -> bool:
    """Tell whether a pipe that is not escaped stands in *line*."""
    return "|" in line and any(cut[0] == "|" for cut in _CUT.finditer(line))


def is_rule(line: str) -> bool:
    """Tell whether *line* is the one below a header: ``|---|:--:|`` or ``---+---``.

    A line that begins with ``+`` frames a box instead, of which headers are no part.
    """
    line = line.strip()
    if not line or not set(line) <= _RULE_SIGNS or line[0] == "+":
        return False
    inner = line[1:] if line[0] == "|" else line
    inner = inner[:-1] if inner.endswith("|") else inner
    columns = re.split(r"[|+]", inner)
    return ("|" in line or "+" in line) and all(map(_RULE.fullmatch, columns))


def row_cells(line: str, width: int | None = None) -> list[str]:
    """Return the cells of *line* as they stand there, without the space around them.

    A pipe in a code span parts cells, as GitHub has it; where that does not make
    *width* cells it is part of the code, if that does.
    """
    found = _split(line, _CUT)
    if width is None or len(found) == width or "`" not in line:
        return found
    whole = _split(line, _CUT_BESIDE_CODE)
    return whole if len(whole) == width else found


def unescaped(cell: str) -> str:
    r"""Return *cell* with ``\|`` as the pipe that it stands for."""
    return cell.replace("\\|", "|")


def _split(line: str, cuts: re.Pattern[str]) -> list[str]:
    line = line.strip()
    parts, start = [], 0
    for cut in cuts.finditer(line):
        if cut[0] == "|":
            parts.append(line[start : cut.start()].strip())
            start = cut.end()
    parts.append(line[start:].strip())
    if len(parts) > 1 and not parts[0] and line.startswith("|"):
        del parts[0]
    if len(parts) > 1 and start == len(line):
        del parts[-1]
    return parts


_TEXT = "a line of text between rows"
_APART = "it stands apart from its table"
_SECOND_RULE = "an alignment row follows; put a blank line before another table"


class _Row(msgspec.Struct, frozen=True):
    line: int
    text: str
    fault: str | None = None


class Found(msgspec.Struct):
    """A pipe table among lines: its *rows* as they stand, and the place behind it."""

    line: int
    indent: int
    quotes: int
    header: str
    width: int
    end: int
    rows: list[_Row] = []
    below: Sequence[str] = ()
    fault: str | None = None

    def add(self, place: int, text: str, fault: str | None = None) -> None:
        """Take the line at *place* as a row."""
        self.rows.append(_Row(place + 1, text, fault or self.fault))
        self.end = place + 1


def starting(raw: Sequence[str], at: int, end: int) -> Found | None:
    """Return the table of which the line at *at* is the header, if one begins there.

    *end* is the place that it cannot reach beyond.
    """
    begun = _begun(raw, at, end)
    if begun is None:
        return None
    while begun.end < end and _goes_on(begun, raw, end):
        pass
    _take_apart(begun, raw, end)
    begun.below = raw[begun.end : min(begun.end + FOOTNOTE_LINES, end)]
    return begun


def _begun(raw: Sequence[str], at: int, end: int) -> Found | None:
    if "|" not in raw[at] or at + 1 >= end or "-" not in raw[at + 1]:
        return None
    head, rule = blocks.unquoted(raw[at]), blocks.unquoted(raw[at + 1])
    text = head.text
    if head.quotes != rule.quotes or not is_rule(rule.text):
        return None
    if rule.indent > head.indent:
        said = blocks.item(text)
        text = text if said is None else said
    if not has_pipe(text) or is_rule(text):
        return None
    columns = len(row_cells(rule.text.replace("+", "|")))
    width = len(row_cells(text, columns))
    return Found(at + 1, rule.indent, head.quotes, text, width, at + 2)


def _goes_on(table: Found, raw: Sequence[str], end: int) -> bool:
    """Take the next line if it belongs to *table*."""
    at = table.end
    line = blocks.unquoted(raw[at])
    if line.quotes != table.quotes or not line.text:
        return False
    if line.text.startswith("<!--"):  # a row that was taken out
        table.end += 1 if "-->" in line.text else 0
        return "-->" in line.text
    if is_rule(line.text):
        _take_rule(
            table, line.text, followed=at + 1 < end and bool(raw[at + 1].strip())
        )
    elif has_pipe(line.text) and not _is_note(table, line.text):
        table.add(at, line.text)
    elif _is_between(table, raw, at, end):
        table.add(at, line.text, _TEXT)
    else:
        return False
    return True


def _take_rule(table: Found, text: str, *, followed: bool) -> None:
    """Pass a line between groups of rows; below names it may begin another table."""
    table.end += 1
    if not table.rows or not followed or "+" in text or table.fault:
        return
    last = table.rows[-1]
    cells = row_cells(last.text, table.width)
    if any(cell[:1].isdigit() for cell in cells):
        return
    if last.text.split() != table.header.split():
        table.fault = _SECOND_RULE
        table.rows[-1] = replace(last, fault=_SECOND_RULE)


def _is_note(table: Found, text: str) -> bool:
    outer = table.header.startswith("|") and not text.startswith("|")
    return outer and bool(footnotes.below([text], frozenset()))


def _is_between(table: Found, raw: Sequence[str], at: int, end: int) -> bool:
    """Tell whether the line at *at*, which has no cells, stands between two rows."""
    text = blocks.unquoted(raw[at]).text
    other = (blocks.heading(text), blocks.item(text), blocks.fence(text))
    if at + 1 >= end or text.startswith("<") or other != (None, None, None):
        return False
    behind = blocks.unquoted(raw[at + 1])
    row = behind.quotes == table.quotes and has_pipe(behind.text)
    return row and bool(table.rows) and _begun(raw, at + 1, end) is None


def _take_apart(table: Found, raw: Sequence[str], end: int) -> None:
    """Take rows below one blank line: without a header they can be no other table."""
    at = table.end + 1
    if at >= end or blocks.unquoted(raw[table.end]).text:
        return
    while at < end and _is_apart(table, raw, at, end):
        table.add(at, blocks.unquoted(raw[at]).text, _APART)
        at += 1


def _is_apart(table: Found, raw: Sequence[str], at: int, end: int) -> bool:
    line = blocks.unquoted(raw[at])
    framed = line.text[:1] == "|" and line.text[-1:] == "|" and line.text != "|"
    if not framed or line.quotes != table.quotes or is_rule(line.text):
        return False
    same = len(row_cells(line.text, table.width)) == table.width
    return same and _begun(raw, at, end) is None


def sheet(table: Found, context: tuple[str, ...], defined: Definitions) -> Sheet:
    """Return *table*, which stands under *context*, as a sheet."""
    header, rows = table.header, table.rows
    names = _words(header, table.width, defined)
    if not any(one.text for one in names) and rows and _is_bold(rows[0], table.width):
        header, rows = rows[0].text, rows[1:]
        names = _words(header, table.width, defined)
    made = [_row(one, table.width, defined) for one in rows]
    marks = [mark for one in names for mark in one.notes]
    marks += [mark for row in made for cell in row.cells for mark in cell.notes]
    texts = (blocks.unquoted(raw).text for raw in table.below)
    told = footnotes.of_table(marks, defined, texts)
    place = Place("markdown", table.line, context)
    return fitted(place, [one.text for one in names], made, told)


def _is_bold(row: _Row, width: int) -> bool:
    cells = row_cells(row.text, width)
    return len(cells) == width and all(blocks.is_bold(cell) for cell in cells if cell)


def _words(text: str, width: int, defined: Definitions) -> list[Words]:
    return [
        inline.words(unescaped(cell), references=defined.references)
        for cell in row_cells(text, width)
    ]


def _row(row: _Row, width: int, defined: Definitions) -> RawRow:
    texts = row_cells(row.text, width)
    fault = row.fault or misfit(len(texts), width)
    if fault is not None:
        return RawRow(row.line, (), row.text, fault)
    said = [
        inline.words(unescaped(raw), references=defined.references) for raw in texts
    ]
    cells = tuple(
        Cell(one.text, row.line, raw, one.notes)
        for one, raw in zip(said, texts, strict=True)
    )
    return RawRow(row.line, cells, row.text)
