"""Tables of plain characters: columns under a header line.

They are two spaces or a tab apart, under a header that holds no figures or is
underlined; a blank line may be below it. Rows of a name and figures with the same units
need none. A row with fewer cells than the header must have each under one of them, or
a tab for each; the others are blank. A single text at the left is a row of its own, as
a heading. Rows that do not fit are bad.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from operator import attrgetter

import msgspec
from msgspec.structs import replace

from benchdb.importing.blocks import Line, bullet
from benchdb.importing.document import Document
from benchdb.importing.logs.line_text import (
    banner,
    command,
    is_figure,
    is_unit,
    unstamped,
)
from benchdb.importing.logs.log_lines import Entry, LineMatch, as_sheets, matching_lines
from benchdb.importing.sheet import Sheet, misfit

_COLUMNS = 200
_WIDTH = 2000  # characters; a longer line is no row of a table for people
_SIDES = frozenset("|+│┃║├└┌")
_CHUNK = re.compile(r"\S++(?: \S++)*")
_UNDERLINE = re.compile(r"[-=─━~]{2,}+")
_PAIR = re.compile(r"[:=][ \t]{0,8}[-+]?\.?\d|[:=]$")
_FILLER = "\0"  # stands for the second half of a wide character; no document has it
_TAB = 8
_COUNTER = re.compile(r"^\s*\[\d{1,6}/\d{1,6}\] ")  # [1/3] of what is to be run
_UNIT = re.compile(r"(?:[A-Za-zµ%][\w%]{0,20}(?:/[A-Za-zµ]{1,12})?)?")


class Chunk(msgspec.Struct, frozen=True):
    """A text and where it stands, in columns of a terminal, behind so many *tabs*."""

    text: str
    start: int
    end: int
    tabs: int = 0

    def overlaps(self, name: "Chunk") -> bool:
        """Tell whether some column of the terminal belongs to both."""
        return self.start < name.end and name.start < self.end


def chunks(line: str) -> tuple[Chunk, ...]:
    """Return the texts of *line* that two spaces or a tab keep apart."""
    made: list[Chunk] = []
    column = 0
    for number, piece in enumerate(line.split("\t")):
        if number:
            column += _TAB - column % _TAB
        wide = _widened(piece)
        for match in _CHUNK.finditer(wide):
            text = match[0].replace(_FILLER, "")
            start, end = column + match.start(), column + match.end()
            made.append(Chunk(text, start, end, tabs=number))
        column += len(wide)
    return tuple(made)


def _widened(text: str) -> str:
    if text.isascii():
        return text
    return "".join(
        char + _FILLER if unicodedata.east_asian_width(char) in "WF" else char
        for char in text
    )


def _is_ruled(made: Sequence[Chunk]) -> bool:
    """Tell whether *made* are the dashes of an underline, and nothing else."""
    words = [word for chunk in made for word in chunk.text.split(" ")]
    return all(map(_UNDERLINE.fullmatch, words))


def _is_number(text: str) -> bool:
    """Tell whether *text* is a number with nothing but its unit."""
    return is_figure(text) and all(map(is_unit, text.split()[1:]))


def _is_name(text: str) -> bool:
    """Tell whether *text* can be the name of a column, as ``3060 Ti`` can."""
    digits = text.split(maxsplit=1)[0].isdigit()
    return not _is_number(text) and (digits or not is_figure(text))


def _are_names(made: Sequence[Chunk]) -> bool:
    return all(_is_name(chunk.text) for chunk in made)


def placed(made: Sequence[Chunk], header: Sequence[Chunk]) -> tuple[str, ...] | str:
    """Return a cell for each column of *header*, or why the row does not fit."""
    under = [
        [n for n, name in enumerate(header) if chunk.overlaps(name)] for chunk in made
    ]
    # Not under another header, where the texts are as many.
    fits = all(not at or n in at for n, at in enumerate(under))
    if len(made) == len(header) and (fits or made[-1].tabs):
        return tuple(chunk.text for chunk in made)
    if len(made) == 1 and made[0].start < header[0].end:
        text = made[0].text
        if made[0].overlaps(header[1]) and any(map(is_figure, text.split()[1:])):
            return f"{text[:40]!r} stands under several headers"
        return (text, *[""] * (len(header) - 1))
    if len(made) > len(header):
        return misfit(len(made), len(header)) or ""
    texts = [""] * len(header)
    for chunk, at in zip(made, under, strict=True):
        if len(at) != 1 or texts[at[0]]:
            return f"{chunk.text[:40]!r} does not stand under one header"
        texts[at[0]] = chunk.text
    return tuple(texts)


def _by_tabs(made: Sequence[Chunk], header: Sequence[Chunk]) -> tuple[str, ...] | None:
    """Return a cell for each column of *header* if a tab parts each from the next."""
    cells = {chunk.tabs: chunk.text for chunk in made}
    places = range(len(header))
    if [name.tabs for name in header] != [*places] or not {*places} >= cells.keys():
        return None
    return tuple(cells.get(n, "") for n in places) if len(cells) == len(made) else None


_Chunks = LineMatch[tuple[Chunk, ...]]


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables in *document* that are drawn with blanks."""
    latest = -9

    def own(line: Line) -> tuple[Chunk, ...] | None:
        """Take lines with gaps in them, and single texts right below one."""
        nonlocal latest
        text = line.text
        boxed = text.lstrip()[:1] in _SIDES or " | " in text  # or of Markdown
        if len(text) > _WIDTH or boxed or bullet(text) or command(text):
            return None
        made = chunks(_COUNTER.sub(lambda it: " " * len(it[0]), unstamped(text)))
        alone = len(made) == 1
        titled = alone and (text.endswith(":") or banner(line.words))
        if titled or (alone and line.number - latest > 2):
            return None
        if len(made) > _COLUMNS:
            return None
        latest = line.number
        return made

    together = groupby(matching_lines(document, own), attrgetter("block", "context"))
    blocks = _with_headers([list(lines) for _, lines in together])
    return as_sheets("fixed-width", (row for block in blocks for row in _rows(block)))


def _with_headers(blocks: Sequence[list[_Chunks]]) -> Iterator[list[_Chunks]]:
    """Yield *blocks*, names of columns that end one with the figures below the gap."""
    above: list[_Chunks] = []
    for block in blocks:
        names, first = above[-1:], block[0]
        heads = (
            names
            and names[0].context == first.context
            and 1 < len(first.made) <= len(names[0].made)
            and _are_names(names[0].made)
            and any(is_figure(chunk.text) for chunk in first.made)
        )
        yield above[:-1] if heads else above
        above = [*names, *block] if heads else block
    yield above


def _rows(block: Sequence[_Chunks]) -> Iterator[Entry]:
    """Yield the rows of the tables in a block; each table is a part of its own."""
    at = 0
    while at < len(block):
        body = _body(block, at)
        if body is None:
            units = _units(block[at].made)
            alike = (_units(match.made) == units for match in block[at:])
            count = sum(1 for _ in takewhile(bool, alike)) if units else 0
            for row in block[at : at + count] if count > 1 else ():
                yield _entry(row, ["", *units], [it.text for it in row.made], block[at])
            at += max(count, 1)
            continue
        head, end = block[at], body
        for name in block[at + 1 : body]:  # that of the rows, or a rule
            if not _is_ruled(name.made):
                head = replace(head, made=(*name.made, *head.made[1:]))
        while end < len(block) and not _begins(block, end):
            end += 1
        rows = [match for match in block[body:end] if not _is_ruled(match.made)]
        if any(_is_number(chunk.text) for match in rows for chunk in match.made):
            yield from _headed(head, rows)
        at = end


def _body(block: Sequence[_Chunks], at: int) -> int | None:
    """Return where the rows begin below the header at *at*, if it is one."""
    line = block[at]
    if len(line.made) < 2 or at + 1 == len(block) or _is_ruled(line.made):
        return None
    if any(_PAIR.search(chunk.text) for chunk in line.made):
        return None
    below = block[at + 1]
    ruled = _is_ruled(below.made)
    underlined = ruled or below.line - line.line > 1
    named = len(below.made) > 1 and _are_names(line.made)
    # More names below it are the header, and it is a title.
    titled = len(below.made) > len(line.made) and _are_names(below.made)
    if underlined or (named and not titled):
        return at + 1 + ruled
    rows = block[at + 2].made if len(below.made) == 1 and at + 2 < len(block) else ()
    fits = len(rows) == len(line.made) and below.made[0].overlaps(rows[0])
    return at + 2 if fits and _are_names(line.made) else None  # as pandas prints it


def _units(made: Sequence[Chunk]) -> tuple[str, ...]:
    """Return the units of the figures behind a name; none if there are not two."""
    texts = [chunk.text for chunk in made]
    names = len([*takewhile(lambda text: not is_figure(text), texts)])
    units = tuple(text.lstrip("~≈<>+-.,0123456789 ") for text in texts[names:])
    spelt = all(map(_UNIT.fullmatch, units)) and any(map(is_unit, units))
    named = names and len(units) > 1 and spelt and all(map(is_figure, texts[names:]))
    return (*[""] * (names - 1), *units) if named else ()


def _entry(
    row: _Chunks, names: Sequence[str], texts: Sequence[str] | str, first: _Chunks
) -> Entry:
    """Return a row of the table that begins with *first*, or why it is none."""
    fault = texts if isinstance(texts, str) else None
    cells = [""] * len(names) if fault else texts
    named = tuple(zip(names, cells, strict=not fault))
    return replace(row.entry(named, first.line, fault), begins=first.line)


def _begins(block: Sequence[_Chunks], at: int) -> bool:
    """Tell whether another table begins inside *block*: an underlined header."""
    made = block[at].made
    if len(made) < 2 or at + 1 == len(block) or _is_ruled(made):
        return False
    below = block[at + 1]
    underlined = _is_ruled(below.made) or below.line - block[at].line > 1
    return underlined and not any(_is_number(chunk.text) for chunk in made)


def _between_gutters(
    lines: Sequence[str],
) -> tuple[list[str], list[tuple[str, ...] | str]]:
    """Return the names and the cells between the blanks that all *lines* have.

    Names of several words stand over one column of figures at their right; a text
    without a name belongs to that at its left.
    """
    width = max(map(len, lines))
    padded = [line.ljust(width) for line in lines]
    blank = [not "".join(column).strip() for column in zip(*padded, strict=True)]
    spans = [
        [n for n, _ in it]
        for gap, it in groupby(enumerate(blank), lambda i: i[1])
        if not gap
    ]
    columns: list[tuple[int, int]] = []
    start: int | None = None
    for span in spans:
        first, end = span[0] if start is None else start, span[-1] + 1
        texts = [line[first:end].strip() for line in padded]
        start = None if any(texts[1:]) else first
        if not texts[0] and columns[1:]:
            columns[-1] = (columns[-1][0], end)
        elif start is None:
            columns.append((first, end))
    names, *rows = [tuple(line[a:b].strip() for a, b in columns) for line in padded]
    return [*names], [*rows]


def _headed(line: _Chunks, body: Sequence[_Chunks]) -> Iterator[Entry]:
    columns = line.made
    if all(
        len(match.made) == len(columns) + 1 and match.made[0].end <= columns[0].start
        for match in body
    ):  # pandas prints its index left of the header
        columns = (Chunk("", 0, max(columns[0].start - 1, 0)), *columns)
    names = [chunk.text for chunk in columns]
    groups = [_by_tabs(row.made, columns) or placed(row.made, columns) for row in body]
    if sum(isinstance(texts, str) for texts in groups) * 2 > len(body):
        names, groups = _between_gutters([line.text, *(row.text for row in body)])
    for row, texts in zip(body, groups, strict=True):
        yield _entry(row, names, texts, line)
