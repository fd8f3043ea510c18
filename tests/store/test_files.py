"""Files are written whole, where they were asked for, and over nothing precious."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchdb.errors import BenchdbError
from benchdb.files import claim, new_folder, replacing, sweep
from tests.command_line import benchdb

WRITER = """
import sys, time
from pathlib import Path
from benchdb import files
from benchdb.store import sqlite
def stay(*_):
    print("in the middle", flush=True)
    time.sleep(60)
path = Path(sys.argv[1]) / "results"
if sys.argv[2] == "database":
    sqlite.create(path, stay)
with {"file": files.replacing, "folder": files.new_folder}[sys.argv[2]](path):
    stay()
"""
KINDS = ("database", "file", "folder")


def fail_while_writing(path: Path) -> None:
    with replacing(path) as stream:
        stream.write(b"new, but")
        raise RuntimeError


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path):
    path = tmp_path / "report.md"
    path.write_text("old")

    with pytest.raises(RuntimeError):
        fail_while_writing(path)

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")

    with replacing(tmp_path / "link.txt") as stream:
        stream.write(b"new")

    assert (tmp_path / "real.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()


def test_a_pipe_is_written_to_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()

    with replacing(pipe) as stream:
        stream.write(b"through")
    reader.join()

    assert received == [b"through"]
    assert pipe.is_fifo()


def test_an_export_never_overwrites_a_database(tmp_path, two_runs):
    database = tmp_path / "results.sqlite"
    benchdb("import", two_runs, "--db", database)
    before = database.read_bytes()

    done = benchdb("export", "-o", database, "--db", database)

    assert done.status == 1
    assert done.err == "benchdb: results.sqlite is a database; name another file\n"
    assert database.read_bytes() == before


def test_the_first_to_finish_gives_the_name(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
        claim(tmp_path / name, tmp_path / "name")

    assert (tmp_path / "name").read_text() == "first"


def test_a_folder_cannot_be_written_as_a_file(tmp_path):
    with (
        pytest.raises(BenchdbError, match="cannot write"),
        replacing(tmp_path) as stream,
    ):
        stream.write(b"x")

    assert list(Path(tmp_path).iterdir()) == []


@contextmanager
def writer(folder: Path, kind: str) -> Iterator[Path]:
    """Give what a process has written so far, in the middle of a *kind* of thing."""
    command = [sys.executable, "-c", WRITER, str(folder), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in the middle\n"
        (unfinished,) = folder.iterdir()
        yield unfinished
        process.send_signal(signal.SIGKILL)


def age(unfinished: Path) -> None:
    """Let everything of *unfinished* be two days old."""
    then = time.time() - 2 * 24 * 3600
    for path in (*unfinished.rglob("*"), unfinished):
        os.utime(path, (then, then))


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_killed_process_left_is_swept_a_day_later(tmp_path, kind):
    with writer(tmp_path, kind) as unfinished:
        pass

    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == [unfinished]
    age(unfinished)
    sweep(tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_somebody_still_writes_is_never_swept(tmp_path, kind):
    with writer(tmp_path, kind) as unfinished:
        age(unfinished)

        sweep(tmp_path)

        assert list(tmp_path.iterdir()) == [unfinished]


def test_a_sweep_takes_nothing_of_anybody_else(tmp_path):
    (tmp_path / ".benchdb-notes").mkdir()
    (tmp_path / ".benchdb-unfinished-link").symlink_to(tmp_path / ".benchdb-notes")
    age(tmp_path / ".benchdb-notes")

    sweep(tmp_path)

    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_who_writes_beside_it_sweeps(tmp_path, kind, two_runs):
    with writer(tmp_path, kind) as unfinished:
        pass
    age(unfinished)

    if kind == "database":
        benchdb("import", two_runs, "--db", tmp_path / "results.sqlite")
    elif kind == "folder":
        with new_folder(tmp_path / "set"):
            pass
    else:
        with replacing(tmp_path / "report.md") as stream:
            stream.write(b"new")

    assert not unfinished.exists()
