"""Digits of figures in a locale: how many to show, and the marks between them."""

import math
import re
from copy import copy
from decimal import ROUND_HALF_UP, Decimal

from babel import Locale
from babel.numbers import NumberPattern

# CLDR's minimumGroupingDigits, which Babel does not apply: 1100, but 11.000.
_GROUPED_FROM_FIVE_DIGITS = {"es", "pl"}
_PLAIN = re.compile(r"(?P<sign>[-\N{MINUS SIGN}]?)\d+(\.(?P<fraction>\d+))?")


def fixed(locale: Locale, value: float | Decimal, decimals: int) -> str:
    """Return *value* with exactly *decimals* decimals and the locale's marks."""
    rounded = _rounded(value, decimals)
    return _apply(locale, locale.decimal_formats[None], rounded, decimals)


def share(locale: Locale, value: float, decimals: int) -> str:
    """Return the fraction *value* in per cent, with the locale's space and sign."""
    # Not format_percent with a pattern of our own: that drops the space in de and fr.
    rounded = _rounded(value, decimals + 2)
    return _apply(locale, locale.percent_formats[None], rounded, decimals)


def significant_decimals(value: float, digits: int) -> int:
    """Return how many decimals show *digits* significant digits; never below 0."""
    if value == 0 or not math.isfinite(value):
        return 0
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return max(0, digits - 1 - exponent)


def printed_decimals(text: str) -> int | None:
    """Return the decimals of a plain figure like ``91.80``, ``None`` for other text."""
    match = _PLAIN.fullmatch(text)
    return len(match["fraction"] or "") if match else None


def reprinted(locale: Locale, text: str) -> str:
    """Return the plain figure *text* in the locale's marks, digit for digit."""
    decimals = printed_decimals(text)
    if decimals is None:
        return text
    return fixed(locale, Decimal(text.replace("\N{MINUS SIGN}", "-")), decimals)


def _rounded(value: float | Decimal, decimals: int) -> Decimal:
    # Through repr: 0.125 is meant as printed, and halves go up as readers expect.
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    return exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def _apply(
    locale: Locale, pattern: NumberPattern, value: Decimal, decimals: int
) -> str:
    exact = copy(pattern)  # the locale's own, so that its spaces and groups stay
    exact.frac_prec = (decimals, decimals)
    grouping = not (
        locale.language in _GROUPED_FROM_FIVE_DIGITS and abs(value) < 10_000
    )
    text: str = exact.apply(
        value, locale, group_separator=grouping, numbering_system="latn"
    )
    return text
