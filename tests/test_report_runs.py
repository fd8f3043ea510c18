"""What a report reads of its runs: all that any section asks for, from anybody."""

import pytest

from benchdb.report.cells import measurements
from benchdb.report.listed import LISTED
from benchdb.report.measurement import SPEEDS
from benchdb.report.runs import stored
from benchdb.report.sections.efficiency.data import PER_JOULE, POWERS, powers
from benchdb.report.sections.sweep.products import METRICS
from tests.store_factory import Run, add, new_store

PLAN = {"kind": "fit", "warmup_epochs": 1, "epochs": 2, "steps_per_epoch": 10}


@pytest.fixture
def connection(tmp_path):
    with new_store(tmp_path / "results.sqlite").begin() as connection:
        yield connection


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

    (found,) = measurements(stored(connection))

    assert found.conditions.extent == 120.0


@pytest.mark.parametrize("stated", [10**400, -1, 0])
def test_a_number_of_samples_that_can_be_none_says_nothing(connection, stated):
    columns = {"parameters": {"samples_total": stated}}
    add(connection, Run(values={"script_wall_seconds": 9.0}, columns=columns))

    (found,) = measurements(stored(connection))

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

    runs = stored(connection)

    assert [one.conditions.extent for one in measurements(runs)] == [None]
    assert powers(runs)[digest].scope is None
