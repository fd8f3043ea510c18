"""The window of a campaign is closed, or the connection to its machine is lost."""

import json
import os
import pty
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests import troubled_checkout
from tests.processes import eventually, workers

ONE = ("collect", "matmul", "--size", "4", "--no-metal", "--no-cuda", "--tier", "smoke")
TWO = (*ONE, "--replicates", "2")
SLOWLY = {"TROUBLE_STEP_SECONDS": "0.1"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    return troubled_checkout.make(tmp_path_factory.mktemp("checkout"))


def statuses(checkout: Path, home: Path) -> list[str]:
    line = ("list", "--json", "--db", home / "r.sqlite")
    found: list[dict[str, Any]]
    found = json.loads(troubled_checkout.benchdb(checkout, home, *line).out)
    return sorted(run["status"] for run in found)


def test_a_closed_terminal_keeps_the_running_replicate_as_interrupted(
    checkout, tmp_path
):
    line = troubled_checkout.command(*TWO, "--db", tmp_path / "r.sqlite")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["setsid", "--ctty", *line],
        cwd=checkout,
        env=troubled_checkout.environment(tmp_path, SLOWLY),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        eventually(lambda: workers(process.pid))
        os.close(ours)  # the system sends SIGHUP, and what is said goes nowhere

    assert process.returncode == 130
    assert statuses(checkout, tmp_path) == ["interrupted"]
    assert len(list((tmp_path / "campaigns").glob("*.json"))) == 1


def test_under_nohup_a_lost_terminal_ends_nothing(checkout, tmp_path):
    line = troubled_checkout.command(*TWO, "--db", tmp_path / "r.sqlite")
    with subprocess.Popen(
        ["nohup", *line],
        cwd=checkout,
        env=troubled_checkout.environment(tmp_path, SLOWLY),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        eventually(lambda: workers(process.pid))
        process.send_signal(signal.SIGHUP)

    assert process.returncode == 0
    assert statuses(checkout, tmp_path) == ["ok", "ok"]


def test_a_signal_that_comes_twice_at_once_as_by_timeout_is_one_request(
    checkout, tmp_path
):
    database = tmp_path / "r.sqlite"
    line = troubled_checkout.command(*TWO, "--db", database)
    with subprocess.Popen(
        line,
        cwd=checkout,
        env=troubled_checkout.environment(tmp_path, SLOWLY),
        stderr=subprocess.DEVNULL,
    ) as process:
        eventually(lambda: workers(process.pid))
        process.send_signal(signal.SIGTERM)
        time.sleep(0.05)  # two signals that are pending at once are one anyway
        process.send_signal(signal.SIGTERM)

    assert process.returncode == 130
    shown = troubled_checkout.benchdb(
        checkout, tmp_path, "export", "--db", database, "-o", "-"
    )
    (end,) = (json.loads(one) for one in shown.out.splitlines() if '"end"' in one)
    assert (end["status"], end["reason"]) == ("interrupted", "stopped by SIGINT")
    assert "peak_resident_bytes" in {value["metric"] for value in end["values"]}
