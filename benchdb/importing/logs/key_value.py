"""``name: value``, one a line: ``vgg16_model: 188.28``, ``Images/sec ... 72.8``.

The columns are ``key`` and ``value``. Lines that follow each other are one sheet, up to
where its first name comes again; it is one only if a value is a figure. Pairs of words
at its beginning, ``Model: vgg``, are context and no rows. Lines with
several pairs are not read here; of ``14.2 ms (9.67 TFLOPS)`` the second figure is in
the column ``value (in brackets)``, of ``7.5 s/it, 150 s/image`` in ``value (2)``.

Lists have the same columns: ``- ResNet50: 140 img/s``, ``* M1 Max — 12 s``, ``1. VGG16
(60 img/s)``. A bullet is part of the context of deeper ones; a figure in brackets is
then no value of its own: ``- M2 Ultra (64 GB)``. Lists under the same headings are one;
what ends in a colon right above a list is a heading of it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from benchdb.importing.blocks import Line, bullet
from benchdb.importing.document import Document
from benchdb.importing.logs.epochs import IN_BRACKETS
from benchdb.importing.logs.line_text import (
    any_of,
    banner,
    command,
    is_chatter,
    is_figure,
    is_moment,
    is_name,
    is_value,
    shows_bar,
    unmarked,
    unstamped,
    words_of,
)
from benchdb.importing.logs.log_lines import Entry, LineMatch, as_sheets, matching_lines
from benchdb.importing.logs.settings import settings_in
from benchdb.importing.quantities.missing_values import missing_of
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import Kind, Sheet

# In the order of how much they say; a gap says least.
_KINDS = ("colon", "equals", "close", "tight", "arrow", "dots", "took", "gap")
_SEPARATORS = re.compile("|".join(f"(?P<{it}>{words_of(it)})" for it in _KINDS))
_QUOTES = ('"', "'")
_NAME_OF_WORD = 4  # words of a name beside a word; beside a figure it may have more
_LEADING = 12  # pairs of words at the beginning of a block that become context
_LIMIT = 300  # characters; a longer line is prose
_BULLET_LIMIT = 500
_PART = any_of("figures_of_a_line")
_DIGITS = "~≈<>+-.,0123456789 "
_DASH = re.compile(r"\s(?:-{1,3}|–|—|\||·|@)\s")
_IN_BRACKETS = re.compile(r"([^()]{1,100})\(([^()]{1,60})\)\.?")
_COUNTED = any_of("counted", re.IGNORECASE)


class _Pair(msgspec.Struct, frozen=True):
    """A name and its value, as printed; *bracketed* is all of it where they join so."""

    name: str
    value: str
    bracketed: str = ""


def _pair(text: str) -> _Pair | None:
    """Return the one pair that *text* is; ``None`` for a sentence, or several pairs.

    After a colon or an equals sign the value may be a word (``is_value``);
    after an arrow, dots, ``took`` or a wide gap it must be a figure.
    """
    text = text.strip()
    if text[:1] == "{" and text[1:].lstrip()[:1] in _QUOTES:  # printed JSON, or a dict
        text = text[1:].lstrip()
    if text[:1] in _QUOTES and text[-1:] == "}":
        text = text[:-1].rstrip()
    places: dict[str, list[tuple[int, int]]] = {}
    for mark in _SEPARATORS.finditer(text):
        places.setdefault(str(mark.lastgroup), []).append(mark.span())
    for kind in _KINDS:
        spans = places.get(kind, [])
        if spans and (pair := _split(text, kind, spans)) is not None:
            return pair
        if spans and kind in ("colon", "equals", "close"):
            # Of a sentence, or of several pairs, a gap is none.
            _ = places.pop("gap", None), places.pop("tight", None)
    return None


def _split(text: str, kind: str, spans: Sequence[tuple[int, int]]) -> _Pair | None:
    """Return the pair that a separator of *kind*, at *spans*, makes of *text*."""
    if len(spans) > 1 and kind not in ("colon", "close", "tight"):
        return None
    if any(is_figure(text[a[1] : b[0]].strip()) for a, b in pairwise(spans)):
        return None
    start, end = spans[-1]
    name, value = text[:start].strip(), text[end:].strip()
    name = name.rstrip(" .…") if name.endswith(("..", "…")) else name
    if len(name) > 2 and name[0] in _QUOTES and name[-1] == name[0]:
        name, value = name[1:-1], value.rstrip(",").rstrip()
        if len(value) > 2 and value[0] in _QUOTES and value[-1] == value[0]:
            value = value[1:-1]
    if not is_name(name) or not is_value(value):
        return None
    if kind == "tight":
        fits = len(name.split()) == 1 and (is_figure(value) or len(value.split()) == 1)
    else:
        word = kind in ("colon", "equals") and is_name(name, words=_NAME_OF_WORD)
        fits = word or is_figure(value)
    if not fits or is_moment(name, value):
        return None
    return _Pair(_COUNTED.sub("s", name) if value.isdigit() else name, value)


def _dashed(text: str, *, last: bool = False) -> _Pair | None:
    """Return a name and a figure that a dash joins; with *last* its unit is the end."""
    *_, dash = (None, *_DASH.finditer(text))
    pair = dash and _figure_of(text[: dash.start()], text[dash.end() :])
    known = not last or (pair and understood(pair.value.lstrip(_DIGITS)))
    return pair if known else None


def _figure_of(name: str, value: str) -> _Pair | None:
    name, value = name.strip(), value.strip()
    fits = is_name(name) and is_figure(value) and is_value(value)
    return _Pair(name, value) if fits else None


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the blocks of lines of a name and a value each."""
    return _with_figures("key-value", _entries(matching_lines(document, _pair_of_line)))


def lists(document: Document) -> tuple[Sheet, ...]:
    """Return the lists of names with values, nested ones under what is above them."""
    return _with_figures("bullets", _list_entries(document))


def _with_figures(kind: Kind, entries: Iterator[Entry]) -> tuple[Sheet, ...]:
    return tuple(
        sheet
        for sheet in as_sheets(kind, entries)
        if any(is_figure(row.cells[1].text) for row in sheet.rows)
    )


def _pair_of_line(line: Line) -> _Pair | None:
    text = line.text
    if len(text) > _LIMIT or bullet(text) or command(text):
        return None
    if (
        is_chatter(text)
        or shows_bar(text)
        or line.words[0] == "|"
        or banner(line.words)
        or settings_in(text)
    ):
        return None
    plain = unstamped(text).replace("**", "").replace("`", "")
    return _pair(plain) or _dashed(plain, last=True)


def _rows(
    line: LineMatch[_Pair], context: tuple[str, ...], pair: _Pair, part: int = 0
) -> Iterator[Entry]:
    """Yield the row of a pair: two of ``78 img/s (GPU) vs 14 img/s (CPU)``."""
    parts = [*_PART.finditer(pair.value)]
    parts = parts if "".join(it[0] for it in parts) == pair.value else []
    if len(parts) > 1 and all((it[2] or "1")[0].isalpha() for it in parts):
        for it in parts:
            named = [("key", f"{pair.name} ({it[2]})"), ("value", it[1])]
            yield replace(line.entry(tuple(named), part), context=context)
        return
    named = [("key", pair.name), ("value", pair.value)]
    texts = [text for it in parts for text in it.groups() if text]
    units = [understood(text.lstrip(_DIGITS)) for text in texts]
    if len({(unit.base, unit.per) for unit in units if unit}) == len(texts) == 2:
        beside = " (2)" if parts[1:] else IN_BRACKETS
        named[1:] = [("value", texts[0]), (f"value{beside}", texts[1])]
    yield replace(line.entry(tuple(named), part), context=context)


def _entries(lines: Iterator[LineMatch[_Pair]]) -> Iterator[Entry]:
    """Yield the rows; words before the first figure say what a block is about."""
    part, block, first = 0, -1, ""
    words: dict[str, str] = {}  # at the beginning of a part, by their names
    for line in lines:
        name, value = line.made.name, line.made.value
        fresh = line.block != block
        if fresh or name in words or name == first:
            part, block, first = part + 1, line.block, ""
            above = [*words][: [*words, name].index(name)]
            words = {} if fresh else {it: words[it] for it in above}
        if not (first or is_figure(value) or missing_of(value)):
            words[name] = f"{name}: {value}"
            continue
        first = first or name
        about = [*words.values()][-_LEADING:]
        context = tuple(dict.fromkeys((*line.context, *about)))
        yield from _rows(line, context, line.made, part)


def _bullet(line: Line) -> _Pair | None:
    listed = bullet(line.text)
    if listed is None or len(line.text) > _BULLET_LIMIT:
        return None
    text = unmarked(listed[1])
    if pair := _pair(text) or _dashed(text):
        return pair
    bracket = _IN_BRACKETS.fullmatch(text)
    pair = _figure_of(bracket[1], bracket[2]) if bracket else None
    return pair and replace(pair, bracketed=text)


def _list_entries(document: Document) -> Iterator[Entry]:
    """Yield the rows of lists; in ``M2 Ultra (64 GB)`` above others is no figure."""
    lines = list(matching_lines(document, _bullet))
    heads = {text for line in lines for text in line.context}
    for line in lines:
        if line.made.bracketed not in heads:
            yield from _rows(line, line.context, line.made)
