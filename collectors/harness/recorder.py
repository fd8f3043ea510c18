"""What a worker has found so far: values, samples, checks, gates."""

import math
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from harness.cells import Assignment
from harness.framework import Work
from harness.messages import Say, finite
from harness.process import peak_resident_bytes
from harness.timing import TIERS, Tier

# A crash may cost this many seconds of samples, no more.
_FLUSH_SECONDS = 1.0
GATES = (
    *("parameter_count", "device", "dtype", "loss", "reference_loss", "result_error"),
    *("math_mode", "peak_rate", "peak_bandwidth", "doubling", "synchronisation"),
)


@dataclass
class SampleWriter:
    """Send the samples of a run, a few at a time, in the order taken."""

    _say: Say
    _run: str
    _kind: tuple[str, int] = ("", 0)
    _values: list[float] = field(default_factory=list)
    _sent: float = field(default_factory=time.monotonic)

    def add(self, phase: str, per: int, seconds: float) -> None:
        """Take one time over *per* steps; send when a second has passed."""
        if (phase, per) != self._kind:
            self.flush()
            self._kind = (phase, per)
        self._values.append(seconds)
        if time.monotonic() - self._sent >= _FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Send what is held back."""
        if self._values:
            phase, per = self._kind
            taken = {"phase": phase, "per": per, "values": self._values}
            self._say({"type": "samples", "run": self._run, **taken})
            self._values = []
        self._sent = time.monotonic()


@dataclass
class Gates:
    """The gates of one run, as far as it has come."""

    _seen: dict[str, dict[str, Any]] = field(default_factory=dict)

    def judge(self, name: str, *, ok: bool, **facts: Any) -> None:
        """Keep the verdict on one gate with what was found."""
        self._seen[name] = {"status": "passed" if ok else "failed"} | facts

    def leave(self, name: str, why: str, *, applicable: bool = True) -> None:
        """Keep why a gate was not looked at."""
        status = "not-checked" if applicable else "not-applicable"
        self._seen[name] = {"status": status, "why": why}

    def verdicts(self) -> dict[str, dict[str, Any]]:
        """Return every gate, in one order."""
        unseen = {"status": "not-checked", "why": "the run ended before it"}
        return {name: self._seen.get(name, unseen) for name in GATES}

    def failures(self) -> list[str]:
        """Return the gates that did not hold, each with what was found."""
        result = []
        for name, gate in self.verdicts().items():
            facts = (f"{key} {fact}" for key, fact in gate.items() if key != "status")
            if gate["status"] == "failed":
                result.append(f"{name} ({', '.join(facts)})")
        return result


class Recorder:
    """What has been found so far; a failure later on does not take it away."""

    def __init__(self, assignment: Assignment, say: Say) -> None:
        """Send each value with *say* as it is found, so that a crash keeps it."""
        self._say = say
        self.assignment, self.cell = assignment, assignment.cell
        self.samples = SampleWriter(say, assignment.run["key"])
        self.checks: dict[str, Any] = {}
        if assignment.term_seconds is not None:
            self.checks["term_seconds"] = assignment.term_seconds
        self.gates = Gates()
        self.precision = assignment.cell.precision  # what is in effect, once known
        self.untrained: list[float] = []  # some weights, before the timed steps
        self.losses: list[float] = []
        self._memory_sent = False

    @property
    def tier(self) -> Tier:
        """Return how thorough the run is: with a term, its blocks end then.

        They last half of the usual window at least. What is no part of the headline is
        cut short: steps that are timed one by one, and the power at rest, which the
        first process of a cell shows where there is a meter. There is no burst, for
        settling has no end that a term could set.
        """
        tier, until = TIERS[self.cell.tier], self.assignment.blocks_until
        if until is None:
            return tier
        left = until - time.monotonic()
        shown = self.assignment.run["replicate"] or not self.assignment.metered
        window = min(max(left, tier.window_seconds / 2), tier.window_limit)
        return replace(
            tier,
            window_seconds=window,
            window_limit=min(window + 1.0, tier.window_limit),
            idle_seconds=0.0 if shown else tier.idle_seconds,
            rest_seconds=0.0,
            single_seconds=min(tier.single_seconds, 1.0),
        )

    def value(
        self, metric: str, value: float | None, reason: str = "not known"
    ) -> None:
        """Send one figure; what is not a number needs its *reason*."""
        number = finite(value)
        values = {"value": number} if number is not None else {"reason": reason}
        self._say({"type": "value", "metric": metric, **values})

    @contextmanager
    def phase(self, name: str) -> Iterator[dict[str, int]]:
        """Tell the supervisor, who watches, when a phase begins and ends.

        Whoever runs it puts into the yielded dict how many ``samples`` it had.
        """
        facts: dict[str, int] = {}
        self._edge(name, time.monotonic_ns(), begin=True)
        yield facts
        self._edge(name, time.monotonic_ns(), begin=False, **facts)

    def _edge(self, name: str, at_ns: int, *, begin: bool, **facts: int) -> None:
        line = {"type": "phase", "phase": name, "begin": begin, "at_ns": at_ns}
        self._say(line | facts)

    def span(self, name: str, seconds: float, end: float) -> None:
        """Tell of a phase that ended at *end*, by the monotonic clock, afterwards."""
        for at, begin in ((end - seconds, True), (end, False)):
            self._edge(name, round(at * 1e9), begin=begin)

    def timing(self, metric: str, action: Callable[[], Any]) -> Any:
        """Run *action*, send its seconds as *metric*."""
        started = time.perf_counter()
        result = action()
        self.value(metric, time.perf_counter() - started)
        return result

    def peak_memory(self) -> None:
        """Send the peak of this process, once: the gates need memory of their own."""
        if not self._memory_sent:
            self._memory_sent = True
            peak = peak_resident_bytes()
            self.value("peak_resident_bytes", peak, "not readable here")

    def read_loss(self, work: Work) -> None:
        """Keep the loss of the last step as a float32; an operation has none."""
        value = work.loss()
        if value is not None:
            try:
                (narrowed,) = struct.unpack("<f", struct.pack("<f", value))
            except OverflowError:
                narrowed = math.inf
            self.losses.append(narrowed)
