"""Files are written whole, where they were asked for, and over nothing precious."""

import os
import threading
from pathlib import Path

import pytest

from benchdb.errors import BenchdbError
from benchdb.files import claim, replacing
from tests.command_line import benchdb


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
