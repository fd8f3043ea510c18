"""LocalScore: the database of its site, whole, changed and damaged."""

import sqlite3
from contextlib import closing

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.provenance import NOTHING
from benchdb.importing.tools import localscore, sqlite_tables
from tests.foreign_files import (
    SAMPLES,
    document,
    sample_cases,
    sample_folders,
    taken,
    written,
)

DATABASE = SAMPLES / "localscore_db.sqlite"
FIRST_FOUR = (
    "DELETE FROM benchmark_runs WHERE id > 4;"
    "DELETE FROM test_results WHERE benchmark_run_id > 4;"
)


@pytest.fixture(scope="module")
def databases():
    """What is read of the database in each folder of samples, by the folder."""
    return {
        folder: taken(localscore, document(folder / DATABASE.name))
        for folder in sample_folders()
    }


def changed(*sql):
    """Return the sample database after *sql*."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(DATABASE.read_bytes())
        database.executescript("".join(sql))
        return written(database.serialize())


@pytest.mark.parametrize(
    ("path", "submissions", "tests", "arrived"),
    sample_cases(
        DATABASE.name,
        ours=(7, 2, "2025-04-05 06:01:07"),
        shared=(13, 9, "2025-03-19 21:50:27"),
    ),
)
def test_the_database_has_the_tests_of_its_submissions(
    databases, path, submissions, tests, arrived
):
    read = databases[path.parent]

    assert len(read.runs) == 3 * tests * submissions
    assert (len(read.bad), len(read.claims)) == (0, 4 * submissions)
    assert {one.run.device for one in read.runs} == {"cpu", "cuda", "metal", "rocm"}
    assert read.runs[0].run.started == arrived
    assert "created_at" in read.runs[0].run.basis["started"]


@pytest.mark.parametrize(
    ("path", "tests", "zeros"),
    sample_cases(DATABASE.name, ours=(14, 4), shared=(117, 27)),
)
def test_zero_watts_in_the_database_are_not_measured(databases, path, tests, zeros):
    powers = [
        value
        for one in databases[path.parent].runs
        for value in one.end.values
        if value.metric == "mean_power_watts"
    ]
    unknown = [value for value in powers if value.value is None]
    assert (len(powers), len(unknown)) == (tests, zeros)
    assert {value.printed for value in unknown} == {"0.0"}
    assert "not measured" in unknown[0].reason


@pytest.mark.parametrize(
    ("path", "chips"),
    sample_cases(
        DATABASE.name,
        ours=({("M2 Pro", 12, 19, ()), ("M3 Max", 16, 40, ())},),
        shared=({("M1 Pro", 10, 16, ()), ("M4 Max", 16, 40, ())},),
    ),
)
def test_the_cores_of_an_apple_chip_come_from_its_accelerator(databases, path, chips):
    metal = [one for one in databases[path.parent].runs if one.run.device == "metal"]

    apple = {one.machine.chip for one in metal}
    assert {(c.name, c.cpu_cores, c.gpu_cores, c.accelerators) for c in apple} == chips


def test_a_test_without_its_run_is_named():
    read = taken(
        localscore, changed(FIRST_FOUR, "DELETE FROM benchmark_runs WHERE id = 2")
    )

    assert len(read.runs) == 3 * 6
    assert [bad.locator for bad in read.bad] == ["/benchmark_runs/2"]


def test_a_run_without_its_accelerator_is_named():
    read = taken(
        localscore, changed(FIRST_FOUR, "DELETE FROM accelerators WHERE id = 4")
    )

    assert len(read.runs) == 3 * 6
    assert read.bad[0].reason == "accelerator_id 4 is not in accelerators"


def test_an_empty_database_says_so():
    with pytest.raises(DocumentError, match="no run"):
        taken(localscore, changed("DELETE FROM benchmark_runs"))


def test_a_damaged_database_is_refused_in_words():
    content = bytearray(DATABASE.read_bytes())
    content[8192:] = b"\xff" * len(content[8192:])

    with pytest.raises(DocumentError, match="no readable SQLite database"):
        list(localscore.read(written(bytes(content)), about=NOTHING))


def test_half_a_database_is_no_reason_to_crash():
    half = written(DATABASE.read_bytes()[:5000])

    assert not localscore.recognises(half)


def test_a_view_that_never_ends_is_not_run():
    endless = changed(
        "DROP TABLE runtimes; CREATE VIEW runtimes AS WITH RECURSIVE n(id) AS "
        "(SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n"
    )

    assert not localscore.recognises(endless)


def test_a_table_that_is_not_there_or_too_long_is_refused(monkeypatch):
    found = document(DATABASE)

    with pytest.raises(DocumentError, match="no table 'nothing'"):
        sqlite_tables.tables(found, ("nothing",))
    monkeypatch.setattr(sqlite_tables, "ROWS", 13)
    with pytest.raises(DocumentError, match="more than 13 rows"):
        sqlite_tables.tables(found, ("test_results",))


def test_other_databases_are_left_alone():
    other = changed("DROP TABLE models")

    assert not localscore.recognises(other)


def test_a_run_without_tests_is_named():
    read = taken(localscore, changed(FIRST_FOUR, "DELETE FROM test_results"))

    assert {bad.reason for bad in read.bad} == {"a run without tests"}
