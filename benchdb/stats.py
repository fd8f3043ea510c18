"""Numbers in, numbers out: means, intervals, ratios, verdicts, ticks of an axis.

Everything multiplicative happens on the log scale, so that a ratio and its inverse
say the same thing. A value is one process; steps of one process are never pooled.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist, fmean, median
from typing import Literal

import msgspec

__all__ = [
    "Estimate",
    "axis_ticks",
    "estimate",
    "geometric_mean",
    "median",
    "ratio",
    "t_quantile",
    "verdict",
]

Verdict = Literal["faster", "slower", "even", "unclear"]
Processes = Sequence[float]  # one positive value per process
Cell = tuple[Processes, Processes]  # what is compared, and with what

REPEATED_THRESHOLD = 0.02  # a smaller difference is not called one, however certain
SINGLE_THRESHOLD = 0.05  # one run each: two machines of a kind differ by this much
_TWO_SIDED_95 = 0.975
_MOST_TICKS = 7
_NOTHING = 1e-15  # relative, in float64
_CLOSE = 1e-8  # relative: digits double with each step, and float64 has 16


class Estimate(msgspec.Struct, frozen=True):
    """A value and, where runs were repeated, its 95 % interval."""

    value: float
    low: float | None = None
    high: float | None = None


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive *values*."""
    if len(values) == 1:
        return values[0]
    return math.exp(fmean(map(math.log, values)))


def estimate(processes: Processes) -> Estimate:
    """Return the geometric mean over processes with its t interval, from n = 2 on."""
    center = geometric_mean(processes)
    if len(processes) < 2:
        return Estimate(center)
    spread = math.sqrt(_variance_of_mean(processes))
    half = t_quantile(_TWO_SIDED_95, len(processes) - 1) * spread
    return Estimate(center, center * math.exp(-half), center * math.exp(half))


def ratio(cells: Sequence[Cell]) -> Estimate:
    """Return the geometric mean over *cells* of first side / second side.

    The interval is Welch's, in logs; for several cells their variances add up, and the
    degrees of freedom are Welch and Satterthwaite's. There is none where any side has
    a single process. The cells themselves are held fixed.
    """
    center, low, high = _ratio_of_repeats(_fixed(cells))
    return Estimate(center, low, high) if _all_repeated(cells) else Estimate(center)


def verdict(cells: Sequence[Cell]) -> Verdict:
    """Say what *cells* show about the speed of their first sides.

    Where all is repeated, a side is faster only if the interval leaves out 1 and the
    difference exceeds 2 %. Single runs cannot tell within 5 %; and where what was
    repeated varies enough to reach 1 by itself, nothing can be said.
    """
    center, low, high = _ratio_of_repeats(_fixed(cells))
    threshold = REPEATED_THRESHOLD if _all_repeated(cells) else SINGLE_THRESHOLD
    # Symmetric in the factor: 1.05 one way, 1/1.05 the other.
    small = math.log1p(threshold)
    if max(-math.log(low), math.log(high)) <= small:
        return "even"
    if low < high and low <= 1 <= high:
        return "unclear"
    if abs(math.log(center)) <= small:
        return "even"
    return "faster" if center > 1 else "slower"


def _all_repeated(cells: Sequence[Cell]) -> bool:
    return all(len(side) > 1 for cell in cells for side in cell)


def _fixed(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    return tuple((tuple(a), tuple(b)) for a, b in cells)


@lru_cache(maxsize=1024)  # whoever shows a ratio asks for its verdict as well
def _ratio_of_repeats(cells: tuple[Cell, ...]) -> tuple[float, float, float]:
    """Return the ratio with its bounds as if single runs were exact."""
    shifts = [math.log(geometric_mean(a) / geometric_mean(b)) for a, b in cells]
    center, half = fmean(shifts), 0.0
    sides = [side for cell in cells for side in cell if len(side) > 1]
    spreads = [_variance_of_mean(side) for side in sides]
    total = math.fsum(spreads)  # sum() rounds otherwise from Python 3.12 on
    if total > 0:
        free = total**2 / math.fsum(
            spread**2 / (len(side) - 1)
            for spread, side in zip(spreads, sides, strict=True)
        )
        half = t_quantile(_TWO_SIDED_95, free) * math.sqrt(total) / len(cells)
    return math.exp(center), math.exp(center - half), math.exp(center + half)


def _variance_of_mean(processes: Processes) -> float:
    # Two passes in floats; the module's own variance is exact, in slow fractions.
    logs, n = [*map(math.log, processes)], len(processes)
    center = fmean(logs)
    return math.fsum((log - center) ** 2 for log in logs) / (n - 1) / n


@lru_cache(maxsize=1024)  # nearly all have a tier's few degrees of freedom
def t_quantile(probability: float, freedom: float) -> float:
    """Return Student's t quantile for *probability* > 0.5; *freedom* may be fractional.

    Solves I(x; freedom/2, 1/2) = 2 (1 - *probability*) for t, with x = freedom /
    (freedom + t^2), where I is the regularised incomplete beta function (DLMF 8.17).
    Newton's method starts from the first terms of the Cornish-Fisher expansion
    (Abramowitz and Stegun 26.7.5). The left side is convex in t, so the first step
    leads below the root if it was not there, and all others climb to it.
    """
    tail = 2 * (1 - probability)
    t = _expanded(NormalDist().inv_cdf(probability), freedom)
    while True:
        step = _step(t, tail, freedom)
        t += step
        if abs(step) <= _CLOSE * t:
            return t


def _step(t: float, tail: float, freedom: float) -> float:
    x = freedom / (freedom + t * t)
    excess = _incomplete_beta(x, freedom / 2, 0.5) - tail
    return excess / (2 * _t_density(t, freedom))


def _expanded(z: float, freedom: float) -> float:
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    # Where freedom is small the expansion goes astray, and z itself does as well.
    return z + (first + second / freedom) / freedom if freedom >= 1 else z


def _t_density(t: float, freedom: float) -> float:
    half = freedom / 2
    scale = math.lgamma(half + 0.5) - math.lgamma(half)
    power = (half + 0.5) * math.log1p(t * t / freedom)
    return math.exp(scale - power) / math.sqrt(freedom * math.pi)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I(x; a, b)."""
    if x > (a + 1) / (a + b + 2):  # where the continued fraction converges fast
        return 1 - _incomplete_beta(1 - x, b, a)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta) / a
    return front / _beta_fraction(x, a, b)


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return 1 + d1/(1 + d2/(1 + ...)) of DLMF 8.17.22, by Lentz's method.

    It goes on until a term changes nothing: mostly some twenty, far fewer than a
    depth that is enough for any freedom.
    """
    value = numerator = 1.0
    denominator, factor, n = 0.0, math.inf, 0
    while abs(factor - 1) > _NOTHING:
        n += 1
        m, odd = divmod(n, 2)
        if odd:
            term = -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1)) * x
        else:
            term = m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m)) * x
        denominator = 1 / (1 + term * denominator)
        numerator = 1 + term / numerator
        factor = numerator * denominator
        value *= factor
    return value


def axis_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return round numbers on a log axis around *low* … *high*: 1-2-5, 1-3 or decades.

    The first is at most *low* and the last at least *high*.
    """
    for steps in ((1, 2, 5), (1, 3)):
        ticks = _around(low, high, steps, stride=1)
        if len(ticks) <= _MOST_TICKS:
            return ticks
    stride = 1
    while len(ticks := _around(low, high, (1,), stride)) > _MOST_TICKS:
        stride += 1
    return ticks


def _around(
    low: float, high: float, steps: tuple[int, ...], stride: int
) -> tuple[float, ...]:
    first = math.floor(math.log10(low))
    first -= float(f"1e{first}") > low  # the logarithm was rounded up
    last = math.ceil(math.log10(high)) + 1 + stride
    marks = [
        float(f"{step}e{decade}")
        for decade in range(first, last + 1, stride)
        for step in steps
    ]
    start = max(index for index, mark in enumerate(marks) if mark <= low)
    end = min(index for index, mark in enumerate(marks) if mark >= high)
    return tuple(marks[start : max(end, start + 1) + 1])
