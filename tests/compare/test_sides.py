"""Which runs the sides of a comparison have."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine

from benchdb.compare.sides import Side, sides
from benchdb.errors import BenchdbError, DatabaseError, UsageError
from benchdb.report.measurement import Measurement
from benchdb.store.database import open_database
from tests.command_line import benchdb
from tests.compared import M1, M1_TOO, M2, campaign, published, stored
from tests.published_runs import FOLDER, database
from tests.store_factory import Machine

OLDER = Path(__file__).parents[1] / "fixtures" / "databases" / "0003.sqlite"
CPU = FOLDER / "benchdb-cpu.jsonl"
MAX = Machine("M1 Max")


@pytest.fixture(scope="module", name="room")
def room_of_sides(tmp_path_factory: pytest.TempPathFactory) -> Path:
    room = tmp_path_factory.mktemp("sides")
    mine = {"mine": True}
    runs = [
        *campaign("first", 100.0, day=1),
        *campaign("second", 101.0, day=2),
        *campaign("second", 31.0, day=2, workload="distilbert"),
        *campaign("second", 10.0, day=2, device="cpu"),
        *campaign("third", 120.0, machine=M2, day=3, columns=mine),
        *campaign("third", 90.0, machine=M2, day=5, columns=mine),
        published(100.0, machine=MAX, source="paper"),
        published(110.0, machine=MAX, source="other paper"),
    ]
    (room / "digests").write_text("\n".join(stored(room / "results.sqlite", runs)))
    return room


@pytest.fixture(name="engine")
def open_sides(room: Path) -> Engine:
    return open_database(str(room / "results.sqlite"))


def contents(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.iterdump())


def of(side: Side) -> dict[tuple[str, str], list[int]]:
    """Return the processes of each session of each workload and device."""
    return {
        (measurement.conditions.workload, measurement.place.device): list(
            measurement.sizes
        )
        for measurement in side.measured
    }


def rates(side: Side) -> list[Measurement]:
    return [
        measurement
        for measurement in side.measured
        if measurement.conditions.metric == "samples_per_second"
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("campaign:first", {("resnet50", "metal"): [3]}),
        (
            "campaign:second",
            {
                ("resnet50", "metal"): [3],
                ("resnet50", "cpu"): [3],
                ("distilbert", "metal"): [3],
            },
        ),
        (
            "chip:M1",
            {
                ("resnet50", "metal"): [3, 3],
                ("resnet50", "cpu"): [3],
                ("distilbert", "metal"): [3],
            },
        ),
        (
            "machine:aaaaaaaa",
            {
                ("resnet50", "metal"): [3, 3],
                ("resnet50", "cpu"): [3],
                ("distilbert", "metal"): [3],
            },
        ),
        ("source:paper", {("resnet50", "cpu"): [1]}),
        ("chip:M1 Max", {("resnet50", "cpu"): [1]}),
    ],
)
def test_a_side_has_the_processes_of_what_it_names(name, expected, engine):
    (side,) = sides(engine, [name])

    assert of(side) == expected


def test_a_run_stands_for_the_processes_beside_it(room, engine):
    digests = (room / "digests").read_text().split()
    first, published_ = digests[1], digests[-1]

    run, alone = sides(engine, [f"run:{first}", published_])

    assert set(run.measured[0].runs) == set(digests[:3])
    assert len(rates(run)) == 1
    assert [measurement.runs for measurement in alone.measured] == [(published_,)]
    assert [stored_run.facts.digest for stored_run in alone.runs] == [published_]


def test_here_is_the_newest_session_of_mine(engine):
    first, here = sides(engine, ["campaign:first"], here=True)

    (measured,) = rates(here)
    assert here.name == "this machine"
    assert (measured.started or "")[:10] == "2026-03-05"
    assert measured.sizes == (3,)
    assert first.measured != here.measured


def test_nothing_here_is_said(tmp_path):
    stored(tmp_path / "others.sqlite", campaign("first", 100.0))
    engine = open_database(str(tmp_path / "others.sqlite"))

    with pytest.raises(UsageError, match="nothing was measured on this machine"):
        sides(engine, ["first"], here=True)


def test_a_file_and_a_database_are_sides_and_stay_as_they_are(engine, tmp_path):
    shipped = database(tmp_path)
    before = contents(shipped)

    file, whole, machine = sides(engine, [str(CPU), str(shipped), "machine:cccccccc"])

    assert of(file).keys() < of(whole).keys()
    assert {place for _, place in of(file)} == {"cpu"}
    assert of(machine) == {("resnet50", "metal"): [3, 3]}
    assert contents(shipped) == before


def test_an_older_database_is_refused_and_not_upgraded(engine, tmp_path):
    old = Path(shutil.copyfile(OLDER, tmp_path / "old.sqlite"))
    before = contents(old)

    with pytest.raises(DatabaseError, match=r"older schema 0003.*'benchdb db upgrade'"):
        sides(engine, ["chip:M1", str(old)])

    assert contents(old) == before
    assert not list(tmp_path.glob("*backup*"))


def test_a_newer_database_is_refused(room, engine, tmp_path):
    newer = Path(shutil.copyfile(room / "results.sqlite", tmp_path / "newer.sqlite"))
    with closing(sqlite3.connect(newer)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(DatabaseError, match=r"newer benchdb \(schema 9999"):
        sides(engine, ["chip:M1", str(newer)])


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (b"", "side.jsonl"),
        (b'{"type":"run","broken', "side.jsonl"),
        (bytes(range(256)) * 9, "side.jsonl"),
        (b"SQLite format 3\0" + b"no more than that", "side.jsonl"),
    ],
)
def test_a_broken_file_is_said_in_one_line(content, result, engine, tmp_path):
    file = tmp_path / "side.jsonl"
    file.write_bytes(content)

    with pytest.raises(BenchdbError, match=result) as error:
        sides(engine, ["chip:M1", str(file)])

    assert "\n" not in str(error.value)


def test_a_file_with_a_broken_line_is_no_side(engine, tmp_path):
    file = tmp_path / "spoilt.jsonl"
    file.write_bytes(CPU.read_bytes().replace(b'"status":"ok"', b'"status":', 1))

    with pytest.raises(UsageError, match=r"cannot compare with .*spoilt\.jsonl"):
        sides(engine, ["chip:M1", str(file)])


def test_only_the_workloads_that_are_asked_for(engine):
    (side,) = sides(engine, ["campaign:second"], workloads=["distilbert"])

    assert of(side) == {("distilbert", "metal"): [3]}
    assert {run.facts.workload for run in side.runs} == {"distilbert"}
    with pytest.raises(UsageError, match="did you mean 'distilbert'"):
        sides(engine, ["campaign:second"], workloads=["distilberg"])


def test_what_a_stranger_tells_of_shipped_work_is_in_no_chip(tmp_path):
    db = tmp_path / "strangers.sqlite"
    assert benchdb("import", FOLDER / "m1tensorbench.jsonl", "--db", db).status == 0
    honest = sides(open_database(str(db)), ["chip:M1 Max"])[0]
    stored(
        db, [published(1.0, machine=Machine("M1 Max", ram_gib=64), source="stranger")]
    )

    (side,) = sides(open_database(str(db)), ["chip:M1 Max"])
    (asked,) = sides(open_database(str(db)), ["source:stranger"])

    assert {run.facts.digest for run in side.runs} == {
        run.facts.digest for run in honest.runs
    }
    assert len(asked.measured) == 1  # who asks for it sees it


def test_a_machine_that_was_measured_twice_is_no_fleet(tmp_path):
    runs = [
        *campaign("one", 100.0),
        *campaign("two", 101.0, machine=M1_TOO),
        *campaign("three", 102.0, machine=M1),
    ]
    stored(tmp_path / "fleet.sqlite", runs)

    (side,) = sides(open_database(str(tmp_path / "fleet.sqlite")), ["chip:M1"])

    assert sorted(rate.sizes for rate in rates(side)) == [(3,), (3, 3)]
