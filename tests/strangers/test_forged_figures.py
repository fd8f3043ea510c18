"""Figures that their samples do not give, and processes with two contents."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from benchdb.exchange.packing import Series
from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.plausibility.observed import Observed, of_record
from benchdb.plausibility.rules import judge
from benchdb.plausibility.samples import sampled
from tests import published_runs
from tests.in_process import benchdb
from tests.observed_runs import codes, seen
from tests.strangers.forgeries import (
    PROCESSES,
    Line,
    doubts,
    figure,
    forged,
    grades,
    import_,
    on,
    shown,
)


def test_all_figures_of_all_shipped_runs_follow_from_their_samples(tmp_path):
    database = published_runs.imported(tmp_path)

    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT DISTINCT code FROM finding ORDER BY code"
        known = [("impossible-os",), ("launch-bound",), ("slower-in-larger-batches",)]
        assert connection.execute(query).fetchall() == known
        (count,) = connection.execute("SELECT count(*) FROM samples").fetchone()
    assert count == 554


FIGURES = [
    ("samples_per_second", 1.5, ()),
    ("samples_per_second", 1.001, ()),
    ("samples_per_second", -1.0, ()),
    ("step_seconds", 0.5, ()),
    ("fit_samples_per_second", 1.01, ()),
    ("fit_samples_per_second", 0.5, ()),
    ("mfu_percent", 1.2, ()),
    ("samples_per_joule", 1.1, ()),
    ("mean_power_watts", 0.9, ()),
    ("script_wall_seconds", 0.2, ()),
    ("process_wall_seconds", 0.2, ()),
    # Energy that is not that of the window is found on what follows from it.
    ("energy_joules", 0.5, ("mean_power_watts", "samples_per_joule")),
]


@pytest.mark.parametrize(("metric", "factor", "metrics"), FIGURES)
def test_a_figure_that_the_samples_do_not_give_is_found(
    tmp_path, metric, factor, metrics
):
    path = forged(tmp_path / "forged.jsonl", figure(metric, factor))
    with path.open("rb") as stream:
        records = [record for record in read(stream) if isinstance(record, Record)]

    doubted = [
        str(finding.metric)
        for finding in judge([observed(record) for record in records])
        if finding.code == "samples-disagree"
    ]

    assert sorted(doubted) == sorted([*(metrics or (metric,))] * PROCESSES)


def observed(record: Record) -> Observed:
    return of_record(record, sampled(record.series, record.end.checks))


def test_the_stated_and_the_recomputed_figure_are_named(tmp_path):
    path = forged(tmp_path / "forged.jsonl", figure("samples_per_second", 1.5))
    import_(database := tmp_path / "results.sqlite", path)

    runs = shown(database)
    run = runs[0]
    detail = run["findings"][0]["detail"]
    blocks = next(item for item in run["samples"] if item["phase"] == "measure")

    times = sorted(blocks["seconds"])
    middle = (times[len(times) // 2] + times[(len(times) - 1) // 2]) / 2
    rate = 128 * blocks["per"] / middle
    assert detail["recomputed"] == pytest.approx(rate, rel=1e-5)
    assert detail["stated"] == pytest.approx(1.5 * rate, rel=1e-5)
    text = benchdb("show", run["digest"], "--db", database).out
    assert "samples-disagree samples_per_second recomputed=" in text
    assert "cannot be true: samples-disagree" in text
    assert doubts(runs)["samples-disagree", "samples_per_second"] == PROCESSES
    assert grades(runs) == {"X"}


def trial(**values: float) -> Any:
    """Return a run of products as its source timed them, with three samples."""
    checks = {"seed_protocol": {"kind": "trials", "scaled": False}}
    series = [Series("seed", 1, (0.5, 0.25, 0.75))]
    facts: Line = {"workload": "custom", "label": "measured", "source": None}
    return seen(values=values, sampled=sampled(series, checks), **facts)


@pytest.mark.parametrize(
    ("values", "doubtful"),
    [
        ({"operation_synced_seconds": 0.5, "operation_seconds": 0.1}, False),
        ({"operation_synced_seconds": 0.4}, True),
        ({"operation_seconds": 0.6}, True),  # who waits is never the faster
    ],
)
def test_the_mean_of_single_operations_is_held_against_them(values, doubtful):
    assert codes(judge([trial(**values)])) == [("a", "samples-disagree")] * doubtful


def epoch(**values: float) -> Any:
    plan = {"kind": "epoch", "scaled": False, "samples": 1000}
    series = [Series("seed", 16, (4.0,))]
    checks = {"seed_protocol": plan}
    facts: Line = {"workload": "custom", "label": "measured", "source": None}
    return seen(values=values, sampled=sampled(series, checks), **facts)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("epoch_seconds", 4.0),
        ("epochs_per_hour", 900.0),
        ("fit_samples_per_second", 250.0),
    ],
)
def test_a_pass_over_the_data_is_held_against_its_sample(metric, value):
    right, wrong = epoch(**{metric: value}), epoch(**{metric: 2 * value})

    assert codes(judge([right])) == []
    assert codes(judge([wrong])) == [("a", "samples-disagree")]


def test_checks_of_strangers_end_nothing():
    oddities: list[Any] = [None, [], "x", 10**400, True, -1, {"kind": 3, "samples": ""}]
    for odd in oddities:
        names = ("seed_protocol", "energy", "gates", "operations_per_step")
        checks = dict.fromkeys(names, odd)
        run = seen(
            values={"teraflops": 1.0, "mfu_percent": 1.0, "samples_per_joule": 1.0},
            sampled=sampled([Series("measure", 1, (1.0, 1e308, 1e308))], checks),
            workload="custom",
        )

        assert codes(judge([run])) == []


def test_a_process_with_two_contents_is_found_on_both_in_either_order(tmp_path):
    genuine = forged(tmp_path / "genuine.jsonl", on("environment", python="3.12.9"))
    other = forged(tmp_path / "forged.jsonl", on("environment", python="3.12.4"))
    groups = []
    for name, order in (("a", (genuine, other)), ("b", (other, genuine))):
        database = tmp_path / f"{name}.sqlite"
        import_(database, order[0])
        assert doubts(shown(database)) == {}
        import_(database, order[1])
        groups.append(shown(database))
    runs, again = groups

    assert doubts(runs) == {("contradicting-copies", None): 2 * PROCESSES}
    assert grades(runs) == {"X"}
    assert runs == again
    assert {run["findings"][0]["detail"]["copies"] for run in runs} == {2}


def test_a_third_content_is_counted_on_all_of_them(tmp_path):
    paths = [
        forged(tmp_path / f"{version}.jsonl", on("environment", python=version))
        for version in ("3.12.6", "3.12.4", "3.12.5")
    ]
    import_(database := tmp_path / "results.sqlite", *paths)

    copies = [item["findings"][0]["detail"]["copies"] for item in shown(database)]
    assert copies == [3] * 3 * PROCESSES


def test_other_processes_with_the_same_times_are_copies_of_samples_only(tmp_path):
    import_(
        database := tmp_path / "results.sqlite",
        forged(tmp_path / "a.jsonl"),
        forged(tmp_path / "b.jsonl", on("run", campaign="another")),
        forged(tmp_path / "c.jsonl", on("run", started="2026-11-21T03:00:00+00:00")),
        forged(tmp_path / "d.jsonl", on("end", status="interrupted")),
    )

    assert doubts(shown(database)) == {("copied-samples", None): 2 * PROCESSES}
