"""Means, intervals, ratios and ticks, against published tables and by hand."""

import math
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchdb.statistics.comparison import Estimate, estimate, geometric_mean, ratio
from benchdb.statistics.student import t_quantile
from benchdb.statistics.ticks import axis_ticks


def bounds(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


POSITIVE = st.floats(min_value=1e-6, max_value=1e9)


def test_the_geometric_mean_of_a_factor_and_its_inverse_is_one():
    assert geometric_mean([4.0, 0.25]) == pytest.approx(1.0)


def test_the_geometric_mean_of_one_value_is_that_very_value():
    assert geometric_mean([53.277]) == 53.277


def test_the_median_is_the_middle_value():
    assert median([9.0, 1.0, 5.0]) == 5.0


@pytest.mark.parametrize(
    ("freedom", "expected"),
    # Student's t, two-sided 95 %, as in any printed table.
    [
        (1, 12.7062),
        (2, 4.3027),
        (3, 3.1824),
        (4, 2.7764),
        (9, 2.2622),
        (30, 2.0423),
        (120, 1.9799),
        (1e6, 1.95997),
    ],
)
def test_t_quantiles_agree_with_the_printed_table(freedom, expected):
    assert t_quantile(0.975, freedom) == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize("p", [0.55, 0.75, 0.9, 0.975, 0.9995])
def test_t_quantiles_of_one_degree_follow_the_closed_form(p):
    assert t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-12)


@pytest.mark.parametrize("p", [0.55, 0.75, 0.9, 0.975, 0.9995])
def test_t_quantiles_of_two_degrees_follow_the_closed_form(p):
    assert t_quantile(p, 2) == pytest.approx(
        (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p))), rel=1e-12
    )


@given(st.floats(min_value=1, max_value=200))
def test_t_quantiles_fall_as_the_freedom_grows(freedom):
    assert t_quantile(0.975, freedom + 0.5) < t_quantile(0.975, freedom)


def test_a_single_run_has_no_interval():
    assert estimate([140.0]) == Estimate(140.0)


def test_the_interval_of_three_processes_is_the_t_interval_of_their_logs():
    found = estimate([math.exp(1.0), math.exp(2.0), math.exp(3.0)])

    half = 4.302653 * 1.0 / math.sqrt(3)
    low, high = bounds(found)
    assert math.log(found.value) == pytest.approx(2.0)
    assert math.log(low) == pytest.approx(2.0 - half, rel=1e-6)
    assert math.log(high) == pytest.approx(2.0 + half, rel=1e-6)


@given(st.lists(POSITIVE, min_size=2, max_size=10))
def test_an_interval_holds_its_value(values):
    found = estimate(values)

    low, high = bounds(found)
    assert low <= found.value * (1 + 1e-9)
    assert high >= found.value * (1 - 1e-9)


def test_a_ratio_of_single_runs_has_no_interval():
    found = ratio([([1141.11], [113.65])])

    assert found.value == pytest.approx(1141.11 / 113.65)
    assert found.low is found.high is None


def test_a_ratio_with_one_repeated_side_has_no_interval():
    assert ratio([([10.0, 11.0], [5.0])]).low is None


def test_each_side_of_a_ratio_brings_its_own_t_quantile():
    # Logs 0, 1, 2 against 0, 0.1: means 1 and 0.05, variances 1 and 0.005.
    a = [math.exp(x) for x in (0.0, 1.0, 2.0)]
    b = [math.exp(x) for x in (0.0, 0.1)]

    found = ratio([(a, b)])

    half = math.hypot(4.302653 * math.sqrt(1 / 3), 12.7062 * math.sqrt(0.005 / 2))
    assert math.log(found.value) == pytest.approx(0.95)
    assert math.log(bounds(found)[1] / found.value) == pytest.approx(half, rel=1e-5)


def test_a_mean_over_cells_averages_shifts_and_adds_variances():
    a, b = [1.0, 1.1, 1.2], [2.0, 2.1, 2.2]

    one, two = ratio([(a, b)]), ratio([(a, b), (a, b)])

    assert two.value == pytest.approx(one.value)
    assert bounds(two)[1] / two.value < bounds(one)[1] / one.value


def test_repeats_without_any_spread_give_a_point():
    found = ratio([([2.0, 2.0], [1.0, 1.0])])

    assert (found.low, found.value, found.high) == pytest.approx((2.0, 2.0, 2.0))


@given(st.lists(POSITIVE, min_size=2, max_size=5), st.lists(POSITIVE, min_size=2))
def test_swapping_the_sides_inverts_the_ratio(a, b):
    there, back = ratio([(a, b)]), ratio([(b, a)])

    assert there.value * back.value == pytest.approx(1)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.051, 1.0, (0.05, 0.1, 0.2, 0.5, 1.0)),
        (32.0, 2861.0, (30, 100, 300, 1000, 3000)),
        (5.0, 2861.0, (3, 10, 30, 100, 300, 1000, 3000)),
        (0.001, 3000.0, (0.001, 0.1, 10, 1000, 100000)),
        (1.0, 1.0, (1.0, 2.0)),
    ],
)
def test_ticks_are_round_and_few(low, high, expected):
    assert axis_ticks(low, high) == expected


@given(POSITIVE, POSITIVE)
def test_ticks_enclose_what_they_mark(a, b):
    low, high = sorted((a, b))

    ticks = axis_ticks(low, high)

    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert 2 <= len(ticks) <= 7
