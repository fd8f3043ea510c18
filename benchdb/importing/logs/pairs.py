"""A name and what stands beside it: ``name: value``, ``name = 1``, ``name ... 1``."""

import re
from itertools import pairwise

import msgspec

from benchdb.importing.logs.values import is_figure, is_name, is_value

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
    for found in _SEPARATORS.finditer(text):
        places.setdefault(str(found.lastgroup), []).append(found.span())
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
