"""Ticks of axes on which a doubling is what people think in."""

import pytest

from benchdb.report.charts.spec import doublings, power_of_two, spread_out
from benchdb.report.language import load

EN = load("en")


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (1.0, 1.0, (1, 2)),
        (0.77, 1.5, (0.5, 1, 2)),
        (2.3, 25.5, (2, 4, 8, 16, 32)),
        (1.0, 1000.0, (1, 4, 16, 64, 256, 1024)),
    ],
)
def test_an_axis_of_factors_counts_in_doublings(low, high, ticks):
    assert doublings(low, high) == ticks


def test_extreme_factors_have_few_ticks():
    ticks = doublings(1e-60, 1e60)

    assert len(ticks) <= 7
    assert (ticks[0] <= 1e-60, ticks[-1] >= 1e60) == (True, True)


def test_batch_sizes_beside_each_other_share_a_tick():
    assert spread_out([4, 64]) == (4, 64)
    assert spread_out([30, 31, 32, 33, 512]) == (30, 512)
    assert spread_out([16, 16]) == (16,)


def test_powers_of_two_are_written_in_full():
    assert [power_of_two(EN, 2.0**n) for n in (-2, 0, 11)] == ["0.25", "1", "2,048"]
