"""A disk that fills up while files are imported: one line, and the data as before."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchdb.resources import folder
from tests.full_disk import full_disk
from tests.in_process import benchdb

KIB = 1024


def contents_of(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize("together", [[], ["--strict"]])
@pytest.mark.parametrize("spare", [96, 400])
def test_a_disk_that_fills_up_during_an_import_leaves_the_database_as_it_was(
    tmp_path, spare, together
):
    small = folder("published") / "needle-metal.jsonl"
    large = folder("published") / "benchdb-h200.jsonl"
    first = tmp_path / "results.sqlite"
    assert benchdb("import", small, "--db", tmp_path / "made.sqlite").status == 0
    with closing(sqlite3.connect(tmp_path / "made.sqlite")) as connection:
        connection.execute("VACUUM INTO ?", (str(first),))
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
