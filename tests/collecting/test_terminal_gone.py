"""The window of a campaign is closed, or the connection to its machine is lost."""

import json
import os
import pty
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from psutil import Process

from tests import troubled_checkout
from tests.processes import eventually, workers

ONE = ("collect", "matmul", "--size", "4", "--no-metal", "--no-cuda", "--tier", "smoke")
TWO = (*ONE, "--replicates", "2")
SLOWLY = {"TROUBLE_STEP_SECONDS": "0.1"}


def statuses(checkout: Path, home: Path) -> list[str]:
    line = ("list", "--runs", "--json", "--db", home / "r.sqlite")
    groups: list[dict[str, Any]]
    groups = json.loads(troubled_checkout.in_process(checkout, home, *line).out)
    return sorted(run["status"] for run in groups)


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


@pytest.mark.skipif(shutil.which("timeout") is None, reason="coreutils has it")
def test_what_was_measured_is_kept_when_timeout_ends_a_campaign(checkout, tmp_path):
    database = tmp_path / "r.sqlite"
    line = troubled_checkout.command(*TWO, "--db", database)
    with subprocess.Popen(
        ["timeout", "600", *line],
        cwd=checkout,
        env=troubled_checkout.environment(tmp_path, SLOWLY),
        stderr=subprocess.DEVNULL,
    ) as process:
        (collecting,) = eventually(lambda: Process(process.pid).children())
        eventually(lambda: workers(collecting.pid))
        # It signals its child, and then its group, of which the child is as well.
        process.send_signal(signal.SIGTERM)

    shown = troubled_checkout.in_process(
        checkout, tmp_path, "export", "--db", database, "-o", "-"
    )
    (end,) = (
        json.loads(splitline)
        for splitline in shown.out.splitlines()
        if '"end"' in splitline
    )
    assert (end["status"], end["reason"]) == ("interrupted", "stopped by SIGINT")
    assert "peak_resident_bytes" in {value["metric"] for value in end["values"]}
