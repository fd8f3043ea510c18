"""Asking a collector to stop, and asking again."""

import os
import signal
import subprocess
import sys
import time

import pytest

from benchdb.collecting.processes import Interruption

DEAF = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
"""


def ask() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def test_one_that_does_not_hear_is_killed_when_it_is_asked_again_later():
    with (
        subprocess.Popen(
            [sys.executable, "-c", DEAF], stdout=subprocess.PIPE, process_group=0
        ) as process,
        Interruption() as interruption,
        interruption.watching(process),
    ):
        assert process.stdout
        process.stdout.readline()
        ask()
        ask()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        ask()
        process.wait(timeout=30)

    assert interruption.requested
    assert process.returncode == -signal.SIGKILL


def test_a_request_before_anything_runs_reaches_what_is_started_then():
    with Interruption() as interruption:
        ask()
        time.sleep(0.01)
        with (
            subprocess.Popen(["sleep", "60"], process_group=0) as process,
            interruption.watching(process),
        ):
            process.wait(timeout=30)

    assert process.returncode == -signal.SIGINT
