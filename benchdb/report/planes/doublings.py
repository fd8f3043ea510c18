"""Ticks of axes on which a doubling is what people think in."""

import math
from collections.abc import Iterable

from benchdb.report.language import Language

_MOST = 7  # ticks on an axis
_PLACES = 3  # that an eighth takes


def doublings(low: float, high: float) -> tuple[float, ...]:
    """Return powers of two around *low* … *high*, both above 0; at least two.

    The first is at most *low* and the last at least *high*; where there would be too
    many, each is the same power of two times the one before.
    """
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(high))
    last = max(last, first + 1)
    stride = math.ceil((last - first) / (_MOST - 1))
    count = math.ceil((last - first) / stride)
    return tuple(2.0 ** (first + stride * step) for step in range(count + 1))


def spread_out(values: Iterable[int]) -> tuple[int, ...]:
    """Return those of *values* that have room beside each other on a logarithmic axis.

    The ends are always among them.
    """
    ordered = sorted(set(values))
    low, high = ordered[0], ordered[-1]
    least = (high / low) ** (1 / _MOST)
    kept = [low]
    for one in ordered[1:-1]:
        if one >= kept[-1] * least and one * least <= high:
            kept.append(one)
    return (*kept, high) if high > low else (low,)


def power_of_two(language: Language, value: float) -> str:
    """Write a tick of ``doublings``: ``8``, ``0.25``; in full unless it is tiny."""
    places = 0 if value >= 1 else -round(math.log2(value))
    if places > _PLACES:
        return language.significant(value, 2)
    return language.number(value, places)
