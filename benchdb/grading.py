"""How far to trust a row: a letter for the processes of one cell, and why.

A and B have conditions, C is what else we measured, I is what others published, X is
what cannot be true. What is not known counts against a row, never for it: what was
repeated, how steady it was, which gates passed, what the machine was doing around it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Literal, NamedTuple

import msgspec

from benchdb.statistics.comparison import estimate
from benchdb.steps import Step

Letter = Literal["A", "B", "C", "I", "X"]
Figure = float | int | str
Facts = Mapping[str, Any]

BUSY_LOAD = 0.5  # load average for each usable CPU, before anything of ours runs
THROTTLED_FRACTION = 0.01
LOW_CLOCK = 0.75
_PRESSURES = ("nominal", "moderate", "heavy", "trapping", "sleeping")
# What a collector takes for rest, of a drift and of a shift.
_STEADY_PERCENT = 1.0
# Flags that call the speed itself impossible, and the metrics that are a speed.
IMPLAUSIBLE = frozenset(
    {
        "above-peak",
        "cpu-percent-mismatch",
        "order-inverted",
        "unit-contradiction",
    }
)
# Measured times that are those of another run.
COPIED = "copied-samples"
# Flags that call the whole run impossible, whichever figure gave it away.
FORGED = frozenset(
    {
        "contradicting-copies",
        "contradicting-names",
        "contradicting-signers",
        COPIED,
        "future-date",
        "impossible-device",
        "impossible-figure",
        "samples-disagree",
    }
)
SPEEDS = frozenset(
    {
        "epoch_seconds",
        "fit_samples_per_second",
        "operation_seconds",
        "samples_per_second",
        "script_wall_seconds",
        "step_seconds",
        "teraflops",
    }
)
_PROOFS = ("parameter_count", "result_error")  # of training, of an operation
_NO_RESULT = ("failed", "oom", "unsupported")


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


class Grade(msgspec.Struct, frozen=True):
    """A letter with its reasons, the worst first; *figures* are what decided each."""

    letter: Letter
    processes: int
    reasons: tuple[str, ...] = ()
    figures: Mapping[str, Figure] = {}


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


def grade(processes: Sequence[ProcessFacts]) -> Grade | None:
    """Return the grade of the processes of one cell, or None without any figure."""
    done = [process for process in processes if process.status == "ok"]
    measured = [process for process in done if process.seconds]
    if impossible := list(_impossible(processes)):
        return _grade(impossible, len(done))
    if done and done[0].label != "measured":
        return _grade([Finding("imported", "I", done[0].label)], len(done))
    if not measured:
        return None
    findings = [*_repetition(processes, measured), *_agreement(measured)]
    for process in measured:
        findings += [*_gates(process), *_steadiness(process), *_state(process)]
    return _grade(findings, len(measured))


def is_impossible(processes: Sequence[ProcessFacts]) -> bool:
    """Tell whether a gate failed in any of *processes*, or a figure cannot be true."""
    return any(True for _ in _impossible(processes))


def gates(processes: Iterable[ProcessFacts], status: str) -> frozenset[str]:
    """Return the gates that have this *status* in any of *processes*."""
    every = (pair for process in processes for pair in _gate_statuses(process).items())
    return frozenset(name for name, item in every if item == status)


def _gate_statuses(process: ProcessFacts) -> dict[str, object]:
    known = mapping(process.checks.get("gates"))
    return {name: mapping(gate).get("status") for name, gate in known.items()}


def _grade(findings: Iterable[Finding], processes: int) -> Grade:
    """Keep the worst finding of each kind, the worst kind first."""

    def badness(finding: Finding) -> tuple[str, float]:
        figure = finding.figure
        return finding.letter, abs(figure) if isinstance(figure, int | float) else 0.0

    worst: dict[str, Finding] = {}
    for item in findings:
        known = worst.get(item.reason)
        if known is None or badness(item) > badness(known):
            worst[item.reason] = item
    kept = sorted(worst.values(), key=lambda finding: finding.letter, reverse=True)
    return Grade(
        letter=kept[0].letter if kept else "A",
        processes=processes,
        reasons=tuple(finding.reason for finding in kept),
        figures={
            finding.reason: finding.figure
            for finding in kept
            if finding.figure is not None
        },
    )


def _impossible(processes: Sequence[ProcessFacts]) -> Iterator[Finding]:
    for process in processes:
        failed = gates([process], "failed")
        if failed:
            yield Finding("gate-failed", "X", ", ".join(sorted(failed)))
        for code in implausible(process):
            yield Finding("implausible", "X", code)


def implausible(process: ProcessFacts) -> Iterator[str]:
    """Yield the flags that say that *process*, or its speed, cannot be true."""
    for code, metric in process.flags:
        speed = metric is None or metric in SPEEDS
        if code in FORGED or (code in IMPLAUSIBLE and speed):
            yield code


def _repetition(
    processes: Sequence[ProcessFacts], measured: Sequence[ProcessFacts]
) -> Iterator[Finding]:
    count, tiers = len(measured), {process.tier for process in measured}
    if count < 5:
        yield Finding("few-processes", "C" if count < 3 else "B", count)
    if "smoke" in tiers:
        yield Finding("smoke", "C")
    elif "quick" in tiers:
        yield Finding("quick", "B")
    # Never dropped in silence: those that finished may be the lucky ones.
    failed = sum(process.status in _NO_RESULT for process in processes)
    if failed:
        yield Finding("process-failed", "C", failed)


def _agreement(measured: Sequence[ProcessFacts]) -> Iterator[Finding]:
    """Judge how far the processes differ, and what that leaves of the mean, in %."""
    values = [facts.seconds for facts in measured if facts.seconds]
    if len(values) < 2:
        return
    spread = 100 * stdev(values) / fmean(values)
    if spread > 1:
        yield Finding("spread", "C" if spread > 3 else "B", spread)
    result = estimate(values)
    half_width = 100 * ((result.high or result.value) / result.value - 1)
    if half_width > 1:
        yield Finding("wide-interval", "B", half_width)


def _steadiness(process: ProcessFacts) -> Iterator[Finding]:
    steady = mapping(process.checks.get("steady"))
    drift = number(steady, "drift_pct")
    if drift is None:
        yield Finding("steadiness-unknown", "C")
    elif drift > _STEADY_PERCENT and _is_fanless(process):
        # What it does at first is not what it does; more blocks would be slower still.
        yield Finding("fanless", "C", drift)
    elif steady.get("steady") is not True:
        yield _unsteady(steady, drift)
    if process.iqr_percent is not None and process.iqr_percent > 10:
        yield Finding("noisy-blocks", "C", process.iqr_percent)


def _is_fanless(process: ProcessFacts) -> bool:
    return any(item.get("fanless") is True for item in (process.before, process.after))


def _unsteady(steady: Facts, drift: float) -> Finding:
    """Name what came to no rest: ends that drift, a shift between, the first block."""
    shift = number(steady, "changepoint_pct")
    if abs(drift) < _STEADY_PERCENT:
        if shift is not None and abs(shift) > _STEADY_PERCENT:
            return Finding("shift", "B", shift)
        if steady.get("first_block_outlier") is True:
            return Finding("first-block", "B")
    return Finding("unsteady", "C" if abs(drift) > 2 else "B", drift)


def _gates(process: ProcessFacts) -> Iterator[Finding]:
    if unchecked := unproven(process):
        yield Finding("gates-not-checked", "C", ", ".join(unchecked))


def unproven(process: ProcessFacts) -> list[str]:
    """Return the gates that lack as proof of this work on this device, or ``all``."""
    known = _gate_statuses(process)
    if not known:
        return ["all"]
    absent = (None, "not-applicable")
    proof = next((n for n in _PROOFS if known.get(n) not in absent), _PROOFS[0])
    missing = [name for name in ("device", proof) if known.get(name) != "passed"]
    if proof == "parameter_count" and known.get("loss") not in (
        "passed",
        "not-applicable",
    ):
        missing.append("loss")
    return missing


def _state(process: ProcessFacts) -> Iterator[Finding]:
    """Yield what about the machine's state keeps *process* from the best grade."""
    yield from _known(process)
    yield from _throttled(process)
    yield from _hot(process)
    yield from _busy(process)
    yield from _setting(process)


def _known(process: ProcessFacts) -> Iterator[Finding]:
    """Ask for evidence: without any, nobody can say that nothing slowed it down."""
    if process.device == "cuda":
        throttled = number(process.during, "throttled_fraction")
        heat = throttled, _clock_share(process)
    else:
        heat = _pressure(process), _throttle_events(process)
    if not process.during:
        yield Finding("state-unknown", "C", "nothing was read during the run")
    elif process.load_per_cpu is None:
        yield Finding("state-unknown", "B", "load before the run")
    elif heat == (None, None):
        yield Finding("state-unknown", "B", "whether it was throttled")


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
    return [value for value in read if value is not None]


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
    if any(state.get("power_source") == "battery" for state in around):
        yield Finding("battery", "B")
    if any(state.get("low_power_mode") is True for state in around):
        yield Finding("low-power-mode", "B")
    if any(state.get("rosetta") is True for state in around):
        yield Finding("rosetta", "B")
    # A virtual machine has a CUDA card for itself, but not its CPU.
    if process.device != "cuda" and any(
        state.get("virtual") is True for state in around
    ):
        yield Finding("virtual", "B")


def step_of(process: ProcessFacts, *, sampled: bool) -> Step:
    """Return the step that a run reaches by itself: ``gates`` at most.

    *sampled* tells whether its raw samples are kept. What another tool measured has
    none of our gates, and without its samples only what that tool made of them. What
    cannot be true is a claim, whatever comes with it.
    """
    if any(implausible(process)):
        return "claimed"
    foreign = process.label != "measured"
    match process.label:
        case "claimed":
            return "claimed"
        case "transcribed":
            return "transcribed"
        case "imported" | "measured" if sampled:
            unchecked = foreign or unproven(process) or gates([process], "failed")
            return "samples" if unchecked else "gates"
        case _:
            return "aggregate"
