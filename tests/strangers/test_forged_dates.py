"""Dates to come lead nothing; the same forgeries in a report, and on both databases."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from benchdb.resources import folder
from tests.in_process import benchdb
from tests.store.old_databases import old_file
from tests.strangers.forgeries import (
    PROCESSES,
    TO_COME,
    doubts,
    edition,
    figure,
    forged,
    grades,
    import_,
    newest,
    on,
    shown,
)

# Of a machine that benchdb ships nothing of.
OTHER = on("machine", anonymous_id="f" * 32)


def test_a_start_to_come_is_found_and_is_never_the_newest(tmp_path):
    genuine = forged(tmp_path / "genuine.jsonl", OTHER)
    shadow = forged(
        tmp_path / "shadow.jsonl", OTHER, on("run", started=TO_COME, campaign="later")
    )
    import_(database := tmp_path / "results.sqlite", genuine)
    before = newest(database)

    import_(database, shadow)
    runs = shown(database)

    assert newest(database) == before
    assert doubts(runs) == {
        ("future-date", None): PROCESSES,
        ("copied-samples", None): PROCESSES,
    }
    assert {run["run"]["campaign"] for run in runs[:PROCESSES]} == {"20261121-h200-a"}
    late = [run for run in runs if run["run"]["campaign"] == "later"]
    assert grades(late) == {"X"}
    assert {item["findings"][1]["detail"]["started"] for item in late} == {TO_COME}
    import_(other := tmp_path / "other.sqlite", shadow, genuine)
    assert newest(other) == before


@pytest.mark.parametrize(
    ("ahead", "doubtful"), [(timedelta(hours=20), False), (timedelta(hours=30), True)]
)
def test_a_start_may_be_a_day_ahead(tmp_path, ahead, doubtful):
    # Where this runs with an older clock, the day of the program counts.
    now = max(datetime.now(UTC), datetime(2026, 11, 24, tzinfo=UTC))
    started = (now + ahead).isoformat()
    path = forged(tmp_path / "forged.jsonl", on("run", started=started))
    import_(database := tmp_path / "results.sqlite", path)

    assert bool(doubts(shown(database))["future-date", None]) is doubtful


def test_a_start_that_is_no_date_is_not_the_newest(tmp_path):
    genuine = forged(tmp_path / "a.jsonl", OTHER)
    import_(database := tmp_path / "results.sqlite", genuine)
    before = newest(database)

    vague = on("run", started="some day", campaign="later")
    import_(database, forged(tmp_path / "b.jsonl", OTHER, vague))

    assert newest(database) == before


def test_what_the_clock_of_an_import_decided_stays(tmp_path):
    path = forged(tmp_path / "forged.jsonl", on("run", started=TO_COME))
    import_(database := tmp_path / "results.sqlite", path)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE future_date SET imported = '2026-11-20'")
        connection.execute(
            "UPDATE finding SET detail = replace(detail, ?, '2026-11-20')",
            [connection.execute("SELECT detail FROM finding").fetchone()[0][13:23]],
        )
        connection.commit()

    with closing(sqlite3.connect(database)) as connection:
        detail = connection.execute("SELECT detail FROM finding").fetchone()[0]
    assert json.loads(detail) == {"imported": "2026-11-20", "started": TO_COME}
    assert benchdb("db", "check", "--db", database).status == 0


def test_a_publication_to_come_makes_no_newest_edition(tmp_path):
    database = tmp_path / "results.sqlite"
    import_(database, folder("published") / "needle-metal.jsonl")
    import_(database, edition(tmp_path, "9999-01-01"))

    runs = shown(database)

    assert [run["superseded_by"] for run in runs] == [None] * len(runs)
    late = [run for run in runs if doubts([run])["future-date", None]]
    assert len(late) == len(runs) // 2
    assert grades(late) == {"X"}


def test_a_date_to_come_is_found_in_an_older_database_too(tmp_path):
    database = tmp_path / "old.sqlite"
    database.write_bytes(old_file("0004").read_bytes())
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE run SET started = ? WHERE source IS NULL", [TO_COME])
        connection.commit()

    assert benchdb("db", "upgrade", "--db", database).status == 0

    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT count(*) FROM finding WHERE code = 'future-date'"
        assert connection.execute(query).fetchone() == (1,)  # the other failed


def test_on_either_kind_of_database_the_same_is_found(backend, tmp_path):
    database = backend.database()
    import_(
        database,
        forged(tmp_path / "a.jsonl"),
        forged(tmp_path / "b.jsonl", figure("samples_per_second", 1.5)),
        forged(tmp_path / "c.jsonl", on("run", started=TO_COME, campaign="later")),
        edition(tmp_path, "9999-01-01"),
    )

    runs = shown(database)

    counts = doubts(runs)
    assert counts["samples-disagree", "samples_per_second"] == PROCESSES
    assert counts["contradicting-copies", None] == PROCESSES
    assert counts["future-date", None] == PROCESSES + 10
