"""Sides of a comparison, and how far chance may have moved them: halves of intervals.

All halves are of 95 % intervals of logs. A half is ``None`` where a spread that it
takes is not known. Student's t says by how much few repeats widen an interval.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist, fmean
from typing import Literal

import msgspec

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


Processes = Sequence[float]  # one positive value per process
Level = Literal["processes", "sessions"]

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


class Sample(msgspec.Struct, frozen=True):
    """One side of a cell: one positive value per process, grouped by session.

    *spread* is what such work has shown elsewhere. It stands in where the side itself
    cannot show it: of processes where a session has a single one, of sessions where
    there is one session.
    """

    sessions: tuple[tuple[float, ...], ...]
    spread: Spread | None = None

    @classmethod
    def of_one_session(
        cls, processes: Processes, spread: Spread | None = None
    ) -> "Sample":
        """Return the sample of *processes* that all ran in one session."""
        return cls((tuple(processes),), spread)

    @property
    def count(self) -> int:
        """Return the number of processes."""
        return sum(map(len, self.sessions))


class Pair(msgspec.Struct, frozen=True):
    """The two sides of a cell.

    With *same_session* the sessions of both are the same ones, in the same order: what
    a session does to one side it does to the other, and the ratio does not see it.
    Where the numbers of sessions differ they cannot be matched, and it is ignored.
    """

    first: Sample
    second: Sample
    same_session: bool = False


class Halves(msgspec.Struct, frozen=True):
    """Half intervals of the log ratio of a pair, by what causes them.

    What *process* stands for is independent from cell to cell; cells of one campaign
    share its host, so what *session* stands for is not. *spans* is "processes" where
    all of it was seen in one session that both sides share.
    """

    process: float | None
    session: float | None
    spans: Level = "sessions"


def of_side(sample: Sample) -> float:
    """Return the half of a side that has several processes.

    Of several sessions it is over their means, and at least what processes leave open.
    """
    if len(sample.sessions) == 1:
        return _of_values(_logs(sample.sessions[0]))
    means = [*map(_mean_log, sample.sessions)]
    return max(min(_of_values(means), _of_class(means, sample)), _of_pooled(sample))


def _of_class(means: Sequence[float], sample: Sample) -> float:
    """Return the half over the *means* of sessions, from the spread of such work.

    Of two sessions Student's t knows so little that it may ask for a factor of two
    where all such work has shown 4 %. What these sessions differ by counts where it is
    more. Infinite where the spread of such work is not known.
    """
    spread = _spread(sample)
    if spread.session is None or spread.process is None:
        return math.inf
    n = len(means)
    share = fmean(1 / len(one) for one in sample.sessions)
    seen = math.hypot(spread.session, spread.process * math.sqrt(share))
    here = math.sqrt(_deviance(means) / (n - 1))
    return SEEN_FACTOR * max(seen, here) / math.sqrt(n)


def of_pair(pair: Pair) -> Halves:
    """Return the halves of the log ratio of first side / second side.

    Each side brings its own t quantile: the root of the sum of squares of such halves
    holds the truth in 95 % at least, whatever the variances (Banerjee, 1960). Welch and
    Satterthwaite's degrees of freedom do not where one side has few processes.
    """
    sides = pair.first, pair.second
    if pair.same_session and len(sides[0].sessions) == len(sides[1].sessions):
        if len(sides[0].sessions) == 1:
            within = _together([_within(side) for side in sides])
            return Halves(within, 0.0, spans="processes")
        return Halves(0.0, _of_matched(pair))
    single = [side for side in sides if len(side.sessions) == 1]
    several = [of_side(side) for side in sides if len(side.sessions) > 1]
    between = [_seen(_spread(side).session) for side in single]
    return Halves(
        _together([_within(side) for side in single]), _together([*several, *between])
    )


def of_alone(sample: Sample) -> Halves:
    """Return the halves that a side brings to a pair of different sessions."""
    if len(sample.sessions) > 1:
        return Halves(0.0, of_side(sample))
    return Halves(_within(sample), _seen(_spread(sample).session))


def _together(halves: Sequence[float | None]) -> float | None:
    known = [half for half in halves if half is not None]
    return math.hypot(*known) if len(known) == len(halves) else None


def _seen(spread: float | None) -> float | None:
    return None if spread is None else SEEN_FACTOR * spread


def _spread(sample: Sample) -> Spread:
    return sample.spread or Spread()


def _within(sample: Sample) -> float | None:
    """Return what the processes of the only session leave open."""
    (processes,) = sample.sessions
    if len(processes) > 1:
        return _of_values(_logs(processes))
    return _seen(_spread(sample).process)


def _of_matched(pair: Pair) -> float:
    """Return the half over what the sides differ by in each of their sessions."""
    shifts = [
        _mean_log(first) - _mean_log(second)
        for first, second in zip(pair.first.sessions, pair.second.sessions, strict=True)
    ]
    pooled = math.hypot(_of_pooled(pair.first), _of_pooled(pair.second))
    return max(_of_values(shifts), pooled)


def _of_pooled(sample: Sample) -> float:
    """Return what processes alone leave open, their spread pooled over sessions."""
    sessions = sample.sessions
    freedom = sample.count - len(sessions)
    if not freedom:
        return 0.0
    variance = math.fsum(_deviance(_logs(session)) for session in sessions) / freedom
    share = math.fsum(1 / len(session) for session in sessions) / len(sessions) ** 2
    return t_quantile(_TWO_SIDED_95, freedom) * math.sqrt(variance * share)


def _of_values(logs: Sequence[float]) -> float:
    n = len(logs)
    return t_quantile(_TWO_SIDED_95, n - 1) * math.sqrt(_deviance(logs) / (n - 1) / n)


def _deviance(logs: Sequence[float]) -> float:
    # Two passes in floats; the module's own variance is exact, in slow fractions.
    center = fmean(logs)
    return math.fsum((log - center) ** 2 for log in logs)


def _mean_log(processes: Processes) -> float:
    return fmean(map(math.log, processes))


def _logs(processes: Processes) -> list[float]:
    return [*map(math.log, processes)]
