"""Change points: where a course of campaigns went over to another level.

Candidates are the segmentation of least cost among all that there are (optimal
partitioning: Jackson et al., 2005), of logs, each weighed by what chance may do to its
campaign. A candidate counts only where the verdict over the campaigns on both sides is
faster or slower: ``docs/statistics.md`` has the rates of both errors.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, islice, pairwise
from statistics import fmean

import msgspec

from benchdb.statistics.comparison import (
    Sample,
    Spread,
    Verdict,
    deviance,
    geometric_mean,
    logs,
    verdict,
)

# Campaigns on both sides of a candidate, by their places: what the verdict on them is.
Judge = Callable[[range, range], str]

_DIFFERENT = ("faster", "slower")
# A segment between two changes has as many: a single campaign that is unlike its
# neighbours is an outlier.
_SHORTEST = 2
_FINEST = 1e-4  # what figures differ by at least: digits end
# What a change costs, and how much more the more places there are for it: the least
# with which noise is seldom called a change (``python -m benchmarks.change_points``).
_PENALTY, _PER_LOG = 7.5, 2.0


class Change(msgspec.Struct, frozen=True):
    """A change at the campaign *at*, the first of the new level, which ends at *end*.

    The level before began at *start*; places count from 0, and *end* is beyond it.
    """

    start: int
    at: int
    end: int


def changes(samples: Sequence[Sample], judge: Judge | None = None) -> list[Change]:
    """Return where the level of *samples* changed, campaigns in the order of time.

    *judge* says what the campaigns before and after a candidate show; without it they
    are compared as sessions.
    """
    if len(samples) < 2:
        return []
    verdict_of = judge or (lambda before, after: _verdict(samples, before, after))
    course = _Course(samples)
    cuts = course.cuts()
    while cuts:
        edges = [0, *cuts, len(samples)]
        every = [
            Change(start, at, end)
            for start, at, end in zip(edges, edges[1:], edges[2:], strict=False)
        ]
        weak = [
            change
            for change in every
            if verdict_of(range(change.start, change.at), range(change.at, change.end))
            not in _DIFFERENT
        ]
        if not weak:
            return every
        # Without it its neighbours are judged by all campaigns that remain.
        cuts.remove(min(weak, key=course.gain).at)
    return []


def together(samples: Iterable[Sample]) -> Sample:
    """Return the sessions of several campaigns as one sample."""
    every = list(samples)
    sessions = tuple(session for sample in every for session in sample.sessions)
    return Sample(sessions, every[0].spread)


def _verdict(samples: Sequence[Sample], before: range, after: range) -> Verdict:
    first, second = (
        together(samples[place] for place in side) for side in (after, before)
    )
    return verdict([(first, second)])


class _Course:
    """The logs of campaigns with their weights, and sums from the first one on."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        values = [
            fmean(math.log(geometric_mean(session)) for session in sample.sessions)
            for sample in samples
        ]
        center = fmean(values)
        levels = [value - center for value in values]
        weights = [1 / variance for variance in _variances(samples, levels)]
        pairs = list(zip(weights, levels, strict=True))
        self._weights = [0.0, *accumulate(weights)]
        self._sums = [0.0, *accumulate(w * y for w, y in pairs)]
        self._squares = [0.0, *accumulate(w * y * y for w, y in pairs)]

    def cuts(self) -> list[int]:
        """Return the first campaign of every segment but the first."""
        count = len(self._weights) - 1
        penalty = _PENALTY + _PER_LOG * math.log(count)
        best, last = [-penalty], [0]
        for end in range(1, count + 1):
            # At both ends a single campaign may be a level, between changes not.
            latest = end - 1 if end == count else end - _SHORTEST
            before = zip(best, self._weights, self._sums, self._squares, strict=False)
            weight, total, squares = self._until(end)
            costs = [
                cost + (squares - square) - (total - part) ** 2 / (weight - share)
                for cost, share, part, square in islice(before, max(latest, 0) + 1)
            ]
            least = min(range(len(costs)), key=costs.__getitem__)
            best.append(costs[least] + penalty)
            last.append(least)
        cuts, place = [], last[count]
        while place > 0:
            cuts.append(place)
            place = last[place]
        return cuts[::-1]

    def gain(self, change: Change) -> float:
        """Return how much dearer the two segments of *change* are as one."""
        start, at, end = change.start, change.at, change.end
        return self._cost(start, end) - self._cost(start, at) - self._cost(at, end)

    def _until(self, end: int) -> tuple[float, float, float]:
        return self._weights[end], self._sums[end], self._squares[end]

    def _cost(self, start: int, end: int) -> float:
        """Return the weighed squares of distances from the mean of a segment."""
        before, until = self._until(start), self._until(end)
        weight, total, squares = (b - a for a, b in zip(before, until, strict=True))
        return squares - total * total / weight


def _variances(samples: Sequence[Sample], levels: Sequence[float]) -> list[float]:
    """Return what chance does to the log of each campaign, as a variance.

    That is what its processes leave open, and what campaigns differ by beyond that:
    their steps from one to the next, without the largest, which may be a change.
    """
    steps = sorted((after - before) ** 2 for before, after in pairwise(levels))
    whole = fmean(steps[:-1] or steps) / 2
    process = _process_variance(samples)
    own = [
        process
        * math.fsum(1 / len(session) for session in sample.sessions)
        / len(sample.sessions) ** 2
        for sample in samples
    ]
    beyond = max(0.0, whole - fmean(own))
    return [max(_FINEST**2, beyond + value) for value in own]


def _process_variance(samples: Sequence[Sample]) -> float:
    """Return the variance of processes, of all campaigns; else of such work."""
    sessions = [session for sample in samples for session in sample.sessions]
    freedom = sum(len(session) - 1 for session in sessions)
    if freedom:
        return math.fsum(map(deviance, map(logs, sessions))) / freedom
    return ((samples[0].spread or Spread()).process or 0.0) ** 2
