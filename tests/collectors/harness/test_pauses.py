"""A Mac that sleeps in the middle, a worker that is halted: never a plain figure."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from harness.process import asleep_seconds
from harness.worker_process import pause

from benchdb.exchange import messages
from tests.collector_programs import TROUBLE, command, decode, run

SMOKE = ("matmul", "--size", "4", "--tier", "smoke")
EVEN = [0.5] * 9


@pytest.mark.parametrize(
    ("before", "after", "blocks", "reason"),
    [
        (100.0, 412.0, EVEN, "the machine slept for 312 s while it was measured"),
        (100.0, 412.0, [], "the machine slept for 312 s while it was measured"),
        (None, None, [*EVEN, 31.0], "a block took 31.0 s where the usual one takes"),
        (100.0, 100.9, EVEN, None),  # what two clocks may differ by
        (None, 412.0, EVEN, None),
        (0.0, 0.0, [*EVEN, 4.9], None),  # a busy machine
        (0.0, 0.0, [0.01, 0.01, 0.01, 2.9], None),
        (0.0, 0.0, [], None),
    ],
)
def test_what_stood_still_is_told_by_two_clocks_or_by_a_block(
    before, after, blocks, reason
):
    text = pause(before, after, blocks)

    assert text == reason if reason is None else (text or "").startswith(reason)


@pytest.mark.parametrize(
    ("platform", "clocks"),
    [
        ("linux", {"CLOCK_BOOTTIME": 950.0, "CLOCK_MONOTONIC": 700.0}),
        ("darwin", {"CLOCK_MONOTONIC_RAW": 950.0, "CLOCK_UPTIME_RAW": 700.0}),
    ],
)
def test_sleep_is_what_a_clock_that_goes_on_is_ahead_by(platform, clocks, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    for name in clocks:
        monkeypatch.setattr(time, name, name, raising=False)

    assert asleep_seconds(clocks.__getitem__) == 250.0


def test_a_system_without_such_clocks_knows_of_no_sleep(monkeypatch):
    monkeypatch.setattr(sys, "platform", "sunos5")

    assert asleep_seconds() is None


def test_a_worker_that_is_stopped_and_goes_on_leaves_an_interrupted_run():
    # It stops itself in its second block; somebody else lets it go on.
    process = subprocess.Popen(
        command(TROUBLE, *SMOKE),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TROUBLE": "step:6", "TROUBLE_KIND": "SIGSTOP"},
    )
    with process:
        worker = _stopped(psutil.Process(process.pid))
        time.sleep(3.2)
        worker.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=60)

    lines = decode(out)
    (end,) = (line for line in lines if isinstance(line, messages.End))
    assert (process.returncode, end.status) == (1, "interrupted")
    assert "the worker was halted in between" in (end.reason or "")
    assert str(end.reason) in err
    # The samples are kept; what would be a figure has the reason in its place.
    blocks = [x for x in lines if isinstance(x, messages.Samples)]
    assert max(t for block in blocks for t in block.values) > 3
    values = {value.metric: value for value in end.values}
    for metric in ("step_seconds", "teraflops"):
        assert (values[metric].value, values[metric].reason) == (
            None,
            "the machine or the worker stood still in between",
        )


def _stopped(supervisor: psutil.Process) -> psutil.Process:
    for _ in range(600):
        for child in supervisor.children():
            if child.status() == psutil.STATUS_STOPPED:
                return child
        time.sleep(0.05)
    raise AssertionError("the worker did not stop")


def test_a_run_through_which_the_machine_slept_is_interrupted():
    outcome = run(TROUBLE, *SMOKE, extra={"TROUBLE_SLEPT": "312"})

    assert (outcome.status, outcome.ends[0].status) == (1, "interrupted")
    assert "the machine slept for 312 s" in (outcome.ends[0].reason or "")
    assert outcome.value("step_seconds") is None
