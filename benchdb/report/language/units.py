"""Units: CLDR's, and those that it lacks or abbreviates as nobody writes them.

Translators own the latter. The number is part of the message, so order and spacing
belong to the translator.
"""

from functools import lru_cache
from typing import Protocol

from babel import Locale
from babel.units import format_unit

_DIGITS = "{}"  # where they go in a pattern
_NO_BREAK_SPACE = "\u00a0"
# Times too short for seconds: from here on in the smaller unit, so many to a second.
_SHORT = ((1e-6, 10**9, "ns"), (1e-3, 10**6, "µs"))


class Translator(Protocol):
    """What a unit needs of a language."""

    def pgettext(self, context: str, message: str, /, **facts: str) -> str:
        """Return *message* as meant in *context*."""

    def __hash__(self) -> int:
        """Return a number that equal languages share."""


def shortened(value: float, unit: str) -> tuple[int, str]:
    """Return by what to multiply *value*, and the unit that it has then."""
    if unit != "s" or value == 0:
        return 1, unit
    short = (row for row in _SHORT if abs(value) < row[0])
    return next(((size, name) for _, size, name in short), (1, unit))


@lru_cache(maxsize=256)  # a page has few units and sizes, many times each
def cldr_unit(locale: Locale, value: float, unit: str) -> str:
    """Return *value* with the short form of CLDR's *unit*; they never wrap apart."""
    # Only "short": Babel's "long" and "narrow" leak ids (python-babel #1217).
    text = format_unit(value, unit, length="short", locale=locale)
    return text.replace(" ", _NO_BREAK_SPACE)


@lru_cache(maxsize=32)  # a page has thousands of quantities
def patterns(language: Translator) -> dict[str, str]:
    """Return how figures stand with the catalogue's units: ``{} img/s``."""
    return {
        "s": language.pgettext("unit", "%(value)s s", value=_DIGITS),
        "img/s": language.pgettext("unit", "%(value)s img/s", value=_DIGITS),
        "seq/s": language.pgettext("unit", "%(value)s seq/s", value=_DIGITS),
        "product/s": language.pgettext("unit", "%(value)s products/s", value=_DIGITS),
        "epoch/h": language.pgettext("unit", "%(value)s epochs/h", value=_DIGITS),
        "TFLOPS": language.pgettext("unit", "%(value)s TFLOPS", value=_DIGITS),
        "GB/s": language.pgettext("unit", "%(value)s GB/s", value=_DIGITS),
        "%": language.pgettext("unit", "%(value)s %%", value=_DIGITS),
        "µs": language.pgettext("unit", "%(value)s µs", value=_DIGITS),
        "ns": language.pgettext("unit", "%(value)s ns", value=_DIGITS),
        "sample/s": language.pgettext("unit", "%(value)s samples/s", value=_DIGITS),
        "token/s": language.pgettext("unit", "%(value)s tokens/s", value=_DIGITS),
        "frame/s": language.pgettext("unit", "%(value)s frames/s", value=_DIGITS),
        "position/s": language.pgettext("unit", "%(value)s positions/s", value=_DIGITS),
        "step/s": language.pgettext("unit", "%(value)s steps/s", value=_DIGITS),
        # TRANSLATORS: as in "14 times as fast as the sound takes to hear"
        "x": language.pgettext("unit", "%(value)s×", value=_DIGITS),
        "op/s": language.pgettext("unit", "%(value)s operations/s", value=_DIGITS),
        "token/J": language.pgettext("unit", "%(value)s tokens/J", value=_DIGITS),
        "sample/J": language.pgettext("unit", "%(value)s samples/J", value=_DIGITS),
        "op/J": language.pgettext("unit", "%(value)s operations/J", value=_DIGITS),
        "position/J": language.pgettext("unit", "%(value)s positions/J", value=_DIGITS),
        "product/J": language.pgettext("unit", "%(value)s products/J", value=_DIGITS),
        "img/J": language.pgettext("unit", "%(value)s img/J", value=_DIGITS),
        "seq/J": language.pgettext("unit", "%(value)s seq/J", value=_DIGITS),
    }
