"""The measuring process: one cell, once, from import to the last gate."""

import gc
import time
import traceback
from functools import partial
from statistics import median

from training_data.files import DataError

from harness.cells import Assignment, operations_per_step
from harness.execution import Fallbacks, say_execution
from harness.framework import (
    DEVICES,
    DoesNotFitError,
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
from harness.timing import (
    Stretch,
    burst,
    calibrate,
    is_too_long,
    measure,
    settle,
    single_steps,
    steady,
    timed,
    warm_up,
)

_BOUND_BY_MEMORY = ("elementwise", "bandwidth")
# What a run's burst and sustained rate are told in: the first of these that it has.
_LASTING = ("tokens_per_second", "teraflops", "samples_per_second")


def run_worker(framework: Framework, assignment: Assignment, say: Say) -> int:
    """Measure; say environment, run, samples and result; return the exit status."""
    recorder = Recorder(assignment, say)
    fallbacks = Fallbacks()
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
    status, reason = _outcome(framework, recorder, fallbacks)
    counterpart = framework.counterparts.get(recorder.cell.device)
    if counterpart and recorder.cell.compiler != counterpart:
        recorder.checks["counterpart"] = counterpart
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


def _outcome(
    framework: Framework, recorder: Recorder, fallbacks: Fallbacks
) -> tuple[str, str | None]:
    cell = recorder.cell
    try:
        if cell.precision not in framework.precisions(cell.device):
            raise UnsupportedError(  # noqa: TRY301 - one place decides what becomes of it
                f"{framework.title} has no {cell.precision} on {cell.device}"
            )
        work = framework.prepare(cell)
        step_seconds = follow_protocol(work, recorder)
        with recorder.phase("execution"):
            say_execution(work, recorder, step_seconds, fallbacks.operations)
    except UnsupportedError as refusal:
        return "unsupported", first_line(refusal) or "not supported here"
    except DoesNotFitError as lack:
        return "oom", first_line(lack)
    except DataError as lacking:  # the user's files, not our bug
        return "failed", first_line(lacking)
    except Exception as failure:  # whatever it is, the run must say so
        status, text = failure_status(failure), first_line(failure)
        if status == "failed":
            traceback.print_exc()
        return status, ": ".join(filter(None, [type(failure).__name__, text]))
    return "ok", None


def follow_protocol(work: Work, recorder: Recorder) -> float:
    """Measure *work* from building it to the last gate; raise what it raises.

    Return the median seconds of a step.
    """
    assignment, tier, phase = recorder.assignment, recorder.tier, recorder.phase
    samples = recorder.samples
    try:
        aside = _start(work, recorder)
        if recorder.cell.seed_plan and assignment.seed_protocol:
            with phase("seed"):
                run_seed_protocol(work, recorder, recorder.cell.seed_plan, aside)
        # The source's own way trains as well; it is the timed steps that have to.
        recorder.untrained = work.trained()
        gc.collect()
        with phase("warmup"):
            estimate = warm_up(work, tier, samples.add)
            steps = assignment.steps_per_block or calibrate(
                work, tier, estimate, samples.add
            )
        step_seconds = _blocks(work, recorder, steps, estimate)
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
        return step_seconds
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
        if recorder.tier.idle_seconds:
            with recorder.phase("idle"):
                time.sleep(recorder.tier.idle_seconds)
        with recorder.phase("first_step"):
            recorder.value("first_step_seconds", timed(work, 1))
    return aside


def _blocks(work: Work, recorder: Recorder, steps: int, estimate: float) -> float:
    """Time the blocks, keep their rates; return the median seconds of a step.

    *estimate* is of a step. Burst and sustained rate surround the blocks of the
    headline, which have as much work before them as without.
    """
    tier, stretch = recorder.tier, Stretch(recorder.samples.add)
    if not (tier.rest_seconds and recorder.cell.lasting):
        step_seconds = _measured(work, recorder, steps, stretch)
        _say_rates(work, recorder, step_seconds)
        return step_seconds
    too_long = is_too_long(steps * estimate)
    if too_long is None:
        work.synchronise()
        with recorder.phase("rest"):
            time.sleep(tier.rest_seconds)
    with recorder.phase("stretch"):
        if too_long is None:
            with recorder.phase("burst"):
                burst(work, steps, stretch)
            # A machine that has become busy may take far longer than was estimated.
            too_long = is_too_long(max(stretch.seconds))
        first = too_long or median(stretch.seconds) / steps
        while stretch.elapsed < tier.warmup_seconds:
            stretch("warmup", steps, timed(work, steps))
        step_seconds = _measured(work, recorder, steps, stretch)
        since = settle(work, tier, steps, stretch)
    recorder.samples.flush()
    _say_rates(work, recorder, step_seconds)
    if isinstance(since, str):
        settled: float | str = since
    else:
        recorder.span("sustained", stretch.since(since), stretch.ends[-1])
        settled = median(stretch.seconds[since:]) / steps
    _say_lasting(work, recorder, first, settled)
    return step_seconds


def _measured(work: Work, recorder: Recorder, steps: int, stretch: Stretch) -> float:
    """Time the blocks of the headline; return the median seconds of a step."""
    read_loss = partial(recorder.read_loss, work)
    with recorder.phase("measure") as facts:
        times, stopped = measure(work, recorder.tier, steps, stretch, read_loss)
        facts["samples"] = len(times) * steps * recorder.cell.samples_per_step
    recorder.samples.flush()
    recorder.checks |= {
        "steps_per_block": steps,
        "stopped": stopped,
        "steady": steady(times),
    }
    return median(times) / steps


def _rates(work: Work, recorder: Recorder, seconds: float) -> dict[str, float]:
    """Return what is done in a second by steps of *seconds*, by metric."""
    cell, moved = recorder.cell, work.bytes_per_step()
    unit = "tokens" if cell.counts_tokens else "samples"
    rates = {f"{unit}_per_second": cell.samples_per_step / seconds}
    counted = _counted(recorder)
    if cell.operation and counted is not None:
        rates["teraflops"] = counted / seconds / 1e12
    if moved is not None:
        rates["gigabytes_per_second"] = moved / seconds / 1e9
    return rates


def _counted(recorder: Recorder) -> int | None:
    """Return the operations of a step that a rate is counted in."""
    cell = recorder.cell
    return None if cell.workload in _BOUND_BY_MEMORY else operations_per_step(cell)


def _say_rates(work: Work, recorder: Recorder, step_seconds: float) -> None:
    operations, moved = operations_per_step(recorder.cell), work.bytes_per_step()
    recorder.value("step_seconds", step_seconds)
    for metric, rate in _rates(work, recorder, step_seconds).items():
        recorder.value(metric, rate)
    if recorder.cell.workload == "llm-prefill":
        recorder.value("time_to_first_token_seconds", step_seconds)
    if operations is not None:
        recorder.checks["operations_per_step"] = operations
    if moved is not None:
        recorder.checks["bytes_per_step"] = moved
    judge_rates(recorder, _counted(recorder), moved, step_seconds)


def _say_lasting(
    work: Work, recorder: Recorder, first: float | str, settled: float | str
) -> None:
    """Send burst and sustained rate, of seconds of a step or of why there is none."""
    names = _rates(work, recorder, 1.0)
    metric = next(name for name in _LASTING if name in names)
    for name, seconds in (("burst", first), ("sustained", settled)):
        if isinstance(seconds, float):
            rate = _rates(work, recorder, seconds)[metric]
            recorder.value(f"{name}_{metric}", rate)
        else:
            recorder.value(f"{name}_{metric}", None, seconds)
    if isinstance(first, float) and isinstance(settled, float):
        recorder.value("sustained_percent", 100 * first / settled)
    else:
        why = settled if isinstance(settled, str) else first
        recorder.value("sustained_percent", None, str(why))
