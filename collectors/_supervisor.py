"""The process the user starts: it watches workers and writes what they cannot.

Standard library only, so that it starts fast and cannot crash with a framework.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from _assignment import Assignment
from _child import Course, Death, Watch, run_worker_process
from _messages import encode
from _process import cpu_percent, maxrss_bytes, signal_of

EXIT_OK, EXIT_NOT_ALL_OK, EXIT_WRONG_USE, EXIT_INTERRUPTED = 0, 1, 2, 130


def supervise(
    program: Path,
    assignments: Sequence[Assignment],
    opening: Sequence[dict[str, Any]],
    conditions: Callable[[], dict[str, Any]],
) -> int:
    """Run each assignment in a process of its own; return the exit status.

    The *opening* lines are held back until a worker has found its device.
    """
    watch, out = Watch(), Output(sys.stdout, list(opening))
    watch.take_signals()
    calibrated: dict[str, int] = {}
    all_ok = True
    try:
        for planned in assignments:
            if watch.stopped_by:
                return EXIT_INTERRUPTED
            cell = json.dumps(planned.cell.parameters | {"": planned.cell.workload})
            steps = planned.steps_per_block or calibrated.get(cell)
            assignment = replace(planned, steps_per_block=steps)
            end = _one(program, assignment, conditions, watch, out)
            if isinstance(end, str):
                print(f"{program.stem}: {end}", file=sys.stderr)
                return EXIT_WRONG_USE
            if "steps_per_block" in end["checks"]:
                calibrated.setdefault(cell, end["checks"]["steps_per_block"])
            all_ok = all_ok and end["status"] == "ok"
    except BrokenPipeError:
        # Whoever read our lines is gone; what is left must not be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_NOT_ALL_OK
    finally:
        watch.kill()
    if watch.stopped_by:
        return EXIT_INTERRUPTED
    return EXIT_OK if all_ok else EXIT_NOT_ALL_OK


class Output:
    """The exchange file on our standard output, begun when there is a run for it."""

    def __init__(self, stream: TextIO, opening: list[dict[str, Any]]) -> None:
        """Write to *stream*, first of all the *opening* lines."""
        self._stream = stream
        self._opening = opening

    def write(self, line: str) -> None:
        """Write one line, at once."""
        while self._opening:
            self._stream.write(encode(self._opening.pop(0)))
        self._stream.write(line)
        self._stream.flush()


def _one(
    program: Path,
    assignment: Assignment,
    conditions: Callable[[], dict[str, Any]],
    watch: Watch,
    out: Output,
) -> dict[str, Any] | str:
    """Run one assignment; return its end line, or why nothing can be measured."""
    began = {"conditions": conditions(), "started": _now()}
    assignment = replace(assignment, run=assignment.run | began)
    course, death = run_worker_process(program, assignment, watch, out.write)
    if course.unavailable and course.result is None:
        return course.unavailable
    if "environment" not in course.said:
        out.write(encode(_unannounced(assignment.environment)))
    if "run" not in course.said:
        out.write(encode(assignment.run))
    end = end_line(assignment.run["key"], course, death, watch.stopped_by)
    end |= {"ended": _now(), "conditions": conditions()}
    out.write(encode(end))
    if end["status"] != "ok":
        cell = assignment.cell
        print(
            f"{program.stem}: {cell.workload} on {cell.device}, replicate "
            f"{assignment.run['replicate']}: {end['status']}: {end['reason']}",
            file=sys.stderr,
        )
    return end


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _unannounced(environment: dict[str, Any]) -> dict[str, Any]:
    """Return the environment of a worker that died before it could say it."""
    missing = {"framework_version": "the process died before it could say"}
    return environment | {"missing": environment.get("missing", {}) | missing}


def end_line(
    run: str, course: Course, death: Death, stopped_by: str | None
) -> dict[str, Any]:
    """Return the end of a run from what its worker said and how it ended."""
    result = course.result or {}
    status, reason = _verdict(result, death, stopped_by)
    checks = result.get("checks", {})
    if result and death.status != 0:
        checks |= {"after_result": _manner(death.status)}
    values = course.values | {value["metric"]: value for value in _parent_values(death)}
    if "peak_resident_bytes" not in values and death.maxrss:
        peak = maxrss_bytes(death.maxrss)
        values["peak_resident_bytes"] = {
            "metric": "peak_resident_bytes",
            "value": peak,
            "derived": "ru_maxrss seen by the parent",
        }
    return {
        "type": "end",
        "run": run,
        "status": status,
        "reason": reason,
        "values": list(values.values()),
        "checks": checks,
    }


def _parent_values(death: Death) -> list[dict[str, Any]]:
    percent = cpu_percent(death.cpu, death.wall)
    figures = {
        "process_wall_seconds": death.wall,
        "process_user_seconds": death.cpu.user,
        "process_system_seconds": death.cpu.system,
        "process_cpu_percent": None if percent is None else round(percent, 1),
    }
    return [
        {"metric": metric, "value": value}
        if value is not None
        else {"metric": metric, "reason": "no time passed"}
        for metric, value in figures.items()
    ]


def _verdict(
    result: dict[str, Any], death: Death, stopped_by: str | None
) -> tuple[str, str | None]:
    if result:
        return result["status"], result["reason"]
    if stopped_by:
        return "interrupted", f"stopped by {stopped_by}"
    if death.killed_for_memory:
        return "oom", "killed by the kernel, which had run out of memory"
    return "failed", _manner(death.status)


def _manner(status: int) -> str:
    name = signal_of(status)
    if name == "SIGKILL":
        return "killed by SIGKILL, by someone or for want of memory"
    if name:
        return f"killed by {name}"
    return f"ended with status {status} before its result"
