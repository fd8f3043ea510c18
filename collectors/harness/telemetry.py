"""Watch the machine from outside while a worker measures: energy, heat, company.

All of it happens in the supervisor, in one thread that sleeps nearly always. A worker
only tells when its phases begin and end.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from energy import macmon, readings
from energy.meters import open_meter
from energy.nvml import Card, open_card
from energy.readings import Energy, Meter, NoMeterError, Reading, Span, energy_at_rest
from fingerprint import commands

from harness.machine_state import (
    Counters,
    State,
    counters,
    look,
    others,
    rises,
    summary,
)
from harness.process import CpuTime, cpu_percent, own_cpu_time

MEASURE, IDLE = "measure", "idle"
# Seconds between two looks, and where they cost more than they may: so far apart.
_OFTEN, _SELDOM, _RARELY = 0.1, 1.0, 4.0
_END_SECONDS = 10.0  # to end it all; a driver that hangs must not hang us
NEAR_CELSIUS = 3.0
_BETWEEN_SECONDS = 1.0

Thermometer = Callable[[], float | None]
# Of a core, for looks of one kind: a call to NVML takes 20 microseconds on one machine,
# a millisecond on a virtual one, and more where the card's memory is never at rest.
_MOST_COST = 0.003


@dataclass(frozen=True)
class Observations:
    """What was seen of one run: for the values, checks and conditions of its end."""

    values: tuple[dict[str, Any], ...]
    checks: dict[str, Any] = field(default_factory=dict)
    conditions: dict[str, Any] = field(default_factory=dict)


class Telemetry:
    """Watch one worker: start, tell it of phases, stop."""

    def __init__(self, device: str, *, want_powermetrics: bool = False) -> None:
        """Prepare to watch *device*: cpu, metal or cuda."""
        self.worker: int | None = None  # its process
        self._device = device
        self._want_powermetrics = want_powermetrics
        self._phases = Phases()
        self._edges = 0
        self._woken = False
        self._wake, self._stopping = threading.Event(), False
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._meter: Meter | None = None
        self._card: Card | None = None
        self._trouble: str | None = "nothing watched"
        self._refused: dict[str, str] = {}
        self._readings: list[Reading] = []
        self._states: list[State] = []
        self._counters: list[Counters] = []
        self._before: frozenset[int] = frozenset()
        self._meter_due = self._slow_due = 0.0
        self._often, self._seldom = Pace(_OFTEN, _SELDOM), Pace(_SELDOM, _RARELY)
        self._began: tuple[float, CpuTime] | None = None
        self._cost: float | None = None

    def start(self) -> None:
        """Begin to look, in a thread that dies with us."""
        self._trouble = "the meter did not start in time"
        self._thread.start()

    def phase(
        self, name: str, *, begin: bool, at_ns: int, samples: int | None = None
    ) -> None:
        """Take from the worker that a phase begins or ends, and what it did in it."""
        self._phases.note(name, at_ns / 1e9, samples, begin=begin)
        if name == MEASURE:
            self._count_cost(begin=begin)
        if name in (MEASURE, IDLE):
            self._edges += name == MEASURE
            self._woken = True
            self._wake.set()

    def _count_cost(self, *, begin: bool) -> None:
        """Take this process's CPU time, all its threads, where blocks are timed."""
        wall, now = time.monotonic(), own_cpu_time()
        if begin:
            self._began = wall, now
        elif self._began:
            started, before = self._began
            spent = CpuTime(now.user - before.user, now.system - before.system)
            self._cost = cpu_percent(spent, wall - started)

    def _watching(self) -> dict[str, Any]:
        """Return the share of a core that watching took while the blocks ran."""
        if self._cost is None:
            began = "the phase measure did not come to its end"
            why = began if self._began else "nothing was measured"
            return {"metric": "parent_cpu_percent", "reason": why}
        return {"metric": "parent_cpu_percent", "value": round(self._cost, 3)}

    def stop(self) -> Observations:
        """End all watching; return what was seen."""
        self._stopping = self._woken = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(_END_SECONDS)
        return self._observations()

    def _watch(self) -> None:
        try:
            self._open()
            self._look()
            while not self._stopping:
                self._wake.wait(self._interval())
                self._wake.clear()
                self._look()
        except Exception as failure:  # whatever it is, it must not cost the run
            self._trouble = f"the watcher failed: {type(failure).__name__}: {failure}"
        finally:
            self._close()

    def _open(self) -> None:
        if self._device == "cuda":
            try:
                self._card = open_card()
            except NoMeterError as missing:
                self._refused["nvml"] = str(missing)
            else:
                self._before = self._card.processes() or frozenset()
        self._meter, refused = open_meter(
            self._device, self._card, want_powermetrics=self._want_powermetrics
        )
        self._refused |= refused
        no_meter = "; or: ".join(self._refused.values())
        self._trouble = no_meter if self._meter is None else None

    def _close(self) -> None:
        if self._meter is not None:
            self._trouble = self._trouble or self._meter.trouble()
            self._meter.close()
        if self._card is not None:
            self._card.close()

    def _interval(self) -> float:
        watched = self._phases.open(MEASURE, IDLE)
        return self._often.seconds if watched and self._card is not None else _SELDOM

    def _look(self) -> None:
        """See what there is to see; of most of it only while the worker measures.

        Energy is read once a second and where a phase begins or ends, whatever that
        costs: of power that is sampled nothing may be missed. What a card is held back
        by may be short, so that is looked at often; all else seldom.
        """
        now, began = time.monotonic(), time.thread_time()
        edge, self._woken = self._woken, False
        metered = edge or now >= self._meter_due
        slow = edge or now >= self._slow_due
        found = self._meter.read() if metered and self._meter is not None else []
        self._readings += found
        if self._edges > len(self._counters):
            taken = counters(time.monotonic())
            self._counters += [taken] * (self._edges - len(self._counters))
        if self._phases.open(MEASURE):
            self._states.append(self._state(found, slow=slow))
        cost = time.thread_time() - began
        if metered:
            self._meter_due = now + _SELDOM
        elif not slow:
            self._often.spent(cost)
        if slow:
            if not edge:
                self._seldom.spent(cost)
            self._slow_due = now + self._seldom.seconds

    def _state(self, found: list[Reading], *, slow: bool) -> State:
        state = look(time.monotonic(), self._card, slow=slow)
        company = others(state.card.processes, self._before, self.worker)
        celsius = [one.celsius for one in found if one.celsius is not None]
        return replace(
            state,
            other_processes=company,
            celsius=celsius[-1] if celsius else state.celsius,
        )

    def _observations(self) -> Observations:
        during = self._during()
        used = self._energy(MEASURE, readings.MEASURE_SECONDS)
        idle = self._energy(IDLE, readings.IDLE_SECONDS)
        checks = {"during": during} if during else {}
        known = isinstance(used, Energy) or isinstance(idle, Energy)
        if known and self._meter is not None:
            refused = {"refused": self._refused} if self._refused else {}
            checks["energy"] = readings.check(self._meter, used, idle) | refused
        lasting = ("temperature_celsius_max", "thermal_pressure_max")
        return Observations(
            values=(
                *readings.values(used, idle, self._phases.samples(MEASURE)),
                self._watching(),
            ),
            checks=checks,
            conditions={name: during[name] for name in lasting if name in during},
        )

    def _energy(self, phase: str, least_seconds: float) -> Energy | str:
        if self._meter is None:
            return self._trouble or "nothing watched"
        spans = self._phases.spans(phase)
        if not spans and self._phases.open(phase):
            return f"the phase {phase} did not come to its end"
        if not spans:
            return f"there was no phase {phase}"  # of tier smoke: no rest
        energy_of = energy_at_rest if phase == IDLE else readings.energy_over
        found = energy_of(self._readings, spans, least_seconds)
        if isinstance(found, str) and self._trouble:
            return f"{found}: {self._trouble}"
        return found

    def _during(self) -> dict[str, Any]:
        spans = self._phases.unfinished(MEASURE, time.monotonic())
        inside = [
            state
            for state in self._states
            if any(span.begin <= state.at <= span.end for span in spans)
        ]
        if not inside:
            return {}
        return summary(inside) | rises(self._counters, self._phases.spans(MEASURE))


def temperature(device: str) -> float | None:
    """Return the temperature of *device* in Celsius, or None if it cannot be read."""
    with _thermometer(device) as celsius:
        return celsius()


@contextmanager
def _thermometer(device: str) -> Iterator[Thermometer]:
    if device == "cuda":
        try:
            card = open_card()
        except NoMeterError:
            yield lambda: None
            return
        try:
            yield card.celsius
        finally:
            card.close()
    elif commands.platform() == "darwin":
        part = "gpu" if device == "metal" else "cpu"
        yield lambda: macmon.temperature(part)
    else:
        yield lambda: None


def cool_down(
    device: str,
    until_celsius: float,
    limit_seconds: float,
    *,
    stopped: Callable[[], bool] = lambda: False,
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any] | None:
    """Wait until *device* is within 3 degrees of *until_celsius*, or not.

    Return how long that took and what the temperatures were; None, at once, where
    none can be read. *stopped* is asked every second.
    """
    with _thermometer(device) as celsius:
        began, first = clock(), celsius()
        now = first
        while now is not None and now > until_celsius + NEAR_CELSIUS:
            left = began + limit_seconds - clock()
            if left <= 0 or stopped():
                break
            pause(min(_BETWEEN_SECONDS, left))
            last, now = now, celsius()
            now = last if now is None else now
    if first is None:
        return None
    seconds = round(clock() - began, 1)
    return {"seconds": seconds, "from_celsius": first, "to_celsius": now}


class Phases:
    """The begins and ends of phases by name, in seconds of the monotonic clock."""

    def __init__(self) -> None:
        """Begin with none."""
        self._begun: dict[str, float] = {}
        self._spans: dict[str, list[Span]] = {}
        self._samples: dict[str, int] = {}

    def note(self, name: str, at: float, samples: int | None, *, begin: bool) -> None:
        """Take one begin or end; an end that never began is no phase."""
        if begin:
            self._begun[name] = at
        elif name in self._begun:
            span = Span(self._begun.pop(name), at)
            self._spans.setdefault(name, []).append(span)
            if samples is not None:
                self._samples[name] = self._samples.get(name, 0) + samples

    def open(self, *names: str) -> bool:
        """Return whether one of *names* has begun and not ended."""
        return any(name in self._begun for name in names)

    def spans(self, name: str) -> list[Span]:
        """Return when the phase went on, from begin to end."""
        return list(self._spans.get(name, ()))

    def unfinished(self, name: str, now: float) -> list[Span]:
        """Return the same, and what began and never ended, until *now*."""
        begun = [Span(self._begun[name], now)] if name in self._begun else []
        return [*self.spans(name), *begun]

    def samples(self, name: str) -> int | None:
        """Return the samples done in the phase, where the worker said so."""
        return self._samples.get(name)


class Pace:
    """A pause in seconds: as short as wanted, longer where a look costs much."""

    def __init__(self, least: float, most: float) -> None:
        """Begin with *least*; never wait longer than *most*."""
        self.seconds = least
        self._least, self._most = least, most

    def spent(self, cpu_seconds: float) -> None:
        """Take what the last look cost; the next may be so far off that it pays."""
        self.seconds = min(self._most, max(self._least, cpu_seconds / _MOST_COST))
