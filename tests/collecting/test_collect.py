"""Collecting for real: a framework on the CPU, and processes killed for real."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests import command_line
from tests.command_line import Outcome
from tests.in_process import benchdb
from tests.processes import PATIENCE, alive, below, eventually, workers


@contextmanager
def collecting(database: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "benchdb", "collect", *arguments]
    process = subprocess.Popen(
        [*command, "--db", str(database)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},  # two would wait for each other
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


def worker(process: subprocess.Popen[str]) -> int | None:
    """Return the measuring process, not one that asks what machine this is."""
    return next(iter(workers(process.pid)), None)


def measuring(process: subprocess.Popen[str]) -> bool:
    """Tell whether a worker is beyond loading its framework: its run has begun."""
    number = worker(process)
    with suppress(psutil.NoSuchProcess):
        return number is not None and psutil.Process(number).cpu_times().user > LOADED
    return False


def wait_for(process: subprocess.Popen[str], what: str) -> None:
    """Read the progress until it says *what*."""
    for line in process.stderr or ():
        if what in line:
            return
    raise AssertionError(f"never said {what!r}")


def runs(database: Path) -> list[dict[str, Any]]:
    listed = benchdb("list", "--runs", "--json", "--db", database)
    assert listed.status == 0, listed.err
    groups: list[dict[str, Any]] = json.loads(listed.out)
    return groups


KEPT = Path(__file__).parents[1] / "kept_answers"
CPU = ("--no-metal", "--no-cuda", "--tier", "smoke")
# One is soon over, the other long enough to be killed in the middle.
NUMPY = ("matmul", "--framework", "numpy", *CPU)
SHORT_LONG = (*NUMPY, "--size", "64", "--size", "1600")
LONG_SHORT = (*NUMPY, "--size", "1600", "--size", "64")
LOADED = 0.7  # seconds of a processor: NumPy takes 0.2, the whole run 2


def test_a_smoke_collection_stores_runs_with_samples_and_asserted_parameters(
    tmp_path, monkeypatch
):
    database = tmp_path / "r.sqlite"
    # On a busy machine threads that wait for each other take most of the time.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    trained = ("lstm", "mnist", "--framework", "torch", *CPU)
    done = command_line.benchdb("collect", *trained, "--db", database)

    assert done.status == 0, done.err
    groups = {run["workload"]: run for run in runs(database)}
    assert {name: run["status"] for name, run in groups.items()} == {
        "lstm": "ok",
        "mnist": "ok",
    }
    shown = benchdb("show", groups["lstm"]["digest"], "--json", "--db", database)
    record = json.loads(shown.out)
    gate = record["end"]["checks"]["gates"]["parameter_count"]
    assert (gate["status"], gate["counted"]) == ("passed", 4546)
    phases = {series["phase"]: len(series["seconds"]) for series in record["samples"]}
    assert phases["measure"] == 5
    assert phases["warmup"] >= 3


def crashed(worker: int | None) -> bool:
    """Let *worker* crash; tell whether it was still there."""
    if worker is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(worker, signal.SIGSEGV)
        return True
    return False


def test_a_worker_that_crashes_becomes_a_failed_run_and_the_rest_goes_on(tmp_path):
    database = tmp_path / "r.sqlite"
    with collecting(database, *LONG_SHORT) as process:
        eventually(lambda: crashed(worker(process)))
        _, messages = process.communicate(timeout=PATIENCE)

    outcomes = sorted(run["status"] for run in runs(database))
    reasons = [run["reason"] for run in runs(database) if run["reason"]]
    assert process.returncode == 1
    assert "1 of 2 did not succeed" in messages
    assert outcomes == ["failed", "ok"]
    assert all("SIGSEGV" in reason for reason in reasons)


def test_an_interrupt_keeps_what_has_finished_and_says_how_to_go_on(tmp_path):
    database = tmp_path / "r.sqlite"
    with collecting(database, *SHORT_LONG) as process:
        wait_for(process, "[2/2]")
        eventually(lambda: measuring(process))
        process.send_signal(signal.SIGINT)
        table, messages = process.communicate(timeout=PATIENCE)

    statuses = sorted(run["status"] for run in runs(database))
    assert process.returncode == 130
    assert "interrupted; what had finished is stored" in messages
    assert f"benchdb collect --resume --db {database}" in messages
    assert statuses == ["interrupted", "ok"]
    assert "interrupted (stopped by SIGINT)" in table
    assert "95 % interval" in table


def test_kill_9_loses_only_the_running_replicate_and_leaves_no_process(tmp_path):
    database = tmp_path / "r.sqlite"
    with collecting(database, *SHORT_LONG) as process:
        wait_for(process, "[2/2]")
        eventually(lambda: worker(process))
        family = below(process.pid)
        process.kill()

    eventually(lambda: not any(alive(pid) for pid in family))
    with sqlite3.connect(database) as connection:
        checked = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    assert checked == [("ok",)]
    assert [run["status"] for run in runs(database)] == ["ok"]


@pytest.fixture
def asked_once(tmp_path_factory, monkeypatch) -> None:
    """Let PyTorch be imported once to say what it can do here."""
    kept = tmp_path_factory.getbasetemp() / "answers"
    monkeypatch.setenv("KEPT_ANSWERS", str(kept))
    monkeypatch.setenv("PYTHONPATH", str(KEPT))


@pytest.mark.usefixtures("asked_once")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--metal"], "no Metal device|this is Linux"), (["--cuda"], "CUDA")],
)
def test_what_pytorch_has_not_is_said_in_one_line(tmp_path, arguments, message):
    database = tmp_path / "r.sqlite"

    done = benchdb("collect", *arguments, "--framework", "torch", "--db", database)

    refused_in_one_line(done, message)
    assert not database.exists()


@pytest.mark.usefixtures("asked_once")
@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has no such names")
def test_data_in_a_folder_that_no_plan_can_name_are_refused_in_one_line(tmp_path):
    folder = tmp_path / os.fsdecode(b"data\xff")
    folder.mkdir()
    database = tmp_path / "r.sqlite"

    asked = ("mnist", "--framework", "torch", "--data", folder)
    done = benchdb("collect", *asked, "--db", database)

    refused_in_one_line(done, "give the folder another name")
    assert not database.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["resnet51"], "no workload 'resnet51'; did you mean 'resnet50'?"),
        ([""], "no workload ''; there are: alexnet"),
        (["diffusion-image"], "no collector here measures 'diffusion-image'"),
        (["--suite", "best"], "no suite 'best'"),
        (["--tier", "long"], "no tier 'long'"),
        (["--precision", "fp8"], "no precision 'fp8'; did you mean 'fp64'?"),
        (["matmul", "--batch-size", "2"], "choice of batch_size"),
        (["--framework", "jax"], "no collector for 'jax'"),
    ],
)
def test_what_is_not_there_at_all_is_said_in_one_line(tmp_path, arguments, message):
    database = tmp_path / "r.sqlite"

    done = benchdb("collect", *arguments, "--framework", "numpy", "--db", database)

    refused_in_one_line(done, message)
    assert not database.exists()


def refused_in_one_line(done: Outcome, message: str) -> None:
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert any(part in done.err for part in message.split("|"))


def test_who_could_store_nothing_does_not_say_that_it_did(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    database = tmp_path / "refusing.sqlite"
    benchdb("import", os.devnull, "--db", database)
    with sqlite3.connect(database) as connection:
        refusal = "BEGIN SELECT RAISE(ABORT, 'refused'); END"
        connection.execute(f"CREATE TRIGGER no BEFORE INSERT ON run {refusal}")

    matmul = ("matmul", "--size", "48", "--framework", "numpy", "--tier", "smoke")
    done = benchdb("collect", *matmul, "--db", database)

    (rescue,) = tmp_path.glob("benchdb-*.jsonl")
    assert done.status == 1
    assert f"kept in {rescue}" in done.err
    assert f"nothing stored in {database}" in done.err
    assert benchdb("import", rescue, "--db", tmp_path / "new.sqlite").status == 0
