"""Student's t: by how much few repeats widen an interval."""

import math
from functools import lru_cache
from statistics import NormalDist

_NOTHING = 1e-15  # relative, in float64
_CLOSE = 1e-8  # relative: digits double with each step, and float64 has 16


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
