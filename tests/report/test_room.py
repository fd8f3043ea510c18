"""Of a large database a page shows what it has room for, and says so."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import asdict
from sqlalchemy import insert

from benchdb.report.room import CELLS, WHOLE, Resident, with_room
from benchdb.store import contents, newest
from benchdb.store.database import open_database, writing
from benchdb.store.tables import run, value
from tests.in_process import benchdb
from tests.store_factory import Machine, Run, add


def resident(
    name: str, chip: str, cells: int, newest: str = "2026", *, first: bool = False
) -> Resident:
    return Resident(frozenset({name}), chip, cells, newest, first)


def names(found: Sequence[Resident]) -> list[str]:
    return [next(iter(one.digests)) for one in found]


def test_chips_take_turns_and_the_most_measured_machine_of_each_is_first():
    there = [
        resident("a1", "m1", 10),
        resident("a2", "m1", 40),
        resident("b1", "m2", 30),
        resident("b2", "m2", 20),
    ]
    assert names(with_room(there, 1000)) == ["a2", "b1", "a1", "b2"]
    assert names(with_room(there, 75)) == ["a2", "b1"]


def test_of_machines_measured_alike_the_newest_is_first():
    there = [
        resident("old", "m1", 10, newest="2024"),
        resident("new", "m1", 10, newest="2026"),
    ]
    assert names(with_room(there, 10)) == ["new"]


def test_a_smaller_machine_fills_the_room_that_a_larger_one_does_not_fit_in():
    there = [resident(n, n, c) for n, c in (("a", 60), ("b", 50), ("c", 30))]
    assert names(with_room(there, 100)) == ["a", "c"]


def test_one_machine_always_has_room():
    assert names(with_room([resident("a", "m1", 10_000)], 100)) == ["a"]
    assert with_room([], 100) == []


def test_what_was_asked_for_comes_first_and_leaves_half_to_others():
    there = [
        *(resident(f"a{n}", "m1", 20, first=True) for n in range(5)),
        resident("b", "m2", 40),
    ]
    found = names(with_room(there, 100))
    assert [one[0] for one in found[:2]] == ["a", "a"]
    assert "b" in found
    assert len(found) == 4


CHIPS = ("M1", "M1 Pro", "M1 Max", "M2")
MACHINES = 40
OLD = WHOLE // MACHINES // 20 + 1  # campaigns of each of 20 cells


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
    told = {"label": "measured", "campaign": "first", "started": "2020-01-01T00:00:00Z"}
    digest = add(connection, Run(**{**asdict(model), "columns": told}))
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
        {"run": one["digest"], "metric": "samples_per_second", "value": 100.0 + number}
        for one in rows
    ]
    connection.execute(insert(value), speeds)


def report(crowd, tmp_path, *options: str) -> tuple[dict[str, Any], str, str]:
    place = ["--db", str(crowd), "-o", str(tmp_path), "--lang", "en"]
    done = benchdb("report", *place, "--format", "json,html", *options)
    assert done.status == 0, done.err
    found = json.loads((tmp_path / "report.json").read_text())
    return found, (tmp_path / "report.en.html").read_text(), done.err


def runs_of(found: dict[str, Any]) -> set[str]:
    return {run for value in found["values"] for run in (value["run"], *value["runs"])}


def test_the_page_has_the_newest_of_machines_of_every_chip_and_says_so(crowd, tmp_path):
    found, page, told = report(crowd, tmp_path)
    total = MACHINES * (20 * OLD + 1)
    shown = CELLS // 21  # each machine has a 21st cell, which was measured long ago
    assert found["room"] == {
        "runs": shown * 21,
        "of_runs": total,
        "machines": shown,
        "of_machines": MACHINES,
    }
    assert {one["system"]["chip"] for one in found["values"]} == set(CHIPS)
    assert {one["started"][:10] for one in found["values"]} == {
        "2020-01-01",
        f"2026-01-{OLD:02}",
    }
    assert f"Runs shown: {shown * 21:,} of {total:,}" in page
    assert f"Machines shown: {shown} of {MACHINES}" in page
    assert f"shows {shown * 21:,} of {total:,} runs" in told


def test_a_filter_makes_room_for_others(crowd, tmp_path):
    found, page, _ = report(crowd, tmp_path, "--chip", "M1 Max")
    assert found["room"]["machines"] == found["room"]["of_machines"] == 10
    assert {one["system"]["chip"] for one in found["values"]} == {"M1 Max"}
    assert "Machines shown" not in page


def test_the_marked_machine_and_those_of_its_chip_have_room_first(crowd, tmp_path):
    found, *_ = report(crowd, tmp_path, "--highlight", "id38")
    assert any(one["here"] for one in found["machines"])
    chips = [one["chip"] for one in found["machines"]]
    assert chips.count(CHIPS[38 % 4]) == 10


def test_everything_is_shown_where_that_is_asked_for(crowd, tmp_path):
    found, page, told = report(crowd, tmp_path, "--all", "--chip", "M2", "--chip", "M1")
    assert found["room"] is None
    assert len(runs_of(found)) == 20 * (20 * OLD + 1)
    assert not told
    assert "--all" in page


def test_a_database_of_some_thousand_runs_is_shown_whole(tmp_path):
    engine = open_database(str(tmp_path / "results.sqlite"), create=True)
    with writing(engine) as connection:
        _machine(connection, 0)
        newest.renew(connection)
        contents.renew(connection)
    found, *_ = report(tmp_path / "results.sqlite", tmp_path)
    assert found["room"] is None
    assert len(runs_of(found)) == 20 * OLD + 1
