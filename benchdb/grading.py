"""How far to trust a row: a letter for the processes of one cell, and why.

A and B have conditions, C is what else we measured, I is what others published, X is
what cannot be true. What is not known counts against a row, never for it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, stdev

import msgspec

from benchdb.grading_state import (
    Facts,
    Figure,
    Finding,
    Letter,
    ProcessFacts,
    mapping,
    number,
    state,
)
from benchdb.statistics.comparison import estimate

__all__ = [
    "Figure",
    "Grade",
    "Letter",
    "ProcessFacts",
    "gates",
    "grade",
    "is_impossible",
]

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


class Grade(msgspec.Struct, frozen=True):
    """A letter with its reasons, the worst first; *figures* are what decided each."""

    letter: Letter
    processes: int
    reasons: tuple[str, ...] = ()
    figures: Mapping[str, Figure] = {}


def grade(processes: Sequence[ProcessFacts]) -> Grade | None:
    """Return the grade of the processes of one cell, or None without any figure."""
    done = [one for one in processes if one.status == "ok"]
    measured = [one for one in done if one.seconds]
    if impossible := list(_impossible(processes)):
        return _grade(impossible, len(done))
    if done and done[0].label != "measured":
        return _grade([Finding("imported", "I", done[0].label)], len(done))
    if not measured:
        return None
    findings = [*_repetition(processes, measured), *_agreement(measured)]
    for one in measured:
        findings += [*_gates(one), *_steadiness(one), *state(one)]
    return _grade(findings, len(measured))


def is_impossible(processes: Sequence[ProcessFacts]) -> bool:
    """Tell whether a gate failed in any of *processes*, or a figure cannot be true."""
    return any(True for _ in _impossible(processes))


def gates(processes: Iterable[ProcessFacts], status: str) -> frozenset[str]:
    """Return the gates that have this *status* in any of *processes*."""
    return frozenset(
        name
        for one in processes
        for name in _gates_of(one)
        if _status(one, name) == status
    )


def _grade(findings: Iterable[Finding], processes: int) -> Grade:
    """Keep the worst finding of each kind, the worst kind first."""
    worst: dict[str, Finding] = {}
    for one in findings:
        known = worst.get(one.reason)
        if known is None or _badness(one) > _badness(known):
            worst[one.reason] = one
    kept = sorted(worst.values(), key=lambda one: one.letter, reverse=True)
    return Grade(
        letter=kept[0].letter if kept else "A",
        processes=processes,
        reasons=tuple(one.reason for one in kept),
        figures={one.reason: one.figure for one in kept if one.figure is not None},
    )


def _badness(finding: Finding) -> tuple[str, float]:
    figure = finding.figure
    return finding.letter, abs(figure) if isinstance(figure, int | float) else 0.0


def _impossible(processes: Sequence[ProcessFacts]) -> Iterator[Finding]:
    for one in processes:
        failed = gates([one], "failed")
        if failed:
            yield Finding("gate-failed", "X", ", ".join(sorted(failed)))
        for code, metric in one.flags:
            speed = metric is None or metric in SPEEDS
            if code in FORGED or (code in IMPLAUSIBLE and speed):
                yield Finding("implausible", "X", code)


def _repetition(
    processes: Sequence[ProcessFacts], measured: Sequence[ProcessFacts]
) -> Iterator[Finding]:
    count, tiers = len(measured), {one.tier for one in measured}
    if count < 5:
        yield Finding("few-processes", "C" if count < 3 else "B", count)
    if "smoke" in tiers:
        yield Finding("smoke", "C")
    elif "quick" in tiers:
        yield Finding("quick", "B")
    # Never dropped in silence: those that finished may be the lucky ones.
    failed = sum(one.status in _NO_RESULT for one in processes)
    if failed:
        yield Finding("process-failed", "C", failed)


def _agreement(measured: Sequence[ProcessFacts]) -> Iterator[Finding]:
    """Judge how far the processes differ, and what that leaves of the mean, in %."""
    values = [one.seconds for one in measured if one.seconds]
    if len(values) < 2:
        return
    spread = 100 * stdev(values) / fmean(values)
    if spread > 1:
        yield Finding("spread", "C" if spread > 3 else "B", spread)
    found = estimate(values)
    half_width = 100 * ((found.high or found.value) / found.value - 1)
    if half_width > 1:
        yield Finding("wide-interval", "B", half_width)


def _steadiness(process: ProcessFacts) -> Iterator[Finding]:
    steady = mapping(process.checks.get("steady"))
    drift = number(steady, "drift_pct")
    if drift is None:
        yield Finding("steadiness-unknown", "C")
    elif steady.get("steady") is not True:
        yield _unsteady(steady, drift)
    if process.iqr_percent is not None and process.iqr_percent > 10:
        yield Finding("noisy-blocks", "C", process.iqr_percent)


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
    """Ask for proof that it was this work, on this device: a gate passed for each."""
    if not _gates_of(process):
        yield Finding("gates-not-checked", "C", "all")
        return
    absent = (None, "not-applicable")
    proof = next((n for n in _PROOFS if _status(process, n) not in absent), _PROOFS[0])
    unproven = [n for n in ("device", proof) if _status(process, n) != "passed"]
    trained = proof != "parameter_count" or _status(process, "loss") in (
        "passed",
        "not-applicable",
    )
    if not trained:
        unproven.append("loss")
    if unproven:
        yield Finding("gates-not-checked", "C", ", ".join(unproven))


def _gates_of(process: ProcessFacts) -> Facts:
    return mapping(process.checks.get("gates"))


def _status(process: ProcessFacts, gate: str) -> object:
    return mapping(_gates_of(process).get(gate)).get("status")
