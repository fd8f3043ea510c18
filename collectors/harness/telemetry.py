"""Watch the machine from outside while a worker measures: energy, heat, company.

All of it happens in the supervisor, in one thread that sleeps nearly always. A worker
only tells when its phases begin and end.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from energy import macmon, readings
from energy.meters import open_meter
from energy.nvml import Card, CardState, open_card
from energy.readings import Energy, Meter, NoMeterError, Reading, Span, energy_over
from fingerprint import commands
from fingerprint.facts import known
from fingerprint.linux import throttle_count
from fingerprint.macos import vm_stat

from harness.process import CpuTime, cpu_percent, own_cpu_time
from harness.states import Facts, State, over_time, part_of, summary, unsettled

MEASURE, IDLE = "measure", "idle"
# The work without a pause around the measured blocks, its begin and its settled end.
STRETCH, BURST, SUSTAINED = "stretch", "burst", "sustained"
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
    """What was seen of one run: for the values, checks and conditions of its end.

    *unsettled* is why its sustained rate is none, if clock or power still changed;
    *clock_mhz* is the median that its device held while blocks were measured.
    """

    values: tuple[dict[str, Any], ...]
    checks: dict[str, Any] = field(default_factory=dict)
    conditions: dict[str, Any] = field(default_factory=dict)
    unsettled: str | None = None
    clock_mhz: float | None = None


class Telemetry:
    """Watch one worker: start, tell it of phases, stop."""

    def __init__(self, device: str, *, want_powermetrics: bool = False) -> None:
        """Prepare to watch *device*: cpu, metal or cuda."""
        self.worker: int | None = None  # its process
        self._device = device
        self._want_powermetrics = want_powermetrics
        self._begun: dict[str, float] = {}  # phases that have not ended
        self._spans: dict[str, Span] = {}  # those that have
        self._samples: int | None = None  # done while blocks were timed
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
        self._counters: list[tuple[float, Facts]] = []
        self._before: frozenset[int] = frozenset()
        self._meter_due = self._slow_due = 0.0
        self._often, self._seldom = _OFTEN, _SELDOM  # the pauses
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
        if begin:
            self._begun[name] = at_ns / 1e9
        elif name in self._begun:  # an end that never began is no phase
            self._spans[name] = Span(self._begun.pop(name), at_ns / 1e9)
            self._samples = samples if name == MEASURE else self._samples
        if name in (MEASURE, IDLE, STRETCH):
            self._edges += name == MEASURE
            self._woken = True
            self._wake.set()
        if name == MEASURE:
            # This process's CPU time, all its threads, where blocks are timed.
            wall, now = time.monotonic(), own_cpu_time()
            if begin:
                self._began = wall, now
            elif self._began:
                started, before = self._began
                spent = CpuTime(now.user - before.user, now.system - before.system)
                self._cost = cpu_percent(spent, wall - started)

    def stop(self) -> Observations:
        """End all watching; return what was seen."""
        self._stopping = self._woken = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(_END_SECONDS)
        during: dict[str, Any] = {}
        span = self._spans.get(MEASURE)
        if MEASURE in self._begun:
            span = Span(self._begun[MEASURE], time.monotonic())
        if span and (inside := [state for state in self._states if state.at in span]):
            during = summary(inside)
            if MEASURE in self._spans:
                during |= rises(self._counters, span)
        used = self._energy(MEASURE, readings.MEASURE_SECONDS)
        idle = self._energy(IDLE, readings.IDLE_SECONDS)
        checks: dict[str, Any] = {"during": during} if during else {}
        if self._spans:
            spans = {name: span.end - span.begin for name, span in self._spans.items()}
            checks["phase_seconds"] = {name: round(s, 3) for name, s in spans.items()}
        known = isinstance(used, Energy) or isinstance(idle, Energy)
        if known and self._meter is not None:
            refused = {"refused": self._refused} if self._refused else {}
            checks["energy"] = readings.check(self._meter, used, idle) | refused
        stretch, unchanged = self._stretch()
        checks |= {"over_time": stretch} if stretch else {}
        lasting = ("temperature_celsius_max", "thermal_pressure_max")
        # The share of a core that watching took while the blocks ran.
        cost: dict[str, Any] = {"metric": "parent_cpu_percent"}
        if self._cost is not None:
            cost["value"] = round(self._cost, 3)
        elif self._began:
            cost["reason"] = "the phase measure did not come to its end"
        else:
            cost["reason"] = "nothing was measured"
        figures = readings.values(used, idle, self._samples)
        busy = during.get("gpu_utilisation_percent_median")
        # Coarser than a profiler: a kernel that runs at all counts for its whole slice.
        use = {"metric": "gpu_busy_percent", "value": busy, "derived": "utilisation"}
        return Observations(
            values=(*figures, cost, *([] if busy is None else [use])),
            checks=checks,
            conditions={name: during[name] for name in lasting if name in during},
            unsettled=unchanged,
            clock_mhz=part_of(self._states, [], span).get("clock_mhz")
            if span
            else None,
        )

    def _stretch(self) -> tuple[Facts, str | None]:
        """Return clock, power and heat from the burst on; why they did not settle."""
        if (span := self._spans.get(STRETCH)) is None:
            return {}, None
        seen = over_time(self._states, self._readings, span)
        for name in (BURST, SUSTAINED):
            if name in self._spans and (
                part := part_of(self._states, self._readings, self._spans[name])
            ):
                seen[name] = part
        if (settled := self._spans.get(SUSTAINED)) is None:
            return seen, None
        return seen, unsettled(self._states, self._readings, settled)

    def _watch(self) -> None:
        try:
            self._open()
            self._look()
            while not self._stopping:
                watched = (
                    self._card is not None
                    and {MEASURE, IDLE, STRETCH} & self._begun.keys()
                )
                self._wake.wait(self._often if watched else _SELDOM)
                self._wake.clear()
                self._look()
        except Exception as failure:  # whatever it is, it must not cost the run
            self._trouble = f"the watcher failed: {type(failure).__name__}: {failure}"
        finally:
            if self._meter is not None:
                self._trouble = self._trouble or self._meter.trouble()
                self._meter.close()
            if self._card is not None:
                self._card.close()

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
        readings = self._meter.read() if metered and self._meter is not None else []
        self._readings += readings
        if self._edges > len(self._counters):
            taken = time.monotonic(), counters()
            self._counters += [taken] * (self._edges - len(self._counters))
        if {MEASURE, STRETCH} & self._begun.keys():
            self._states.append(self._state(readings, slow=slow))
        cost = time.thread_time() - began
        if metered:
            self._meter_due = now + _SELDOM
        elif not slow:
            self._often = pause(cost, _OFTEN, _SELDOM)
        if slow:
            if not edge:
                self._seldom = pause(cost, _SELDOM, _RARELY)
            self._slow_due = now + self._seldom

    def _state(self, readings: list[Reading], *, slow: bool) -> State:
        at = time.monotonic()
        card = CardState() if self._card is None else self._card.state(slow=slow)
        # Of a Mac the meter says what a card says of itself.
        last = readings[-1] if readings else Reading(at, {})
        return State(
            at=at,
            load_1m=os.getloadavg()[0],
            pressure=commands.thermal_pressure(),
            celsius=_known(last.celsius, card.celsius),
            clock_mhz=_known(last.clock_mhz, card.sm_clock_mhz),
            busy_percent=_known(last.busy_percent, card.utilisation_percent),
            card=card,
            other_processes=others(card.processes, self._before, self.worker),
        )

    def _energy(self, phase: str, least_seconds: float) -> Energy | str:
        if self._meter is None:
            return self._trouble or "nothing watched"
        if phase not in self._spans:
            if phase in self._begun:
                return f"the phase {phase} did not come to its end"
            return f"there was no phase {phase}"  # of tier smoke: no rest
        span, at_rest = self._spans[phase], phase == IDLE
        energy = energy_over(self._readings, span, least_seconds, at_rest=at_rest)
        if isinstance(energy, str) and self._trouble:
            return f"{energy}: {self._trouble}"
        return energy


def _known(*facts: float | None) -> float | None:
    """Return the first of *facts* that is known."""
    return next((fact for fact in facts if fact is not None), None)


def pause(cost: float, least: float, most: float) -> float:
    """Return for how long to pause after a look of *cost* seconds of CPU time."""
    return min(most, max(least, cost / _MOST_COST))


def counters() -> Facts:
    """Return bytes swapped and how often processors were slowed down."""
    if commands.platform() == "darwin":
        memory = vm_stat(commands.run("vm_stat"))
        swapped = {"in": "swapins_bytes", "out": "swapouts_bytes"}
        return known(
            {f"swapped_{of}_bytes": memory.get(k) for of, k in swapped.items()}
        )
    lines = (commands.read("/proc/vmstat") or "").splitlines()
    pages = dict(line.split(" ", 1) for line in lines)
    size = os.sysconf("SC_PAGE_SIZE")
    swapped_bytes = {
        f"swapped_{way}_bytes": int(pages[f"pswp{way}"]) * size
        for way in ("in", "out")
        if f"pswp{way}" in pages
    }
    return swapped_bytes | known({"cpu_throttle_count": throttle_count()})


def rises(taken: Sequence[tuple[float, Facts]], span: Span) -> Facts:
    """Return how far counters *taken* at moments rose from begin to end of *span*."""
    first = next((counts for at, counts in taken if at >= span.begin), {})
    last = next((counts for at, counts in taken if at >= span.end), {})
    if first is last:
        return {}
    shared = first.keys() & last.keys()
    return {name: last[name] - first[name] for name in sorted(shared)}


def group_of(process: int) -> int | None:
    """Return the process group, or None for a process of another namespace."""
    with suppress(ProcessLookupError, PermissionError):
        return os.getpgid(process)
    return None


def others(
    seen: frozenset[int] | None,
    before: frozenset[int],
    worker: int | None,
    group: Callable[[int], int | None] = group_of,
) -> int | None:
    """Return how many processes besides ours compute on the card.

    In a container the driver may show the host's numbers, or nothing. What was there
    *before* the worker is not ours; a single newcomer, or a single process, is.
    """
    if not seen:
        return None  # ours must be there: they are hidden from us
    ours = {pid for pid in seen if worker and worker in (pid, group(pid))}
    newcomers = seen - before
    if ours:
        return len(seen - ours)
    if len(seen) == 1:
        return 0
    return len(seen) - len(newcomers) if len(newcomers) <= 1 else None


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
