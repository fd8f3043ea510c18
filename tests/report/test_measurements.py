"""Runs become measurements: what belongs together, what is newest, what is missing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from benchdb.report import measurement
from benchdb.report.exclusions import NOTHING, LeftOut
from benchdb.report.measurement import Gap, Measurement, differs
from benchdb.report.metric_kinds import LISTED, SPEEDS
from benchdb.report.runs import stored
from benchdb.report.sections.efficiency.powers import PER_JOULE, POWERS, powers
from benchdb.report.sections.sweep.products import METRICS
from benchdb.report.summary import summarise
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


def gaps(connection: Connection, left_out: LeftOut = NOTHING) -> list[Gap]:
    return measurement.gaps(stored(connection, left_out))


def process(replicate: int, rate: float, **columns: object) -> Run:
    return replace(
        PROCESS,
        values={"samples_per_second": rate},
        columns={**PROCESS.columns, "replicate": replicate, **columns},
    )


def test_the_processes_of_a_campaign_are_one_measurement(connection):
    digests = [add(connection, process(n, 100.0 + n)) for n in range(3)]

    (found,) = measurements(connection)

    assert found.values == (100.0, 101.0, 102.0)
    assert found.runs == tuple(digests)


def test_campaigns_of_a_cell_are_sessions_of_one_measurement_the_newest_first(
    connection,
):
    add(connection, process(0, 100.0))
    add(connection, process(1, 101.0))
    later = {"campaign": "b", "started": "2026-02-01T10:00:00Z"}
    add(connection, process(0, 120.0, **later))

    (found,) = measurements(connection)

    assert (found.values, found.campaign) == ((120.0, 100.0, 101.0), "b")
    assert found.sizes == (1, 2)


def test_a_newer_campaign_does_not_replace_another_cell(connection):
    add(connection, process(0, 100.0))
    later = {"campaign": "b", "started": "2026-02-01T10:00:00Z", "batch_size": 64}
    add(connection, process(0, 120.0, **later))

    found = measurements(connection)

    assert sorted(m.values for m in found) == [(100.0,), (120.0,)]


def test_a_campaign_that_failed_does_not_hide_the_one_before(connection):
    add(connection, process(0, 100.0))
    later = {"campaign": "b", "started": "2026-02-01T10:00:00Z", "status": "oom"}
    add(connection, process(0, 1.0, **later))

    (found,) = measurements(connection)

    assert found.values == (100.0,)


def test_a_figure_that_only_some_processes_gave_is_left_out(connection):
    both = {"samples_per_second": 9.0, "script_wall_seconds": 60.0}
    add(connection, replace(process(0, 9.0), values=both))
    add(
        connection,
        replace(process(1, 9.0), values=both | {"script_wall_seconds": None}),
    )

    found = measurements(connection)

    assert [m.conditions.metric for m in found] == ["samples_per_second"]


def test_a_smoke_run_is_like_no_other_and_hides_none(connection):
    add(connection, process(0, 100.0))
    add(connection, process(0, 300.0, tier="smoke", campaign="later"))

    thorough, smoke = measurements(connection)

    assert sorted([thorough.conditions.smoke, smoke.conditions.smoke]) == [False, True]
    assert differs(thorough, smoke) == ("tier",)


def test_two_sources_are_never_pooled(connection):
    for source, seconds in (("paper", 10.0), ("blog", 12.0)):
        add(connection, Run(source=source, values={"script_wall_seconds": seconds}))

    found = measurements(connection)

    assert sorted(m.values for m in found) == [(10.0,), (12.0,)]


def test_another_framework_version_is_another_measurement(connection):
    add(connection, replace(process(0, 100.0), version="2.1"))
    add(connection, replace(process(1, 110.0), version="2.2"))

    assert len(measurements(connection)) == 2


def test_missing_and_zero_values_are_no_measurements(connection):
    add(connection, Run(values={"script_wall_seconds": None}))
    add(connection, Run(device="metal", values={"script_wall_seconds": 0.0}))

    assert measurements(connection) == []


def test_a_time_becomes_a_rate_through_the_samples_it_covers(connection):
    add(connection, Run(values={"script_wall_seconds": 60.0}))

    (found,) = measurements(connection)

    assert found.throughputs == pytest.approx((256.0,))


def test_a_rate_has_no_extent_so_longer_runs_stay_comparable(connection):
    add(connection, Run(values={"fit_samples_per_second": 55.8}))

    (found,) = measurements(connection)

    assert found.conditions.extent is None
    assert found.throughputs == (55.8,)


def test_a_time_without_known_samples_has_no_rate(connection):
    add(
        connection,
        Run(values={"script_wall_seconds": 60.0}, columns={"parameters": {}}),
    )

    (found,) = measurements(connection)

    assert found.throughputs is None


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
    add(connection, Run(values={"script_wall_seconds": 60.0}))
    add(connection, Run(values={"script_wall_seconds": 60.0}, columns=columns))

    one, other = measurements(connection)

    assert differs(one, other) == (name,)


def test_like_figures_differ_in_nothing_though_machines_and_devices_do(connection):
    add(connection, Run(values={"script_wall_seconds": 60.0}))
    other_machine = Run(
        device="metal", machine=MINE, values={"script_wall_seconds": 60.0}
    )
    add(connection, other_machine)

    one, other = measurements(connection)

    assert differs(one, other) == ()


def test_frameworks_and_metrics_differ_too(connection):
    add(connection, Run(values={"script_wall_seconds": 60.0}))
    add(connection, Run(framework="torch", values={"samples_per_second": 9.0}))

    one, other = measurements(connection)

    assert differs(one, other) == ("framework", "protocol")


def test_a_gap_says_why_there_is_no_figure(connection):
    add(
        connection,
        Run(
            values={"script_wall_seconds": None},
            reasons={"script_wall_seconds": "left out"},
            columns={"status": "not-measured", "reason": "a dash"},
        ),
    )
    crash = {"status": "failed", "reason": "killed by SIGSEGV"}
    add(connection, Run(device="metal", columns=crash))
    add(connection, Run(device="cuda", columns={"status": "interrupted"}))

    found = {gap.place.device: gap.reason for gap in gaps(connection)}

    assert found == {
        "cpu": "left out",
        "metal": "killed by SIGSEGV",
        "cuda": "interrupted",
    }


def test_a_run_with_a_figure_is_no_gap(connection):
    values = {"samples_per_second": 9.0, "script_user_seconds": None}
    add(connection, Run(values=values))

    assert gaps(connection) == []


def test_the_newest_day_is_that_of_measured_runs_alone(connection):
    add(connection, process(0, 100.0))
    published = {"started": "2026-09-09T00:00:00Z"}
    add(connection, Run(values={"script_wall_seconds": 9.0}, columns=published))

    assert summarise(connection).newest == "2026-01-01"


def test_an_empty_database_has_nothing_to_tell(connection):
    assert not measurements(connection)
    assert not gaps(connection)
    assert summarise(connection).newest is None


def test_what_is_left_out_is_in_no_measurement_and_no_gap(connection):
    kept = add(connection, Run(values={"script_wall_seconds": 10.0}))
    copy = add(connection, Run(source="echo", values={"script_wall_seconds": 10.0}))
    dash = {"status": "not-measured", "reason": "a dash"}
    gap = add(connection, Run(source="echo", device="metal", columns=dash))
    left_out = LeftOut(originals={copy: "paper", gap: "paper"})

    (found,) = measurements(connection, left_out)

    assert found.runs == (kept,)
    assert gaps(connection, left_out) == []
    assert len(gaps(connection)) == 1


def test_copies_do_not_make_the_rest_of_a_cell_incomplete(connection):
    two = [Run(values={"script_wall_seconds": s}) for s in (10.0, 12.0)]
    copy, kept = (add(connection, run) for run in two)

    (found,) = measurements(connection, LeftOut(originals={copy: "paper"}))

    assert (found.runs, found.values) == ((kept,), (12.0,))


def test_numbers_that_can_be_no_speed_are_no_measurements(connection):
    for number, value in enumerate((1e300, 5e-324)):
        values = {"samples_per_second": value}
        add(connection, Run(values=values, columns={"batch_size": number}))

    assert measurements(connection) == []


def test_a_reported_step_covers_its_batch(connection):
    add(connection, Run(values={"reported_step_seconds": 0.5}))
    columns: dict[str, object] = {"batch_size": None, "parameters": {}}
    add(connection, Run(values={"reported_step_seconds": 0.5}, columns=columns))

    found = measurements(connection)

    assert {m.conditions.batch_size: m.throughputs for m in found} == {
        128: (256.0,),
        None: None,
    }


def test_every_metric_that_a_section_computes_with_is_read():
    assert {*SPEEDS, *POWERS, PER_JOULE, *METRICS} <= set(LISTED)


def test_a_figure_of_no_section_is_not_read_and_a_run_without_any_is(connection):
    values = {"script_wall_seconds": 9.0, "first_step_seconds": 1.0}
    known = add(connection, Run(values=values))
    bare = add(connection, Run(device="metal", columns={"status": "failed"}))

    found = {one.facts.digest: one.figures for one in stored(connection)}

    assert [figure.metric for figure in found[known]] == ["script_wall_seconds"]
    assert found[bare] == ()


def test_a_plan_says_how_many_samples_a_time_covers(connection):
    checks = {"seed_protocol": PLAN}
    columns = {"batch_size": 4, "parameters": {}, "checks": checks}
    add(connection, Run(values={"script_wall_seconds": 9.0}, columns=columns))

    (found,) = measurements(connection)

    assert found.conditions.extent == 120.0


@pytest.mark.parametrize("stated", [10**400, -1, 0])
def test_a_number_of_samples_that_can_be_none_says_nothing(connection, stated):
    columns = {"parameters": {"samples_total": stated}}
    add(connection, Run(values={"script_wall_seconds": 9.0}, columns=columns))

    (found,) = measurements(connection)

    assert found.conditions.extent is None


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

    assert [one.conditions.extent for one in measurements(connection)] == [None]
    assert powers(stored(connection))[digest].scope is None
