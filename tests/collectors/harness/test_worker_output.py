"""What a worker's process writes and leaves behind, whoever in it wrote it."""

import json
import os
import subprocess
import time

import psutil
import pytest
from harness.cells import Assignment
from harness.worker_process import objection

from tests.collector_programs import ROOT, TROUBLE, Outcome, command, run
from tests.collectors.counting_work import cell
from tests.processes import alive, eventually

SMOKE = ("matmul", "--size", "4", "--tier", "smoke")
IN_A_BLOCK = "step:6"
MIB = 2**20


def troubled(kind: str, *arguments: str, **extra: str) -> Outcome:
    trouble = {"TROUBLE": IN_A_BLOCK, "TROUBLE_KIND": kind, **extra}
    return run(TROUBLE, *SMOKE, *arguments, extra=trouble)


@pytest.mark.parametrize("kind", ["child", "child elsewhere"])
def test_a_child_that_holds_the_output_delays_nothing_and_does_not_survive(
    tmp_path, kind
):
    child, began = tmp_path / "child", time.monotonic()

    outcome = troubled(kind, "--time-limit", "60", TROUBLE_CHILD=str(child))

    assert time.monotonic() - began < 40
    assert [end.status for end in outcome.ends] == ["ok"]
    eventually(lambda: not alive(int(child.read_text())))


def test_what_python_forks_cannot_write_messages():
    outcome = troubled("writing child")

    assert outcome.ends[0].status == "ok"
    assert "x" not in {value.metric for value in outcome.ends[0].values}


FORGED_RUN = {
    "type": "run",
    "key": "run-0",
    "environment": "environment-0",
    "machine": "machine",
    "workload": "resnet50",
}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (FORGED_RUN, "a line of type 'run' that was not asked for"),
        ({"type": "machine", "key": "m"}, "a line of type 'machine' that was"),
        ({"type": "end", "run": "run-0"}, "a line of type 'end' that was"),
        ({"type": ["run"]}, "a line of type ['run'] that was"),
        ({"type": "samples", "run": "r"}, "samples of another run"),
        ({"type": "samples", "run": "run-0"}, None),
    ],
)
def test_a_line_that_was_not_asked_for_has_an_objection(line, reason):
    order = Assignment(cell(), {"key": "run-0"}, {}, 0)

    text = objection(order, {"environment", "run"}, line)

    assert text is None if reason is None else (text or "").startswith(reason)


def test_a_line_that_was_not_asked_for_is_not_passed_on_and_fails_the_run():
    outcome = troubled("forge", TROUBLE_SAYS=json.dumps(FORGED_RUN) + "\n")

    assert [run.workload for run in outcome.runs] == ["matmul"]
    (end,) = outcome.ends
    reason = "its worker wrote a line of type 'run' that was not asked for"
    assert (end.status, end.reason) == ("failed", reason)
    assert len(outcome.times("measure")) == 5


def test_a_forged_start_does_not_take_the_place_of_the_run():
    extra = {"TROUBLE": "load", "TROUBLE_KIND": "forge"}
    line = json.dumps(FORGED_RUN) + "\n"

    outcome = run(TROUBLE, *SMOKE, extra=extra | {"TROUBLE_SAYS": line})

    assert [run.workload for run in outcome.runs] == ["matmul"]
    reason = "its worker wrote workload 'resnet50' where 'matmul' was asked for"
    assert outcome.ends[0].reason == reason


NOTHING_SAID = (
    '{"type": "value"}',
    '{"type": "value", "metric": []}',
    '{"type": "value", "metric": "x", "value": "fast"}',
    '{"type": "phase", "phase": "measure"}',
    '{"type": "value", "metric": "x", "value": 1e999}',
    '{"type": "value", "metric": "\\ud800", "value": 1}',
    '{"type": "result", "status": "ok"}',
    '{"type": "result", "status": "ok", "reason": null, "checks": 7}',
    "[" * 50_000,
    "garbage",
)


def test_messages_that_say_nothing_are_counted_and_end_nothing():
    outcome = troubled("forge", TROUBLE_SAYS="\n".join(NOTHING_SAID) + "\n")

    assert outcome.ends[0].status == "ok"
    assert outcome.ends[0].checks["unreadable_lines"] == len(NOTHING_SAID)


def peak(process: "subprocess.Popen[str]") -> int:
    """Return the most resident bytes that were seen while *process* ran."""
    most = 0
    while process.poll() is None:
        try:
            most = max(most, psutil.Process(process.pid).memory_info().rss)
        except psutil.NoSuchProcess:
            break
        time.sleep(0.01)
    return most


def test_a_line_of_300_mib_fails_its_run_alone_and_takes_no_memory(tmp_path):
    trouble = {"TROUBLE": IN_A_BLOCK, "TROUBLE_KIND": "endless line"}
    file = tmp_path / "run.jsonl"
    with file.open("w") as stream:
        process = subprocess.Popen(
            command(TROUBLE, *SMOKE), stdout=stream, env=os.environ | trouble, text=True
        )
        most = peak(process)

    *_, end = map(json.loads, file.read_text().splitlines())
    assert most < 100 * MIB
    assert end["status"] == "failed"
    assert end["reason"] == "its worker wrote a line longer than 1048576 bytes"
    assert {"step_seconds", "samples_per_second"} <= {
        v["metric"] for v in end["values"]
    }


@pytest.mark.parametrize(
    "program", ["collectors/with_numpy.py", "-m benchdb collect --framework numpy"]
)
def test_too_few_open_files_are_told_in_one_line(tmp_path, program):
    python = f"{command(TROUBLE)[0]} {program} matmul"
    done = subprocess.run(
        ["sh", "-c", f"ulimit -n 12; exec {python}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"BENCHDB_HOME": str(tmp_path)},
    )

    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert "only 12 files may be open at once; allow more with: ulimit -n" in line
