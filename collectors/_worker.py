"""The measuring process: one cell, once, from import to the last gate."""

import traceback
from functools import partial

from _assignment import Assignment
from _dataset import DataError
from _failures import failure_status, first_line
from _findings import Findings
from _framework import DEVICES, Framework, Setting, UnavailableError, UnsupportedError
from _messages import Say
from _protocol import follow_protocol


def run_worker(framework: Framework, assignment: Assignment, say: Say) -> int:
    """Measure; say environment, run, samples and result; return the exit status."""
    found = Findings(say)
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


def _set_up(framework: Framework, assignment: Assignment, found: Findings) -> Setting:
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


def load_framework(framework: Framework, workload: str | None) -> str:
    """Import the framework; return its version.

    An import can fail in ways beyond ImportError: a Metal plugin that does not fit
    its TensorFlow raises TensorFlow's own NotFoundError.
    """
    try:
        return framework.load(workload)
    except Exception as failure:
        raise UnavailableError(
            f"{framework.title} cannot be imported ({first_line(failure)}); "
            f"install it anew with: {framework.install}"
        ) from failure


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
    framework: Framework, assignment: Assignment, found: Findings, say: Say
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
