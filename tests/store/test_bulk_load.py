"""Much that comes into an empty file does without the log: nobody loses by it."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, event

from benchdb.merge import import_files
from benchdb.resources import folder
from benchdb.store import reader_process, sqlite
from benchdb.store.bulk_load import unlogged
from benchdb.store.database import open_database, reading, writing
from tests.contents import contents
from tests.in_process import benchdb
from tests.store.full_disk import full_disk

PUBLISHED = folder("published") / "benchdb-cpu.jsonl"
KIB = 1024
MANY = 20_000

# Writes more than it has memory for: the file is half of what it will be.
FILLING = """
import sys
from benchdb.store.database import open_database, writing
with writing(open_database(sys.argv[1]), much=True) as connection:
    connection.exec_driver_sql("PRAGMA cache_size=8")
    rows = [(str(number), "", "none", "") for number in range(int(sys.argv[2]))]
    connection.exec_driver_sql("INSERT INTO metric VALUES (?, ?, ?, ?)", rows)
    print("filled", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database without runs."""
    path = tmp_path / "results.sqlite"
    open_database(str(path), create=True).dispose()
    return path


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file be much."""
    monkeypatch.setattr(reader_process, "LARGE", 1)


@contextmanager
def filling(db: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Give a process that fills the file, and waits in the middle for a line."""
    command = [sys.executable, "-c", FILLING, str(db), str(MANY)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"filled\n"
        assert journal(db).stat().st_size > 0
        yield process


def journal(db: Path) -> Path:
    return db.with_name(db.name + "-journal")


def asked(db: Path, statement: str) -> Any:
    """Return what the file answers at once."""
    with closing(sqlite3.connect(db, timeout=0)) as connection:
        return connection.execute(statement).fetchone()[0]


def held(db: Path) -> dict[str, list[tuple[object, ...]]]:
    engine = open_database(str(db))
    groups = contents(engine)
    engine.dispose()
    return groups


def test_a_log_follows_what_went_without_one(db):
    (outcome,) = import_files(open_database(str(db)), [PUBLISHED])

    assert outcome.added > 0
    assert asked(db, "PRAGMA journal_mode") == "wal"
    assert not journal(db).exists()


def test_what_went_without_a_log_is_what_goes_with_one(db, tmp_path, monkeypatch):
    benchdb("import", PUBLISHED, "--db", db)
    monkeypatch.setattr(reader_process, "LARGE", 2**50)
    with_log = tmp_path / "with-log.sqlite"
    benchdb("import", PUBLISHED, "--db", with_log)

    assert held(db) == held(with_log)


def test_who_reads_what_is_being_filled_waits_and_sees_all_of_it(db):
    counted = "SELECT count(*) FROM metric"
    before = asked(db, counted)
    with filling(db) as process:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            asked(db, counted)
        process.communicate(b"\n", timeout=60)

    assert asked(db, counted) == before + MANY
    assert asked(db, "PRAGMA journal_mode") == "wal"


def test_who_is_killed_meanwhile_leaves_a_file_that_is_as_it_was(db):
    before, size = held(db), db.stat().st_size
    with filling(db) as process:
        process.send_signal(signal.SIGKILL)

    assert db.stat().st_size > size
    assert journal(db).stat().st_size > 0
    assert held(db) == before
    assert asked(db, "PRAGMA journal_mode") == "wal"
    assert benchdb("db", "check", "--db", db).status == 0


def test_an_interrupt_in_the_middle_of_a_statement_is_no_other_error(db):
    before, engine = held(db), open_database(str(db))

    def interrupted(cursor, statement, *rest):
        cursor.execute(statement, *rest[:1])
        raise KeyboardInterrupt

    def fill():
        with writing(engine, much=True) as connection:
            assert asked(db, "PRAGMA journal_mode") == "delete"
            event.listen(engine, "do_execute", interrupted)
            connection.exec_driver_sql(
                "INSERT INTO metric VALUES ('x', 'y', 'none', '')"
            )

    with pytest.raises(KeyboardInterrupt):
        fill()

    event.remove(engine, "do_execute", interrupted)
    assert held(db) == before
    assert asked(db, "PRAGMA journal_mode") == "wal"


def test_what_is_half_filled_is_not_read_by_who_may_not_mend_it(db, monkeypatch):
    with filling(db) as process:
        process.send_signal(signal.SIGKILL)
    rehearsed = benchdb("import", "--dry-run", PUBLISHED, "--db", db)
    monkeypatch.setattr(sqlite, "writable", lambda path: False)
    listed = benchdb("list", "--db", db)

    why = (
        "an import that was killed left it half filled; 'benchdb list' of somebody who "
        "may write it undoes that\n"
    )
    assert (rehearsed.status, listed.status) == (1, 1)
    assert rehearsed.err == f"benchdb: cannot read {db}: {why}"
    assert listed.err == f"benchdb: cannot open {db}: {why}"


def test_somebody_else_who_fills_it_is_left_alone(db):
    impatient = create_engine(f"sqlite:///{db}", connect_args={"timeout": 0})
    with filling(db) as process:
        with impatient.connect() as connection, unlogged(connection):
            assert journal(db).stat().st_size > 0
        process.communicate(b"\n", timeout=60)

    assert asked(db, "SELECT count(*) FROM metric") == MANY


def test_who_has_it_open_already_goes_on_reading(db):
    other = open_database(str(db))
    with reading(other) as connection:
        connection.exec_driver_sql("SELECT count(*) FROM run")
        with writing(open_database(str(db)), much=True) as written:
            written.exec_driver_sql("INSERT INTO metric VALUES ('x', 'y', 'none', '')")
            assert connection.exec_driver_sql("SELECT count(*) FROM run").scalar() == 0

    assert asked(db, "PRAGMA journal_mode") == "wal"


def test_a_file_with_runs_keeps_its_log(db, two_runs):
    benchdb("import", two_runs, "--db", db)
    with writing(open_database(str(db)), much=True) as connection:
        result = connection.exec_driver_sql("PRAGMA journal_mode").scalar()

    assert result == "wal"


@pytest.mark.parametrize("together", [[], ["--strict"]])
def test_a_disk_that_fills_up_leaves_an_empty_file_as_it_was(db, together):
    before = held(db)
    with full_disk(db.stat().st_size + 100 * KIB) as room:
        path = room / "results.sqlite"
        path.write_bytes(db.read_bytes())

        done = benchdb("import", PUBLISHED, *together, "--db", path)

        assert (done.status, done.err.count("\n")) == (1, 1), done.err
        assert "disk is full" in done.err
        assert held(path) == before
        assert benchdb("db", "check", "--db", path).status == 0
