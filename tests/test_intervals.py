"""The interval of a figure is in the unit in which the figure is written."""

import pytest

from benchdb.report.language import load
from benchdb.report.view.atoms import Quantity
from benchdb.report.wording import cells

EN = load("en")


def seconds(value: float, n: int = 5) -> Quantity:
    return Quantity(value, "s", "r", n, low=0.98 * value, high=1.02 * value)


@pytest.mark.parametrize(
    ("quantity", "figure", "ends", "whole"),
    [
        (seconds(20.0), "20.0\u00a0s", "19.6–20.4", "19.6–20.4\u00a0s"),
        (seconds(2e-5), "20.0\u00a0µs", "19.6–20.4", "19.6–20.4\u00a0µs"),
        (seconds(2e-8), "20.0\u00a0ns", "19.6–20.4", "19.6–20.4\u00a0ns"),
        # One end below a microsecond, one above: both in the unit of the figure.
        (seconds(9.9e-7), "990\u00a0ns", "970–1,010", "970–1,010\u00a0ns"),
    ],
)
def test_its_ends_have_the_unit_of_the_figure(
    quantity: Quantity, figure: str, ends: str, whole: str
):
    assert EN.quantity(quantity) == figure
    assert cells.limits(EN, quantity) == ends
    assert cells.measured_limits(EN, quantity) == whole
    assert ends in cells.figure(EN, quantity)


def test_one_run_has_none():
    assert cells.limits(EN, seconds(1.0, n=1)) is None
    assert cells.measured_limits(EN, seconds(1.0, n=1)) is None
    assert cells.limits(EN, Quantity(1.0, "s", "r", 3)) is None
