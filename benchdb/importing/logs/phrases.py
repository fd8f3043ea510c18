"""Which texts are names, and which are values: a figure, or a word or two."""

import re

from benchdb.importing.quantities import unit_names

_DOUBTFUL = frozenset("mMkKGBhd")  # a unit to a reader, if not which


def is_unit(word: str) -> bool:
    """Tell whether *word* is a unit: ``s``, ``ms``, ``GB``, ``img/s``, ``TFLOPS``."""
    word = word.strip(".,()[]/") if "/" not in word[1:] else word
    known = unit_names.understood(word) or unit_names.doubts(word)
    return word in _DOUBTFUL or bool(known)


def is_time(word: str) -> bool:
    """Tell whether *word* is a unit of time, of which several may follow each other."""
    found = unit_names.understood(word)
    return word in ("m", "h", "d") or (found is not None and found.base == "s")


_BEFORE = "~≈≃<>≤≥=±+-−–*$€£¥(. "  # what may stand before the first digit
_NOTHING = (*"-—–?✗✘❌×∞/*…", "--", "---")
_BRACKETS = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_WORD = re.compile(r"[\w.+\-/@%#°&'\"()]{1,48}(?::\w[\w.\-]{0,30})?")
_ENDS = tuple(".,;:!?{[(")
_NAME_WIDTH = 60
_FIGURE_WORDS = 6
_WORDS = 4
_SENTENCE = 3  # words that a sentence has more of
_VALUE_WIDTH = 48


def is_figure(text: str) -> bool:
    """Tell whether *text* begins with a number."""
    return text.lstrip(_BEFORE)[:1].isdecimal()


def is_value(text: str) -> bool:
    """Tell whether *text* says one thing: a figure, a word or two, or a dash.

    A figure may have up to six words, brackets left out; other words are at most four,
    as in ``Apple M1 Max``. A sentence is no value.
    """
    words = text.split()
    if is_figure(text):
        words = _BRACKETS.sub(" ", text).split()
        ends = words[-1] if len(words) > _SENTENCE else " "
        return len(words) <= _FIGURE_WORDS and not (
            ends[-1] in ".!?" and ends[:1].isalpha()
        )
    return text in _NOTHING or (
        0 < len(words) <= _WORDS
        and len(text) <= _VALUE_WIDTH
        and text[0] not in "(["
        and not text.endswith(_ENDS)
        and "://" not in text
        and "()" not in text
        and any(char.isalnum() for char in text)
        and all(map(_WORD.fullmatch, words))
    )


def is_name(text: str, *, words: int = 8) -> bool:
    """Tell whether *text* can be the name of a value: no address and no sentence."""
    return (
        0 < len(text) <= _NAME_WIDTH
        and len(text.split()) <= words
        and any(char.isalnum() for char in text)
        and all(text.count(one) == text.count(other) for one, other in ("()", "[]"))
        and not text.endswith((".", ",", ";", "!", "?"))
        and not any(mark in text for mark in (". ", "..", "…", ": "))
        and "://" not in text
        and not text.casefold().endswith(("http", "https", "ftp", "file"))
    )
