"""The table of values: a row for each figure, processes of a cell together."""

import pytest
from msgspec.structs import replace

from tests.store_factory import Run
from tests.summary_page import RATE, measured, page


def test_failed_runs_are_in_the_table_with_their_reason(tmp_path):
    crash = {"status": "oom", "reason": "out of memory"}

    (row,) = page(tmp_path, measured([{}], **crash)).values

    assert (row.quantity, row.status, row.reason) == (None, "oom", "out of memory")
    assert row.metric == RATE


def test_the_processes_of_a_cell_share_a_row_that_names_them_all(tmp_path):
    report = page(tmp_path, measured([{RATE: 10.0}, {RATE: 11.0}, {RATE: 12.0}]))

    (row,) = report.values
    assert row.quantity
    assert row.quantity.value == pytest.approx((10 * 11 * 12) ** (1 / 3))
    assert (row.quantity.n, row.quantity.unit) == (3, "img/s")
    assert row.quantity.low is not None
    assert len(set(row.runs)) == 3
    assert row.run == row.runs[0] == row.quantity.run


def test_a_figure_that_some_processes_lack_names_those_that_have_it(tmp_path):
    powered: dict[str, float | None] = {RATE: 10.0, "mean_power_watts": 5.0}
    runs = measured([powered, {RATE: 11.0}, {RATE: 12.0}])

    speed, power = page(tmp_path, runs).values

    assert len(speed.runs) == 3
    assert power.quantity
    assert (power.quantity.n, power.runs, power.run) == (1, (), speed.run)


def test_campaigns_of_a_cell_share_a_row_and_failures_have_their_own(tmp_path):
    runs = [
        *measured([{RATE: 10.0}, {RATE: 11.0}]),
        *measured([{RATE: 12.0}], campaign="d"),
        *measured([{}, {}], status="oom", reason="out of memory"),
    ]

    rows = page(tmp_path, runs).values

    assert sorted(len(row.runs) for row in rows) == [0, 0, 3]
    assert [row.status for row in rows].count("oom") == 2


def test_a_note_on_any_process_is_on_the_row(tmp_path):
    first, second = measured([{RATE: 10.0}, {RATE: 11.0}])
    flagged = replace(second, flags=[("outlier", RATE)])

    (row,) = page(tmp_path, [first, flagged]).values

    assert row.quantity
    assert row.quantity.notes == ("a",)


def test_the_number_of_values_is_the_number_of_rows_with_one(tmp_path):
    memory = {"script_wall_seconds": 9.0, "peak_memory_observed_bytes": 1.5 * 2**30}
    runs = [
        Run(values={**memory, "script_user_seconds": 30.0}),
        Run(workload="lstm", values={"script_wall_seconds": None}),
    ]

    report = page(tmp_path, runs)

    shown = [row.quantity for row in report.values if row.quantity]
    assert report.values_count == len(shown) == 2
    assert [(quantity.value, quantity.unit) for quantity in shown] == [
        (9.0, "s"),
        (1.5, "GB"),
    ]
