"""Numbers in, numbers out: means, intervals, ratios and verdicts.

Everything multiplicative happens on the log scale, so that a ratio and its inverse
say the same thing. A value is one process; steps of one process are never pooled.
Processes belong to sessions, and sessions differ more than their processes do:
``docs/statistics.md`` says what follows from that, and what was simulated.

How far chance may have moved a figure is half of a 95 % interval of its log. A half is
``None`` where a spread that it takes is not known.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from statistics import fmean, median
from typing import Literal

import msgspec

from benchdb.statistics.student import t_quantile

Verdict = Literal["faster", "slower", "even", "unclear"]
# All that the product says of a comparison; the last two are decided by the report.
Word = Literal["faster", "slower", "even", "unclear", "not comparable", "insufficient"]

REPEATED_THRESHOLD = 0.02  # a smaller difference is not called one, however certain
SINGLE_THRESHOLD = 0.05  # one run each: two machines of a kind differ by this much
_MANY_MACHINES = 3  # of a kind: so many show themselves how they differ
# A median of normal values spreads wider than their mean, by this factor at most.
_MEDIAN = math.sqrt(math.pi / 2)
# Three standard deviations hold 95 % of any distribution with one peak (Vysochanskij
# and Petunin, 1980). A seen spread is that of a class, whose cells differ in theirs.
SEEN_FACTOR = 3.0
_TWO_SIDED_95 = 0.975


class Spread(msgspec.Struct, frozen=True):
    """The spread seen for a class of work: standard deviations of logs.

    *process* is that of processes within a session, *session* that of the sessions
    themselves. ``None`` where it was never seen.
    """

    process: float | None = None
    session: float | None = None


class Sample(msgspec.Struct, frozen=True, dict=True):
    """One side of a cell: one positive value per process, grouped by session.

    *spread* is what such work has shown elsewhere. It stands in where the side itself
    cannot show it: of processes where a session has a single one, of sessions where
    there is one session. *machine* names the machine, where that is known.
    """

    sessions: tuple[tuple[float, ...], ...]
    spread: Spread | None = None
    machine: str | None = None

    @cached_property
    def count(self) -> int:
        """Return the number of processes."""
        return sum(map(len, self.sessions))

    @cached_property
    def center(self) -> float:
        """Return the geometric mean over sessions of that over processes."""
        return geometric_mean([*map(geometric_mean, self.sessions)])

    @cached_property
    def halves(self) -> "_Halves":
        """Return what it brings to a pair of different sessions; it meets many."""
        if len(self.sessions) > 1:
            return _Halves(0.0, _half(self))
        return _Halves(_within(self), _seen((self.spread or Spread()).session))


class Fleet(msgspec.Struct, frozen=True, dict=True):
    """One side of a cell: several machines of a kind, whose median it stands for."""

    machines: tuple[Sample, ...]

    @cached_property
    def count(self) -> int:
        """Return the number of processes."""
        return sum(sample.count for sample in self.machines)

    @cached_property
    def center(self) -> float:
        """Return the median of the machines."""
        return math.exp(median(math.log(machine.center) for machine in self.machines))

    @cached_property
    def halves(self) -> "_Halves":
        """Return what it brings to a pair."""
        return _Halves(0.0, _of_machines(self))


class Pair(msgspec.Struct, frozen=True):
    """The two sides of a cell.

    With *same_session* the sessions of both are the same ones, in the same order: what
    a session does to one side it does to the other, and the ratio does not see it.
    Where the numbers of sessions differ they cannot be matched, and it is ignored.
    """

    first: Sample | Fleet
    second: Sample | Fleet
    same_session: bool = False


# A plain sequence is the processes of one session; two of them, of the same one.
Side = Sample | Fleet | Sequence[float]
Cell = Pair | tuple[Side, Side]


class Estimate(msgspec.Struct, frozen=True):
    """A value and, where runs were repeated, its 95 % interval.

    It holds within the one session, or of a ratio between those very sessions, where
    there is one; of several it holds beyond them.
    """

    value: float
    low: float | None = None
    high: float | None = None


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive *values*."""
    return values[0] if len(values) == 1 else math.exp(_mean_log(values))


def estimate(side: Side) -> Estimate:
    """Return the geometric mean over sessions of that over processes, and its interval.

    Two or more sessions: a t interval over their means, never narrower than what their
    processes alone give. One session: a t interval over its processes, from n = 2 on.
    Of several machines it is the median, and its interval spans machines.
    """
    sample = _sample(side)
    center = sample.center
    if sample.count < 2:
        return Estimate(center)
    half = _half(sample) if isinstance(sample, Sample) else _of_machines(sample)
    return Estimate(center, center * math.exp(-half), center * math.exp(half))


def ratio(cells: Sequence[Cell]) -> Estimate:
    """Return the geometric mean over *cells* of first side / second side.

    There is no interval where any side has a single process. It spans sessions where
    each side has several or their spread is known; else it holds between those very
    sessions. The cells themselves are held fixed.
    """
    return judged(cells)[0]


def judged(
    cells: Sequence[Cell], threshold: float | None = None
) -> tuple[Estimate, Verdict]:
    """Return both the ``ratio`` and the ``verdict``."""
    pairs = [*map(_pair, cells)]
    mean, repeated = _compared(pairs), _all_repeated(pairs)
    value, half = math.exp(mean.center), mean.within
    known = Estimate(value)
    if half is not None and repeated:
        ends = mean.center - half, mean.center + half
        known = Estimate(value, *map(math.exp, ends))
    if threshold is None:
        sure = repeated and not any(map(_between_single_machines, pairs))
        threshold = REPEATED_THRESHOLD if sure else SINGLE_THRESHOLD
    return known, _verdict(mean, threshold)


def zone(cells: Sequence[Cell]) -> float | None:
    """Return the factor up to which a ratio of *cells* may be chance, 1 or more.

    That is half the 95 % interval. It is there for single processes as well, where
    the spread of such work is known; ``None`` where a spread is needed and is not.
    """
    half = _compared(tuple(map(_pair, cells))).half
    return None if half is None else math.exp(half)


def chance(sides: Sequence[Side]) -> float | None:
    """Return half the 95 % interval of the log of a mean over *sides*, cell by cell.

    Two such means differ by more than chance where the log of their ratio exceeds the
    root of the sum of the squares of their halves. ``None`` where a spread is needed
    and is not known.
    """
    return _summed([_sample(side).halves for side in sides])[1]


def verdict(cells: Sequence[Cell], threshold: float | None = None) -> Verdict:
    """Say what *cells* show about the speed of their first sides.

    A side is faster only if the 95 % interval leaves out 1 and the difference exceeds
    the *threshold*: 2 %, or 5 % where any side has a single process, or where two
    machines stand for their kinds. "even" is a difference that is known to be no
    larger. Where the interval holds more than that, or a spread that it takes is not
    known, it is "unclear".
    """
    return judged(cells, threshold)[1]


def _verdict(compared: "_Compared", threshold: float) -> Verdict:
    center, half = compared.center, compared.half
    if half is None:
        return "unclear"
    # Symmetric in the factor: 1.05 one way, 1/1.05 the other.
    small, distance = math.log1p(threshold), abs(center)
    if distance + half <= small:
        return "even"
    if half > 0 and distance <= half:
        return "unclear"
    if distance <= small:
        return "even"
    return "faster" if center > 0 else "slower"


def _between_single_machines(pair: Pair) -> bool:
    """Tell whether the sides are other machines, and few of a kind."""
    sides = [
        side.machines if isinstance(side, Fleet) else (side,)
        for side in (pair.first, pair.second)
    ]
    first, second = ({sample.machine for sample in side} for side in sides)
    known = None not in first | second and first != second
    return known and min(map(len, sides)) < _MANY_MACHINES


def _sample(side: Side) -> Sample | Fleet:
    return side if isinstance(side, Sample | Fleet) else Sample((tuple(side),))


def _pair(cell: Cell) -> Pair:
    if isinstance(cell, Pair):
        return cell
    plain = not any(isinstance(side, Sample | Fleet) for side in cell)
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


def _compared(pairs: Sequence[Pair]) -> _Compared:
    ratios = [math.log(pair.first.center / pair.second.center) for pair in pairs]
    center = ratios[0] if len(ratios) == 1 else fmean(ratios)
    return _Compared(center, *_summed([*map(_of_pair, pairs)]))


class _Halves(msgspec.Struct, frozen=True):
    """Half intervals of the log ratio of a pair, by what causes them.

    What *process* stands for is independent from cell to cell; cells of one campaign
    share its host, so what *session* stands for is not.
    """

    process: float | None
    session: float | None


def _summed(halves: Sequence[_Halves]) -> tuple[float | None, float | None]:
    """Return half the interval of a mean over cells: less what is unknown, and all."""
    process = [half.process for half in halves if half.process is not None]
    session = [half.session for half in halves if half.session is not None]
    if len(process) < len(halves):
        return None, None
    # Cells of one campaign share its host: what that does to them adds up in full.
    within = math.hypot(*process, math.fsum(session)) / len(halves)
    return within, within if len(session) == len(halves) else None


def _of_pair(pair: Pair) -> _Halves:
    """Return the halves of the log ratio of first side / second side.

    Each side brings its own t quantile: the root of the sum of squares of such halves
    holds the truth in 95 % at least, whatever the variances (Banerjee, 1960). Welch and
    Satterthwaite's degrees of freedom do not where one side has few processes.
    """
    first, second = pair.first, pair.second
    if (
        pair.same_session
        and isinstance(first, Sample)
        and isinstance(second, Sample)
        and len(first.sessions) == len(second.sessions)
    ):
        if len(first.sessions) == 1:
            return _Halves(_together(_within(first), _within(second)), 0.0)
        return _Halves(0.0, _of_matched(first, second))
    halves, other = first.halves, second.halves
    return _Halves(
        _together(halves.process, other.process),
        _together(halves.session, other.session),
    )


def _of_matched(first: Sample, second: Sample) -> float:
    """Return the half over what the sides differ by in each of their sessions."""
    shifts = [
        _mean_log(values) - _mean_log(other)
        for values, other in zip(first.sessions, second.sessions, strict=True)
    ]
    return max(_t_half(shifts), math.hypot(_of_pooled(first), _of_pooled(second)))


def _together(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else math.hypot(value, other)


def _seen(spread: float | None) -> float | None:
    return None if spread is None else SEEN_FACTOR * spread


def _within(sample: Sample) -> float | None:
    """Return what the processes of the only session leave open."""
    (processes,) = sample.sessions
    if len(processes) > 1:
        return _t_half(logs(processes))
    return _seen((sample.spread or Spread()).process)


def _half(sample: Sample) -> float:
    """Return the half of a side that has several processes.

    Of several sessions it is over their means, and at least what processes leave open.
    """
    if len(sample.sessions) == 1:
        return _t_half(logs(sample.sessions[0]))
    means = [*map(_mean_log, sample.sessions)]
    return max(min(_t_half(means), _of_class(means, sample)), _of_pooled(sample))


def _of_class(means: Sequence[float], sample: Sample) -> float:
    """Return the half over the *means* of sessions, from the spread of such work.

    Of two sessions Student's t knows so little that it may ask for a factor of two
    where all such work has shown 4 %. What these sessions differ by counts where it is
    more. Infinite where the spread of such work is not known.
    """
    spread = sample.spread or Spread()
    if spread.session is None or spread.process is None:
        return math.inf
    n = len(means)
    share = fmean(1 / len(session) for session in sample.sessions)
    seen = math.hypot(spread.session, spread.process * math.sqrt(share))
    here = math.sqrt(deviance(means) / (n - 1))
    return SEEN_FACTOR * max(seen, here) / math.sqrt(n)


def _of_pooled(sample: Sample) -> float:
    """Return what processes alone leave open, their spread pooled over sessions."""
    sessions = sample.sessions
    freedom = sample.count - len(sessions)
    if not freedom:
        return 0.0
    variance = math.fsum(deviance(logs(session)) for session in sessions) / freedom
    share = math.fsum(1 / len(session) for session in sessions) / len(sessions) ** 2
    return t_quantile(_TWO_SIDED_95, freedom) * math.sqrt(variance * share)


def _of_machines(fleet: Fleet) -> float:
    """Return the half of a median of machines.

    That is a t interval over machines, and at least what is known that each of them
    leaves open by itself.
    """
    centers = [math.log(sample.center) for sample in fleet.machines]
    widening = _MEDIAN if len(centers) > 2 else 1.0  # of two the median is the mean
    own = [half for half in map(_known_half, fleet.machines) if half is not None]
    return widening * max(_t_half(centers), math.hypot(*own) / len(centers))


def _known_half(sample: Sample) -> float | None:
    return _half(sample) if sample.count > 1 else _within(sample)


def _t_half(values: Sequence[float]) -> float:
    n = len(values)
    return t_quantile(_TWO_SIDED_95, n - 1) * math.sqrt(deviance(values) / (n - 1) / n)


def _mean_log(processes: Sequence[float]) -> float:
    return fmean(map(math.log, processes))


def deviance(values: Sequence[float]) -> float:
    """Return the sum of squared distances from the mean of *values*."""
    # Two passes in floats; the module's own variance is exact, in slow fractions.
    center = fmean(values)
    return math.fsum((value - center) ** 2 for value in values)


def logs(processes: Iterable[float]) -> list[float]:
    """Return the natural logarithms of positive values."""
    return [*map(math.log, processes)]
