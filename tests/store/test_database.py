"""Opening a database: made whole, or refused in one line."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from benchdb.errors import DatabaseError
from benchdb.store.database import open_database, reading
from benchdb.store.migrate import SCHEMA_REVISION
from tests import command_line
from tests.in_process import benchdb


def test_the_newest_migration_is_the_revision_we_know():
    versions = Path(__file__).parents[2] / "schema" / "migrations" / "versions"

    newest = sorted(path.stem.split("_")[0] for path in versions.glob("*.py"))[-1]

    assert newest == SCHEMA_REVISION


def test_a_new_database_uses_wal_foreign_keys_and_a_busy_timeout(tmp_path):
    engine = open_database(str(tmp_path / "a b?c#.sqlite"), create=True)

    with reading(engine) as connection:
        settings = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "foreign_keys", "busy_timeout")
        }

    assert settings == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "busy_timeout": 600000,
    }


def test_a_missing_database_is_not_made_by_reading(tmp_path):
    done = benchdb("list", "--db", tmp_path / "none.sqlite")

    assert done.status == 1
    assert done.err.startswith(f"benchdb: no database at {tmp_path}/none.sqlite;")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_name_is_wrong_use_in_one_line(empty):
    done = benchdb("list", "--db", empty)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("benchdb: an empty name names no database; give ")


def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello, this is not a database")

    with pytest.raises(DatabaseError, match="is no SQLite database"):
        open_database(str(path), create=True)

    assert path.read_text() == "hello, this is not a database"


def test_somebody_elses_database_is_refused(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()

    with pytest.raises(DatabaseError, match="not one of benchdb's"):
        open_database(str(path), create=True)


def test_a_damaged_database_is_refused_in_one_line(tmp_path, two_runs):
    path = tmp_path / "damaged.sqlite"
    benchdb("import", two_runs, "--db", path)
    whole = bytearray(path.read_bytes())
    whole[100:4000] = os.urandom(3900)
    path.write_bytes(whole)

    done = benchdb("list", "--db", path)

    assert done.status == 1
    assert done.err.count("\n") == 1
    assert str(path) in done.err


def test_the_database_of_another_program_with_migrations_is_refused(tmp_path):
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE alembic_version (version_num TEXT)")
        other.execute("INSERT INTO alembic_version VALUES ('ae1027a6acf3')")

    with pytest.raises(DatabaseError, match="not one of benchdb's"):
        open_database(str(path), create=True)


def bound_by_permissions(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run benchdb so that file permissions bind it, which they do not for root."""
    without = "-dac_override,-dac_read_search"
    drop = ["setpriv", f"--bounding-set={without}", f"--inh-caps={without}"]
    return subprocess.run(
        [
            *(drop if os.geteuid() == 0 else []),
            *[sys.executable, "-m", "benchdb", *map(str, arguments)],
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_database_in_a_read_only_folder_can_be_read(tmp_path, two_runs):
    path = tmp_path / "results.sqlite"
    command_line.benchdb("import", two_runs, "--db", path)
    path.chmod(0o444)
    tmp_path.chmod(0o555)

    listed = bound_by_permissions("list", "--db", path)
    published = two_runs.parents[2] / "published" / "needle-metal.jsonl"
    changed = bound_by_permissions("import", published, "--db", path)
    tmp_path.chmod(0o755)

    assert (listed.returncode, listed.stdout.count("M9 Max")) == (0, 2)
    assert changed.returncode == 1
    assert changed.stderr.startswith("benchdb: cannot write")
    assert [p.name for p in tmp_path.iterdir()] == ["results.sqlite"]


def test_a_read_only_folder_takes_no_new_database(tmp_path, two_runs):
    tmp_path.chmod(0o555)

    done = bound_by_permissions("import", two_runs, "--db", tmp_path / "new.sqlite")
    tmp_path.chmod(0o755)

    assert done.returncode == 1
    assert "cannot create" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_database_is_refused_before_measuring(tmp_path, two_runs):
    path = tmp_path / "results.sqlite"
    command_line.benchdb("import", two_runs, "--db", path)
    path.chmod(0o444)
    tmp_path.chmod(0o555)

    command = ("collect", "matmul", "--framework", "numpy", "--tier", "smoke")
    done = bound_by_permissions(*command, "--db", path)
    tmp_path.chmod(0o755)

    assert done.returncode == 1
    assert "benchdb: cannot write" in done.stderr
    assert "[1/" not in done.stderr


def test_a_reader_without_write_permission_sees_what_a_writer_has_not_yet_merged(
    tmp_path, two_runs
):
    path = tmp_path / "results.sqlite"
    command_line.benchdb("import", two_runs, "--db", path)
    with sqlite3.connect(path) as writer:  # an open connection keeps the log alive
        writer.execute("UPDATE run SET reason = 'seen in the log'")
        writer.commit()
        path.chmod(0o444)
        tmp_path.chmod(0o555)
        done = bound_by_permissions("list", "--json", "--db", path)
        tmp_path.chmod(0o755)
    writer.close()

    assert done.stdout.count("seen in the log") == 2


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://a/b", "no databases of kind 'mysql'"),
        ("sqlite:///x.sqlite", "no databases of kind 'sqlite'"),
        ("postgresql+psycopg://host:port/x", "cannot be understood"),
        ("postgresql+psycopg://u:secret@127.0.0.1:1/x", "cannot open"),
    ],
)
def test_a_url_that_leads_nowhere_is_one_line_without_password(url, message):
    done = benchdb("list", "--db", url)

    assert done.status in (1, 2)
    assert message in done.err
    assert done.err.count("\n") == 1
    assert "secret" not in done.err


@pytest.mark.parametrize("command", ["list", "db version", "db grants", "db check"])
@pytest.mark.parametrize(
    "location",
    [
        "postgresql+psycopg://u:hunter@2secret@127.0.0.1:1/x",
        "postgresql+psycopg://u:hunter@2/secret@127.0.0.1:1/x",
        "postgresql+psycopg://u:hunter@[2]secret@127.0.0.1:1/x",
        "postgresql+psycopg://127.0.0.1?password=hunter@2secret",
        "postgresql+psycopg://127.0.0.1:1/x?password=hunter&secret=2",
        "postgresql+psycopg://127.0.0.1:1/x?password=hunter&words=2",
        "postgresql+psycopg://host=127.0.0.1 password=hunter2secret",
        "postgresql+psycopg:///?host=127.0.0.1 password=hunter2secret",
        "postgresql+psycopg:///host=127.0.0.1 password=hunter2secret",
        "host=127.0.0.1 password=hunter2secret",
        "dbname=x password='hunter :// 2secret'",
        " user=u host=127.0.0.1 password = hunter2secret",
        "x.sqlite?password=hunter2secret",
    ],
)
def test_no_part_of_a_password_is_shown_however_it_is_given(command, location):
    done = benchdb(*command.split(), "--db", location)

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert not [part for part in ("hunter", "secret", "words") if part in done.err]
