"""What the rules find in stored runs, and how it is kept."""

import pytest
from sqlalchemy import Connection, func, insert, select

from benchdb.plausibility.observed import Finding
from benchdb.resources import folder
from benchdb.store import bulk_load, findings, tables
from benchdb.store.findings import findings_of, observed, refresh
from tests.observed_runs import store
from tests.store_factory import Machine, Run, add

TENSORBENCH = folder("published") / "m1tensorbench.jsonl"
IMPOSSIBLE = {"mfu_percent": 350.0}


@pytest.fixture
def connection(fleeting: Connection) -> Connection:
    return fleeting


def count(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(tables.finding)) or 0


def source_of(connection: Connection, run: str) -> str:
    query = select(tables.run.c.source).where(tables.run.c.digest == run)
    return str(connection.scalar(query))


def sources(connection: Connection) -> set[str]:
    return set(connection.scalars(select(tables.source.c.digest)))


def test_a_doubt_that_the_transcriber_flagged_is_not_told_twice(connection):
    store(connection, TENSORBENCH)

    refresh(connection, sources=sources(connection), runs=set())

    result = connection.execute(select(tables.finding)).all()
    assert len(result) == 9
    assert {(row.code, row.metric) for row in result} == {("impossible-os", "")}


def test_judging_again_changes_nothing(connection):
    store(connection, TENSORBENCH)
    refresh(connection, sources=sources(connection), runs=set())
    before = connection.execute(select(tables.finding)).all()

    refresh(connection, sources=sources(connection), runs=set())

    assert connection.execute(select(tables.finding)).all() == before


def test_the_findings_of_a_run_are_read_back_as_they_were_found(connection):
    run = add(connection, Run(values=IMPOSSIBLE))

    refresh(connection, sources=sources(connection), runs=set())

    assert findings_of(connection, run) == [
        Finding(run, "above-peak", "mfu_percent", {"stated": 350, "peak": 100})
    ]


def test_a_finding_about_the_whole_run_has_no_metric(connection):
    run = add(connection, Run(device="cuda", source=None))

    refresh(connection, sources=set(), runs={run})

    assert [finding.metric for finding in findings_of(connection, run)] == [None]


def test_a_new_run_makes_all_of_its_source_be_judged_anew(connection):
    first = add(connection, Run(values={"epoch_seconds": 10.0}))
    refresh(connection, sources={source_of(connection, first)}, runs=set())
    assert findings_of(connection, first) == []

    add(connection, Run(values={"epoch_seconds": 12.0}))
    refresh(connection, sources={source_of(connection, first)}, runs=set())

    assert [finding.code for finding in findings_of(connection, first)] == [
        "duplicate-key"
    ]


def test_what_was_found_before_and_is_no_longer_so_is_forgotten(connection):
    old = {"code": "outlier", "metric": "epoch_seconds", "detail": {}}
    published = add(connection, Run())
    ours = add(connection, Run(source=None))
    other = add(connection, Run(source="other"))
    for run in (published, ours, other):
        connection.execute(insert(tables.finding).values(run=run, **old))

    refresh(connection, sources={source_of(connection, published)}, runs={ours})

    assert [findings_of(connection, run) for run in (published, ours)] == [[], []]
    assert count(connection) == 1


def test_runs_without_a_source_are_judged_each_by_itself(connection):
    runs = {
        add(connection, Run(source=None, values={"epoch_seconds": seconds}))
        for seconds in (10.0, 12.0)
    }
    impossible = add(connection, Run(source=None, values=IMPOSSIBLE))

    refresh(connection, sources=set(), runs={*runs, impossible})

    assert count(connection) == 1


def test_a_run_with_a_source_is_not_judged_without_the_others_of_it(connection):
    run = add(connection, Run(values=IMPOSSIBLE))

    refresh(connection, sources=set(), runs={run})

    assert count(connection) == 0


def test_runs_that_did_not_finish_are_not_judged(connection):
    add(connection, Run(values=IMPOSSIBLE, columns={"status": "failed"}))
    lone = add(
        connection, Run(source=None, values=IMPOSSIBLE, columns={"status": "oom"})
    )

    refresh(connection, sources=sources(connection), runs={lone})

    assert count(connection) == 0


def test_in_a_huge_source_each_run_is_judged_by_itself(connection, monkeypatch):
    monkeypatch.setattr(findings, "TOGETHER", 2)
    for seconds in (10.0, 12.0, 14.0):
        values = {"epoch_seconds": seconds, **IMPOSSIBLE}
        add(connection, Run(values=values))

    refresh(connection, sources=sources(connection), runs=set())

    codes = connection.scalars(select(tables.finding.c.code)).all()
    assert codes == ["above-peak"] * 3


def test_more_runs_than_fit_into_a_statement_are_judged(connection, monkeypatch):
    monkeypatch.setattr(bulk_load, "ROWS", 2)
    for seconds in range(5):
        add(connection, Run(values={"epoch_seconds": 1.0 + seconds}))

    refresh(connection, sources=sources(connection), runs=set())

    assert count(connection) == 5


def test_what_a_rule_sees_is_what_is_stored(connection):
    machine = Machine(chip="Xeon", vendor="Intel", model=None, gpu="RTX 3090")
    add(
        connection,
        Run(
            machine=machine,
            device="cuda",
            values={"teraflops": 9.5, "epoch_seconds": None},
            printed={"teraflops": "9,5"},
            columns={"started": "2026-01-02", "seed": 7},
        ),
    )

    ((run,),) = [lot.runs for lot in observed(connection, None, None)]

    assert (run.chip_vendor, run.chip_name) == ("Intel", "Xeon")
    assert run.accelerators == ("RTX 3090",)
    assert (run.values, run.printed) == ({"teraflops": 9.5}, {"teraflops": "9,5"})
    assert (run.batch_size, run.seed, run.started) == (128, 7, "2026-01-02")
    assert run.parameters["samples_total"] == 15360
