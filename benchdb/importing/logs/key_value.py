"""``name: value``, one a line: ``vgg16_model: 188.28``, ``Images/sec ... 72.8``.

The columns are ``key`` and ``value``. Lines that follow each other are one sheet, up to
where its first name comes again; it is one only if a value is a figure. Pairs of words
at its beginning are rows and, like this, ``Model: vgg``, context too. Bullets and lines
with several pairs are not read here.
"""

from collections.abc import Iterator

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import Told
from benchdb.importing.logs.markings import (
    bullet,
    command,
    is_chatter,
    shows_bar,
    unstamped,
)
from benchdb.importing.logs.pairs import Pair, pair
from benchdb.importing.logs.rows import Entry, as_sheets
from benchdb.importing.logs.values import is_figure
from benchdb.importing.sheet import Sheet

_LEADING = 12  # pairs of words at the beginning of a block that become context
_LIMIT = 300  # characters; a longer line is prose


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the blocks of lines of a name and a value each."""
    return tuple(
        sheet
        for sheet in as_sheets("key-value", _entries(found(document, _own)))
        if any(is_figure(row.cells[1].text) for row in sheet.rows)
    )


def _entries(lines: Iterator[Found[Pair]]) -> Iterator[Entry]:
    part, told = 0, _Told(-1, "")
    for one in lines:
        name, value = one.made.name, one.made.value
        if one.block != told.block or name == told.first:
            part, told = part + 1, _Told(one.block, name)
        if told.leads and not is_figure(value):
            told.words = (*told.words, f"{name}: {value}")[-_LEADING:]
            told.waiting.append(one)
            continue
        told.leads = False
        context = (*one.context, *told.words)
        for line in (*told.waiting, one):
            named = (("key", line.made.name), ("value", line.made.value))
            yield Entry(line.line, line.raw, context, named, part)
        told.waiting = []


class _Told(msgspec.Struct):
    """A block so far: the words before its first figure say what all of it is about."""

    block: int
    first: str
    words: tuple[str, ...] = ()
    waiting: list[Found[Pair]] = []
    leads: bool = True


def _own(told: Told) -> Pair | None:
    text = told.text
    if len(text) > _LIMIT or bullet(text) or command(text) or is_chatter(text):
        return None
    if shows_bar(text):
        return None
    return pair(unstamped(text).replace("**", "").replace("`", ""))
