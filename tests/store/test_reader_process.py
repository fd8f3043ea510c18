"""A large file is read by a process of its own: nobody can tell while it lives."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchdb.errors import ExchangeError
from benchdb.merge import Outcome, import_files
from benchdb.resources import folder
from benchdb.store import reader_process
from benchdb.store.database import open_database
from tests.contents import contents
from tests.in_process import benchdb
from tests.postgres import Server

ALONE = 2**50  # bytes; no file here is larger
PUBLISHED = folder("published") / "m1tensorbench.jsonl"
HEADER = b'{"type":"header","format":1,"producer":"x","producer_version":"1"}\n'


def imported(
    path: Path, database: Path
) -> tuple[Outcome, dict[str, list[tuple[Any, ...]]]]:
    engine = open_database(str(database), create=True)
    (outcome,) = import_files(engine, [path])
    return outcome, contents(engine)


def broken(two_runs: bytes) -> Iterator[bytes]:
    """Yield what may befall a file."""
    lines = two_runs.splitlines(keepends=True)
    yield two_runs
    yield two_runs * 2
    yield two_runs[:-40]
    yield b"".join([*lines[:4], b"{not json\n", *lines[5:]])
    yield b"".join([*lines[:4], b'{"type":"end","run":"r1","status":"ok"}\n', *lines])
    yield two_runs + HEADER.replace(b"1", b"9", 1) + two_runs
    yield HEADER.replace(b"1", b"9", 1) + two_runs
    yield HEADER[:-20] + b"\n" + two_runs
    yield PUBLISHED.read_bytes() + two_runs


def test_nobody_can_tell_who_read_a_file(tmp_path, two_runs, monkeypatch):
    for number, content in enumerate(broken(two_runs.read_bytes())):
        path = tmp_path / "runs.jsonl"
        path.write_bytes(content)
        monkeypatch.setattr(reader_process, "LARGE", 1)
        theirs = imported(path, tmp_path / f"{number}-apart.sqlite")
        monkeypatch.setattr(reader_process, "LARGE", ALONE)

        assert theirs == imported(path, tmp_path / f"{number}-alone.sqlite")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with more than one batch of runs: six with very many samples."""
    path: Path = tmp_path_factory.mktemp("large") / "large.jsonl"
    lines = [
        {"type": "machine", "key": "m", "chip": {"vendor": "Apple", "name": "M1"}},
        {"type": "environment", "key": "e"},
    ]
    run = {"type": "run", "machine": "m", "environment": "e", "workload": "matmul"}
    run |= {"framework": "numpy", "device": "cpu", "label": "measured"}
    values = [0.5] * 600_000
    for key in "abcdef":
        lines += [
            {**run, "key": key, "setting": key},
            {"type": "samples", "run": key, "phase": "measure", "values": values},
            {"type": "end", "run": key, "status": "ok"},
        ]
    with path.open("wb") as stream:
        stream.write(HEADER)
        stream.writelines(json.dumps(line).encode() + b"\n" for line in lines)
    assert path.stat().st_size > reader_process.LARGE
    return path


def reader() -> psutil.Process | None:
    """Return the process that reads for this one, if there is one."""
    processes = [
        child for child in psutil.Process().children() if "-c" in child.cmdline()
    ]
    return processes[0] if processes else None


def test_a_reader_that_is_killed_is_told(large):
    with large.open("rb") as stream, reader_process.reading(stream) as batches:
        assert next(batches).runs == 2
        process = reader()
        assert process is not None
        process.kill()

        with pytest.raises(ExchangeError, match=r"was killed by SIGKILL; nothing"):
            list(batches)

    assert reader() is None


def test_who_stops_listening_leaves_no_reader_behind(large):
    with large.open("rb") as stream, reader_process.reading(stream) as batches:
        next(batches)
        assert stream.tell() == 0

    assert reader() is None


def test_an_import_whose_reader_is_killed_keeps_nothing_of_the_file(
    postgres: Server, template: str, large, two_runs
):
    name = postgres.new_database(template)
    location = postgres.address(name)
    benchdb("import", two_runs, "--db", location)
    before = contents(open_database(location))
    waiting = "SELECT pid FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"
    with ThreadPoolExecutor(1) as another, postgres.connect(name) as connection:
        connection.autocommit = False
        connection.execute("LOCK TABLE samples IN ACCESS EXCLUSIVE MODE")
        importing = another.submit(benchdb, "import", large, "--db", location)
        while connection.execute(waiting).fetchone() is None:
            assert not importing.done(), importing.result()
            time.sleep(0.01)
        process = reader()
        assert process is not None
        process.kill()
        connection.rollback()
        done = importing.result()

    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"benchdb: {large}: the process that read it was killed by SIGKILL; nothing of "
        "the file was taken, import it again\n"
    )
    assert contents(open_database(location)) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_import_that_is_stopped_takes_its_reader_along(number, tmp_path, large):
    database = tmp_path / "results.sqlite"
    command = [sys.executable, "-m", "benchdb", "import", large, "--db", database]
    open_database(str(database), create=True)
    with subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE) as process:
        while not (processes := psutil.Process(process.pid).children()):
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1].decode()

    processes[0].wait(timeout=30)
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    assert "Traceback" not in errors
    assert contents(open_database(str(database)))["run"] == []
