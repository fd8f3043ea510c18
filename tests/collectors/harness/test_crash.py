"""What is left of a run when its process, or ours, comes to a bad end."""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from harness.recorder import GATES

from benchdb.exchange import lines
from tests.collector_programs import TROUBLE, Outcome, command, decode, run

SMOKE = ("matmul", "--size", "4", "--tier", "smoke")
# The first step, three of warm-up, then blocks: the sixth step is the second block.
IN_A_BLOCK = "step:6"


def troubled(moment: str, kind: str, *arguments: str) -> Outcome:
    extra = {"TROUBLE": moment, "TROUBLE_KIND": kind}
    return run(TROUBLE, *SMOKE, *arguments, extra=extra)


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGBUS"])
def test_a_crash_names_its_signal_and_keeps_earlier_samples(name: str):
    outcome = troubled(IN_A_BLOCK, name)

    assert outcome.status == 1
    assert outcome.ends[0].status == "failed"
    assert outcome.ends[0].reason == f"killed by {name}"
    assert len(outcome.times("warmup")) == 3


def test_a_crash_keeps_the_values_that_were_known():
    outcome = troubled(IN_A_BLOCK, "SIGSEGV")

    assert outcome.value("first_step_seconds") is not None
    assert outcome.value("process_wall_seconds") is not None
    assert outcome.value("peak_resident_bytes") is not None


def test_a_crash_tells_of_every_gate_that_it_came_too_early_for():
    gates = troubled(IN_A_BLOCK, "SIGSEGV").ends[0].checks["gates"]

    assert tuple(gates) == GATES
    assert {gate["status"] for gate in gates.values()} == {"not-checked"}


def test_a_crash_within_the_measurement_does_not_say_that_there_was_none():
    (cost,) = (
        value
        for value in troubled(IN_A_BLOCK, "SIGSEGV").ends[0].values
        if value.metric == "parent_cpu_percent"
    )

    assert cost.reason == "the phase measure did not come to its end"


def test_the_signal_is_named_when_a_launcher_reports_it_as_a_status():
    outcome = troubled(IN_A_BLOCK, "139")

    assert outcome.ends[0].reason == "killed by SIGSEGV"


def test_a_kill_without_the_kernels_want_of_memory_is_a_failure():
    outcome = troubled(IN_A_BLOCK, "SIGKILL")

    assert outcome.ends[0].status == "failed"
    assert "SIGKILL" in (outcome.ends[0].reason or "")


def test_the_other_replicates_go_on_after_a_crash():
    outcome = troubled(IN_A_BLOCK, "SIGSEGV", "--replicates", "2")

    assert [run.replicate for run in outcome.runs] == [0, 1]
    assert [end.run for end in outcome.ends] == ["run-0", "run-1"]


@pytest.mark.parametrize("moment", ["load", "build"])
def test_a_crash_before_the_first_step_is_a_run_all_the_same(moment: str):
    outcome = troubled(moment, "SIGSEGV")

    assert outcome.runs[0].workload == "matmul"
    assert outcome.environments[0].key == outcome.runs[0].environment
    assert outcome.ends[0].reason == "killed by SIGSEGV"


@pytest.mark.parametrize("kind", ["memory", "framework-memory"])
def test_want_of_memory_has_its_own_status(kind: str):
    outcome = troubled("build", kind)

    assert outcome.status == 1
    assert outcome.ends[0].status == "oom"
    assert "Traceback" not in outcome.errors


def test_what_the_device_cannot_do_is_unsupported():
    outcome = troubled("build", "unsupported")

    assert outcome.ends[0].status == "unsupported"
    assert outcome.ends[0].reason == "this device cannot add"


def test_an_unexpected_error_is_a_failure_with_its_traceback_for_us():
    outcome = troubled(IN_A_BLOCK, "raise")

    assert outcome.ends[0].reason == "ValueError: it went wrong"
    assert "Traceback" in outcome.errors


def test_a_process_that_leaves_early_is_a_failure():
    outcome = troubled(IN_A_BLOCK, "7")

    assert outcome.ends[0].reason == "ended with status 7 before its result"


def test_a_failed_gate_keeps_the_values():
    outcome = run(TROUBLE, *SMOKE, extra={"TROUBLE_ERROR": "0.5"})

    assert outcome.ends[0].status == "failed"
    assert "result_error" in (outcome.ends[0].reason or "")
    assert outcome.value("step_seconds") is not None


def test_a_result_on_another_device_fails():
    outcome = run(TROUBLE, *SMOKE, extra={"TROUBLE_PLACED_ON": "cuda"})

    assert outcome.ends[0].status == "failed"
    assert "gate failed: device" in (outcome.ends[0].reason or "")


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
def test_an_interrupted_run_says_so_and_leaves_nobody_behind(number: signal.Signals):
    with hanging() as process:
        text = read_until_samples(process)
        (worker,) = psutil.Process(process.pid).children()
        process.send_signal(number)
        rest, errors = process.communicate(timeout=60)

    end = decode(text + rest)[-1]
    assert isinstance(end, lines.End)
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
    assert isinstance(end, lines.End)
    assert (end.status, end.reason) == ("interrupted", "stopped by SIGTERM")


def test_a_killed_supervisor_takes_its_worker_along():
    with hanging() as process:
        text = read_until_samples(process)
        (worker,) = psutil.Process(process.pid).children()
        process.kill()
        rest, _ = process.communicate(timeout=60)

    assert gone(worker)
    assert not [line for line in decode(text + rest) if isinstance(line, lines.End)]


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


def test_a_worker_alone_notices_that_its_supervisor_is_gone(tmp_path: Path):
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
