"""Digits of figures in a locale: how many to show, and the marks between them."""

import math
import re
from copy import copy
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Literal

import msgspec
from babel import Locale
from babel.numbers import NumberPattern

# CLDR's minimumGroupingDigits, which Babel does not apply: 1100, but 11.000.
_GROUPED_FROM_FIVE_DIGITS = {"es", "pl"}
_PLAIN = re.compile(r"(?P<sign>[-\N{MINUS SIGN}]?)\d+(\.(?P<fraction>\d+))?")
# Beyond these, digits are written as a power of ten: nobody counts zeros.
_HUGE, _MOST_DECIMALS = 10**15, 12
_EXACT = Context(prec=400)  # every float, and every figure that a name's length allows
_SAMPLE = Decimal("1234567.5")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class _Marks(msgspec.Struct, frozen=True):
    """What a locale sets between digits, and around a figure of either sign.

    Figures are shifted by *scale* powers of ten; from *grouped_from* on their digits
    stand in groups of *grouping*: how many at the end, how many before.
    """

    group: str
    point: str
    above: tuple[str, str]
    below: tuple[str, str]
    scale: int
    grouping: tuple[int, int]
    grouped_from: int


def fixed(
    locale: Locale,
    value: float | Decimal,
    decimals: int,
    style: Literal["decimal", "percent"] = "decimal",
) -> str:
    """Return *value* with exactly *decimals* decimals and the locale's marks.

    A fraction is a percentage, with the locale's space and sign, where *style* says so.
    Numbers too long to be read that way are powers of ten: ``1.50 × 10³⁰``.
    """
    if style == "decimal" and not isinstance(value, Decimal):
        if not math.isfinite(value):
            return str(value)
        if abs(value) >= _HUGE or decimals > _MOST_DECIMALS:
            mantissa, _, power = f"{value:.2e}".partition("e")
            raised = str(int(power)).translate(_RAISED)
            return f"{fixed(locale, float(mantissa), 2)} × 10{raised}"
    # Not format_percent with a pattern of our own: that drops the space in de and fr.
    marks = _marks(locale, f"{style}_formats")
    # Through repr: 0.125 is meant as printed, and halves go up as readers expect.
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    last = Decimal(1).scaleb(-decimals - marks.scale)
    rounded = exact.quantize(last, ROUND_HALF_UP, _EXACT)
    shown = rounded.scaleb(marks.scale, _EXACT).copy_abs()
    whole, _, fraction = f"{shown:.{decimals}f}".partition(".")
    if abs(rounded) >= marks.grouped_from:
        end, others = marks.grouping
        rest, groups = whole[:-end], [whole[-end:]]
        while rest:
            groups.insert(0, rest[-others:])
            rest = rest[:-others]
        whole = marks.group.join(groups)
    digits = f"{whole}{marks.point}{fraction}" if fraction else whole
    before, after = marks.below if rounded.is_signed() else marks.above
    return f"{before}{digits}{after}"


def significant_decimals(value: float, digits: int) -> int:
    """Return how many decimals show *digits* significant digits; never below 0."""
    if value == 0 or not math.isfinite(value):
        return 0
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return max(0, digits - 1 - exponent)


def factor_decimals(value: float) -> int:
    """Return how many decimals show a factor; ``times`` in report.js counts alike."""
    if value < 0.995:
        return significant_decimals(value, 2)
    # 1.04 is not 1, as 0.96 is not; what rounds to 1.00 needs no second zero.
    if 1.005 <= value < 1.095:
        return 2
    return 0 if value >= 99.95 else 1


def range_decimals(low: float, high: float) -> tuple[int, int]:
    """Return how many decimals the ends of a range have.

    As many as each other about 1, ``1.04–1.20``; in ``0.13–26.4`` they matter
    differently.
    """
    first, last = factor_decimals(low), factor_decimals(high)
    return (2, 2) if max(first, last) == 2 and high < 1.995 else (first, last)


def printed_decimals(text: str) -> int | None:
    """Return the decimals of a plain figure like ``91.80``, ``None`` for other text."""
    match = _PLAIN.fullmatch(text)
    return len(match["fraction"] or "") if match else None


@lru_cache(maxsize=64)
def _marks(locale: Locale, formats: str) -> _Marks:
    """Return the marks that Babel sets; it takes 100 times as long as we do."""
    pattern: NumberPattern = getattr(locale, formats)[None]
    exact = copy(pattern)  # the locale's own, so that its spaces and groups stay
    exact.frac_prec = (1, 1)
    sample = _SAMPLE.scaleb(-exact.scale)
    above, below = (
        exact.apply(one, locale, numbering_system="latn") for one in (sample, -sample)
    )
    start, end = above.index("1"), above.rindex("5") + 1
    inside = re.findall(r"\D+", above[start:end])
    late = locale.language in _GROUPED_FROM_FIVE_DIGITS
    return _Marks(
        group=inside[0],
        point=inside[-1],
        above=(above[:start], above[end:]),
        below=(below[: below.index("1")], below[below.rindex("5") + 1 :]),
        scale=pattern.scale,
        grouping=pattern.grouping,
        grouped_from=10_000 if late else 0,
    )
