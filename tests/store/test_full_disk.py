"""A disk that fills up while files are imported: one line, and the data as before."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchdb.resources import folder
from tests.in_process import benchdb
from tests.store.full_disk import full_disk

KIB = 1024


def contents_of(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def needle_metal(room: Path) -> Path:
    """Return a database of ten runs that is all in its file: none of it in a log."""
    small, made = folder("published") / "needle-metal.jsonl", room / "made.sqlite"
    assert benchdb("import", small, "--db", made).status == 0
    with closing(sqlite3.connect(made)) as connection:
        connection.execute("VACUUM INTO ?", (str(room / "results.sqlite"),))
    return room / "results.sqlite"


@pytest.mark.parametrize("together", [[], ["--strict"]])
@pytest.mark.parametrize("spare", [96, 400])
def test_a_disk_that_fills_up_during_an_import_leaves_the_database_as_it_was(
    tmp_path, spare, together
):
    large = folder("published") / "benchdb-h200.jsonl"
    first = needle_metal(tmp_path)
    whole = contents_of(first)
    with full_disk(first.stat().st_size + spare * KIB) as room:
        path = room / "results.sqlite"
        path.write_bytes(first.read_bytes())

        done = benchdb("import", large, *together, "--db", path)

        assert (done.status, done.err.count("\n")) == (1, 1), done.err
        assert "disk is full" in done.err
        assert contents_of(path) == whole
        assert benchdb("db", "check", "--db", path).status == 0
        assert benchdb("list", "--db", path).status == 0


# From 600 KiB on the log still has room for all, but not the file and the log.
@pytest.mark.parametrize("size", [64, 400, 700, 900])
def test_a_disk_too_full_for_a_database_keeps_none(size):
    large = folder("published") / "benchdb-h200.jsonl"
    with full_disk(size * KIB) as room:
        done = benchdb("import", large, "--db", room / "new.sqlite")

        assert (done.status, done.err.count("\n")) == (1, 1), done.err
        assert "disk is full" in done.err or "No space left" in done.err
        assert list(room.iterdir()) == []


def test_a_database_on_a_full_disk_says_that_and_is_read_when_there_is_room(tmp_path):
    made = needle_metal(tmp_path)
    with full_disk(made.stat().st_size + 64 * KIB) as room:
        path, rest = room / "results.sqlite", room / "rest"
        path.write_bytes(made.read_bytes())
        rest.write_bytes(b"x" * 48 * KIB)

        refused = benchdb("list", "--db", path)
        rest.unlink()
        done = benchdb("list", "--db", path)

    assert (refused.status, refused.err.count("\n")) == (1, 1), refused.err
    assert "the disk is full; make room there" in refused.err
    assert (done.status, done.err) == (0, "10 results\n")
