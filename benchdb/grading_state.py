"""What a machine was doing around one process, and what of that limits a grade."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

Letter = Literal["A", "B", "C", "I", "X"]
Figure = float | int | str
Facts = Mapping[str, Any]

BUSY_LOAD = 0.5  # load average for each usable CPU, before anything of ours runs
THROTTLED_FRACTION = 0.01
LOW_CLOCK = 0.75
_PRESSURES = ("nominal", "moderate", "heavy", "trapping", "sleeping")


class Finding(NamedTuple):
    """Why a row is not better than *letter*, and the figure that decided, if one."""

    reason: str
    letter: Letter
    figure: Figure | None = None


class ProcessFacts(msgspec.Struct, frozen=True):
    """What is stored of one process: outcome, time, checks, and conditions around it.

    *seconds* is its value, of a step where steps were timed. *iqr_percent* is the
    interquartile range of its blocks relative to their median. *load_per_cpu* is the
    load that it found: what ran before it in its own campaign does not count.
    *flags* are codes with the metric that each is about.
    """

    status: str
    label: str
    device: str
    tier: str | None = None
    seconds: float | None = None
    iqr_percent: float | None = None
    load_per_cpu: float | None = None
    checks: Facts = {}
    before: Facts = {}
    after: Facts = {}
    flags: tuple[tuple[str, str | None], ...] = ()

    @property
    def during(self) -> Facts:
        """Return what was read while it measured."""
        return mapping(self.checks.get("during"))


def mapping(fact: object) -> Facts:
    """Return *fact* if it is an object, else an empty one: strangers write these."""
    return fact if isinstance(fact, Mapping) else {}


def number(facts: Facts, name: str) -> float | None:
    """Return the number of this name, if it is one."""
    fact = facts.get(name)
    is_number = isinstance(fact, int | float) and not isinstance(fact, bool)
    return fact if is_number else None


def load_per_cpu(conditions: Facts) -> float | None:
    """Return the load average for each CPU that can be used, if both are known."""
    load, cpus = number(conditions, "load_1m"), number(conditions, "cpu_count_usable")
    return None if load is None or not cpus else load / cpus


def state(process: ProcessFacts) -> Iterator[Finding]:
    """Yield what about the machine's state keeps *process* from the best grade."""
    for rule in _RULES:
        yield from rule(process)


def _known(process: ProcessFacts) -> Iterator[Finding]:
    """Ask for evidence: without any, nobody can say that nothing slowed it down."""
    if not process.during:
        yield Finding("state-unknown", "C", "nothing was read during the run")
    elif process.load_per_cpu is None:
        yield Finding("state-unknown", "B", "load before the run")
    elif not _heat_known(process):
        yield Finding("state-unknown", "B", "throttling")


def _heat_known(process: ProcessFacts) -> bool:
    if process.device == "cuda":
        fraction = number(process.during, "throttled_fraction")
        return fraction is not None or _clock_share(process) is not None
    return _pressure(process) is not None or _throttle_events(process) is not None


def _throttled(process: ProcessFacts) -> Iterator[Finding]:
    """Judge the card that measured; another one's clocks say nothing."""
    if process.device != "cuda":
        return
    fraction, clock = number(process.during, "throttled_fraction"), None
    if fraction is None:
        clock = _clock_share(process)
    if fraction is not None and fraction > THROTTLED_FRACTION:
        yield Finding("throttled", "C", f"{100 * fraction:.3g} % of the time")
    if clock is not None and clock < LOW_CLOCK:
        yield Finding("throttled", "C", f"clock at {100 * clock:.3g} % of its maximum")


def _clock_share(process: ProcessFacts) -> float | None:
    """Return the usual clock relative to the highest that was seen in the same run.

    It is asked only where NVML gives no reasons: they tell of a card that heat or
    hardware held back from beginning to end, which this cannot. The clock that a card
    is made for is not stored, and to be below three quarters of that is not to be
    throttled: its power limit alone keeps an H200 at 72 % under products in bf16.
    """
    usual = number(process.during, "sm_clock_mhz_median")
    highest = number(process.during, "sm_clock_mhz_max")
    return None if usual is None or not highest else usual / highest


def _hot(process: ProcessFacts) -> Iterator[Finding]:
    pressure = _pressure(process) or 0
    if pressure > 0:
        name = _PRESSURES[min(pressure, len(_PRESSURES) - 1)]
        yield Finding("thermal-pressure", "B" if pressure == 1 else "C", name)
    if process.device != "cpu":
        return
    events = _throttle_events(process) or 0
    if events > 0:
        yield Finding("throttle-events", "B", events)
    limits = _every(process, "cpu_speed_limit_percent")
    if limits and min(limits) < 100:
        yield Finding("cpu-speed-limit", "C", 100 - min(limits))


def _pressure(process: ProcessFacts) -> int | None:
    """Return the highest level of thermal pressure on a Mac, 0 for nominal."""
    named = (
        process.during.get("thermal_pressure_max"),
        process.before.get("thermal_pressure"),
        process.after.get("thermal_pressure"),
    )
    return max((_PRESSURES.index(p) for p in named if p in _PRESSURES), default=None)


def _throttle_events(process: ProcessFacts) -> int | None:
    """Return how often Linux counted a core as throttled, best while it measured."""
    measured = number(process.during, "cpu_throttle_count")
    if measured is not None:
        return int(measured)
    counts = _every(process, "core_throttle_count")
    return int(counts[1] - counts[0]) if len(counts) == 2 else None


def _every(process: ProcessFacts, name: str) -> list[float]:
    read = (number(process.before, name), number(process.after, name))
    return [one for one in read if one is not None]


def _busy(process: ProcessFacts) -> Iterator[Finding]:
    load = process.load_per_cpu
    if load is not None and load > BUSY_LOAD:
        yield Finding("busy", "C", load)
    others = number(process.during, "gpu_other_processes_max") or 0
    others = max(others, *_every(process, "gpu_other_processes"), 0)
    if process.device == "cuda" and others > 0:
        yield Finding("gpu-shared", "C", int(others))
    # Pages that come back may be any idle program's; pages that go out mean that
    # memory ran short.
    swapped = number(process.during, "swapped_out_bytes") or 0
    if swapped > 0:
        yield Finding("swapping", "C", int(swapped))


def _setting(process: ProcessFacts) -> Iterator[Finding]:
    """Name what the machine was set to: steady, but not all that it can do."""
    around = (process.before, process.after)
    if any(one.get("power_source") == "battery" for one in around):
        yield Finding("battery", "B")
    if any(one.get("low_power_mode") is True for one in around):
        yield Finding("low-power-mode", "B")
    if any(one.get("rosetta") is True for one in around):
        yield Finding("rosetta", "B")
    # A virtual machine has a CUDA card for itself, but not its CPU.
    if process.device != "cuda" and any(one.get("virtual") is True for one in around):
        yield Finding("virtual", "B")


_RULES: tuple[Callable[[ProcessFacts], Iterator[Finding]], ...] = (
    _known,
    _throttled,
    _hot,
    _busy,
    _setting,
)
