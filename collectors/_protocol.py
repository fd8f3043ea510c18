"""One cell measured: the order of the protocol, and what is made of its times."""

import gc
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from statistics import median

from _assignment import Assignment
from _cell import operations_per_step
from _evidence import judge_after, judge_rates, judge_work
from _findings import Findings, Phase
from _framework import Work
from _messages import SampleWriter, Say
from _seed_protocol import run_seed_protocol
from _steady import steady
from _timing import (
    TIERS,
    Tier,
    calibrate,
    measure,
    single_steps,
    timed,
    warm_up,
)

_BOUND_BY_MEMORY = ("elementwise", "bandwidth")


def follow_protocol(
    work: Work, assignment: Assignment, found: Findings, say: Say
) -> None:
    """Measure *work* from building it to the last gate; raise what it raises."""
    cell, tier = assignment.cell, TIERS[assignment.cell.tier]
    samples = SampleWriter(say, assignment.run["key"])
    phase = _phases(assignment, found)
    try:
        idle = _start(work, tier, found, phase)
        if cell.seed_plan and assignment.seed_protocol:
            with phase("seed"):
                run_seed_protocol(
                    work, assignment, cell.seed_plan, (found, samples), idle
                )
        gc.collect()
        with phase("warmup"):
            estimate = warm_up(work, tier, samples.add)
            steps = assignment.steps_per_block or calibrate(
                work, tier, estimate, samples.add
            )
        step_seconds = _blocks(work, assignment, (found, samples), steps, phase)
        with phase("step"):
            waited_for = single_steps(work, tier, step_seconds, samples.add)
            found.checks["sync_per_step"] = waited_for
        _memory(work, found)
        with phase("gates"):
            judge_work(work, cell, found)
            judge_after(work, assignment, found, steps, step_seconds)
    finally:
        samples.flush()


def _start(
    work: Work,
    tier: Tier,
    found: Findings,
    phase: Callable[[str], AbstractContextManager[Phase]],
) -> float:
    """Build, make data and take the first step; return the seconds of rest between.

    The rest shows what the machine draws with everything in place and nothing to do.
    """
    with phase("build"):
        found.timing("build_seconds", work.build)
    with phase("data"):
        found.timing("data_seconds", work.make_data)
    found.untrained = work.trained()
    before = time.perf_counter()
    if tier.idle_seconds:
        with phase("idle"):
            time.sleep(tier.idle_seconds)
    rested = time.perf_counter() - before
    with phase("first_step"):
        found.value("first_step_seconds", timed(work, 1))
    return rested


def _blocks(
    work: Work,
    assignment: Assignment,
    keep: tuple[Findings, SampleWriter],
    steps: int,
    phase: Callable[[str], AbstractContextManager[Phase]],
) -> float:
    """Time the blocks; return the median seconds of a step."""
    (found, samples), cell = keep, assignment.cell
    with phase("measure") as part:
        times, stopped = measure(
            work,
            TIERS[cell.tier],
            steps,
            samples.add,
            lambda: found.read_loss(work),
        )
        part.samples = len(times) * steps * cell.batch_size
    samples.flush()
    step_seconds = median(times) / steps
    found.value("step_seconds", step_seconds)
    found.value("samples_per_second", cell.batch_size / step_seconds)
    found.checks |= {
        "steps_per_block": steps,
        "stopped": stopped,
        "steady": steady(times),
    }
    _rates(work, assignment, found, step_seconds)
    return step_seconds


def _rates(
    work: Work, assignment: Assignment, found: Findings, step_seconds: float
) -> None:
    """Keep operations and bytes per second, and their gates against the chip's peak."""
    cell = assignment.cell
    operations, moved = operations_per_step(cell), work.bytes_per_step()
    if operations is not None:
        found.checks["operations_per_step"] = operations
    if cell.operation and cell.workload not in _BOUND_BY_MEMORY:
        found.value("teraflops", (operations or 0) / step_seconds / 1e12)
    if moved is not None:
        found.checks["bytes_per_step"] = moved
        found.value("gigabytes_per_second", moved / step_seconds / 1e9)
    counted = None if cell.workload in _BOUND_BY_MEMORY else operations
    judge_rates(assignment, found, (counted, moved), step_seconds)


def _memory(work: Work, found: Findings) -> None:
    """Keep the peaks so far, before the gates allocate for themselves.

    What the source did is in them: the system's peak cannot be set back everywhere.
    """
    for metric, peak in work.memory().items():
        if isinstance(peak, str):
            found.value(metric, None, peak)
        else:
            found.value(metric, peak)
    found.peak_memory()


def _phases(
    assignment: Assignment, found: Findings
) -> Callable[[str], AbstractContextManager[Phase]]:
    """Return what marks a phase, and says so where progress is wanted."""
    run, cell = assignment.run, assignment.cell
    turn = f"{run['replicate'] + 1}/{run['replicates']}"

    def phase(name: str) -> AbstractContextManager[Phase]:
        if assignment.progress:
            print(f"{cell.title}, {turn}: {name}", file=sys.stderr, flush=True)
        return found.phase(name)

    return phase
