"""Numbers in, numbers out: means, intervals, ratios, verdicts, ticks of an axis.

Everything multiplicative happens on the log scale, so that a ratio and its inverse
say the same thing. A value is one process; steps of one process are never pooled.
Processes belong to sessions, and sessions differ more than their processes do:
``docs/statistics.md`` says what follows from that, and what was simulated.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean, median
from typing import Literal

import msgspec

from benchdb.statistics.intervals import (
    Halves,
    Level,
    Pair,
    Processes,
    Sample,
    Spread,
    of_alone,
    of_pair,
    of_side,
    t_quantile,
)

__all__ = [
    "Estimate",
    "Level",
    "Pair",
    "Sample",
    "Spread",
    "Verdict",
    "Word",
    "axis_ticks",
    "chance",
    "estimate",
    "geometric_mean",
    "median",
    "ratio",
    "t_quantile",
    "verdict",
    "zone",
]

Verdict = Literal["faster", "slower", "even", "unclear"]
# All that the product says of a comparison; the last two are decided by the report.
Word = Literal["faster", "slower", "even", "unclear", "not comparable", "insufficient"]

REPEATED_THRESHOLD = 0.02  # a smaller difference is not called one, however certain
SINGLE_THRESHOLD = 0.05  # one run each: two machines of a kind differ by this much
_MOST_TICKS = 7


Side = Sample | Processes
# Two plain sequences are processes of one session.
Cell = Pair | tuple[Side, Side]


class Estimate(msgspec.Struct, frozen=True):
    """A value and, where runs were repeated, its 95 % interval.

    *spans* is the level that the interval is about: "processes" holds within the one
    session (or, of a ratio, between those very sessions), "sessions" beyond it.
    """

    value: float
    low: float | None = None
    high: float | None = None
    spans: Level | None = None


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive *values*."""
    if len(values) == 1:
        return values[0]
    return math.exp(fmean(map(math.log, values)))


def estimate(side: Side) -> Estimate:
    """Return the geometric mean over sessions of that over processes, and its interval.

    Two or more sessions: a t interval over their means, never narrower than what their
    processes alone give. One session: a t interval over its processes, from n = 2 on.
    """
    sample = _sample(side)
    center = _center(sample)
    if sample.count < 2:
        return Estimate(center)
    half = of_side(sample)
    level: Level = "sessions" if len(sample.sessions) > 1 else "processes"
    return Estimate(center, center * math.exp(-half), center * math.exp(half), level)


def ratio(cells: Sequence[Cell]) -> Estimate:
    """Return the geometric mean over *cells* of first side / second side.

    There is no interval where any side has a single process. It spans sessions where
    each side has several or their spread is known; else it holds between those very
    sessions. The cells themselves are held fixed.
    """
    pairs = _pairs(cells)
    found = _compared(pairs)
    value, half = math.exp(found.center), found.within
    if half is None or not _all_repeated(pairs):
        return Estimate(value)
    low, high = math.exp(found.center - half), math.exp(found.center + half)
    return Estimate(value, low, high, found.spans)


def zone(cells: Sequence[Cell]) -> float | None:
    """Return the factor up to which a ratio of *cells* may be chance, 1 or more.

    That is half the 95 % interval. It is there for single processes as well, where
    the spread of such work is known; ``None`` where a spread is needed and is not.
    """
    half = _compared(_pairs(cells)).half
    return None if half is None else math.exp(half)


def chance(sides: Sequence[Side]) -> float | None:
    """Return half the 95 % interval of the log of a mean over *sides*, cell by cell.

    Two such means differ by more than chance where the log of their ratio exceeds the
    root of the sum of the squares of their halves. ``None`` where a spread is needed
    and is not known.
    """
    return _summed([of_alone(_sample(side)) for side in sides])[1]


def verdict(cells: Sequence[Cell]) -> Verdict:
    """Say what *cells* show about the speed of their first sides.

    A side is faster only if the 95 % interval leaves out 1 and the difference exceeds
    2 %, or 5 % where any side has a single process. "even" is a difference that is
    known to be no larger. Where the interval holds more than that, or a spread that
    it takes is not known, it is "unclear".
    """
    pairs = _pairs(cells)
    found = _compared(pairs)
    center, half = found.center, found.half
    if half is None:
        return "unclear"
    threshold = REPEATED_THRESHOLD if _all_repeated(pairs) else SINGLE_THRESHOLD
    # Symmetric in the factor: 1.05 one way, 1/1.05 the other.
    small, distance = math.log1p(threshold), abs(center)
    if distance + half <= small:
        return "even"
    if half > 0 and distance <= half:
        return "unclear"
    if distance <= small:
        return "even"
    return "faster" if center > 0 else "slower"


def _sample(side: Side) -> Sample:
    return side if isinstance(side, Sample) else Sample.of_one_session(side)


def _pairs(cells: Sequence[Cell]) -> tuple[Pair, ...]:
    return tuple(map(_pair, cells))


def _pair(cell: Cell) -> Pair:
    if isinstance(cell, Pair):
        return cell
    plain = not any(isinstance(side, Sample) for side in cell)
    return Pair(_sample(cell[0]), _sample(cell[1]), same_session=plain)


def _all_repeated(pairs: Sequence[Pair]) -> bool:
    return all(min(pair.first.count, pair.second.count) > 1 for pair in pairs)


class _Compared(msgspec.Struct, frozen=True):
    """A log ratio, and half of its 95 % interval: *within* leaves out what is unknown.

    *half* is ``None`` where the spread of sessions would be needed and is not known,
    and both are where that of processes is not.
    """

    center: float
    within: float | None
    half: float | None
    spans: Level


@lru_cache(maxsize=1024)  # whoever shows a ratio asks for its verdict as well
def _compared(pairs: tuple[Pair, ...]) -> _Compared:
    center = fmean(
        math.log(_center(pair.first) / _center(pair.second)) for pair in pairs
    )
    halves = [of_pair(pair) for pair in pairs]
    within, half = _summed(halves)
    beyond = half is not None and all(one.spans == "sessions" for one in halves)
    return _Compared(center, within, half, "sessions" if beyond else "processes")


def _summed(halves: Sequence[Halves]) -> tuple[float | None, float | None]:
    """Return half the interval of a mean over cells: less what is unknown, and all."""
    process = [half.process for half in halves if half.process is not None]
    session = [half.session for half in halves if half.session is not None]
    if len(process) < len(halves):
        return None, None
    # Cells of one campaign share its host: what that does to them adds up in full.
    within = math.hypot(*process, math.fsum(session)) / len(halves)
    return within, within if len(session) == len(halves) else None


def _center(sample: Sample) -> float:
    return geometric_mean([*map(geometric_mean, sample.sessions)])


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
