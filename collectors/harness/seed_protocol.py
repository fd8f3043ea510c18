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
from harness.process import Aside, CpuTime, cpu_percent, own_cpu_time
from harness.recorder import Recorder
from harness.timing import timed

# The quick tier runs the source's own protocol if that is quick enough, else a part.
QUICK_SECONDS = 30.0
_SCALED_SECONDS = 10.0
# Epochs are ended after so many times their estimate, which is of one step alone, but
# not before QUICK_SECONDS; and where so much of the process's time limit has gone.
_OVERRUN = 3
_MOST_OF_THE_LIMIT = 0.9
_LOOKS, _SHORT_SECONDS = 3, 2.0  # at a step, for the estimate
_FEWEST_BATCHES = 2  # of a pass over the data
_FACTS = {
    "fit": ("data_path", "warmup_epochs", "epochs", "steps_per_epoch"),
    "epoch": ("data_path", "samples", "loader_processes"),
    "trials": ("trials",),
}
# What few sources did, told where they did.
_MORE = ("samples", "validation_samples", "looks_every")
_SCRIPT = (
    "script_wall_seconds",
    "script_user_seconds",
    "script_system_seconds",
    "script_cpu_percent",
)


class EpochClock:
    """The time of epochs, each a sample of the run."""

    def __init__(
        self, recorder: Recorder, plan: SeedPlan, work: Work, seconds: float
    ) -> None:
        """End epochs of *plan* so many *seconds* after their first step.

        A graph is built in that one, which nobody can estimate.
        """
        self._recorder, self._plan, self._work = recorder, plan, work
        self._most, self._until = seconds, math.inf
        self._phase, self._began, self._epoch_steps = "seed", 0.0, 0
        self.over = False
        self.steps = 0  # of all epochs
        self.samples, self.seconds = 0, 0.0  # of those after the warm-up

    def begin(self, phase: str) -> None:
        """Start the clock of an epoch of this *phase*."""
        self._work.synchronise()
        self._phase, self._epoch_steps = phase, 0
        self._began = time.perf_counter()

    def reached(self, steps: int) -> bool:
        """Take how many *steps* of the epoch are done; return whether time is up."""
        self._epoch_steps = max(steps, self._epoch_steps)
        self._until = min(self._until, time.perf_counter() + self._most)
        self.over = self.over or time.perf_counter() >= self._until
        return self.over

    def end(self) -> None:
        """Read the loss, which waits for it, and take the time since the last end."""
        self._recorder.read_loss(self._work)
        now, steps = time.perf_counter(), self._epoch_steps
        self._recorder.samples.add(self._phase, steps, now - self._began)
        self.steps += steps
        if self._phase == "seed":
            batch_size = self._recorder.cell.batch_size
            self.samples += self._plan.samples_of(steps, batch_size)
            self.seconds += now - self._began
        self._began, self._epoch_steps = now, 0


def run_seed_protocol(
    work: Work, recorder: Recorder, whole: SeedPlan, aside: Aside
) -> None:
    """Do what the source did, or a part that is told to be one.

    *aside* is what this process did so far and the source's script did not.
    """
    cell = recorder.cell
    estimate = 0.0
    if cell.tier == "quick" and whole.kind != "trials":
        with aside.counted():
            estimate = _step_seconds(work)
    plan = affordable(whole, cell, estimate)
    facts: dict[str, object] = {"kind": plan.kind, "scaled": plan.scaled}
    facts |= {"name": plan.name, "version": plan.version}
    facts |= {name: getattr(plan, name) for name in _FACTS[plan.kind]}
    facts |= {name: fact for name in _MORE if (fact := getattr(plan, name))}
    match plan.kind:
        case "fit":
            limit = _limit(recorder.assignment, plan.steps * estimate)
            done = _fit(work, plan, recorder, limit)
            part = f"{done} of {whole.steps} steps"
            unknown = f"seed protocol scaled to {part}" if plan.scaled else None
            if done < plan.steps:
                unknown = f"seed protocol ended after {limit:.3g} s, with {part}"
                facts |= {"scaled": True, "steps": done, "ended": unknown}
            _script_times(recorder, aside, unknown)
        case "epoch":
            facts |= _epoch(work, plan, whole, recorder)
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


def _script_times(recorder: Recorder, aside: Aside, unknown: str | None) -> None:
    """Send what the shell's ``time`` would say, or why that would mean nothing."""
    started = recorder.assignment.started_ns
    wall = (time.monotonic_ns() - started) / 1e9 - aside.wall
    every = own_cpu_time()
    cpu = CpuTime(every.user - aside.user, every.system - aside.system)
    percent = cpu_percent(cpu, wall)
    figures = (wall, cpu.user, cpu.system, int(percent) if percent else None)
    for metric, value in zip(_SCRIPT, figures, strict=True):
        recorder.value(metric, None if unknown else value, unknown or "no time passed")


def _step_seconds(work: Work) -> float:
    """Return what a step takes at best: on a busy machine a single one says little."""
    best = timed(work, 1)
    for _ in range(_LOOKS - 1):
        if best > _SHORT_SECONDS:
            break
        best = min(best, timed(work, 1))
    return best


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
        # Epochs as long as may be: each has a cost of its own, whatever its length. The
        # first is not counted, for a graph is built in it.
        part = min(part, steps - 1)
        warmup, each = 1, min(plan.steps_per_epoch, part // 2)
        if each < 2:
            warmup, each = 0, max(2, part)
        epochs = max(1, min(plan.epochs, part // each - warmup))
    return replace(
        plan,
        warmup_epochs=warmup,
        epochs=epochs,
        steps_per_epoch=each,
        samples=0,
        validation_samples=min(plan.validation_samples, each * cell.batch_size),
        scaled=True,
    )


def _fit(work: Work, plan: SeedPlan, recorder: Recorder, limit: float) -> int:
    """Run the epochs in at most *limit* seconds; return the steps that were done.

    The rate is of the epochs after the warm-up, over all their time, as sources take
    it: the clock around ``fit``.
    """
    clock = EpochClock(recorder, plan, work, limit)
    work.fit(plan, clock)
    rate = clock.samples / clock.seconds if clock.seconds else None
    recorder.value("fit_samples_per_second", rate, "ended in the warm-up epoch")
    return clock.steps


def _limit(assignment: Assignment, estimate: float) -> float:
    """Return how many seconds epochs may take that are to take *estimate*."""
    most = _MOST_OF_THE_LIMIT * assignment.time_limit
    if assignment.cell.tier != "quick":  # nothing is estimated there
        return most
    return min(most, max(QUICK_SECONDS, _OVERRUN * estimate))


def _epoch(
    work: Work, plan: SeedPlan, whole: SeedPlan, recorder: Recorder
) -> dict[str, float]:
    """Time a pass over the data; return what the source's own clock would have said.

    That did not wait for the device.
    """
    work.synchronise()
    before = time.perf_counter_ns()
    done = work.epoch(plan)
    returned = (time.perf_counter_ns() - before) / 1e9
    work.synchronise()
    seconds = (time.perf_counter_ns() - before) / 1e9
    recorder.read_loss(work)
    recorder.samples.add("seed", math.ceil(done / recorder.cell.batch_size), seconds)
    recorder.value("fit_samples_per_second", done / seconds)
    why = f"seed protocol scaled to {plan.samples} of {whole.samples} samples"
    recorder.value("epoch_seconds", None if plan.scaled else seconds, why)
    hourly = None if plan.scaled else 3600 / seconds
    recorder.value("epochs_per_hour", hourly, why)
    return {"unwaited_seconds": returned}
