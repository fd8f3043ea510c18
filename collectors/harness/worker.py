"""One cell measured: the order of the protocol, and what is made of its times."""

import gc
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from statistics import median

from training_data.files import DataError

from harness.cells import Assignment, operations_per_step
from harness.framework import (
    DEVICES,
    Framework,
    Setting,
    UnavailableError,
    UnsupportedError,
    Work,
    failure_status,
    first_line,
    load_framework,
)
from harness.gates import judge_after, judge_rates, judge_work
from harness.messages import SampleWriter, Say
from harness.recorder import Phase, Recorder
from harness.seed_protocol import run_seed_protocol
from harness.tiers import TIERS, Tier
from harness.timing import calibrate, measure, single_steps, steady, timed, warm_up

_BOUND_BY_MEMORY = ("elementwise", "bandwidth")


def follow_protocol(
    work: Work, assignment: Assignment, found: Recorder, say: Say
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
    found: Recorder,
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
    keep: tuple[Recorder, SampleWriter],
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
    work: Work, assignment: Assignment, found: Recorder, step_seconds: float
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


def _memory(work: Work, found: Recorder) -> None:
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
    assignment: Assignment, found: Recorder
) -> Callable[[str], AbstractContextManager[Phase]]:
    """Return what marks a phase, and says so where progress is wanted."""
    run, cell = assignment.run, assignment.cell
    turn = f"{run['replicate'] + 1}/{run['replicates']}"

    def phase(name: str) -> AbstractContextManager[Phase]:
        if assignment.progress:
            print(f"{cell.title}, {turn}: {name}", file=sys.stderr, flush=True)
        return found.phase(name)

    return phase


def run_worker(framework: Framework, assignment: Assignment, say: Say) -> int:
    """Measure; say environment, run, samples and result; return the exit status."""
    found = Recorder(say)
    try:
        setting = _set_up(framework, assignment, found)
    except UnavailableError as missing:
        say({"type": "unavailable", "text": str(missing)})
        return 2
    found.precision = setting.precision
    _announce(assignment, setting, framework, say)
    status, reason = _outcome(framework, assignment, found, say)
    failures = found.gates.failures()
    if status == "ok" and failures:
        status, reason = "failed", "gate failed: " + "; ".join(failures)
    found.peak_memory()
    checks = found.checks | {"gates": found.gates.told()}
    say({"type": "result", "status": status, "reason": reason, "checks": checks})
    return 0


def _set_up(framework: Framework, assignment: Assignment, found: Recorder) -> Setting:
    cell = assignment.cell
    load = partial(load_framework, framework, cell.workload)
    with found.phase("import"):
        number = found.timing("import_seconds", load)
    assignment.environment["framework_version"] = number
    device = framework.devices()[cell.device]
    if not device.available:
        label = DEVICES[cell.device]
        raise UnavailableError(f"no {label} device: {device.why}; {device.install}")
    return framework.configure(cell)


def _announce(
    assignment: Assignment, setting: Setting, framework: Framework, say: Say
) -> None:
    environment, run = assignment.environment, assignment.run
    environment["framework"] = framework.name
    environment["packages"] = environment.get("packages", {}) | setting.packages
    environment["devices"] = [*environment.get("devices", []), *setting.devices]
    environment["math"] = environment.get("math", {}) | setting.math
    say(environment)
    # TensorFlow calls any Metal device METAL, and no framework names the CPU.
    run["device_name"] = setting.device_name or assignment.chip
    run["compiler"] = setting.compiler
    run["precision"] = setting.precision or run["precision"]
    run["parameters"] = run["parameters"] | setting.parameters
    say(run)


def _outcome(
    framework: Framework, assignment: Assignment, found: Recorder, say: Say
) -> tuple[str, str | None]:
    cell = assignment.cell
    try:
        if cell.precision not in framework.precisions(cell.device):
            raise UnsupportedError(  # noqa: TRY301 - one place decides what becomes of it
                f"{framework.title} has no {cell.precision} on {cell.device}"
            )
        follow_protocol(framework.prepare(cell), assignment, found, say)
    except UnsupportedError as refusal:
        return "unsupported", first_line(refusal) or "not supported here"
    except DataError as lacking:  # the user's files, not our bug
        return "failed", first_line(lacking)
    except Exception as failure:  # whatever it is, the run must say so
        status, text = failure_status(failure), first_line(failure)
        if status == "failed":
            traceback.print_exc()
        return status, ": ".join(filter(None, [type(failure).__name__, text]))
    return "ok", None
