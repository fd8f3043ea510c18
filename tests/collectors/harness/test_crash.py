"""What is left of a run when its process, or ours, comes to a bad end."""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import psutil
import pytest
from harness.recorder import GATES

from benchdb.exchange import messages
from tests.collector_programs import TROUBLE, Outcome, command, decode, run

SMOKE = ("matmul", "--size", "4", "--tier", "smoke")
# The first step, three of warm-up, then blocks: the sixth step is the second block.
IN_A_BLOCK = "step:6"


@cache
def troubled(moment: str, kind: str, *arguments: str) -> Outcome:
    extra = {"TROUBLE": moment, "TROUBLE_KIND": kind}
    return run(TROUBLE, *SMOKE, *arguments, extra=extra)


def test_a_crash_keeps_what_was_known_and_tells_what_was_not():
    outcome = troubled(IN_A_BLOCK, "SIGSEGV")

    (end,) = outcome.ends
    assert (outcome.status, end.status, end.reason) == (
        1,
        "failed",
        "killed by SIGSEGV",
    )
    assert len(outcome.times("warmup")) == 3
    for known in ("first_step_seconds", "process_wall_seconds", "peak_resident_bytes"):
        assert outcome.value(known) is not None
    # The gates that it came too early for are told all the same.
    assert tuple(end.checks["gates"]) == GATES
    assert {item["status"] for item in end.checks["gates"].values()} == {"not-checked"}
    (cost,) = (value for value in end.values if value.metric == "parent_cpu_percent")
    assert cost.reason == "the phase measure did not come to its end"


@pytest.mark.parametrize(
    ("moment", "kind", "status", "reason"),
    [
        (IN_A_BLOCK, "SIGABRT", "failed", "killed by SIGABRT"),
        (IN_A_BLOCK, "139", "failed", "killed by SIGSEGV"),  # as a launcher reports it
        # Without the kernel's want of memory:
        (IN_A_BLOCK, "SIGKILL", "failed", "killed by SIGKILL, by someone or for"),
        (IN_A_BLOCK, "7", "failed", "ended with status 7 before its result"),
        ("load", "SIGSEGV", "failed", "killed by SIGSEGV"),
        ("build", "memory", "oom", "MemoryError"),
        ("build", "framework-memory", "oom", "OutOfMemoryError: CUDA out of memory"),
        ("build", "unsupported", "unsupported", "this device cannot add"),
    ],
)
def test_an_end_has_the_status_and_the_reason_that_it_came_to(
    moment, kind, status, reason
):
    outcome = troubled(moment, kind)

    (end,) = outcome.ends
    assert (outcome.status, end.status) == (1, status)
    assert (end.reason or "").startswith(reason)
    assert "Traceback" not in outcome.errors
    assert outcome.runs[0].workload == "matmul"
    assert outcome.environments[0].key == outcome.runs[0].environment


def test_the_other_replicates_go_on_after_a_crash():
    outcome = troubled(IN_A_BLOCK, "SIGSEGV", "--replicates", "2")

    assert [run.replicate for run in outcome.runs] == [0, 1]
    assert [end.run for end in outcome.ends] == ["run-0", "run-1"]


def test_an_unexpected_error_is_a_failure_with_its_traceback_for_us():
    outcome = troubled(IN_A_BLOCK, "raise")

    assert outcome.ends[0].reason == "ValueError: it went wrong"
    assert "Traceback" in outcome.errors


@pytest.mark.parametrize(
    ("wrong", "gate"),
    [
        ({"TROUBLE_ERROR": "0.5"}, "result_error"),
        ({"TROUBLE_PLACED_ON": "cuda"}, "device"),
    ],
)
def test_a_failed_gate_keeps_the_values(wrong, gate):
    outcome = run(TROUBLE, *SMOKE, extra=wrong)

    assert outcome.ends[0].status == "failed"
    assert f"gate failed: {gate} (" in (outcome.ends[0].reason or "")
    assert outcome.value("step_seconds") is not None


def test_what_a_library_prints_never_reaches_the_lines():
    outcome = run(TROUBLE, *SMOKE)

    assert outcome.status == 0
    assert "noise from a library" in outcome.errors
    assert "noise on standard output" in outcome.errors


@contextmanager
def hanging(under: Sequence[str] = ()) -> Iterator["subprocess.Popen[str]"]:
    """Yield a collector whose worker hangs in a block, its first samples read."""
    environment = os.environ | {"TROUBLE": IN_A_BLOCK, "TROUBLE_KIND": "hang"}
    process = subprocess.Popen(
        [*under, *command(TROUBLE, *SMOKE, "--replicates", "2")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def read_until_samples(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    text = ""
    while '"type": "samples"' not in text:
        line = process.stdout.readline()
        assert line, "the collector ended before it sent any samples"
        text += line
    return text


def gone(worker: psutil.Process) -> bool:
    try:
        worker.wait(timeout=30)
    except psutil.TimeoutExpired:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_so_and_leaves_nobody_behind(number):
    with hanging() as process:
        text = read_until_samples(process)
        (worker,) = psutil.Process(process.pid).children()
        process.send_signal(number)
        rest, errors = process.communicate(timeout=60)

    end = decode(text + rest)[-1]
    assert isinstance(end, messages.End)
    assert (end.status, end.reason) == ("interrupted", f"stopped by {number.name}")
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert gone(worker)


def test_under_nohup_a_lost_terminal_does_not_stop_a_collector():
    with hanging(under=("nohup",)) as process:
        text = read_until_samples(process)
        process.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=60)

    end = decode(text + rest)[-1]
    assert isinstance(end, messages.End)
    assert (end.status, end.reason) == ("interrupted", "stopped by SIGTERM")


def test_a_killed_supervisor_takes_its_worker_along():
    with hanging() as process:
        text = read_until_samples(process)
        (worker,) = psutil.Process(process.pid).children()
        process.kill()
        rest, _ = process.communicate(timeout=60)

    assert gone(worker)
    assert not [line for line in decode(text + rest) if isinstance(line, messages.End)]


def test_a_reader_that_goes_away_ends_the_collector_quietly():
    with hanging() as process:
        read_until_samples(process)
        (worker,) = psutil.Process(process.pid).children()
        assert process.stdout is not None
        process.stdout.close()
        worker.kill()
        assert process.stderr is not None
        errors = process.stderr.read()
        process.wait(timeout=60)

    assert "Traceback" not in errors
    assert process.returncode == 1


def test_a_worker_alone_notices_that_its_supervisor_is_gone(tmp_path):
    # Without the kernel's help, as on macOS: the lifeline alone.
    script = tmp_path / "orphan.py"
    script.write_text(
        "import threading, time\nfrom harness import process\n"
        "threading.Thread(target=process._watch_lifeline, daemon=True).start()\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)\n"
    )
    collectors = str(TROUBLE.parents[2] / "collectors")
    process = subprocess.Popen(
        command(script),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": collectors},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.communicate(timeout=60)

    assert process.returncode == 1
