"""Results are what a report says of each session, and views tell them to anybody."""

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text

from benchdb.merge import import_or_raise
from benchdb.report.measurement import Measurement, measurements
from benchdb.report.runs import stored
from benchdb.resources import folder
from benchdb.statistics.comparison import estimate
from benchdb.store import checks
from benchdb.store.database import open_database, reading


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of what is published, filled anew."""
    path = tmp_path_factory.mktemp("shipped") / "results.sqlite"
    engine = open_database(str(path), create=True)
    import_or_raise(engine, [folder("published")])
    engine.dispose()
    return path


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
