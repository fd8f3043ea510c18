"""A run is stored as a result only if it is of the item that was asked for."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchdb import resources
from benchdb.collecting.campaign import Finished, measure
from benchdb.collecting.plan import Cell, Memory, Request, Settings, ordered, plan
from benchdb.collecting.processes import Interruption
from benchdb.collecting.programs import fingerprint, survey
from benchdb.exchange.record import Record
from benchdb.store.database import open_database
from tests import troubled_checkout
from tests.processes import PATIENCE, below, eventually

SETTINGS = Settings("c", "smoke", seed=7, time_limit=60, grace=60)


@pytest.fixture(autouse=True)
def _its_collectors(checkout, monkeypatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", checkout / "benchdb")
    monkeypatch.setenv("TROUBLE_STEP_SECONDS", "0.001")


@cache
def cells() -> tuple[Cell, ...]:
    request = Request(("matmul",), tier="smoke", size=(4,))
    return plan(request, survey(["numpy"])).cells


@pytest.fixture
def forged(tmp_path, monkeypatch):
    """Return what measures an item with a collector that gives these *fields*."""
    engine = open_database(str(tmp_path / "r.sqlite"), create=True)

    def measured(fields: dict[str, Any], machine: str | None = None) -> Record:
        items = ordered(cells(), 1, seed=7)
        monkeypatch.setenv("TROUBLE", "program")
        monkeypatch.setenv("TROUBLE_KIND", "forge")
        monkeypatch.setenv("TROUBLE_SAYS", json.dumps(fields))
        memory = Memory(machine=machine)
        with Interruption() as interruption:
            events = list(measure(engine, items, SETTINGS, interruption, memory))
        (record,) = (e.record for e in events if isinstance(e, Finished))
        assert record is not None
        return record

    return measured


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ({"workload": "resnet50"}, "workload 'resnet50' where 'matmul'"),
        ({"setting": "other"}, "setting 'other' where 'standard'"),
        ({"framework": "torch"}, "framework 'torch' where 'numpy'"),
        ({"device": "cuda"}, "device 'cuda' where 'cpu'"),
        ({"precision": "bf16"}, "precision 'bf16' where 'fp32'"),
        ({"compiler": "xla"}, "compiler 'xla' where 'none'"),
        ({"parameters": {"size": 5}}, "parameters {'size': 5} where"),
        ({"seed": 8}, "seed 8 where 7"),
        ({"tier": "reference"}, "tier 'reference' where 'smoke'"),
        ({"campaign": "d"}, "campaign 'd' where 'c'"),
        ({"replicate": 1, "replicates": 2}, "replicate 1 where 0"),
        ({"label": "imported"}, "label 'imported' where 'measured'"),
    ],
)
def test_what_does_not_answer_the_item_is_a_failed_run(forged, run, reason):
    record = forged({"run": run})

    assert record.end.status == "failed"
    assert (record.end.reason or "").startswith(f"with_numpy gave {reason}")
    assert record.run.workload == "matmul"
    assert (record.series, record.end.values) == ((), ())


def test_what_another_machine_gave_is_a_failed_run(forged):
    here = fingerprint()["machine"]["anonymous_id"]

    assert forged({}, machine=here).end.status == "ok"
    other = forged({}, machine="f" * len(here))
    assert other.end.status == "failed"
    assert (other.end.reason or "").startswith("with_numpy gave machine ")


def test_more_runs_than_were_asked_for_are_a_failed_run(forged):
    record = forged({"twice": True})

    assert record.end.reason == "with_numpy gave more than one run"
    assert (record.series, record.end.values) == ((), ())


def test_what_a_switch_made_of_float32_is_the_answer(forged):
    record = forged({"run": {"precision": "tf32"}})

    assert (record.end.status, record.run.precision) == ("ok", "tf32")


def test_one_sigterm_ends_collect_though_the_collector_ignores_signals(
    checkout, tmp_path
):
    work = ("collect", *troubled_checkout.WORK, "--db", tmp_path / "r.sqlite")
    trouble = {"TROUBLE": "program", "TROUBLE_KIND": "deaf"}
    with subprocess.Popen(
        troubled_checkout.command(*work, "--framework", "numpy"),
        cwd=checkout,
        env=troubled_checkout.environment(tmp_path, trouble),
        stderr=subprocess.PIPE,
    ) as process:
        try:
            deaf = eventually(lambda: ignoring_ctrl_c(process.pid))
            began = time.monotonic()
            process.terminate()
            status = process.wait(PATIENCE)
        finally:
            process.kill()

    assert status == 130
    assert time.monotonic() - began < 30
    assert not Path(f"/proc/{deaf}").exists()


def ignoring_ctrl_c(pid: int) -> int | None:
    """Return a process below *pid* that measures and does not hear Ctrl-C."""
    for child in below(pid):
        with suppress(OSError):  # it has ended meanwhile
            facts = Path(f"/proc/{child}/status").read_text()
            ignored = int(facts.partition("SigIgn:")[2].split()[0], 16)
            if ignored >> (signal.SIGINT - 1) & 1 and os.getpgid(child) == child:
                return child
    return None
