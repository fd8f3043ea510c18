"""Figures with their intervals, in cells."""

import pytest

from benchdb.report.charts.spec import mark
from benchdb.report.language import load
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.wording import cells


def bounded(low: float | None, high: float | None, n: int = 2) -> Quantity:
    return Quantity(30.0, "s", "a" * 64, n=n, low=low, high=high)


@pytest.mark.parametrize(
    ("quantity", "result", "measured"),
    [
        (bounded(10.0, 90.0), "10.0–90.0", "10.0–90.0\N{NO-BREAK SPACE}s"),
        (bounded(10.0, 100.0, n=9), "10.0–100", "10.0–100\N{NO-BREAK SPACE}s"),
        (bounded(0.052, 1_598_273.0), "± >10×", "± >10×"),
        (bounded(0.0, 40.0), "± >10×", "± >10×"),
        (bounded(10.0, 90.0, n=1), None, None),
        (bounded(None, None), None, None),
    ],
)
def test_an_interval_of_more_than_a_factor_of_ten_is_said_to_be_that_wide(
    quantity, result, measured
):
    assert cells.limits(load("en"), quantity) == result
    assert cells.measured_limits(load("en"), quantity) == measured


def test_a_chart_has_no_whisker_from_end_to_end():
    known, wide = (
        mark(1.0, 1.0, "faster", it)
        for it in (bounded(10.0, 90.0), bounded(0.052, 1_598_273.0))
    )
    assert (known.low, known.high) == (10.0, 90.0)
    assert (wide.low, wide.high) == (None, None)


def test_a_ratio_may_be_as_unclear():
    interval = Ratio(2.0, "unclear", low=0.001, high=4000.0).interval
    assert interval is not None
    assert interval.wide
