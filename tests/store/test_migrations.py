"""A database of every schema that was landed is upgraded without loss."""

import os
import pty
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from benchdb import __version__
from benchdb.errors import DatabaseError
from benchdb.exchange.messages import FORMAT_VERSION
from benchdb.importing.intake import files
from benchdb.merge import import_files
from benchdb.store.checks import schema_differences
from benchdb.store.database import open_database, reading, writing
from benchdb.store.derived import renew
from benchdb.store.migrate import KNOWN_REVISIONS, SCHEMA_REVISION
from tests import published_runs
from tests.backends import SQLITE
from tests.contents import contents
from tests.in_process import benchdb
from tests.store.full_disk import full_disk
from tests.store.old_databases import FILES, FIXTURES, old_database, old_file

# What the shipped results are doubted for: a source states a macOS for all its machines
# that is older than the M1 Ultra; others are slower in larger batches on one system.
DOUBTS = {"launch-bound": 30, "impossible-os": 9, "slower-in-larger-batches": 4}
# Names and versions of what read a file, and what it brought, were not kept at first.
_FILES = "imported_file"
_READ_ANEW: dict[str, list[Any]] = {_FILES: [], "source_file": []}
OLD = KNOWN_REVISIONS[:-1]


@pytest.fixture
def aged(tmp_path: Path) -> Path:
    """A database of the first schema."""
    return Path(shutil.copyfile(old_file("0001"), tmp_path / "old.sqlite"))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> Iterator[dict[str, list[Any]]]:
    engine = open_database(str(tmp_path_factory.mktemp("new") / "n.db"), create=True)
    assert all(outcome.clean for outcome in import_files(engine, files(FILES)))
    yield contents(engine)
    engine.dispose()


def test_there_is_a_database_of_every_schema_before_ours():
    kept = sorted(path.stem for path in (FIXTURES / "databases").glob("*.sqlite"))

    assert kept == list(OLD)


def test_there_is_a_file_of_every_format_and_it_brings_what_was_exported(
    tmp_path, fresh
):
    kept = {int(path.stem): path for path in (FIXTURES / "formats").glob("*.jsonl")}
    assert sorted(kept) == list(range(1, FORMAT_VERSION + 1))

    for path in kept.values():
        engine = open_database(str(tmp_path / f"{path.stem}.sqlite"), create=True)
        assert [outcome.clean for outcome in import_files(engine, [path])] == [True]
        groups = contents(engine)
        assert groups | _READ_ANEW == fresh | _READ_ANEW


@pytest.mark.parametrize("revision", OLD)
def test_an_upgraded_database_holds_what_a_new_one_would(backend, revision, fresh):
    engine = open_database(old_database(backend, revision), renew=renew)

    upgraded = contents(engine)
    # Who made it before stays told.
    upgraded["made_by"] = [row for row in upgraded["made_by"] if row[0] not in OLD]

    assert len(upgraded[_FILES]) == len(fresh[_FILES]) == len(FILES)
    assert upgraded | _READ_ANEW == fresh | _READ_ANEW
    with reading(engine) as connection:
        assert list(schema_differences(connection)) == []


@pytest.mark.parametrize("revision", OLD)
def test_the_files_of_an_upgraded_database_bring_nothing_new(tmp_path, revision):
    path = tmp_path / "old.sqlite"
    shutil.copyfile(old_file(revision), path)

    done = benchdb("import", *FILES, "--db", path)

    assert done.status == 0, done.err
    assert done.out.count(", 0 new (file imported before)") == len(FILES)
    with closing(sqlite3.connect(f"{path}.backup-{revision}")) as backup:
        assert backup.execute("SELECT count(*) FROM run").fetchone() == (12,)


def test_migrated_tables_equal_the_models(backend):
    with reading(open_database(backend.nothing(), create=True)) as connection:
        assert list(schema_differences(connection)) == []


def test_deriving_anew_changes_nothing_that_an_import_derived(tmp_path):
    engine = open_database(str(tmp_path / "results.sqlite"), create=True)
    list(import_files(engine, published_runs.FILES))
    before = contents(engine)

    with writing(engine) as connection:
        renew(connection)

    assert Counter(code for _, code, *_ in before["finding"]) == DOUBTS
    assert len(before["fingerprint"]) > len(before["finding"])
    assert contents(engine) == before


def test_an_upgrade_says_what_it_did_and_a_second_one_that_nothing_is_left(aged):
    first, second = (benchdb("db", "upgrade", "--db", aged) for _ in range(2))
    version = benchdb("db", "version", "--db", aged)

    assert first.out.splitlines() == [
        f"{aged}: upgraded from schema 0001 to {SCHEMA_REVISION}",
        f"as it was, it stays in {aged}.backup-0001",
    ]
    assert second.out == f"{aged}: schema {SCHEMA_REVISION} already\n"
    made = f"schema {SCHEMA_REVISION}, made by benchdb {__version__}"
    assert version.out.splitlines()[0] == f"{aged}: {made}"


def test_whoever_opens_an_older_file_is_told_of_the_upgrade_and_the_backup(aged):
    done = benchdb("list", "--db", aged)

    assert done.status == 0
    assert f"has the older schema 0001; upgrading it to {SCHEMA_REVISION}" in done.err
    assert f"{aged}.backup-0001" in done.err


def test_a_terminal_is_asked_and_no_is_an_answer(aged):
    whole = contents_of(aged)
    ours, theirs = pty.openpty()
    os.write(ours, b"n\n")

    command = [sys.executable, "-m", "benchdb", "list", "--db", str(aged)]
    done = subprocess.run(
        command, stdin=theirs, stdout=theirs, stderr=theirs, check=False
    )
    text = os.read(ours, 2**16).decode()

    assert done.returncode == 1
    assert f"Upgrade to {SCHEMA_REVISION}" in text
    assert "'benchdb db upgrade' brings it there" in text
    assert contents_of(aged) == whole
    assert list(aged.parent.glob("*backup*")) == []


def test_a_server_is_upgraded_only_on_request(backend):
    location = old_database(backend, "0002")

    listed = benchdb("list", "--db", location)
    upgraded = benchdb("db", "upgrade", "--db", location)

    assert listed.status == (0 if backend.kind == SQLITE else 1)
    assert listed.err.count("\n") == (2 if backend.kind == SQLITE else 1)
    assert upgraded.status == 0, upgraded.err


def test_an_earlier_backup_is_never_written_over(aged):
    earlier = Path(f"{aged}.backup-0001")
    earlier.write_text("somebody's own")

    benchdb("db", "upgrade", "--db", aged)

    assert earlier.read_text() == "somebody's own"
    with closing(sqlite3.connect(f"{earlier}-2")) as kept:
        assert kept.execute("SELECT * FROM alembic_version").fetchone() == ("0001",)


def test_processes_that_upgrade_at_once_agree(backend):
    location = old_database(backend, "0001")

    with ThreadPoolExecutor(3) as several:
        engines = several.map(lambda _: open_database(location, renew=renew), range(3))
        groups = [contents(engine) for engine in engines]

    assert groups[0] == groups[1] == groups[2]
    assert len(groups[0]["made_by"]) == 1


@pytest.mark.parametrize(
    ("spare", "what"), [(96, "no backup"), (224, "cannot be upgraded: database or")]
)
def test_a_disk_that_fills_up_during_an_upgrade_leaves_the_database_as_it_was(
    spare, what
):
    whole = contents_of(old_file("0001"))
    with full_disk(spare * 1024 + old_file("0001").stat().st_size) as room:
        path = Path(shutil.copyfile(old_file("0001"), room / "old.sqlite"))

        done = benchdb("db", "upgrade", "--db", path)

        assert (done.status, done.err.count("\n")) == (1, 1), done.err
        assert what in done.err
        assert "disk is full" in done.err
        assert contents_of(path) == whole
        assert [item.name for item in room.glob("*backup*")] == []


def test_a_bug_of_ours_in_an_upgrade_is_no_fault_of_the_database(aged):
    before = contents_of(aged)

    def bug(connection: Connection, since: str) -> None:
        raise TypeError(since)

    with pytest.raises(TypeError):
        open_database(str(aged), renew=bug)

    assert contents_of(aged) == before
    assert list(aged.parent.glob("*backup*")) == []


def contents_of(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_a_newer_database_names_the_version_to_install(backend):
    location = backend.database()
    with writing(open_database(location)) as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0999'")
        connection.exec_driver_sql("INSERT INTO made_by VALUES ('0999', '7.1.0')")

    done = benchdb("list", "--db", location)

    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "made by a newer benchdb (schema 0999" in done.err
    assert done.err.endswith("install benchdb 7.1.0 or later\n")


def test_who_opened_before_a_newer_benchdb_upgraded_writes_nothing_more(backend):
    engine = open_database(backend.database())
    before = contents(engine)
    with writing(engine) as newer:
        newer.exec_driver_sql("UPDATE alembic_version SET version_num = '0999'")

    with pytest.raises(DatabaseError, match=r"upgraded from schema .* meanwhile"):
        list(import_files(engine, [FILES[0]]))

    assert contents(engine) == before
