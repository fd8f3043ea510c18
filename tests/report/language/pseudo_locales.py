"""Languages that nobody speaks: they show what bypasses the catalogues or breaks lines.

``en-XA`` is English with accents, in brackets and 40 per cent longer; ``ar-XB`` is
English that runs from right to left. Both are made from the messages themselves.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from gettext import GNUTranslations
from typing import Literal

from babel import Locale

from benchdb.report.language import Language
from tests.page import Element

OPEN, CLOSE = "⟦", "⟧"
OVERRIDE, POP, MARK = "\u202e", "\u202c", "\u200f"

_ACCENTS = str.maketrans(
    "aceghijklnorsuwyzACEGHIJKLNORSUWYZ", "åçéĝĥîĵķļñöŕšûŵýžÅÇÉĜĤÎĴĶĻÑÖŔŠÛŴÝŽ"
)
_PARTS = re.compile(r"(%\(\w+\)s|%%)")
_WORD = re.compile(r"[^\W\d_]+")
_LONGER = 0.4
_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def accented(message: str) -> str:
    """Return ``⟦Šöûŕçé one⟧`` for ``Source``: longer, and still full of words."""
    parts = _PARTS.split(message)
    texts = [
        part if place % 2 else part.translate(_ACCENTS)
        for place, part in enumerate(parts)
    ]
    letters = sum(map(len, _WORD.findall("".join(parts[::2]))))
    return f"{OPEN}{''.join(texts)}{_padding(round(letters * _LONGER))}{CLOSE}"


def _padding(length: int) -> str:
    text = " ".join(_WORDS * (length // 40 + 1))[: max(0, length - 1)].strip()
    return f" {text}" if text else ""


def reversed_words(message: str) -> str:
    """Return *message* with each word shown from right to left."""
    parts = _PARTS.split(message)
    return "".join(
        part if place % 2 else _WORD.sub(_override, part)
        for place, part in enumerate(parts)
    )


def _override(word: re.Match[str]) -> str:
    return f"{MARK}{OVERRIDE}{word[0]}{POP}{MARK}"


class Made(GNUTranslations):
    """Every message of ours, changed by one function."""

    def __init__(self, change: Callable[[str], str]) -> None:
        super().__init__()
        self._change = change

    def gettext(self, message: str) -> str:
        return self._change(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self._change(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self._change(message)

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return self.ngettext(msgid1, msgid2, n)


class Accented(Language, frozen=True):
    """English in brackets; what CLDR writes around our messages is in them too."""

    def listing(self, items: Sequence[str]) -> str:
        return f"{OPEN}{super().listing(items)}{CLOSE}"

    def date(self, iso: str) -> str:
        return f"{OPEN}{super().date(iso)}{CLOSE}"

    def _cldr(self, value: float, unit: str) -> str:
        return f"{OPEN}{super()._cldr(value, unit)}{CLOSE}"


def en_xa(direction: Literal["ltr", "rtl"] = "ltr") -> Language:
    """Return the accented language, for reports that show their isolates if *rtl*."""
    return Accented("en-XA", "Åççéñţš", direction, Locale("en"), Made(accented))


def ar_xb() -> Language:
    """Return English that runs from right to left, with the figures of Arabic."""
    return Language("ar-XB", "XB", "rtl", Locale("ar"), Made(reversed_words))


_TOLD = ("title", "aria-label", "alt", "placeholder", "data-text")
_BLOCKS = {"p", "td", "th", "li", "h1", "h2", "h3", "caption", "option", "summary"}
_BLOCKS |= {"article", "body", "div", "figcaption", "label", "nav", "section", "title"}
_BLOCKS |= {"text"}  # of a chart
_SKIPPED = {"style", "script", "code"}
_BRAND = "benchdb"


def leaks(page: Element, code: str) -> list[str]:
    """Return the words of *page* that no catalogue gave, with where they stand.

    Data say that they are data: by ``translate="no"``, ``bdi`` or another language.
    Names on charts are those of the tables.
    """
    found: list[str] = []
    names = _names(page)
    for element, data in _with_data(page):
        told = () if element.name == "code" else _TOLD
        texts = [element.attributes.get(name, "") for name in told]
        if element.name in _BLOCKS and not data:
            texts.append(_ours(element, code))
        words = [word for text in texts for word in unbracketed(text)]
        found += [f"<{element.name}> {it}" for it in words if not _is_name(it, names)]
    return found


def _is_name(word: str, names: set[str]) -> bool:
    """Tell whether *word* is one of *names*, or the start of one, cut on a chart."""
    told = _bare(word)
    start = told.removesuffix("…")
    cut = start and start != told
    return told in names or bool(cut and any(it.startswith(start) for it in names))


def _names(page: Element) -> set[str]:
    said = (
        child
        for element, data in _with_data(page)
        for child in element.children
        if data and isinstance(child, str)
    )
    return {_bare(word) for text in said for word in text.split()}


def _bare(word: str) -> str:
    return word.strip("\u2066\u2067\u2068\u2069,.:;()")


def _with_data(
    element: Element, *, inside: bool = False
) -> Iterator[tuple[Element, bool]]:
    """Yield every element, and whether it or what it stands in says it is data."""
    ours = element.attributes.get("translate") in ("", "yes")
    data = is_data(element) or (inside and not ours)
    yield element, data
    for child in element.children:
        if isinstance(child, Element):
            yield from _with_data(child, inside=data)


def _ours(element: Element, code: str) -> str:
    return "".join(
        child if isinstance(child, str) else _shown(child, code)
        for child in element.children
    )


def _shown(element: Element, code: str) -> str:
    foreign = element.attributes.get("lang", code) != code
    apart = element.name in _SKIPPED | _BLOCKS
    key = "note" in element.classes  # a letter; its label tells it in words
    return " " if foreign or is_data(element) or apart or key else _ours(element, code)


def is_data(element: Element) -> bool:
    """Tell whether *element* says that no translator is to touch it."""
    return element.name == "bdi" or element.attributes.get("translate") == "no"


def unbracketed(text: str) -> list[str]:
    """Return the words outside brackets, which may be nested, or cut with an …"""
    if _bare(text.strip()).endswith("…"):
        text += CLOSE * (text.count(OPEN) - text.count(CLOSE))
    while (rest := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = rest
    words = (word for word in text.split() if any(map(str.isalpha, word)))
    return [word for word in words if word != _BRAND]
