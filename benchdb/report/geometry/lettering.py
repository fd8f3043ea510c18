"""How wide text is, near enough to keep labels apart: a page is set in any font.

Widths are in pixels, a little generous, at the size of the letters in charts.
"""

import unicodedata
from collections.abc import Callable
from functools import lru_cache

EM = 12.0  # the size of labels, in pixels; the style sheet says the same

Measure = Callable[[str], float]

_NARROW = frozenset("ijltfrI.,:;'!|()[]{} ·/-\u00a0\u202f\u2009")
_BROAD = frozenset("mwMW@%&—…≠")
_WIDTHLESS = {"Mn", "Me", "Cf", "Cc"}
_OPENS, _CLOSES = {"\u2066", "\u2067", "\u2068"}, "\u2069"


def width(text: str) -> float:
    """Return about how wide *text* is, in pixels."""
    return EM * sum(map(_advance, text))


def cut(text: str, limit: float, measure: Measure = width) -> str:
    """Return *text*, ended early with an ellipsis where it is wider than *limit*."""
    if measure(text) <= limit:
        return text
    short, long = 0, len(text)
    while short + 1 < long:
        middle = (short + long) // 2
        if measure(f"{text[:middle]}…") <= limit:
            short = middle
        else:
            long = middle
    kept = text[:short].rstrip()
    return f"{kept}…{_CLOSES * _open_isolates(kept)}"


def _open_isolates(text: str) -> int:
    """Count the isolates of direction that *text* opens and does not close."""
    depth = 0
    for character in text:
        if character in _OPENS:
            depth += 1
        elif character == _CLOSES and depth:
            depth -= 1
    return depth


@lru_cache(maxsize=4096)
def _advance(character: str) -> float:
    """Return the width of *character*, in ems."""
    if unicodedata.category(character) in _WIDTHLESS:
        return 0.0
    if unicodedata.east_asian_width(character) in {"W", "F"}:
        return 1.0
    if character in _NARROW or character in _BROAD:
        return 0.36 if character in _NARROW else 0.95
    if character.isdigit() or character.islower():
        return 0.6 if character.isdigit() else 0.58
    return 0.69 if character.isupper() else 0.75
