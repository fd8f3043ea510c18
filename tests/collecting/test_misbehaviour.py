"""Whatever a collector program does, its run is stored with a status and one line."""

import os
import re
import shutil
import stat
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import Engine

from benchdb import resources
from benchdb.collecting.campaign import Finished, measure
from benchdb.collecting.plan import Cell, Item, Memory, Request, Settings, ordered, plan
from benchdb.collecting.processes import Interruption
from benchdb.collecting.programs import launcher, survey
from benchdb.collecting.runner import command
from benchdb.errors import UsageError
from benchdb.exchange.record import Record, digest_of
from benchdb.store import read
from benchdb.store.database import open_database, reading
from tests.command_line import benchdb
from tests.processes import alive, below, eventually

SETTINGS = Settings("c", "smoke", seed=7, time_limit=60, grace=60)


@pytest.fixture(autouse=True)
def _its_collectors(checkout, monkeypatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", checkout / "benchdb")
    monkeypatch.setenv("TROUBLE_STEP_SECONDS", "0.001")


@pytest.fixture
def engine(tmp_path) -> Engine:
    return open_database(str(tmp_path / "r.sqlite"), create=True)


@cache
def cells() -> tuple[Cell, ...]:
    wanted = Request(("matmul",), tier="smoke", size=(4,))
    return plan(wanted, survey(["numpy"])).cells


def items(replicates: int) -> list[Item]:
    return ordered(cells(), replicates, seed=7)


def collect(
    engine: Engine, replicates: int = 1, settings: Settings = SETTINGS
) -> list[Finished]:
    with Interruption() as interruption:
        events = measure(engine, items(replicates), settings, interruption, Memory())
        return [event for event in events if isinstance(event, Finished)]


def stored(engine: Engine) -> list[Record]:
    with reading(engine) as connection:
        records = list(read.records(connection))
    return sorted(records, key=lambda record: record.run.replicate or 0)


def trouble(
    monkeypatch, kind: str, *, after: str | None = None, turn: str = ""
) -> None:
    monkeypatch.setenv("TROUBLE", f"program{turn}")
    monkeypatch.setenv("TROUBLE_KIND", kind)
    if after:
        monkeypatch.setenv("TROUBLE_AFTER", after)


@pytest.mark.parametrize(
    ("kind", "after", "reason"),
    [
        ("garbage", None, "printed what cannot be taken (not a benchdb exchange file"),
        ("garbage", "run", "printed what cannot be taken (line 5: "),
        ("half", "run", "ended with status 0 before its run ended"),
        ("SIGSEGV", None, "was killed by SIGSEGV and gave no run"),
        ("SIGABRT", "run", "was killed by SIGABRT before its run ended"),
        ("0", None, "ended with status 0 and gave no run"),
        ("3", "samples", "ended with status 3 before its run ended"),
        ("2", None, "ended with status 2 and gave no run"),
    ],
)
def test_a_collector_that_misbehaves_leaves_a_failed_run_that_says_how(
    engine, monkeypatch, kind, after, reason
):
    trouble(monkeypatch, kind, after=after)

    collect(engine)

    (record,) = stored(engine)
    assert record.end.status == "failed"
    assert (record.end.reason or "").startswith(f"with_numpy {reason}")
    assert "\n" not in (record.end.reason or "")


def test_what_it_said_last_is_kept_without_what_it_gives_away(engine, monkeypatch):
    trouble(monkeypatch, "3")
    says = "Traceback\nOSError: no room in /home/jane/models\n"
    monkeypatch.setenv("TROUBLE_SAYS", says)

    collect(engine)

    (record,) = stored(engine)
    assert (record.end.reason or "").endswith(": OSError: no room in …/models")


def test_what_was_measured_before_it_died_is_kept(engine, monkeypatch):
    trouble(monkeypatch, "SIGSEGV", after="samples")

    collect(engine)

    (record,) = stored(engine)
    assert [series.phase for series in record.series] == ["warmup"]


@pytest.mark.parametrize("after", [None, "run"])
def test_a_collector_that_hangs_is_killed_and_its_run_says_so(
    engine, monkeypatch, after
):
    trouble(monkeypatch, "hang", after=after)
    short = Settings("c", "smoke", seed=7, time_limit=1, grace=1)

    collect(engine, settings=short)

    (record,) = stored(engine)
    assert record.end.status == "failed"
    assert "was stopped by the time limit of 2 s" in (record.end.reason or "")
    assert below(os.getpid()) == []


def test_a_run_that_said_nothing_is_told_from_the_plan(engine, monkeypatch):
    trouble(monkeypatch, "SIGSEGV")

    collect(engine)

    (record,) = stored(engine)
    run = record.run
    assert (run.workload, run.framework, run.device) == ("matmul", "numpy", "cpu")
    assert (run.precision, run.setting, run.compiler) == ("fp32", "standard", "none")
    assert run.parameters == {"batch_size": 1, "size": 4}
    assert (run.tier, run.campaign, run.replicate, run.seed) == ("smoke", "c", 0, 7)
    assert run.label == "measured"
    assert run.conditions == {}
    assert set(run.missing) == {"collector", "conditions", "device_name"}
    assert record.environment.framework == "numpy"
    assert "framework_version" in record.environment.missing


def test_it_is_of_the_same_machine_as_a_run_that_went_well(engine, monkeypatch):
    trouble(monkeypatch, "SIGSEGV", turn=":1")

    collect(engine, replicates=2)

    well, silent = stored(engine)
    assert [well.end.status, silent.end.status] == ["ok", "failed"]
    assert digest_of(well.machine) == digest_of(silent.machine)


def test_a_collector_that_refuses_at_the_start_is_wrong_use(engine, monkeypatch):
    trouble(monkeypatch, "refuse")

    with pytest.raises(UsageError, match=r"^the device is gone; plug it in$"):
        collect(engine)

    assert stored(engine) == []


def test_a_device_that_disappears_midway_is_a_failed_run_and_the_rest_goes_on(
    engine, monkeypatch
):
    trouble(monkeypatch, "refuse", turn=":1")

    collect(engine, replicates=3)

    records = stored(engine)
    assert [record.end.status for record in records] == ["ok", "failed", "ok"]
    text = "it refused to start: the device is gone; plug it in"
    assert records[1].end.reason == text


def test_a_worker_that_hangs_ends_with_the_limit_that_it_was_given(engine, monkeypatch):
    monkeypatch.setenv("TROUBLE", "build")
    monkeypatch.setenv("TROUBLE_KIND", "hang")

    collect(engine, settings=Settings("c", "smoke", seed=7, time_limit=1, grace=60))

    (record,) = stored(engine)
    assert "no end after 1 s, the time limit" in (record.end.reason or "")


def test_what_the_database_cannot_take_is_kept_in_a_file(engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with reading(engine) as connection:
        connection.exec_driver_sql("DROP TABLE samples")

    (last,) = collect(engine)

    assert f"kept in {tmp_path}/benchdb-c.jsonl" in (last.error or "")
    kept = benchdb(
        "import", tmp_path / "benchdb-c.jsonl", "--db", tmp_path / "n.sqlite"
    )
    assert "1 run, 1 new" in kept.out


def test_later_processes_take_over_the_block_and_the_temperature(engine):
    (item,) = items(1)
    memory = Memory()
    memory.take(item.cell, {"gpu_temperature_celsius": 41}, {"steps_per_block": 9})
    memory.take(item.cell, {"gpu_temperature_celsius": 66}, {"steps_per_block": 12})

    line = " ".join(command(item, SETTINGS, memory))

    assert "--start-temperature 41 " in f"{line} "
    assert "--steps-per-block 9 " in f"{line} "
    assert "--cool-down" not in line


@pytest.fixture
def uv(tmp_path: Path, monkeypatch) -> Path:
    """A program named uv that starts a child and waits for it, as the real one does."""
    log = tmp_path / "uv.log"
    program = tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {log}\nshift 2\n"{shutil.which("python3")}" "$@"\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return log


ISOLATED = Settings("c", "smoke", seed=7, time_limit=60, grace=60, isolated=True)


def test_isolated_collectors_are_started_by_uv_and_told_of_the_first_s_block(
    engine, uv
):
    collect(engine, replicates=2, settings=ISOLATED)

    assert [record.end.status for record in stored(engine)] == ["ok", "ok"]
    first, second = uv.read_text().splitlines()
    assert re.match(r"run --script \S+/with_numpy\.py matmul ", first)
    assert "--steps-per-block" not in first
    assert "--steps-per-block 1" in second


def test_a_signal_is_named_when_uv_reports_it_as_a_status(engine, uv, monkeypatch):
    trouble(monkeypatch, "SIGSEGV")

    collect(engine, settings=ISOLATED)

    (record,) = stored(engine)
    assert "was killed by SIGSEGV" in (record.end.reason or "")
    assert "python" in record.environment.missing


def test_a_hanging_collector_is_killed_together_with_uv(engine, uv, monkeypatch):
    trouble(monkeypatch, "hang", after="run")
    short = Settings("c", "smoke", seed=7, time_limit=1, grace=2, isolated=True)
    family: set[int] = set()

    with Interruption() as interruption:
        for _ in measure(engine, items(1), short, interruption, Memory()):
            family |= set(below(os.getpid()))

    eventually(lambda: not any(map(alive, family)))
    assert [record.end.status for record in stored(engine)] == ["failed"]


def test_without_uv_isolation_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UsageError, match=r"needs uv.*pip install uv"):
        launcher(isolated=True)
