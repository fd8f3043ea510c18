"""Which runs of ``*``, ``_`` and ``~~`` are markup, and which are characters.

As CommonMark has it, but for two habits of tables: a star between letters or digits is
a star (``224*224*3``), and ``**`` opens and closes beside any letter, as authors who
write without spaces between words mean it.
"""

import unicodedata
from collections.abc import Sequence

import msgspec


class Run(msgspec.Struct):
    """A run of *mark*, *left* of them not used up, in piece *piece* of a text."""

    mark: str
    left: int
    piece: int
    opens: bool
    closes: bool


def run_length(text: str, at: int) -> int:
    """Return how many of the character at *at* follow each other there."""
    mark, end = text[at], at
    while text.startswith(mark, end):
        end += 1
    return end - at


def run(text: str, at: int, length: int, piece: int) -> Run | None:
    """Return the run at *at* if it can be markup."""
    mark = text[at]
    before = text[at - 1] if at else " "
    after = text[at + length : at + length + 1] or " "
    if mark == "~":
        opens, closes = not after.isspace(), not before.isspace()
        return Run(mark, 2, piece, opens, closes) if length == 2 else None
    opens = _flanks(after, before)
    closes = _flanks(before, after)
    if mark == "_":
        opens, closes = (
            opens and (not closes or _is_sign(before)),
            closes and (not opens or _is_sign(after)),
        )
    elif length > 1:
        opens, closes = not after.isspace(), not before.isspace()
    elif before.isalnum() and after.isalnum():
        return None
    return Run(mark, length, piece, opens, closes)


def resolve(runs: Sequence[Run], pieces: list[str]) -> list[tuple[int, int]]:
    """Take the markup out of *pieces*; return which ranges of them are struck out."""
    struck: list[tuple[int, int]] = []
    waiting: dict[str, list[Run]] = {"*": [], "_": [], "~": []}
    for one in runs:
        openers = waiting[one.mark]
        while one.closes and one.left and openers:
            opener = openers[-1]
            taken = min(one.left, opener.left)
            one.left -= taken
            opener.left -= taken
            if one.mark == "~":
                struck.append((opener.piece, one.piece))
            if not opener.left:
                openers.pop()
        if one.opens and one.left:
            openers.append(one)
    for one in runs:
        pieces[one.piece] = one.mark * one.left
    return struck


def _flanks(inner: str, outer: str) -> bool:
    if inner.isspace():
        return False
    return not _is_sign(inner) or outer.isspace() or _is_sign(outer)


def _is_sign(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
