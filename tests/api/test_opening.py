"""``benchdb.open`` reads what is there, and makes, upgrades and changes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.exc import SQLAlchemyError

import benchdb
from benchdb.store.database import open_to_read
from tests import command_line, published_runs
from tests.backends import SQLITE, Backend
from tests.in_process import benchdb as command
from tests.store.old_databases import old_database

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture
def location(backend: Backend) -> str:
    place = backend.nothing()
    done = command("import", FIXTURES / "two_runs.jsonl", "--db", place)
    assert done.status == 0, done.err
    return place


def test_importing_benchdb_loads_no_part_of_it():
    text = (
        "import sys; before = {*sys.modules}; import benchdb; "
        "print(*(one for one in {*sys.modules} - before if 'benchdb' in one))"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["benchdb"]


def test_a_database_is_open_before_pandas_is_loaded(tmp_path):
    database = published_runs.imported(tmp_path)
    text = (
        f"import sys, benchdb; db = benchdb.open({str(database)!r}); "
        "print('pandas' in sys.modules); db.machines(); print('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["False", "True"]


def test_what_all_names_is_there_and_nothing_else_is():
    assert {*benchdb.__all__} <= {*dir(benchdb)}
    assert all(getattr(benchdb, name) is not None for name in benchdb.__all__)
    with pytest.raises(AttributeError, match="no attribute 'opened'"):
        _ = benchdb.opened


def test_a_database_of_either_kind_is_read_and_closed(location):
    with benchdb.open(location) as db:
        assert db.results()["metric"].tolist() == ["samples_per_second"]
        assert len(db.figures()) == 3


def test_without_a_place_it_is_the_database_of_the_command_line(tmp_path, monkeypatch):
    named, own = tmp_path / "named.sqlite", tmp_path / "home" / "results.sqlite"
    assert command("import", FIXTURES / "two_runs.jsonl", "--db", named).status == 0
    monkeypatch.setenv("BENCHDB_HOME", str(own.parent))
    with pytest.raises(benchdb.DatabaseError, match=f"no database at {own}; "):
        benchdb.open()
    assert not own.parent.exists()

    monkeypatch.setenv("BENCHDB_DB", str(named))
    assert len(benchdb.open().results()) == 1
    assert len(benchdb.open(named).results()) == 1


def test_an_older_schema_is_one_line_that_names_the_upgrade(backend: Backend):
    place = old_database(backend, "0007")

    with pytest.raises(benchdb.DatabaseError) as refused:
        benchdb.open(place)

    assert str(refused.value).endswith(
        "has the older schema 0007, this benchdb needs 0013; 'benchdb db upgrade' "
        "brings it there"
    )
    assert "0007" in command("db", "version", "--db", place).out


@pytest.mark.parametrize(
    ("content", "result"),
    [(b"no database", "is no SQLite database"), (b"", "is empty")],
)
def test_a_file_that_is_no_database_is_one_line(tmp_path, content, result):
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)

    with pytest.raises(benchdb.DatabaseError, match=result):
        benchdb.open(path)
    assert path.read_bytes() == content


def test_reading_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path):
    path = tmp_path / "results.sqlite"
    # By a process that ends: one that is there keeps a log beside the file.
    done = command_line.benchdb("import", FIXTURES / "two_runs.jsonl", "--db", path)
    assert done.status == 0
    before = path.read_bytes()

    with benchdb.open(path) as db:
        db.results(chip="M1")
        db.results(chip="M9 Max")
        db.query("SELECT count(*) FROM samples")
        db.report(tmp_path / "report.html", workload="lstm")

    assert path.read_bytes() == before
    assert {item.name for item in tmp_path.iterdir()} == {
        "results.sqlite",
        "report.html",
    }


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM run",
        "CREATE TABLE more (x)",
        "PRAGMA journal_mode=DELETE",
        "PRAGMA user_version=7",
        "ATTACH 'other.sqlite' AS other",
        "DROP VIEW results",
    ],
)
def test_whatever_asks_an_engine_that_only_reads_cannot_write(tmp_path, statement):
    path = tmp_path / "results.sqlite"
    assert command("import", FIXTURES / "two_runs.jsonl", "--db", path).status == 0
    engine = open_to_read(str(path))

    with pytest.raises(SQLAlchemyError), engine.connect() as connection:
        connection.exec_driver_sql(statement)


def test_what_is_written_meanwhile_is_seen_by_the_next_question(backend: Backend):
    place = backend.database()
    with benchdb.open(place) as db:
        assert db.results().empty
        done = command("import", FIXTURES / "two_runs.jsonl", "--db", place)
        assert done.status == 0, done.err
        assert len(db.results()) == 1
        if backend.kind == SQLITE:
            assert db.query("SELECT count(*) AS n FROM results")["n"].item() == 1
