"""Results are what a report says of each session, and views tell them to anybody."""

import re
import sqlite3
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_sqlite_scanner
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, NullPool, create_engine, inspect, text

from benchdb.catalogue import metrics
from benchdb.errors import DatabaseError
from benchdb.merge import import_or_raise
from benchdb.report.language import load
from benchdb.report.measurement import Measurement, measurements
from benchdb.report.runs import stored
from benchdb.report.wording.metrics import metric_text
from benchdb.resources import folder
from benchdb.statistics.comparison import estimate
from benchdb.store import checks, forgetting
from benchdb.store.copy_database import copy
from benchdb.store.database import connected, open_database, reading, writing
from benchdb.store.derived import renew
from benchdb.store.migrate import KNOWN_REVISIONS
from benchdb.store.tables import VIEWS
from benchdb.store.views import COLUMNS
from tests import published_runs
from tests.backends import Backend
from tests.in_process import benchdb
from tests.store.old_databases import FILES, old_database

EVERYTHING = "SELECT * FROM {}"
CHECKOUT = Path(__file__).parents[2]
QUERIES = re.findall(
    r"```sql\n(.*?)```\n```text\n(.*?)```",
    (CHECKOUT / "docs" / "databases.md").read_text(encoding="utf-8"),
    re.DOTALL,
)
NAMES = {view: [column.name for column in columns] for view, columns in COLUMNS.items()}
NULLS = "SELECT 1 FROM {} WHERE {} IS NULL"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("shipped"))


@pytest.fixture
def location(backend: Backend) -> str:
    """Where a database of each kind is with runs of others, and two of collectors."""
    result: str = backend.holding(*FILES)
    return result


@pytest.fixture
def filled(location: str) -> Engine:
    return open_database(location)


def rows(connection: Connection, query: str, **items: object) -> list[Any]:
    return [*connection.execute(text(query), items)]


def unlike(engine: Engine) -> list[str]:
    """Return the derived rows that do not follow from the runs."""
    with reading(engine) as connection:
        return [*checks.derived_differences(connection)]


def sessions(measurement: Measurement) -> Iterator[list[str]]:
    runs = iter(measurement.runs)
    yield from ([next(runs) for _ in range(size)] for size in measurement.sizes)


def test_results_are_the_measurements_of_a_report_session_by_session(shipped):
    with reading(open_database(str(shipped))) as connection:
        members = defaultdict[str, set[str]](set)
        for row in rows(connection, "SELECT run, first FROM result"):
            members[row.first].add(row.run)
        known = {row.run: row for row in rows(connection, "SELECT * FROM results")}
        runs = stored(connection)
    grades = {run.facts.digest: run.facts.grade for run in runs}

    compared = Counter[str]()
    for measurement in measurements(runs):
        values = dict(zip(measurement.runs, measurement.values, strict=True))
        for session in sessions(measurement):
            row = known[session[0]]
            if row.metric == measurement.conditions.metric:
                figure = estimate([values[run] for run in session])
                assert members[row.run] == set(session)
                assert (row.value, row.low, row.high, row.n, row.grade) == (
                    *(figure.value, figure.low, figure.high),
                    *(len(session), max(grades[run] or "" for run in session)),
                )
                compared[row.metric] += 1
    # Nothing else has a figure but operations and language models, of which a report
    # makes no measurements.
    others = {row.metric for row in known.values()} - {*compared}
    assert others == {
        *("epochs_per_hour", "gigabytes_per_second", "operation_seconds"),
        *("teraflops", "tokens_per_second"),
    }
    assert compared.total() == sum(row.metric in compared for row in known.values())


def test_each_run_has_a_row_and_each_first_one_stands_for_its_own(shipped):
    with reading(open_database(str(shipped))) as connection:
        ((runs, own, firsts),) = rows(
            connection,
            "SELECT count(*), sum(own.run = first.run), sum(first.run = first.first) "
            "FROM run JOIN result own ON own.run = run.digest "
            "JOIN result first ON first.run = own.first",
        )
        assert runs == firsts == len(stored(connection))
        assert own == len(rows(connection, "SELECT DISTINCT first FROM result"))
        assert own < runs


def test_an_h200_is_never_called_by_the_name_of_its_processor(shipped):
    with closing(sqlite3.connect(shipped)) as anybody:
        result = anybody.execute(
            "SELECT DISTINCT system, accelerator, chip FROM results "
            "WHERE device = 'cuda' AND label = 'measured' ORDER BY system"
        ).fetchall()
        cards = anybody.execute(
            "SELECT DISTINCT chip, accelerators FROM machine_details "
            "WHERE accelerators IS NOT NULL AND chip = 'Xeon'"
        ).fetchall()
    ours = "H200 · CUDA · MLX", "H200 · CUDA · PyTorch"
    assert result == [(system, "H200", "Xeon") for system in ours]
    assert cards == [("Xeon", "H200")]


def test_the_manual_shows_three_queries_and_a_server_takes_them(filled):
    assert len(QUERIES) == 3
    with reading(filled) as connection:
        for query, _ in QUERIES:
            rows(connection, query)


def test_the_views_have_their_columns_in_order_and_each_is_explained(filled):
    with reading(filled) as connection:
        there = inspect(connection)
        groups = {name: [c["name"] for c in there.get_columns(name)] for name in VIEWS}
        result = rows(connection, "SELECT * FROM figures WHERE value IS NULL")
    explained = tomllib.loads((folder("schema") / "comments.toml").read_text("utf-8"))
    manual = (folder("schema") / "README.md").read_text("utf-8")

    assert groups == NAMES
    for name in VIEWS:
        about = {**explained["results"], **explained[name]}
        for column in NAMES[name]:
            assert f"| `{column}` | {about[column]} |" in manual
    assert all(row.reason for row in result)


def test_what_is_never_missing_in_a_view_is_there_in_what_is_published(shipped):
    with reading(open_database(str(shipped))) as connection:
        missing = {
            (view, column.name)
            for view, columns in COLUMNS.items()
            for column in columns
            if rows(connection, NULLS.format(view, column.name))
        }

    required = {(v, c.name) for v, some in COLUMNS.items() for c in some if c.required}
    assert tuple(COLUMNS) == VIEWS
    assert missing & required == set()


def test_a_server_tells_what_its_columns_hold(postgres, template):
    with reading(open_database(postgres.address(template))) as connection:
        there = inspect(connection)
        of_view = {c["name"]: c["comment"] for c in there.get_columns("results")}
        of_table = there.get_table_comment("result")["text"]

    assert of_view["low"] == "lower end of the 95 % interval; NULL for a single process"
    assert all(of_view.values())
    assert (of_table or "").endswith("Derived")


def test_an_upgraded_server_tells_it_as_a_new_one_does(postgres, template):
    place = postgres.address(postgres.new_database())
    config = Config()
    config.set_main_option("script_location", str(folder("schema") / "migrations"))
    with create_engine(place, poolclass=NullPool).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0009")
        connection.execute(text("COMMENT ON TABLE run IS 'as it was said before'"))

    done = benchdb("db", "upgrade", "--db", place)

    assert done.status == 0, done.err
    assert comments(place) == comments(postgres.address(template)) != []


def comments(place: str) -> list[Any]:
    query = (
        "SELECT objoid::regclass::text, objsubid, description FROM pg_description "
        "WHERE classoid = 'pg_class'::regclass AND objoid >= 16384 ORDER BY 1, 2"
    )
    with create_engine(place, poolclass=NullPool).connect() as connection:
        return list(map(tuple, connection.execute(text(query.replace("::", "\\:\\:")))))


def test_titles_are_the_words_of_a_report(filled):
    english = load("en")
    unlike = {
        name
        for name, metric in metrics().items()
        if metric.short != metric_text(english, name)
    }
    assert not unlike

    with reading(filled) as connection:
        for row in rows(connection, "SELECT name, title FROM metric"):
            assert row.title == metrics()[row.name].short
        titles = dict(map(tuple, rows(connection, "SELECT name, title FROM workload")))
    assert titles["mnist"] == "MNIST MLP"


@pytest.mark.parametrize("files", [FILES, FILES[::-1]])
def test_results_follow_every_import(backend, files):
    engine = open_database(backend.database())
    for file in files:
        import_or_raise(engine, [file])
        assert unlike(engine) == []


def test_results_follow_what_is_forgotten(filled):
    with reading(filled) as connection:
        query = "SELECT run FROM result WHERE value IS NOT NULL ORDER BY run"
        (gone, *_), *others = rows(connection, query)
    with writing(filled) as connection:
        forgetting.forget(connection, forgetting.find(connection, f"run:{gone}"))

    with reading(filled) as connection:
        assert rows(connection, query) == others
    assert unlike(filled) == []


def test_machines_that_are_made_one_are_one_in_results(filled, location):
    query = "SELECT machine, runs FROM machine_details ORDER BY runs DESC, machine"
    with reading(filled) as connection:
        before = rows(connection, query)
    result, other = before[0].machine, before[1].machine

    assert benchdb("machines", "merge", result, other, "--db", location).status == 0

    with reading(filled) as connection:
        after = dict(map(tuple, rows(connection, query)))
    assert after[result] == before[0].runs + before[1].runs
    assert other not in after
    assert unlike(filled) == []

    assert benchdb("machines", "undo", result, "--db", location).status == 0
    with reading(filled) as connection:
        assert rows(connection, query) == before


def test_a_copy_of_a_database_has_its_results(filled, backend):
    into = open_database(backend.database())
    with reading(filled) as source, writing(into) as target:
        copy(source, target)
    query = "SELECT * FROM results ORDER BY run"
    with reading(filled) as source, reading(into) as target:
        assert rows(source, query) == rows(target, query) != []


@pytest.mark.parametrize("revision", KNOWN_REVISIONS[:-1])
def test_an_upgraded_database_has_the_results_of_a_new_one(backend, filled, revision):
    upgraded = open_database(old_database(backend, revision), renew=renew)
    query = (
        "SELECT run, system, workload_title, metric_title, value, low, high, n, grade "
        "FROM results ORDER BY run"
    )
    with reading(upgraded) as old, reading(filled) as new:
        assert rows(old, query) == rows(new, query) != []


BROKEN = (
    "UPDATE run SET status = 'fine'",
    "UPDATE run SET replicate = -1",
    "UPDATE chip SET ram_bytes = 0",
    "UPDATE metric SET direction = 'up'",
    "UPDATE result SET n = 0",
)


@pytest.mark.parametrize("statement", BROKEN)
def test_a_database_refuses_what_cannot_be(filled, statement):
    with pytest.raises(DatabaseError, match="ck_"), writing(filled) as connection:
        connection.exec_driver_sql(statement)


def test_an_old_database_that_holds_what_cannot_be_keeps_it(backend):
    location = old_database(backend, "0007")
    with connected(location).begin() as old:
        old.exec_driver_sql("UPDATE run SET status = 'odd' WHERE status <> 'ok'")
        count = rows(old, "SELECT count(*) AS n FROM run WHERE status = 'odd'")
        assert count[0].n > 0

    with writing(open_database(location, renew=renew)) as connection:
        query = "SELECT count(*) AS n FROM run WHERE status = 'odd'"
        assert rows(connection, query) == count
        connection.exec_driver_sql("UPDATE run SET status = 'odder'")
    for statement in BROKEN[1:]:
        with (
            pytest.raises(DatabaseError, match="ck_"),
            writing(open_database(location)) as connection,
        ):
            connection.exec_driver_sql(statement)


def test_duckdb_reads_the_views_of_the_file_under_the_same_names(shipped):
    # From its package: tests load nothing from DuckDB's server.
    folders = map(Path, duckdb_extension_sqlite_scanner.__path__)
    (extension,) = (file for each in folders for file in each.rglob("*_extension"))
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{extension}'")
        connection.execute(f"ATTACH '{shipped}' AS stored (TYPE sqlite, READ_ONLY)")
        for view, columns in COLUMNS.items():
            read = connection.execute(f"FROM stored.{view}")
            names = [column[0] for column in read.description or ()]
            assert names == [column.name for column in columns]
            with reading(open_database(str(shipped))) as ours:
                assert len(read.fetchall()) == len(rows(ours, EVERYTHING.format(view)))
