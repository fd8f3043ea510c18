"""The newest runs of every cell, and the parts of the digest, follow every import."""

import random
from collections.abc import Iterator

import pytest
from sqlalchemy import ColumnElement, Connection, func, select

from benchdb.merge import import_or_raise
from benchdb.report.measurement import measurements
from benchdb.report.runs import stored
from benchdb.resources import folder
from benchdb.store import bulk_load, checks, contents, newest
from benchdb.store.database import open_database, reading, writing
from benchdb.store.newest import CELL
from benchdb.store.tables import metadata, part, run, value
from benchdb.store.tables import newest as newest_runs
from benchdb.store.write import Writer
from tests.store_factory import Machine, Run, add, new_store, raw

MACHINES = (Machine(ours="one"), Machine(chip="M2", ours="two"))


@pytest.fixture
def connection(tmp_path) -> Iterator[Connection]:
    with new_store(tmp_path / "results.sqlite").begin() as connection:
        yield connection


def kept(connection: Connection) -> set[str]:
    return set(connection.scalars(select(newest_runs.c.run)))


def by_age(connection: Connection, *wanted: ColumnElement[bool]) -> set[str]:
    """Return the runs of the newest campaign of every cell, found by sorting in SQL.

    What went well, what did not, and smoke runs are cells of their own.
    """
    smoke = func.coalesce(run.c.tier, "") == "smoke"
    cell = [*CELL, smoke, run.c.status == "ok"]
    started = func.max(func.coalesce(run.c.started, ""))
    last = started.over(partition_by=[*cell, run.c.campaign]).label("last")
    subquery = select(run, last, smoke.label("smoke")).subquery()
    age = func.dense_rank().over(
        partition_by=[
            *(subquery.c[column.name] for column in CELL),
            subquery.c.smoke,
            subquery.c.status == "ok",
        ],
        order_by=[
            subquery.c.last.desc(),
            func.coalesce(subquery.c.campaign, "").desc(),
        ],
    )
    aged = select(subquery.c.digest, age.label("age")).subquery()
    query = select(run.c.digest).join(aged, aged.c.digest == run.c.digest)
    return set(connection.scalars(query.where(aged.c.age == 1, *wanted)))


def some_runs(count: int, chance: random.Random) -> Iterator[Run]:
    for number in range(count):
        campaign = chance.choice(["a", "b", "c", None])
        columns = {
            "campaign": campaign,
            "replicate": number,
            "started": chance.choice([None, f"2026-0{chance.randint(1, 9)}-01"]),
            "status": chance.choice(["ok", "ok", "failed", "timeout"]),
            "tier": chance.choice(["quick", "smoke", None]),
            "batch_size": chance.choice([1, 2, None]),
            "parameters": chance.choice([{}, {"size": 1}]),
        }
        yield Run(
            machine=chance.choice(MACHINES),
            workload=chance.choice(["resnet50", "lstm"]),
            source=None,
            values={"samples_per_second": 1.0},
            columns=columns,
        )


@pytest.fixture(scope="module", params=range(4))
def chance(request) -> random.Random:
    return random.Random(request.param)  # noqa: S311 - no secret


@pytest.fixture(scope="module")
def filled(tmp_path_factory, chance) -> Iterator[Connection]:
    """Some runs that came one by one."""
    path = tmp_path_factory.mktemp("filled") / "results.sqlite"
    with new_store(path).begin() as connection:
        for item in some_runs(120, chance):
            add(connection, item)
        yield connection


def test_a_report_measures_by_the_runs_that_the_database_finds_newest_and_older_ones(
    filled,
):
    texts = [
        run for measurement in measurements(stored(filled)) for run in measurement.runs
    ]
    assert len(texts) == len(set(texts))
    assert set(texts) >= by_age(filled, run.c.status == "ok")


def test_what_is_kept_is_what_the_database_finds_newest_by_sorting(filled):
    assert kept(filled) == by_age(filled)
    as_imported = kept(filled)
    newest.renew(filled)
    assert kept(filled) == as_imported


def test_runs_that_come_together_count_as_if_one_by_one(tmp_path, filled, chance):
    runs = raw(filled, run)
    chance.shuffle(runs)
    with new_store(tmp_path / "together.sqlite").begin() as together:
        for table in metadata.sorted_tables:
            if table not in {run, newest_runs, part, value} and (
                rows := raw(filled, table)
            ):
                bulk_load.insert(together, table, rows)
        while runs:
            count = chance.randint(1, 60)
            writer = Writer(together)
            writer.add({"run": runs[:count]})
            writer.flush()
            del runs[:count]
            assert kept(together) == by_age(together)
        assert kept(together) == kept(filled)


def process(campaign: str, day: int, **columns: object) -> Run:
    values = {"campaign": campaign, "started": f"2026-01-{day:02}", "tier": "quick"}
    return Run(machine=MACHINES[0], source=None, columns=values | columns)


def test_a_newer_campaign_takes_the_place_of_an_older_one(connection):
    first = {add(connection, process("a", 1, replicate=n)) for n in range(3)}
    assert kept(connection) == first
    second = {add(connection, process("b", 2, replicate=n)) for n in range(2)}
    assert kept(connection) == second
    # One more process of the old campaign makes it the newest again.
    again = {add(connection, process("a", 3, replicate=3))}
    assert kept(connection) == first | again


@pytest.mark.parametrize("other", [{"status": "failed"}, {"tier": "smoke"}])
def test_a_failure_and_a_smoke_run_stand_in_for_nothing(connection, other):
    good = add(connection, process("a", 1))
    late = add(connection, process("b", 2, **other))
    assert kept(connection) == {good, late}


def test_runs_have_the_same_short_name_where_they_are_of_one_cell(connection):
    same = [process("a", 1, replicate=n) for n in range(2)]
    same += [process("b", 2, status="failed"), process("b", 2, tier="smoke")]
    others = [process("a", 1, batch_size=2), process("a", 1, precision="bf16")]
    others += [process("a", 1, parameters={"size": 7})]
    digests = [add(connection, item) for item in (*same, *others)]

    query = select(newest_runs.c.run, newest_runs.c.cell)
    names = {row.run: row.cell for row in connection.execute(query)}

    assert len({names[digest] for digest in digests[: len(same)]}) == 1
    assert len({names[digest] for digest in digests}) == 1 + len(others)
    assert {len(name) for name in names.values()} == {16}


def test_an_import_brings_both_up_to_date_and_another_changes_nothing(backend):
    engine = open_database(backend.nothing(), create=True)
    seen = []
    for name in ("needle-metal.jsonl", "tf-metal-experiments.jsonl"):
        import_or_raise(engine, [folder("published") / name])
        with reading(engine) as connection:
            assert kept(connection) == by_age(connection) != set()
            assert not list(checks.derived_differences(connection))
            seen.append(contents.digest(connection))
            runs = len(connection.scalars(select(run.c.digest)).all())
            assert contents.runs(connection) == runs
    import_or_raise(engine, [folder("published") / "needle-metal.jsonl"])
    with reading(engine) as connection:
        assert contents.digest(connection) == seen[-1] != seen[0]


def test_the_digest_of_the_contents_changes_with_a_run(connection):
    before = contents.digest(connection)

    add(connection, Run(values={"script_wall_seconds": 9.0}))

    assert contents.digest(connection) != before


def test_the_digest_of_contents_knows_no_order_of_imports(tmp_path):
    names = ["needle-metal.jsonl", "tf-metal-experiments.jsonl"]
    digests = set()
    for order in (names, names[::-1]):
        engine = open_database(str(tmp_path / order[0]), create=True)
        import_or_raise(engine, [folder("published") / name for name in order])
        with reading(engine) as connection:
            digests.add(contents.digest(connection))
    assert len(digests) == 1


@pytest.mark.parametrize("table", [newest_runs, part])
def test_the_check_finds_what_does_not_follow_from_the_runs(tmp_path, table):
    engine = open_database(str(tmp_path / "results.sqlite"), create=True)
    import_or_raise(engine, [folder("published") / "needle-metal.jsonl"])
    with writing(engine) as connection:
        (key,) = table.primary_key
        first = str(connection.scalars(select(key).order_by(key)).first())
        connection.execute(table.delete().where(key == first))
    with reading(engine) as connection:
        texts = list(checks.derived_differences(connection))
    assert texts == [
        f"{table.name} ({first[:12]}) follows from the runs, but is not there"
    ]
