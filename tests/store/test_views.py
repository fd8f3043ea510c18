"""Results are what a report says of each session, and views tell them to anybody."""

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text

from benchdb.report.measurement import Measurement, measurements
from benchdb.report.runs import stored
from benchdb.statistics.comparison import estimate
from benchdb.store import checks
from benchdb.store.database import open_database, reading
from benchdb.store.views import VIEWS
from tests import published_runs
from tests.backends import Backend

NULLS = "SELECT 1 FROM {} WHERE {} IS NULL"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("shipped"))


def rows(connection: Connection, query: str, **told: object) -> list[Any]:
    return [*connection.execute(text(query), told)]


def sessions(one: Measurement) -> list[tuple[str, ...]]:
    runs = iter(one.runs)
    return [tuple(next(runs) for _ in range(size)) for size in one.sizes]


def test_results_are_the_measurements_of_a_report_session_by_session(shipped):
    with reading(open_database(str(shipped))) as connection:
        members = defaultdict[str, set[str]](set)
        for run, first in rows(connection, "SELECT run, first FROM result"):
            members[first].add(run)
        known = {
            (row.run, row.metric): row
            for row in rows(connection, "SELECT * FROM results")
        }
        runs = stored(connection)
        measured = measurements(runs)
        grades = {one.facts.digest: one.facts.grade for one in runs}
        headlines = {row.run: row.metric for row in known.values()}

    compared = 0
    for one in measured:
        for session in sessions(one):
            if headlines[session[0]] != one.conditions.metric:
                continue
            row = known[session[0], one.conditions.metric]
            values = dict(zip(one.runs, one.values, strict=True))
            figure = estimate([values[run] for run in session])
            assert members[row.run] == set(session)
            assert (row.value, row.low, row.high, row.n, row.grade) == (
                *(figure.value, figure.low, figure.high),
                *(len(session), max(grades[run] or "" for run in session)),
            )
            compared += 1
    assert compared > 250


def test_an_h200_is_never_called_by_the_name_of_its_processor(shipped):
    with closing(sqlite3.connect(shipped)) as anybody:
        found = set(
            anybody.execute(
                "SELECT DISTINCT system, accelerator, chip FROM results "
                "WHERE device = 'cuda' AND mine = 0 AND label = 'measured'"
            )
        )
    assert found == {("H200 · CUDA · PyTorch", "H200", "Xeon")}


def test_what_is_kept_follows_from_the_runs(shipped):
    with reading(open_database(str(shipped))) as connection:
        assert list(checks.derived_differences(connection)) == []


def test_the_columns_of_each_view_are_those_that_we_say_in_our_order(backend: Backend):
    with reading(open_database(backend.database())) as connection:
        there = inspect(connection)
        names = {
            view: [column["name"] for column in there.get_columns(view)]
            for view in there.get_view_names()
        }

    assert names == {
        view: [column.name for column in columns] for view, columns in VIEWS.items()
    }


def test_what_is_never_missing_in_a_view_is_there_in_what_is_published(shipped):
    with reading(open_database(str(shipped))) as connection:
        missing = {
            (view, column.name)
            for view, columns in VIEWS.items()
            for column in columns
            if rows(connection, NULLS.format(view, column.name))
        }

    required = {(v, c.name) for v, some in VIEWS.items() for c in some if c.required}
    assert missing & required == set()
