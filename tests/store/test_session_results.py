"""Processes of a session are one result, whatever comes in which order."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, select, text

from benchdb.metric_kinds import SPEEDS
from benchdb.report.measurement import measurements
from benchdb.report.runs import stored
from benchdb.store import bulk_load, results
from benchdb.store.database import open_database, writing
from benchdb.store.tables import finding, metadata, newest, part, result, run, value
from benchdb.store.write import Writer
from tests.store_factory import Machine, Run, add, new_store, raw

GATES = {"gates": {"clock": {"status": "failed"}}}
MACHINES = (Machine(ours="one"), Machine(chip="M2", ours="two"), Machine(ours="two"))
MOVED = {run, value, result, newest, part}  # a writer brings these
OF_A_RUN = ("value", "samples", "flag")


@pytest.fixture
def connection(tmp_path) -> Iterator[Connection]:
    with new_store(tmp_path / "results.sqlite").begin() as connection:
        yield connection


def process(campaign: str | None, minute: int, speed: float, **columns: object) -> Run:
    hour, minutes = divmod(minute, 60)
    values = {
        "campaign": campaign,
        "started": f"2026-01-01T{hour:02}:{minutes:02}:00+00:00",
        "replicate": minute,
        "tier": "quick",
    }
    return Run(
        machine=MACHINES[0],
        source=None,
        values={"samples_per_second": speed, "step_seconds": 1 / speed},
        columns=values | columns,
    )


def kept(connection: Connection) -> dict[str, tuple[object, ...]]:
    rows = connection.execute(select(result)).all()
    return {row.run: tuple(row) for row in rows}


def shown(connection: Connection) -> list[tuple[object, ...]]:
    """Return metric, value, processes and grade of each result, by its first run."""
    cursor_result = connection.execute(
        select(result).join(run, run.c.digest == result.c.run).order_by(run.c.started)
    )
    names = ("metric", "value", "n", "grade")
    return [
        tuple(getattr(row, name) for name in names)
        for row in cursor_result
        if row.run == row.first
    ]


def test_a_session_is_one_result_and_a_pause_begins_another(connection):
    for minute, speed in ((0, 100.0), (1, 110.0), (2, 121.0), (90, 50.0)):
        add(connection, process("a", minute, speed))
    results.renew(connection)

    (first, later) = shown(connection)
    assert first == ("samples_per_second", pytest.approx(110), 3, "C")
    assert later == ("samples_per_second", 50.0, 1, "C")


def test_what_failed_a_gate_has_grade_x_and_stays(connection):
    add(connection, process("a", 0, 100.0))
    add(connection, process("b", 0, 900.0, checks=GATES, started="2026-01-02"))
    results.renew(connection)

    assert [(row[1], row[3]) for row in shown(connection)] == [(100, "C"), (900, "X")]


def test_a_figure_that_only_some_processes_had_time_for_is_no_headline(connection):
    slow = process("a", 1, 10.0)
    add(connection, process("a", 0, 100.0))
    add(connection, replace(slow, values={"step_seconds": 0.1}))
    results.renew(connection)

    ((metric, seconds, n, _),) = shown(connection)
    assert (metric, n) == ("step_seconds", 2)
    assert seconds == pytest.approx((0.01 * 0.1) ** 0.5)


def test_a_run_without_a_figure_stands_alone_and_shows_nothing(connection):
    add(connection, process("a", 0, 100.0))
    add(connection, process("a", 1, 100.0, status="failed"))
    results.renew(connection)

    assert [row[2] for row in shown(connection)] == [1, 1]
    views = "SELECT count(*) FROM result WHERE run = first AND value IS NOT NULL"
    assert connection.scalar(text(views)) == 2


def some_runs(count: int, chance: random.Random) -> Iterator[Run]:
    for number in range(count):
        campaign = chance.choice(["a", "b", None])
        names = chance.choice([SPEEDS[:1], SPEEDS[:2], ("step_seconds",), ()])
        columns: dict[str, Any] = {
            "campaign": campaign,
            "replicate": number,
            "started": chance.choice([None, f"2026-01-01T0{chance.randint(1, 9)}:00Z"]),
            "status": chance.choice(["ok", "ok", "ok", "failed"]),
            "tier": chance.choice(["quick", "smoke"]),
            "checks": chance.choice([{}, {}, {}, GATES]),
            "mine": chance.choice([True, False]),
            "parameters": chance.choice([{}, {"size": 1}]),
        }
        yield Run(
            machine=chance.choice(MACHINES),
            workload=chance.choice(["resnet50", "matmul"]),
            source=chance.choice([None, None, "paper"]),
            values={name: chance.uniform(1, 9) for name in names},
            columns=columns,
        )


@pytest.mark.parametrize("seed", range(4))
def test_results_that_follow_imports_are_those_made_anew(tmp_path, connection, seed):
    chance = random.Random(seed)  # noqa: S311 - no secret
    for item in some_runs(120, chance):
        add(connection, item)
    digests = [row[0] for row in raw(connection, run)]
    chance.shuffle(digests)
    others = [
        table
        for table in metadata.sorted_tables
        if "run" not in table.c and table not in {run, newest, part, finding}
    ]
    location = str(tmp_path / "anew.sqlite")
    with writing(open_database(location, create=True)) as together:
        for table in others:
            if shared := raw(connection, table):
                bulk_load.insert(together, table, shared)
        while digests:
            some, digests = digests[:30], digests[30:]
            groups = {"run": raw(connection, run, run.c.digest.in_(some))}
            for name in OF_A_RUN:
                of_run = metadata.tables[name]
                groups[name] = raw(connection, of_run, of_run.c.run.in_(some))
            writer = Writer(together)
            writer.add({name: rows for name, rows in groups.items() if rows})
            writer.flush()
            writer.changes.refresh()
            followed = kept(together)
            results.renew(together)
            assert followed == kept(together)


@pytest.mark.parametrize("seed", range(4))
def test_results_have_the_processes_that_a_report_has_in_its_sessions(connection, seed):
    chance = random.Random(seed)  # noqa: S311 - no secret
    for number in range(60):
        alone = {"values": {"step_seconds": 0.1}} if chance.random() < 0.1 else {}
        minute = chance.choice([number, number + 200])
        size = {"size": chance.choice([1, 2])}
        outcome = process(chance.choice("abc"), minute, 100.0 + number, parameters=size)
        add(connection, replace(outcome, **alone))
    results.renew(connection)
    members: dict[object, set[str]] = {}
    for name, row in kept(connection).items():
        members.setdefault(row[1], set()).add(name)
    heads = {name: row[6] for name, row in kept(connection).items()}

    several = 0
    for measured in measurements(stored(connection)):
        runs = iter(measured.runs)
        for count in measured.sizes:
            session = [next(runs) for _ in range(count)]
            if heads[session[0]] == measured.conditions.metric:
                assert members[session[0]] == set(session)
                several += count > 1
    assert several > 3
