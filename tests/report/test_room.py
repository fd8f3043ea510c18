"""Of a large database a page shows what it has room for, and says so."""

import json
from typing import Any

import pytest
from msgspec.structs import asdict
from sqlalchemy import insert

from benchdb.report import scope
from benchdb.store import contents, newest
from benchdb.store.database import open_database, writing
from benchdb.store.tables import run, value
from tests.in_process import benchdb
from tests.store_factory import Machine, Run, add

CHIPS = ("M1", "M1 Pro", "M1 Max", "M2")
MACHINES = 40
LARGE = 2_000  # runs, so that the test is a quick one
OLD = LARGE // MACHINES // 20 + 1  # campaigns of each of 20 cells


@pytest.fixture(autouse=True)
def smaller(monkeypatch):
    monkeypatch.setattr(scope, "WHOLE", LARGE)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """40 machines of 4 chips, 20 cells each, with more old campaigns than are shown."""
    path = tmp_path_factory.mktemp("crowd") / "results.sqlite"
    engine = open_database(str(path), create=True)
    with writing(engine) as connection:
        for number in range(MACHINES):
            _machine(connection, number)
        newest.renew(connection)
        contents.renew(connection)
    engine.dispose()
    return path


def _machine(connection, number: int) -> None:
    chip = CHIPS[number % len(CHIPS)]
    mac = Machine(chip=chip, ours=f"id{number:02}", ram_gib=number + 1)
    model = Run(machine=mac, source=None, values={"samples_per_second": 1.0})
    values = {
        "label": "measured",
        "campaign": "first",
        "started": "2020-01-01T00:00:00Z",
    }
    digest = add(connection, Run(**{**asdict(model), "columns": values}))
    first = (
        connection.execute(run.select().where(run.c.digest == digest)).mappings().one()
    )
    rows = [
        {
            **first,
            "digest": f"{number:02x}{batch:02x}{turn:02x}".ljust(64, "0"),
            "batch_size": batch,
            "parameters": {"batch_size": batch},
            "campaign": f"c{turn}",
            "started": f"2026-01-{turn + 1:02}T00:00:00Z",
        }
        for batch in range(1, 21)
        for turn in range(OLD)
    ]
    connection.execute(insert(run), rows)
    speeds = [
        {"run": row["digest"], "metric": "samples_per_second", "value": 100.0 + number}
        for row in rows
    ]
    connection.execute(insert(value), speeds)


def report(crowd, tmp_path, *options: str) -> tuple[dict[str, Any], str, str]:
    place = ["--db", str(crowd), "-o", str(tmp_path), "--lang", "en"]
    done = benchdb("report", *place, "--format", "json,html", *options)
    assert done.status == 0, done.err
    result = json.loads((tmp_path / "report.json").read_text())
    return result, (tmp_path / "report.en.html").read_text(), done.err


def runs_of(result: dict[str, Any]) -> set[str]:
    return {run for value in result["values"] for run in (value["run"], *value["runs"])}


def test_the_page_is_made_of_the_newest_of_each_cell_and_says_so(crowd, tmp_path):
    result, page, text = report(crowd, tmp_path)
    total, kept = MACHINES * (20 * OLD + 1), MACHINES * 21
    assert result["room"] == {"runs": kept, "of_runs": total}
    assert {item["system"]["chip"] for item in result["values"]} == set(CHIPS)
    # Each machine has a 21st cell, which was measured long ago.
    assert {item["started"][:10] for item in result["values"]} == {
        "2020-01-01",
        f"2026-01-{OLD:02}",
    }
    assert f"Runs shown: {kept:,} of {total:,}" in page
    assert f"shows {kept:,} of {total:,} runs" in text


def test_a_filter_makes_room_for_others(crowd, tmp_path):
    result, *_ = report(crowd, tmp_path, "--chip", "M1 Max")
    assert result["room"]["runs"] == 10 * 21
    assert {item["system"]["chip"] for item in result["values"]} == {"M1 Max"}


def test_everything_is_shown_where_that_is_asked_for(crowd, tmp_path):
    result, page, text = report(
        crowd, tmp_path, "--all", "--chip", "M2", "--chip", "M1"
    )
    assert result["room"] is None
    assert len(runs_of(result)) == 20 * (20 * OLD + 1)
    assert not text
    assert "--all" in page


def test_a_database_of_some_thousand_runs_is_shown_whole(tmp_path):
    engine = open_database(str(tmp_path / "results.sqlite"), create=True)
    with writing(engine) as connection:
        _machine(connection, 0)
        newest.renew(connection)
        contents.renew(connection)
    result, *_ = report(tmp_path / "results.sqlite", tmp_path)
    assert result["room"] is None
    assert len(runs_of(result)) == 20 * OLD + 1
