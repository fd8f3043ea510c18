"""Lists: ``- ResNet50: 140 img/s``, ``* M1 Max — 12 s``, ``1. VGG16 (60 img/s)``.

The columns are ``key`` and ``value``. A bullet is part of the context of deeper ones; a
figure in brackets is then no value of its own: ``- M2 Ultra (64 GB)``. Lists under the
same headings are one sheet; it is one only if a value is a figure.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import Told
from benchdb.importing.logs.markings import bullet, unmarked
from benchdb.importing.logs.pairs import Pair, pair
from benchdb.importing.logs.rows import Entry, as_sheets
from benchdb.importing.logs.values import is_figure, is_name, is_value
from benchdb.importing.sheet import Sheet

_LIMIT = 500  # characters; a longer bullet is prose
_DEPTH = 20
_DASH = re.compile(r"\s(?:-{1,3}|–|—|\||·|@)\s")
_IN_BRACKETS = re.compile(r"([^()]{1,100})\(([^()]{1,60})\)\.?")


class _Bullet(msgspec.Struct, frozen=True):
    width: int
    text: str
    pair: Pair | None
    bracketed: bool


_Listed = Found[_Bullet]


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the lists of names with values, nested ones under what is above them."""
    listed = list(found(document, _own))
    return tuple(
        sheet
        for sheet in as_sheets("bullets", _entries(listed))
        if any(is_figure(row.cells[1].text) for row in sheet.rows)
    )


def _own(told: Told) -> _Bullet | None:
    found_ = bullet(told.text)
    if found_ is None or len(told.text) > _LIMIT:
        return None
    text = unmarked(found_[1])
    said = pair(text) or _dashed(text)
    bracket = _IN_BRACKETS.fullmatch(text)
    if said is None and bracket is not None:
        said = _figure_of(bracket[1], bracket[2])
        return _Bullet(found_[0], text, said, bracketed=True)
    return _Bullet(found_[0], text, said, bracketed=False)


def _dashed(text: str) -> Pair | None:
    dashes = list(_DASH.finditer(text))
    if not dashes:
        return None
    start, end = dashes[-1].span()
    return _figure_of(text[:start], text[end:])


def _figure_of(name: str, value: str) -> Pair | None:
    name, value = name.strip(), value.strip()
    if is_name(name) and is_figure(value) and is_value(value):
        return Pair(name, value)
    return None


def _entries(listed: Sequence[_Listed]) -> Iterator[Entry]:
    above = _outer(listed)
    heads = {
        index
        for one, outer in zip(listed, above, strict=True)
        if one.made.pair is not None and is_figure(one.made.pair.value)
        for index in outer
    }
    for index, (one, outer) in enumerate(zip(listed, above, strict=True)):
        said = one.made.pair
        if said is None or (one.made.bracketed and index in heads):
            continue
        context = (*one.context, *(listed[at].made.text for at in outer))
        named = (("key", said.name), ("value", said.value))
        yield Entry(one.line, one.raw, context, named)


def _outer(listed: Sequence[_Listed]) -> list[tuple[int, ...]]:
    """Return for each bullet the indices of those that it stands under."""
    found_: list[tuple[int, ...]] = []
    outer: tuple[int, ...] = ()
    for index, one in enumerate(listed):
        if index and listed[index - 1].context != one.context:
            outer = ()
        while outer and listed[outer[-1]].made.width >= one.made.width:
            outer = outer[:-1]
        found_.append(outer)
        outer = (*outer, index)[-_DEPTH:]
    return found_
