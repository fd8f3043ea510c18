"""The measuring process: one cell, once, from import to the last gate."""

import gc
import time
import traceback
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
from harness.messages import Say
from harness.process import Aside
from harness.recorder import Recorder
from harness.seed_protocol import run_seed_protocol
from harness.timing import calibrate, measure, single_steps, steady, timed, warm_up

_BOUND_BY_MEMORY = ("elementwise", "bandwidth")


def run_worker(framework: Framework, assignment: Assignment, say: Say) -> int:
    """Measure; say environment, run, samples and result; return the exit status."""
    recorder = Recorder(assignment, say)
    try:
        setting = _set_up(framework, recorder)
    except UnavailableError as missing:
        say({"type": "unavailable", "text": str(missing)})
        return 2
    environment, run = assignment.environment, assignment.run
    recorder.precision = setting.precision or assignment.cell.precision
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
    status, reason = _outcome(framework, recorder)
    failures = recorder.gates.failures()
    if status == "ok" and failures:
        status, reason = "failed", "gate failed: " + "; ".join(failures)
    recorder.peak_memory()
    checks = recorder.checks | {"gates": recorder.gates.verdicts()}
    say({"type": "result", "status": status, "reason": reason, "checks": checks})
    return 0


def _set_up(framework: Framework, recorder: Recorder) -> Setting:
    cell = recorder.cell
    load = partial(load_framework, framework, cell.workload)
    with recorder.phase("import"):
        number = recorder.timing("import_seconds", load)
    recorder.assignment.environment["framework_version"] = number
    device = framework.devices()[cell.device]
    if device.why is not None:
        label = DEVICES[cell.device]
        raise UnavailableError(f"no {label} device: {device.why}; {device.install}")
    return framework.configure(cell)


def _outcome(framework: Framework, recorder: Recorder) -> tuple[str, str | None]:
    cell = recorder.cell
    try:
        if cell.precision not in framework.precisions(cell.device):
            raise UnsupportedError(  # noqa: TRY301 - one place decides what becomes of it
                f"{framework.title} has no {cell.precision} on {cell.device}"
            )
        follow_protocol(framework.prepare(cell), recorder)
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


def follow_protocol(work: Work, recorder: Recorder) -> None:
    """Measure *work* from building it to the last gate; raise what it raises."""
    assignment, tier, phase = recorder.assignment, recorder.tier, recorder.phase
    samples = recorder.samples
    try:
        aside = _start(work, recorder)
        if recorder.cell.seed_plan and assignment.seed_protocol:
            with phase("seed"):
                run_seed_protocol(work, recorder, recorder.cell.seed_plan, aside)
        gc.collect()
        with phase("warmup"):
            estimate = warm_up(work, tier, samples.add)
            steps = assignment.steps_per_block or calibrate(
                work, tier, estimate, samples.add
            )
        step_seconds = _blocks(work, recorder, steps)
        with phase("step"):
            waited_for = single_steps(work, tier, step_seconds, samples.add)
            recorder.checks["sync_per_step"] = waited_for
        # The peaks so far, before the gates allocate for themselves. What the source
        # did is in them: the system's peak cannot be set back everywhere.
        for metric, peak in work.memory().items():
            if isinstance(peak, str):
                recorder.value(metric, None, peak)
            else:
                recorder.value(metric, peak)
        recorder.peak_memory()
        with phase("gates"):
            judge_work(work, recorder)
            judge_after(work, recorder, steps, step_seconds)
    finally:
        samples.flush()


def _start(work: Work, recorder: Recorder) -> Aside:
    """Build, make data and take the first step; return what no source's script did.

    The rest shows what the machine draws with everything in place and nothing to do.
    """
    aside = Aside()
    with recorder.phase("build"):
        recorder.timing("build_seconds", work.build)
    with aside.counted():
        with recorder.phase("data"):
            recorder.timing("data_seconds", work.make_data)
        recorder.untrained = work.trained()
        if recorder.tier.idle_seconds:
            with recorder.phase("idle"):
                time.sleep(recorder.tier.idle_seconds)
        with recorder.phase("first_step"):
            recorder.value("first_step_seconds", timed(work, 1))
    return aside


def _blocks(work: Work, recorder: Recorder, steps: int) -> float:
    """Time the blocks, keep their rates; return the median seconds of a step."""
    cell, samples = recorder.cell, recorder.samples
    read_loss = partial(recorder.read_loss, work)
    with recorder.phase("measure") as facts:
        times, stopped = measure(work, recorder.tier, steps, samples.add, read_loss)
        facts["samples"] = len(times) * steps * cell.batch_size
    samples.flush()
    step_seconds = median(times) / steps
    recorder.value("step_seconds", step_seconds)
    recorder.value("samples_per_second", cell.batch_size / step_seconds)
    recorder.checks |= {
        "steps_per_block": steps,
        "stopped": stopped,
        "steady": steady(times),
    }
    operations, moved = operations_per_step(cell), work.bytes_per_step()
    counted = None if cell.workload in _BOUND_BY_MEMORY else operations
    if operations is not None:
        recorder.checks["operations_per_step"] = operations
    if cell.operation and counted is not None:
        recorder.value("teraflops", counted / step_seconds / 1e12)
    if moved is not None:
        recorder.checks["bytes_per_step"] = moved
        recorder.value("gigabytes_per_second", moved / step_seconds / 1e9)
    judge_rates(recorder, counted, moved, step_seconds)
    return step_seconds
