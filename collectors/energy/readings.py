"""Energy: what every meter gives, and what that amounts to over a window.

Whether a meter reads a counter or watts, it gives joules counted so far. One
interpolation between such readings is then the energy of any window.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

# NVML's counter moves about ten times a second: 10 s are known to two percent.
MEASURE_SECONDS = 10.0
IDLE_SECONDS = 1.0
# Of a window; the rest, before the first and after the last reading, is assumed alike.
COVERED = 0.95

Joules = dict[str, float]
Value = dict[str, Any]
# Of a rest, by means that lie wholly inside it.
COVERED_AT_REST = 0.5
# A mean is printed a little after the time that it is of.
_PRINTING_SECONDS = 0.05


class NoMeterError(Exception):
    """There is no such meter here: why, and what to do about it."""

    def __init__(self, why: str, install: str) -> None:
        """Say both in one line."""
        super().__init__(f"{why}; {install}")
        self.why = why
        self.install = install


@dataclass(frozen=True)
class Reading:
    """Joules by domain counted until *at*, in seconds of the monotonic clock.

    *since* is when the mean began that this added, where it is one: what was drawn at
    a moment between the two cannot be told. *clock_mhz* and *busy_percent* are of the
    device that is measured, where the meter tells them.
    """

    at: float
    joules: Joules
    celsius: float | None = None
    since: float | None = None
    clock_mhz: float | None = None
    busy_percent: float | None = None


class Meter:
    """A source of readings, and what of the machine it counts."""

    source: str
    scope: str

    def read(self) -> list[Reading]:
        """Return the readings since the last call, oldest first."""
        raise NotImplementedError

    def trouble(self) -> str | None:
        """Return why there will be no more readings; what fails now may work later."""
        return None

    def close(self) -> None:
        """Let go of what the meter holds; end what it started."""


@dataclass
class Integral:
    """Joules so far out of watts, each held over the time before it."""

    _joules: Joules = field(default_factory=dict)
    _at: float | None = None
    _skipped: bool = False

    def add(
        self,
        at: float,
        watts: Joules,
        *,
        seconds: float | None = None,
        celsius: float | None = None,
    ) -> list[Reading]:
        """Count *watts* over *seconds*, by default those since the last call.

        Nothing comes of watts that are none, or lack a domain counted before: the next
        ones are held over the time of these as well.
        """
        if not watts or not self._joules.keys() <= watts.keys():
            self._skipped = True
            return []
        passed = at - (at if self._at is None else self._at)
        if seconds is not None and not self._skipped:
            passed = seconds
        self._at, self._skipped = at, False
        self._joules = {
            name: self._joules.get(name, 0.0) + passed * amount
            for name, amount in watts.items()
        }
        return [Reading(at, dict(self._joules), celsius, since=at - passed)]


@dataclass(frozen=True)
class Span:
    """From when to when something was done, in seconds of the monotonic clock."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """Return how long it took."""
        return self.end - self.begin

    def __contains__(self, at: float) -> bool:
        return self.begin <= at <= self.end

    def within(self, other: "Span") -> "Span":
        """Return the part that lies within *other*; nothing where they do not meet."""
        begin = min(max(self.begin, other.begin), self.end)
        return Span(begin, max(begin, min(self.end, other.end)))


@dataclass(frozen=True)
class Energy:
    """Joules by domain over *seconds*; *covered* of them lie between readings."""

    seconds: float
    domains: Joules
    covered: float

    @property
    def joules(self) -> float:
        """Return the sum over the domains."""
        return math.fsum(self.domains.values())

    @property
    def watts(self) -> float:
        """Return the mean power."""
        return self.joules / self.seconds


def energy_over(
    readings: Sequence[Reading],
    span: Span,
    least_seconds: float,
    *,
    at_rest: bool = False,
) -> Energy | str:
    """Return the energy of *span*, or why it is not known.

    *at_rest* nothing was done in it, and a mean that reaches over an edge is of work
    as well. Shared out in proportion it would make some watts of rest several times as
    many, so it is left out; the figure is of the seconds that the others cover.
    """
    if span.seconds < least_seconds:
        needed = f"a figure needs at least {least_seconds:g} s"
        return f"the window was {span.seconds:.1f} s long; {needed}"
    if not readings:
        return "the meter gave no reading"
    if at_rest and any(reading.since is not None for reading in readings):
        means = [
            (after.at - after.since, before.joules, after.joules)
            for before, after in pairwise(readings)
            if after.since is not None and _only_of(span, after.since, before, after)
        ]
        known = math.fsum(length for length, _, _ in means)
        if known < COVERED_AT_REST * span.seconds:
            only = f"readings of nothing but the window cover {known:.1f} s"
            return f"{only} of its {span.seconds:.1f} s"
        domains = _by_domain(
            readings, lambda of: sum(end[of] - begin[of] for _, begin, end in means)
        )
        return domains if isinstance(domains, str) else Energy(known, domains, 1.0)
    seen = span.within(Span(readings[0].at, readings[-1].at))
    if seen.seconds < COVERED * span.seconds:
        window = f"a window of {span.seconds:.1f} s"
        return f"the meter answered for {seen.seconds:.1f} s of {window}"
    seconds, covered = span.seconds, seen.seconds / span.seconds
    count = partial(_count, readings)
    domains = _by_domain(
        readings, lambda of: (count(of, seen.end) - count(of, seen.begin)) / covered
    )
    return domains if isinstance(domains, str) else Energy(seconds, domains, covered)


def joules_between(readings: Sequence[Reading], span: Span) -> float | None:
    """Return the joules of all domains within *span*; None if it was not read whole."""
    if not readings or not (readings[0].at <= span.begin < span.end <= readings[-1].at):
        return None
    names = readings[0].joules.keys()
    if any(reading.joules.keys() != names for reading in readings):
        return None
    return math.fsum(
        _count(readings, name, span.end) - _count(readings, name, span.begin)
        for name in names
    )


def _only_of(span: Span, since: float, before: Reading, mean: Reading) -> bool:
    """Return whether a *mean* is of *span* alone.

    Of two that arrive at once the first is of the time before the second, so what
    came *before* a mean has to be inside as well.
    """
    return span.begin <= min(since, before.at) - _PRINTING_SECONDS and mean.at in span


def _by_domain(
    readings: Sequence[Reading], joules: Callable[[str], float]
) -> Joules | str:
    """Return the *joules* of every domain by its name, or what is wrong with them.

    A sum without a domain that some readings lack would pass for the whole.
    """
    names = readings[0].joules.keys()
    at_times: set[str] = set()
    at_times.update(*(names ^ reading.joules.keys() for reading in readings))
    if at_times:
        return f"the meter told {', '.join(sorted(at_times))} only at times"
    domains = {name: joules(name) for name in names}
    if any(amount < 0 for amount in domains.values()):
        return "the counter went backwards"
    return domains if any(domains.values()) else "the counter did not move"


def _count(readings: Sequence[Reading], domain: str, at: float) -> float:
    """Return what the counter stood at, between two readings in proportion."""
    index = bisect_left(readings, at, key=lambda reading: reading.at)
    after = readings[min(index, len(readings) - 1)]
    before = readings[max(index - 1, 0)]
    passed = after.at - before.at
    share = (at - before.at) / passed if passed > 0 else 1.0
    low, high = before.joules[domain], after.joules[domain]
    return low + share * (high - low)


def values(
    energy: Energy | str, idle: Energy | str, samples: int | None
) -> tuple[Value, ...]:
    """Return the figures as values of the exchange format, or the reason of each."""
    figures: dict[str, float | str] = {
        "energy_joules": energy if isinstance(energy, str) else energy.joules,
        "mean_power_watts": energy if isinstance(energy, str) else energy.watts,
        "idle_power_watts": idle if isinstance(idle, str) else idle.watts,
        "samples_per_joule": "the worker did not say how many samples it did",
    }
    if isinstance(energy, str):
        figures["samples_per_joule"] = energy
    elif samples:
        figures["samples_per_joule"] = samples / energy.joules
    return tuple(
        {"metric": metric, "reason": figure}
        if isinstance(figure, str)
        else {"metric": metric, "value": rounded(figure)}
        for metric, figure in figures.items()
    )


def rounded(number: float) -> float:
    """Return *number* with six digits: no meter knows more."""
    return float(f"{number:.6g}")


def check(meter: Meter, energy: Energy | str, idle: Energy | str) -> dict[str, Any]:
    """Return what the figures are of: source and scope, and joules by domain."""
    facts: dict[str, Any] = {"source": meter.source, "scope": meter.scope}
    if isinstance(energy, Energy):
        facts["window_seconds"] = round(energy.seconds, 3)
        facts["domains"] = {k: rounded(v) for k, v in energy.domains.items()}
        if energy.covered < 1:
            facts["covered_fraction"] = round(energy.covered, 4)
    if isinstance(idle, Energy):
        facts["idle_seconds"] = round(idle.seconds, 3)
    return facts
