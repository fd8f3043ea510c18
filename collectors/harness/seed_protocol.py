"""What the source of a workload did, done again: epochs, or single operations.

The figures are those that the source printed: what the shell's ``time`` says of its
script, samples per second over its epochs, the time of an epoch or of an operation.
"""

import math
import time
from dataclasses import replace
from statistics import fmean

from harness.cells import Assignment, Cell, SeedPlan
from harness.framework import Work
from harness.process import cpu_percent, own_cpu_time
from harness.recorder import Recorder
from harness.timing import timed

# The quick tier runs the source's own protocol if that is quick enough, else a part.
QUICK_SECONDS = 30.0
_SCALED_SECONDS = 10.0
# Epochs are ended after so many times their estimate, which is of one step alone, but
# not before QUICK_SECONDS; and where so much of the process's time limit has gone.
_OVERRUN = 3
_MOST_OF_THE_LIMIT = 0.9
_FEWEST_BATCHES = 2  # of a pass over the data
_FACTS = {
    "fit": ("warmup_epochs", "epochs", "steps_per_epoch"),
    "epoch": ("samples", "loader_processes"),
    "trials": ("trials",),
}
_SCRIPT = (
    "script_wall_seconds",
    "script_user_seconds",
    "script_system_seconds",
    "script_cpu_percent",
)


def run_seed_protocol(
    work: Work, recorder: Recorder, whole: SeedPlan, idle: float
) -> None:
    """Do what the source did, or a part that is told to be one.

    *idle* are seconds that we waited on purpose; the source's script did not.
    """
    cell = recorder.cell
    estimate, taken = 0.0, 1
    if cell.tier == "quick" and whole.kind != "trials":
        estimate, taken = timed(work, 1), 2
    plan = affordable(whole, cell, estimate)
    facts: dict[str, object] = {"kind": plan.kind, "scaled": plan.scaled}
    facts |= {name: getattr(plan, name) for name in _FACTS[plan.kind]}
    match plan.kind:
        case "fit":
            limit = _limit(recorder.assignment, plan.steps * estimate)
            left = _fit(work, plan, recorder, taken, limit)
            part = f"{plan.steps - left} of {whole.steps} steps"
            unknown = f"seed protocol scaled to {part}" if plan.scaled else None
            if left:
                unknown = f"seed protocol ended after {limit:.3g} s, with {part}"
                steps = plan.steps - left
                facts |= {"scaled": True, "steps": steps, "ended": unknown}
            # What the shell's ``time`` would say, or why that would mean nothing.
            wall = (time.monotonic_ns() - recorder.assignment.started_ns) / 1e9 - idle
            cpu = own_cpu_time()
            percent = cpu_percent(cpu, wall)
            figures = (wall, cpu.user, cpu.system, int(percent) if percent else None)
            for metric, value in zip(_SCRIPT, figures, strict=True):
                known = None if unknown else value
                recorder.value(metric, known, unknown or "no time passed")
        case "epoch":
            _epoch(work, plan, whole, recorder)
        case "trials":
            # On fresh operands, with and without waiting. The source did not wait; the
            # pair of figures shows what that makes of it.
            pairs = [work.trial() for _ in range(plan.trials)]
            for _, waited in pairs:
                recorder.samples.add("seed", 1, waited)
            unwaited, waited = map(fmean, zip(*pairs, strict=True))
            recorder.value("operation_seconds", unwaited)
            recorder.value("operation_synced_seconds", waited)
    recorder.checks["seed_protocol"] = facts
    recorder.samples.flush()


def affordable(plan: SeedPlan, cell: Cell, step_seconds: float) -> SeedPlan:
    """Return the seed protocol this tier has time for, marked if it is not the whole.

    *step_seconds* is an estimate; only the quick tier looks at it.
    """
    if plan.kind == "trials" or cell.tier not in ("smoke", "quick"):
        return plan
    steps = plan.steps
    if plan.kind == "epoch":
        steps = math.ceil(plan.samples / cell.batch_size)
    if cell.tier == "quick" and steps * step_seconds <= QUICK_SECONDS:
        return plan
    part = 0 if cell.tier == "smoke" else int(_SCALED_SECONDS / step_seconds)
    if plan.kind == "epoch":
        fewer = max(_FEWEST_BATCHES, part)
        samples = fewer * cell.batch_size
        return plan if fewer >= steps else replace(plan, samples=samples, scaled=True)
    if cell.tier == "smoke":
        warmup, epochs, each = min(plan.warmup_epochs, 1), 1, 2
    else:
        warmup, epochs = plan.warmup_epochs, plan.epochs
        part = min(part, steps - 1)
        each = part // (warmup + epochs)
        if each < 2:
            warmup, epochs, each = 0, 1, max(2, part)
    return replace(
        plan, warmup_epochs=warmup, epochs=epochs, steps_per_epoch=each, scaled=True
    )


def _fit(
    work: Work, plan: SeedPlan, recorder: Recorder, taken: int, limit: float
) -> int:
    """Run the epochs on the clock, the loss read after each; return the steps left out.

    The rest may take *limit* seconds. Steps that are *taken* already count as steps of
    the warm-up epoch, so the script does no more work than the source's where that has
    one.
    """
    samples = recorder.samples
    until = time.perf_counter() + limit
    left = warmup = max(0, plan.warmup_epochs * plan.steps_per_epoch - taken)
    if warmup:
        work.synchronise()
        before = time.perf_counter_ns()
        steps = _take_steps(work, warmup, until)
        work.synchronise()
        samples.add("warmup", steps, (time.perf_counter_ns() - before) / 1e9)
        left -= steps
    done, started = 0, time.perf_counter()
    for _ in range(plan.epochs):
        before = time.perf_counter_ns()
        steps = _take_steps(work, plan.steps_per_epoch, until)
        recorder.read_loss(work)
        samples.add("seed", steps, (time.perf_counter_ns() - before) / 1e9)
        done += steps
        if time.perf_counter() >= until:
            break
    seconds = time.perf_counter() - started
    rate = done * recorder.cell.batch_size / seconds
    recorder.value("fit_samples_per_second", rate)
    return left + plan.epochs * plan.steps_per_epoch - done


def _take_steps(work: Work, steps: int, until: float) -> int:
    """Take *steps* steps, fewer where the time is up; return how many, at least one."""
    for done in range(1, steps):
        work.step()
        if time.perf_counter() >= until:
            return done
    work.step()
    return steps


def _limit(assignment: Assignment, estimate: float) -> float:
    """Return how many seconds epochs may take that are to take *estimate*."""
    most = _MOST_OF_THE_LIMIT * assignment.time_limit
    if assignment.cell.tier != "quick":  # nothing is estimated there
        return most
    return min(most, max(QUICK_SECONDS, _OVERRUN * estimate))


def _epoch(work: Work, plan: SeedPlan, whole: SeedPlan, recorder: Recorder) -> None:
    work.synchronise()
    before = time.perf_counter_ns()
    done = work.epoch(plan)
    work.synchronise()
    seconds = (time.perf_counter_ns() - before) / 1e9
    recorder.read_loss(work)
    recorder.samples.add("seed", math.ceil(done / recorder.cell.batch_size), seconds)
    recorder.value("fit_samples_per_second", done / seconds)
    why = f"seed protocol scaled to {plan.samples} of {whole.samples} samples"
    recorder.value("epoch_seconds", None if plan.scaled else seconds, why)
    hourly = None if plan.scaled else 3600 / seconds
    recorder.value("epochs_per_hour", hourly, why)
