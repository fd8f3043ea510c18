"""Runs become measurements: what belongs together, what is newest, what is missing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from benchdb.metric_kinds import TOKENS
from benchdb.report import measurement
from benchdb.report.exclusions import NOTHING, LeftOut
from benchdb.report.measurement import Measurement, differs
from benchdb.report.runs import stored
from benchdb.report.summary import summarise
from benchdb.site.answers.efficiency import powers
from benchdb.statistics.spreads import shipped, spread_of
from tests.store_factory import Machine, Run, add, new_store

MINE = Machine(chip="Apple M2", ours="me")
PROCESS = Run(
    machine=MINE,
    framework="torch",
    source=None,
    values={"samples_per_second": 100.0},
    columns={"campaign": "a", "started": "2026-01-01T10:00:00Z", "replicate": 0},
)

PLAN = {"kind": "fit", "warmup_epochs": 1, "epochs": 2, "steps_per_epoch": 10}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    engine = new_store(tmp_path / "results.sqlite")
    with engine.begin() as connection:
        yield connection


def measurements(
    connection: Connection, left_out: LeftOut = NOTHING
) -> list[Measurement]:
    return measurement.measurements(stored(connection, left_out))


def process(replicate: int, rate: float, **columns: object) -> Run:
    return replace(
        PROCESS,
        values={"samples_per_second": rate},
        columns={**PROCESS.columns, "replicate": replicate, **columns},
    )


NEXT = {"campaign": "b", "started": "2026-02-01T10:00:00Z"}
BOTH = {"samples_per_second": 9.0, "script_wall_seconds": 60.0}


def wall(seconds: float | None = 60.0, **facts: Any) -> Run:
    return Run(values={"script_wall_seconds": seconds}, **facts)


@pytest.mark.parametrize(
    ("workload", "rate", "lengths", "expected"),
    [
        ("llm-decode", 60.0, {"generated_tokens": 128}, "launch-bound"),
        ("llm-decode", 8.0, {"generated_tokens": 128}, "long-steps"),
        ("llm-decode", 60.0, {"batch_size": 8}, "long-steps"),
        ("llm-prefill", 900.0, {"prompt_tokens": 512}, "long-steps"),
        ("llm-prefill", 20_000.0, {"prompt_tokens": 512}, "launch-bound"),
        ("llm-prefill", 900.0, {}, None),  # of a prompt of any length
        *(
            ("llm-prefill", 900.0, {"prompt_tokens": stated}, None)
            for stated in ("many", -5, 10**30, None)
        ),
        ("llm-generate", 60.0, {"generated_tokens": 128}, None),
    ],
)
def test_tokens_a_second_of_others_are_as_sure_as_their_steps_are_long(
    connection, workload, rate, lengths, expected
):
    columns = {"parameters": {"model": "a 7B", **lengths}}
    columns["batch_size"] = lengths.get("batch_size")
    values = {"tokens_per_second": rate}
    run = Run(workload=workload, device="metal", values=values, columns=columns)
    add(connection, run)

    (result,) = measurement.measurements(stored(connection), TOKENS)

    assert result.spread == spread_of(expected, shipped())


def test_campaigns_of_a_cell_are_sessions_of_one_measurement_the_newest_first(
    connection,
):
    first = [add(connection, process(n, 100.0 + n)) for n in range(3)]
    newest = add(connection, process(0, 120.0, **NEXT))

    (result,) = measurements(connection)

    assert (result.values, result.campaign) == ((120.0, 100.0, 101.0, 102.0), "b")
    assert result.runs == (newest, *first)
    assert result.sizes == (1, 3)


@pytest.mark.parametrize(
    ("runs", "values"),
    [
        # A newer campaign does not replace another cell; one that failed hides none.
        (
            [process(0, 100.0), process(0, 120.0, **NEXT, batch_size=64)],
            [(100.0,), (120.0,)],
        ),
        ([process(0, 100.0), process(0, 1.0, **NEXT, status="oom")], [(100.0,)]),
        # What only some processes gave is left out.
        (
            [
                replace(process(0, 9.0), values=BOTH),
                replace(process(1, 9.0), values=BOTH | {"script_wall_seconds": None}),
            ],
            [(9.0, 9.0)],
        ),
        # Two sources are never pooled, nor are versions of a framework.
        ([wall(10.0, source="paper"), wall(12.0, source="blog")], [(10.0,), (12.0,)]),
        (
            [
                replace(process(0, 100.0), version="2.1"),
                replace(process(1, 110.0), version="2.2"),
            ],
            [(100.0,), (110.0,)],
        ),
        # What is missing or zero, or can be no speed, is no measurement.
        ([wall(None), wall(0.0, device="metal")], []),
        ([process(0, 1e300), process(0, 5e-324, batch_size=1)], []),
        ([], []),
    ],
)
def test_what_is_of_one_cell_is_together_and_nothing_else(connection, runs, values):
    for run in runs:
        add(connection, run)

    assert sorted(item.values for item in measurements(connection)) == values


def test_a_smoke_run_is_like_no_other_and_hides_none(connection):
    add(connection, process(0, 100.0))
    add(connection, process(0, 300.0, tier="smoke", campaign="later"))

    thorough, smoke = measurements(connection)

    assert sorted([thorough.conditions.smoke, smoke.conditions.smoke]) == [False, True]
    assert differs(thorough, smoke) == ("tier",)


REPORTED = {"reported_step_seconds": 0.5}


@pytest.mark.parametrize(
    ("run", "extent", "throughputs"),
    [
        (wall(), 15360.0, (256.0,)),
        # The samples follow from epochs and steps where nobody states them.
        (
            wall(
                columns={
                    "batch_size": 4,
                    "parameters": {},
                    "checks": {"seed_protocol": PLAN},
                }
            ),
            120.0,
            (2.0,),
        ),
        (wall(columns={"parameters": {}}), None, None),
        # A rate has no extent, so longer runs stay comparable; a step has its batch.
        (Run(values={"fit_samples_per_second": 55.8}), None, (55.8,)),
        (Run(values=REPORTED), 128.0, (256.0,)),
        (
            Run(values=REPORTED, columns={"batch_size": None, "parameters": {}}),
            None,
            None,
        ),
        # A number of samples that can be none says nothing.
        *(
            (wall(columns={"parameters": {"samples_total": stated}}), None, None)
            for stated in (10**400, -1, 0)
        ),
    ],
)
def test_a_time_becomes_a_rate_through_the_samples_it_covers(
    connection, run, extent, throughputs
):
    add(connection, run)

    (result,) = measurements(connection)

    assert (result.conditions.extent, result.throughputs) == (extent, throughputs)


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ({"precision": "fp16"}, "precision"),
        ({"precision": None}, "precision"),
        ({"compiler": "xla"}, "compiler"),
        ({"batch_size": 64}, "batch"),
        ({"setting": "another"}, "protocol"),
        ({"parameters": {"samples_total": 99}}, "protocol"),
    ],
)
def test_what_differs_is_named(connection, columns, name):
    add(connection, wall())
    add(connection, wall(columns=columns))

    result, other = measurements(connection)

    assert differs(result, other) == (name,)


def test_like_figures_differ_in_nothing_though_machines_and_devices_do(connection):
    add(connection, wall())
    add(connection, wall(device="metal", machine=MINE))

    result, other = measurements(connection)

    assert differs(result, other) == ()


def test_frameworks_and_metrics_differ_too(connection):
    add(connection, wall())
    add(connection, Run(framework="torch", values={"samples_per_second": 9.0}))

    result, other = measurements(connection)

    assert differs(result, other) == ("framework", "protocol")


def test_the_newest_day_is_that_of_measured_runs_alone(connection):
    add(connection, process(0, 100.0))
    published = {"started": "2026-09-09T00:00:00Z"}
    add(connection, wall(9.0, columns=published))

    assert summarise(connection).newest == "2026-01-01"


def test_copies_do_not_make_the_rest_of_a_cell_incomplete(connection):
    two = [wall(s) for s in (10.0, 12.0)]
    copy, kept = (add(connection, run) for run in two)

    (result,) = measurements(connection, LeftOut(originals={copy: "paper"}))

    assert (result.runs, result.values) == ((kept,), (12.0,))


def test_a_figure_of_no_section_is_not_read_and_a_run_without_any_is(connection):
    values = {"script_wall_seconds": 9.0, "first_step_seconds": 1.0}
    known = add(connection, Run(values=values))
    bare = add(connection, Run(device="metal", columns={"status": "failed"}))

    groups = {run.facts.digest: run.figures for run in stored(connection)}

    assert [figure.metric for figure in groups[known]] == ["script_wall_seconds"]
    assert groups[bare] == ()


@pytest.mark.parametrize(
    "checks",
    [
        {"seed_protocol": "fit", "energy": 7},
        {"seed_protocol": {"kind": "fit"}, "energy": {"scope": {"a": 1}}},
        {"seed_protocol": PLAN | {"epochs": "two"}, "energy": ["scope"]},
        {"seed_protocol": PLAN | {"epochs": -10}},
        {"seed_protocol": PLAN | {"epochs": 10**400}},
        {"seed_protocol": [PLAN], "energy": {"scope": "everything"}},
    ],
)
def test_checks_in_a_strangers_words_say_nothing_and_break_nothing(connection, checks):
    values = {"script_wall_seconds": 9.0, "mean_power_watts": 40.0}
    columns = {"parameters": {}, "checks": checks}
    digest = add(connection, Run(values=values, columns=columns))

    assert [item.conditions.extent for item in measurements(connection)] == [None]
    assert powers(stored(connection))[digest].scope is None
