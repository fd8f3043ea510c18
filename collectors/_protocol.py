"""One cell measured: the order of the protocol, and what is made of its times."""

import gc
import sys
import time
from collections.abc import Callable
from statistics import median

import _gates
from _assignment import Assignment
from _cell import Cell, SeedPlan
from _findings import Findings
from _framework import Work
from _messages import SampleWriter, Say
from _process import cpu_percent, own_cpu_time
from _timing import (
    TIERS,
    affordable,
    calibrate,
    measure,
    single_steps,
    timed,
    warm_up,
)


def follow_protocol(
    work: Work, assignment: Assignment, found: Findings, say: Say
) -> None:
    """Measure *work* from building it to the last gate; raise what it raises."""
    cell, tier = assignment.cell, TIERS[assignment.cell.tier]
    samples = SampleWriter(say, assignment.run["key"])
    tell = _progress(assignment)
    try:
        tell("building")
        _start(work, found)
        if cell.seed_plan:
            tell("the source's protocol")
            _seed_protocol(work, assignment, cell.seed_plan, (found, samples))
        gc.collect()
        tell("warming up")
        estimate = warm_up(work, tier, samples.add)
        steps = assignment.steps_per_block or calibrate(
            work, tier, estimate, samples.add
        )
        tell(f"blocks of {steps}")
        times, stopped = measure(
            work, tier, steps, samples.add, lambda: found.read_loss(work)
        )
        _judge_blocks(cell, found, times, steps)
        found.checks["stopped"] = stopped
        single_steps(work, tier, median(times) / steps, samples.add)
        _judge_work(cell, found, work)
    finally:
        samples.flush()


def _start(work: Work, found: Findings) -> None:
    found.timing("build_seconds", work.build)
    found.timing("data_seconds", work.make_data)
    found.value("first_step_seconds", timed(work, 1))


def _seed_protocol(
    work: Work,
    assignment: Assignment,
    whole: SeedPlan,
    keep: tuple[Findings, SampleWriter],
) -> None:
    """Do what the source did: epochs on the clock, the loss read after each.

    Steps already taken count as steps of the warm-up epoch, so the script does no
    more work than the source's where that has one.
    """
    (found, samples), cell = keep, assignment.cell
    taken, estimate = 1, 0.0
    if cell.tier == "quick":
        estimate, taken = timed(work, 1), 2
    plan = affordable(whole, cell.tier, estimate)
    warmup = max(0, plan.warmup_epochs * plan.steps_per_epoch - taken)
    if warmup:
        samples.add("warmup", warmup, timed(work, warmup))
    started = time.perf_counter()
    for _ in range(plan.epochs):
        samples.add("seed", plan.steps_per_epoch, _epoch(work, plan, found))
    seconds = time.perf_counter() - started
    done = plan.epochs * plan.steps_per_epoch * cell.batch_size
    found.value("fit_samples_per_second", done / seconds)
    reason = f"seed protocol scaled to {plan.steps} of {whole.steps} steps"
    _script_times(assignment.started_ns, found, reason if plan.scaled else None)
    found.checks["seed_protocol"] = {
        "warmup_epochs": plan.warmup_epochs,
        "epochs": plan.epochs,
        "steps_per_epoch": plan.steps_per_epoch,
        "scaled": plan.scaled,
    }


def _epoch(work: Work, plan: SeedPlan, found: Findings) -> float:
    started = time.perf_counter_ns()
    for _ in range(plan.steps_per_epoch):
        work.step()
    found.read_loss(work)
    return (time.perf_counter_ns() - started) / 1e9


def _script_times(started_ns: int, found: Findings, unknown: str | None) -> None:
    """Keep what the shell's ``time`` would say, or why that would mean nothing."""
    wall = (time.monotonic_ns() - started_ns) / 1e9
    cpu = own_cpu_time()
    percent = cpu_percent(cpu, wall)
    figures = {
        "script_wall_seconds": wall,
        "script_user_seconds": cpu.user,
        "script_system_seconds": cpu.system,
        "script_cpu_percent": int(percent) if percent is not None else None,
    }
    for metric, value in figures.items():
        found.value(metric, None if unknown else value, unknown or "no time passed")


def _judge_blocks(cell: Cell, found: Findings, times: list[float], steps: int) -> None:
    step_seconds = median(times) / steps
    found.value("step_seconds", step_seconds)
    found.value("samples_per_second", cell.batch_size / step_seconds)
    if cell.kind == "operation":
        operations = 2 * cell.size**3
        found.checks["operations_per_step"] = operations
        found.value("teraflops", operations / step_seconds / 1e12)
    found.checks["steps_per_block"] = steps
    found.checks["steady"] = _gates.steady(times)


def _judge_work(cell: Cell, found: Findings, work: Work) -> None:
    checks = found.checks
    if cell.parameter_count is not None:
        counted = work.parameter_count()
        checks["parameter_count"] = _gates.parameter_count(
            cell.parameter_count, counted
        )
    checks["device_ok"] = _gates.device(cell.device, work.placed_on())
    if found.losses:
        checks["loss"] = _gates.loss(found.losses)
        checks["loss_trace_sha256"] = _gates.loss_digest(found.losses)
        found.value("final_loss", found.losses[-1], "the loss is not finite")
    error = work.relative_error()
    if error is not None:
        checks["max_relative_error"] = _gates.relative_error(error, cell.precision)
        found.value("max_relative_error", error, "the product is not finite")
    for metric, peak in work.memory().items():
        if isinstance(peak, str):
            found.value(metric, None, peak)
        else:
            found.value(metric, peak)
    checks.update(work.notes())


def _progress(assignment: Assignment) -> Callable[[str], None]:
    run, cell = assignment.run, assignment.cell
    size = f" {cell.size}" if "size" in cell.parameters else ""
    what = f"{cell.workload}{size} on {cell.device} in {cell.precision}"
    turn = f"{run['replicate'] + 1}/{run['replicates']}"

    def tell(phase: str) -> None:
        if assignment.progress:
            print(f"{what}, {turn}: {phase}", file=sys.stderr, flush=True)

    return tell
