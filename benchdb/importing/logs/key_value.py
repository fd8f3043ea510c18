"""``name: value``, one a line: ``vgg16_model: 188.28``, ``Images/sec ... 72.8``.

The columns are ``key`` and ``value``. Lines that follow each other are one sheet, up to
where its first name comes again; it is one only if a value is a figure. Pairs of words
at its beginning are rows and, like this, ``Model: vgg``, context too. Lines with
several pairs are not read here.

Lists have the same columns: ``- ResNet50: 140 img/s``, ``* M1 Max — 12 s``, ``1. VGG16
(60 img/s)``. A bullet is part of the context of deeper ones; a figure in brackets is
then no value of its own: ``- M2 Ultra (64 GB)``. Lists under the same headings are one.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from benchdb.importing.document import Document
from benchdb.importing.logs.context import Found, found
from benchdb.importing.logs.lines import (
    Told,
    bullet,
    command,
    is_chatter,
    shows_bar,
    unmarked,
    unstamped,
)
from benchdb.importing.logs.rows import Entry, as_sheets
from benchdb.importing.logs.values import is_figure, is_name, is_value
from benchdb.importing.sheet import Sheet

# "cuda:0" is a device, and names no figure of 0.
_DEVICE = r"(?i:(?:(?<=cuda)|(?<=[cgntx]pu)|(?<=mps)):\d{1,2}(?![\d.,]))"
# In the order of how much they say; a gap says least.
_SEPARATORS = re.compile(
    rf"(?P<colon>：|:(?=\s)|(?<![\d:])(?!{_DEVICE}):(?=[+\-~<>≈]?\.?\d))"
    r"|(?P<equals>(?<=\s)=(?=\s))"
    r"|(?P<tight>(?<![=!<>:+\-*/\s])=(?![=\s]))"
    r"|(?P<arrow>-{1,2}>|=>|→|⇒)"
    r"|(?P<dots>\.{3,}+|…++)"
    r"|(?P<gap>\s{2,}+|\t)"
)
_KINDS = ("colon", "equals", "tight", "arrow", "dots", "gap")
_QUOTES = ('"', "'")
_NAME_OF_WORD = 4  # words of a name beside a word; beside a figure it may have more


class Pair(msgspec.Struct, frozen=True):
    """A name and its value, both as printed."""

    name: str
    value: str


def pair(text: str) -> Pair | None:
    """Return the one pair that *text* is; ``None`` for a sentence, or several pairs.

    After a colon or an equals sign the value may be a word (``values.is_value``);
    after an arrow, dots or a wide gap it must be a figure.
    """
    text = _unbraced(text.strip())
    kind, places = _places(text)
    if kind is None:
        return None
    for before, after in pairwise(places):
        if is_figure(text[before[1] : after[0]].strip()):
            return None
    start, end = places[-1]
    name, value = _unquoted(_unled(text[:start].strip()), text[end:].strip())
    if not is_name(name) or not is_value(value):
        return None
    if kind == "tight" and len(name.split()) > 1:
        return None
    return (
        Pair(name, value) if is_figure(value) or _is_told(kind, name, value) else None
    )


def _is_told(kind: str, name: str, value: str) -> bool:
    """Tell whether *value*, which is no figure, can be what is said of *name*."""
    if kind == "tight":
        return len(value.split()) == 1
    return kind in ("colon", "equals") and is_name(name, words=_NAME_OF_WORD)


def _places(text: str) -> tuple[str | None, list[tuple[int, int]]]:
    """Return the strongest kind of separator in *text*, and where it stands."""
    places: dict[str, list[tuple[int, int]]] = {}
    for mark in _SEPARATORS.finditer(text):
        places.setdefault(str(mark.lastgroup), []).append(mark.span())
    for kind in _KINDS:
        if kind in places:
            several = kind not in ("colon", "tight") and len(places[kind]) > 1
            return (None, []) if several else (kind, places[kind])
    return None, []


def _unbraced(text: str) -> str:
    """Return a line of printed JSON, or of a printed dict, without the braces."""
    if text[:1] == "{" and text[1:].lstrip()[:1] in _QUOTES:
        text = text[1:].lstrip()
    return text[:-1].rstrip() if text[:1] in _QUOTES and text[-1:] == "}" else text


def _unled(name: str) -> str:
    """Return *name* without the dots that lead from it to a colon."""
    return name.rstrip(" .…") if name.endswith(("..", "…")) else name


def _unquoted(name: str, value: str) -> tuple[str, str]:
    if len(name) > 2 and name[0] in _QUOTES and name[-1] == name[0]:
        name, value = name[1:-1], value.rstrip(",").rstrip()
        if len(value) > 2 and value[0] in _QUOTES and value[-1] == value[0]:
            value = value[1:-1]
    return name, value


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


_BULLET_LIMIT = 500  # characters; a longer bullet is prose
_DEPTH = 20
_DASH = re.compile(r"\s(?:-{1,3}|–|—|\||·|@)\s")
_IN_BRACKETS = re.compile(r"([^()]{1,100})\(([^()]{1,60})\)\.?")


class _Bullet(msgspec.Struct, frozen=True):
    width: int
    text: str
    pair: Pair | None
    bracketed: bool


_Listed = Found[_Bullet]


def lists(document: Document) -> tuple[Sheet, ...]:
    """Return the lists of names with values, nested ones under what is above them."""
    listed = list(found(document, _bullet_of))
    return tuple(
        sheet
        for sheet in as_sheets("bullets", _bullet_entries(listed))
        if any(is_figure(row.cells[1].text) for row in sheet.rows)
    )


def _bullet_of(told: Told) -> _Bullet | None:
    found_ = bullet(told.text)
    if found_ is None or len(told.text) > _BULLET_LIMIT:
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


def _bullet_entries(listed: Sequence[_Listed]) -> Iterator[Entry]:
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
