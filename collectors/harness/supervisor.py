"""The process the user starts: it watches workers and writes what they cannot.

Standard library only, so that it starts fast and cannot crash with a framework.
"""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import machine

from harness.cells import Assignment, Cell
from harness.execution import compared
from harness.messages import encode, put
from harness.process import adopt_orphans, cpu_percent, maxrss_bytes, signal_of
from harness.recorder import Gates
from harness.telemetry import Observations, Telemetry
from harness.worker_process import Course, Death, Watch, run_worker_process

EXIT_OK, EXIT_NOT_ALL_OK, EXIT_WRONG_USE, EXIT_INTERRUPTED = 0, 1, 2, 130


@dataclass(frozen=True)
class Rounds:
    """What holds for all the runs of a supervisor.

    *rest* cools the machine down before each, unless it is told to stop, and says what
    it did.
    """

    program: Path
    rest: Callable[[Callable[[], bool]], dict[str, Any] | None]
    powermetrics: bool


def supervise(
    rounds: Rounds, opening: list[dict[str, Any]], assignments: Iterable[Assignment]
) -> int:
    """Run each assignment in a process of its own; return the exit status.

    The *opening* lines are held back until a worker has found its device. OutputError
    is raised once no worker is left.
    """
    watch = Watch()

    def write(line: str) -> None:
        while opening:
            put(encode(opening.pop(0)))
        put(line)

    watch.take_signals()
    adopt_orphans()
    calibrated: dict[str, int] = {}
    all_ok = True
    try:
        for planned in assignments:
            if watch.stopped_by:
                return EXIT_INTERRUPTED
            cell = planned.cell
            # What the processes of a cell have in common, and no two cells have.
            same = [cell.workload, cell.setting, cell.precision, cell.compiler]
            key = json.dumps([*same, cell.parameters])
            steps = planned.steps_per_block or calibrated.get(key)
            assignment = replace(planned, steps_per_block=steps)
            end = _run_one(rounds, assignment, watch, write)
            if isinstance(end, str):
                print(f"{rounds.program.stem}: {end}", file=sys.stderr)
                return EXIT_WRONG_USE
            if "steps_per_block" in end["checks"]:
                calibrated.setdefault(key, end["checks"]["steps_per_block"])
            all_ok = all_ok and end["status"] == "ok"
    finally:
        watch.kill()
    if watch.stopped_by:
        return EXIT_INTERRUPTED
    return EXIT_OK if all_ok else EXIT_NOT_ALL_OK


def _run_one(
    rounds: Rounds, assignment: Assignment, watch: Watch, write: Callable[[str], None]
) -> dict[str, Any] | str:
    """Run one assignment; return its end line, or why nothing can be measured."""
    rested = rounds.rest(lambda: watch.stopped_by is not None)
    began = {"conditions": machine.conditions(), "started": _now()}
    assignment = replace(assignment, run=assignment.run | began)
    cell, program = assignment.cell, rounds.program
    telemetry = Telemetry(cell.device, want_powermetrics=rounds.powermetrics)
    telemetry.start()
    try:
        course, death = run_worker_process(program, assignment, watch, write, telemetry)
    finally:
        seen = telemetry.stop()
    if course.unavailable and course.result is None:
        return course.unavailable
    if "environment" not in course.kinds:
        # The worker died before it could say it.
        environment = dict(assignment.environment)
        why = {"framework_version": "the process died before it could say"}
        environment["missing"] = environment.get("missing", {}) | why
        write(encode(environment))
    if "run" not in course.kinds:
        write(encode(assignment.run))
    end = end_line(assignment, course, death, watch)
    add_observed(end, cell, seen)
    end["checks"] |= {"rested": rested} if rested else {}
    end |= {"ended": _now(), "conditions": machine.conditions() | seen.conditions}
    if end["status"] == "interrupted" and course.pause:
        end["values"] = [without_figure(value) for value in end["values"]]
    write(encode(end))
    if end["status"] != "ok":
        print(
            f"{program.stem}: {cell.title}, replicate "
            f"{assignment.run['replicate']}: {end['status']}: {end['reason']}",
            file=sys.stderr,
        )
    return end


def add_observed(end: dict[str, Any], cell: Cell, seen: Observations) -> None:
    """Enter into an *end* line what was seen from outside the worker."""
    if cell.counts_tokens:  # its samples are tokens
        for value in seen.values:
            if value["metric"] == "samples_per_joule":
                value["metric"] = "tokens_per_joule"
    if seen.unsettled:
        why = seen.unsettled
        end["values"] = [without_rate(value, why) for value in end["values"]]
    at_clock = share_at_clock(end, seen.clock_mhz)
    end["values"] = merged(end["values"], (*seen.values, *at_clock))
    end["checks"] |= seen.checks
    if path := compared(end["checks"].get("path", {}), cell.device):
        seen.conditions["path"] = path


def share_at_clock(
    end: dict[str, Any], clock_mhz: float | None
) -> list[dict[str, Any]]:
    """Return the share of the peak at the clock that was held, where both are known."""
    assumed = end["checks"].get("peak_clock_mhz")
    percent = {it["metric"]: it.get("value") for it in end["values"]}.get("mfu_percent")
    if percent is None or not (assumed and clock_mhz):
        return []
    at_clock = percent * assumed / clock_mhz
    return [{"metric": "mfu_at_clock_percent", "value": at_clock}]


def merged(
    values: list[dict[str, Any]], seen: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the worker's *values* and those *seen* from outside.

    A worker's own number goes before one from outside, and that before a reason.
    """
    every = {value["metric"]: value for value in values}
    for value in seen:
        if "value" not in every.get(value["metric"], {}):
            every[value["metric"]] = value
    return list(every.values())


def without_rate(value: dict[str, Any], why: str) -> dict[str, Any]:
    """Return a *value*, but no sustained rate: clock or power had not settled."""
    metric = value["metric"]
    sustained = metric.startswith("sustained_") and "value" in value
    return {"metric": metric, "reason": why} if sustained else value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def end_line(
    assignment: Assignment, course: Course, death: Death, watch: Watch
) -> dict[str, Any]:
    """Return the end of a run from what its worker said and how it ended."""
    result = course.result or {}
    status, reason = _verdict(assignment, course, death, watch)
    # A worker that died has judged nothing, and that is told of every gate.
    checks = result.get("checks", {}) if result else {"gates": Gates().verdicts()}
    if result and death.status != 0:
        checks |= {"after_result": _manner(death.status)}
    if course.unreadable:
        checks |= {"unreadable_lines": course.unreadable}
    values = dict(course.values)
    if course.dropped:  # part of the work was not done
        why = "the GPU dropped work"
        values = {metric: {"metric": metric, "reason": why} for metric in values}
    percent = cpu_percent(death.cpu, death.wall)
    for metric, value in (
        ("process_wall_seconds", death.wall),
        ("process_user_seconds", death.cpu.user),
        ("process_system_seconds", death.cpu.system),
        ("process_cpu_percent", None if percent is None else round(percent, 1)),
    ):
        known = {"reason": "no time passed"} if value is None else {"value": value}
        values[metric] = {"metric": metric, **known}
    if "peak_resident_bytes" not in values and death.maxrss:
        values["peak_resident_bytes"] = {
            "metric": "peak_resident_bytes",
            "value": maxrss_bytes(death.maxrss),
            "derived": "ru_maxrss seen by the parent",
        }
    return {
        "type": "end",
        "run": assignment.run["key"],
        "status": status,
        "reason": reason,
        "values": list(values.values()),
        "checks": checks,
    }


def without_figure(value: dict[str, Any]) -> dict[str, Any]:
    """Return *value* with a reason in place of its figure, unless of the process."""
    metric = value["metric"]
    if metric.startswith(("process_", "parent_", "peak_")):
        return value
    why = "the machine or the worker stood still in between"
    return {"metric": metric, "reason": why}


def _verdict(
    assignment: Assignment, course: Course, death: Death, watch: Watch
) -> tuple[str, str | None]:
    void = course.dropped or course.objection
    if void and not watch.stopped_by:
        return void
    if course.result:
        status, reason = course.result["status"], course.result["reason"]
        halted = course.pause and status in ("ok", "failed")
        return ("interrupted", course.pause) if halted else (status, reason)
    if watch.stopped_by:
        return "interrupted", f"stopped by {watch.stopped_by}"
    if watch.overdue:
        at = course.phase or "start"
        limit = f"{assignment.time_limit:.0f} s, the time limit"
        return "failed", f"no end after {limit}; it was at: {at}"
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
