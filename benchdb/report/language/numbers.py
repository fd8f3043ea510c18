"""Digits of figures in a locale: how many to show, and the marks between them."""

import math
import re
from copy import copy
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

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


def fixed(locale: Locale, value: float | Decimal, decimals: int) -> str:
    """Return *value* with exactly *decimals* decimals and the locale's marks.

    Numbers too long to be read that way are powers of ten: ``1.50 × 10³⁰``.
    """
    if not isinstance(value, Decimal):
        if not math.isfinite(value):
            return str(value)
        if abs(value) >= _HUGE or decimals > _MOST_DECIMALS:
            return _scientific(locale, value)
    rounded = _rounded(value, decimals)
    return _apply(_marks(locale), rounded, decimals)


def _scientific(locale: Locale, value: float) -> str:
    mantissa, _, power = f"{value:.2e}".partition("e")
    raised = str(int(power)).translate(_RAISED)
    return f"{fixed(locale, float(mantissa), 2)} × 10{raised}"


def share(locale: Locale, value: float, decimals: int) -> str:
    """Return the fraction *value* in per cent, with the locale's space and sign."""
    # Not format_percent with a pattern of our own: that drops the space in de and fr.
    rounded = _rounded(value, decimals + 2)
    return _apply(_marks(locale, "percent_formats"), rounded, decimals)


def share_decimals(value: float) -> int:
    """Return how many decimals show the share *value* in per cent; none is 0.0."""
    least = 1 if value < 0.0995 else 0
    return max(least, significant_decimals(value * 100, 1))


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


def range_decimals(low: float, high: float) -> int | None:
    """Return how many decimals both ends of a range about 1 have: ``1.04–1.20``.

    ``None`` where each end has its own: in ``0.13–26.4`` they matter differently.
    """
    most = max(factor_decimals(low), factor_decimals(high))
    return most if most == 2 and high < 1.995 else None


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
    return exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _EXACT)


def _apply(marks: _Marks, value: Decimal, decimals: int) -> str:
    exact = value.scaleb(marks.scale, _EXACT).copy_abs()
    whole, _, fraction = f"{exact:.{decimals}f}".partition(".")
    if abs(value) >= marks.grouped_from:
        whole = _grouped(whole, marks.group, marks.grouping)
    digits = f"{whole}{marks.point}{fraction}" if fraction else whole
    before, after = marks.below if value.is_signed() else marks.above
    return f"{before}{digits}{after}"


def _grouped(whole: str, mark: str, sizes: tuple[int, int]) -> str:
    last, others = sizes
    rest, groups = whole[:-last], [whole[-last:]]
    while rest:
        groups.insert(0, rest[-others:])
        rest = rest[:-others]
    return mark.join(groups)


@lru_cache(maxsize=64)
def _marks(locale: Locale, formats: str = "decimal_formats") -> _Marks:
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
