"""The texts of a line between gaps, and which column each stands in."""

import re
import unicodedata
from collections.abc import Sequence

import msgspec

from benchdb.importing.logs.unit_names import is_unit
from benchdb.importing.logs.values import is_figure

_CHUNK = re.compile(r"\S++(?: \S++)*")
_UNDERLINE = re.compile(r"[-=─━~]{2,}+")
_PAIR = re.compile(r"[:=][ \t]{0,8}[-+]?\.?\d|[:=]$")
_FILLER = "\0"  # stands for the second half of a wide character; no document has it
_TAB = 8


class Chunk(msgspec.Struct, frozen=True):
    """A text and where it stands, in columns of a terminal. *tabbed* after a tab."""

    text: str
    start: int
    end: int
    tabbed: bool = False


def chunks(line: str) -> tuple[Chunk, ...]:
    """Return the texts of *line* that two spaces or a tab keep apart."""
    made: list[Chunk] = []
    column = 0
    for number, piece in enumerate(line.split("\t")):
        if number:
            column += _TAB - column % _TAB
        wide = _widened(piece)
        for one in _CHUNK.finditer(wide):
            text = one[0].replace(_FILLER, "")
            start, end = column + one.start(), column + one.end()
            made.append(Chunk(text, start, end, tabbed=number > 0))
        column += len(wide)
    return tuple(made)


def _widened(text: str) -> str:
    if text.isascii():
        return text
    return "".join(
        char + _FILLER if unicodedata.east_asian_width(char) in "WF" else char
        for char in text
    )


def is_underline(made: Sequence[Chunk]) -> bool:
    """Tell whether a line is nothing but dashes, in one group or several."""
    return bool(made) and all(
        _UNDERLINE.fullmatch(word) for one in made for word in one.text.split(" ")
    )


def rules(made: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return the groups of dashes of an underline, also those one space apart."""
    groups: list[Chunk] = []
    for one in made:
        at = one.start
        for word in one.text.split(" "):
            groups.append(Chunk(word, at, at + len(word)))
            at += len(word) + 1
    return tuple(groups)


def is_number(text: str) -> bool:
    """Tell whether *text* is a number with nothing but its unit."""
    words = text.split()
    return is_figure(text) and all(is_unit(word) for word in words[1:])


def is_pair(text: str) -> bool:
    """Tell whether *text* holds a name and a figure, as ``loss: 0.5`` does."""
    return _PAIR.search(text) is not None


def placed(made: Sequence[Chunk], header: Sequence[Chunk]) -> tuple[str, ...] | str:
    """Return a cell for each column of *header*, or why the row does not fit."""
    if len(made) == len(header) and all(
        any(one.tabbed for one in made) or _may_be(one, index, header)
        for index, one in enumerate(made)
    ):
        return tuple(one.text for one in made)
    if len(made) == 1 and made[0].start < header[0].end:
        if _overlap(made[0], header[1]) and _holds_figure(made[0].text):
            return f"{made[0].text[:40]!r} stands under several headers"
        return (made[0].text, *[""] * (len(header) - 1))
    if len(made) > len(header):
        return f"{len(made)} cells, the header has {len(header)}"
    texts = [""] * len(header)
    for one in made:
        under = [index for index, name in enumerate(header) if _overlap(one, name)]
        if len(under) != 1 or texts[under[0]]:
            return f"{one.text[:40]!r} does not stand under one header"
        texts[under[0]] = one.text
    return tuple(texts)


def _may_be(one: Chunk, index: int, header: Sequence[Chunk]) -> bool:
    """Tell whether *one* can be the cell of its column: not under another header."""
    return _overlap(one, header[index]) or not any(
        _overlap(one, name) for name in header
    )


def _holds_figure(text: str) -> bool:
    return any(is_figure(word) for word in text.split()[1:])


def _overlap(one: Chunk, name: Chunk) -> bool:
    return one.start < name.end and name.start < one.end


def sliced(line: str, ruled: Sequence[Chunk]) -> tuple[str, ...] | str:
    """Return the cells of *line* by the dashes of *ruled*, or why it does not fit."""
    wide = _widened(line.expandtabs(_TAB))
    starts = [rule.start for rule in ruled]
    for start in starts[1:]:
        if wide[start - 1 : start].strip():
            return f"a cell runs on into the column at character {start + 1}"
    if wide[: starts[0]].strip():
        return "it begins left of the first column"
    ends = [*starts[1:], len(wide)]
    return tuple(
        wide[start:end].replace(_FILLER, "").strip()
        for start, end in zip(starts, ends, strict=True)
    )
