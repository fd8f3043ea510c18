"""Means, intervals, ratios, verdicts and ticks: by published tables and by hand.

What is said of two sides follows from their repeats, their sessions, and their work.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchdb.statistics.comparison import (
    Estimate,
    Fleet,
    Pair,
    Sample,
    Spread,
    chance,
    estimate,
    geometric_mean,
    ratio,
    verdict,
    zone,
)
from benchdb.statistics.student import t_quantile
from benchdb.statistics.ticks import axis_ticks

POSITIVE = st.floats(min_value=1e-6, max_value=1e9)
# What classes of work have shown: steps bound by the device, and by the host.
NARROW, WIDE = Spread(process=0.006, session=0.008), Spread(process=0.08, session=0.06)
STEADY, NOISY = [0.999, 1.0, 1.001], [0.7, 1.0, 1.4]


def bounds(result: Estimate) -> tuple[float, float]:
    assert result.low is not None
    assert result.high is not None
    return result.low, result.high


def alone(
    first: float, second: float, spread: Spread, *, same_session: bool = False
) -> Pair:
    """Return a pair of single processes of the same work."""
    sides = (Sample(((value,),), spread) for value in (first, second))
    return Pair(next(sides), next(sides), same_session)


def test_the_geometric_mean_of_a_factor_and_its_inverse_is_one():
    assert geometric_mean([4.0, 0.25]) == pytest.approx(1.0)
    assert geometric_mean([53.277]) == 53.277  # of one value that very value


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
def test_t_quantiles_of_one_and_two_degrees_follow_the_closed_form(p):
    two = (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))

    assert t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-12)
    assert t_quantile(p, 2) == pytest.approx(two, rel=1e-12)


@given(st.floats(min_value=1, max_value=200))
def test_t_quantiles_fall_as_the_freedom_grows(freedom):
    assert t_quantile(0.975, freedom + 0.5) < t_quantile(0.975, freedom)


def test_one_single_process_leaves_no_interval():
    single = ratio([([1141.11], [113.65])])

    assert estimate([140.0]) == Estimate(140.0)
    assert single.value == pytest.approx(1141.11 / 113.65)
    assert single.low is single.high is None
    assert ratio([([10.0, 11.0], [5.0])]).low is None


def test_the_interval_of_three_processes_is_the_t_interval_of_their_logs():
    result = estimate([math.exp(1.0), math.exp(2.0), math.exp(3.0)])

    half = 4.302653 * 1.0 / math.sqrt(3)
    low, high = bounds(result)
    assert math.log(result.value) == pytest.approx(2.0)
    assert math.log(low) == pytest.approx(2.0 - half, rel=1e-6)
    assert math.log(high) == pytest.approx(2.0 + half, rel=1e-6)


@given(st.lists(POSITIVE, min_size=2, max_size=10))
def test_an_interval_holds_its_value(values):
    result = estimate(values)

    low, high = bounds(result)
    assert low <= result.value * (1 + 1e-9)
    assert high >= result.value * (1 - 1e-9)


def test_each_side_of_a_ratio_brings_its_own_t_quantile():
    # Logs 0, 1, 2 against 0, 0.1: means 1 and 0.05, variances 1 and 0.005.
    a = [math.exp(x) for x in (0.0, 1.0, 2.0)]
    b = [math.exp(x) for x in (0.0, 0.1)]

    result = ratio([(a, b)])

    half = math.hypot(4.302653 * math.sqrt(1 / 3), 12.7062 * math.sqrt(0.005 / 2))
    assert math.log(result.value) == pytest.approx(0.95)
    assert math.log(bounds(result)[1] / result.value) == pytest.approx(half, rel=1e-5)


def test_a_mean_over_cells_averages_shifts_and_adds_variances():
    a, b = [1.0, 1.1, 1.2], [2.0, 2.1, 2.2]

    result, two = ratio([(a, b)]), ratio([(a, b), (a, b)])

    assert two.value == pytest.approx(result.value)
    assert bounds(two)[1] / two.value < bounds(result)[1] / result.value


def test_repeats_without_any_spread_give_a_point():
    result = ratio([([2.0, 2.0], [1.0, 1.0])])

    assert (result.low, result.value, result.high) == pytest.approx((2.0, 2.0, 2.0))


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


def test_single_runs_of_work_that_nobody_has_measured_are_unclear():
    assert verdict([([10.0], [1.0])]) == "unclear"
    assert zone([([10.0], [1.0])]) is None


@pytest.mark.parametrize(
    ("ratio_of_single_runs", "expected"),
    [
        (10.0, "faster"),
        (1.06, "faster"),
        (1.045, "even"),
        (1.04, "unclear"),  # from 0.998 to 1.084
        (1.0, "even"),
        (0.94, "slower"),
        (0.1, "slower"),
    ],
)
def test_single_runs_of_narrow_work_can_tell_beyond_five_per_cent(
    ratio_of_single_runs, expected
):
    assert verdict([alone(ratio_of_single_runs, 1.0, NARROW)]) == expected


@pytest.mark.parametrize(
    ("ratio_of_single_runs", "expected"),
    [(1.6, "faster"), (1.5, "unclear"), (1.0, "unclear"), (1 / 1.6, "slower")],
)
def test_the_zone_of_single_runs_follows_the_spread_of_their_work(
    ratio_of_single_runs, expected
):
    # 3 standard deviations of the difference: 3 √2 √(0.08² + 0.06²) = 0.424.
    assert zone([alone(1.0, 1.0, WIDE)]) == pytest.approx(math.exp(0.4243), rel=1e-3)
    assert verdict([alone(ratio_of_single_runs, 1.0, WIDE)]) == expected


def test_a_session_that_both_sides_share_is_no_part_of_the_zone():
    value, shared = (
        zone([alone(1.0, 1.0, WIDE, same_session=same)]) for same in (False, True)
    )

    assert value == pytest.approx(math.exp(3 * math.sqrt(2) * 0.1))
    assert shared == pytest.approx(math.exp(3 * math.sqrt(2) * 0.08))


def test_one_side_without_a_known_spread_is_enough_to_be_unclear():
    known, unknown = Sample(((10.0,),), NARROW), Sample(((1.0,),))

    assert verdict([(known, unknown)]) == "unclear"
    assert verdict([(unknown, known)]) == "unclear"
    assert verdict([alone(10.0, 1.0, NARROW), (known, unknown)]) == "unclear"


def test_repeats_of_two_sessions_need_to_know_how_sessions_differ():
    fast, slow = ([factor * p for p in STEADY] for factor in (1.04, 1.0))
    unknown, narrow = Spread(process=0.001), Spread(process=0.001, session=0.005)

    def verdict_of(spread: Spread | None) -> str:
        sides = (Sample((tuple(side),), spread) for side in (fast, slow))
        return verdict([(next(sides), next(sides))])

    assert verdict_of(None) == verdict_of(unknown) == "unclear"
    assert verdict_of(narrow) == "faster"
    assert verdict_of(Spread(process=0.001, session=0.02)) == "unclear"
    assert verdict([(fast, slow)]) == "faster"  # one session, as plain sequences are


def test_two_sessions_give_the_t_interval_of_their_means():
    sessions = tuple(tuple(f * p for p in STEADY) for f in (1.0, 1.1, 1.21))

    result = estimate(Sample(sessions))

    low, high = bounds(result)
    half = 4.302653 * math.log(1.1) / math.sqrt(3)
    assert result.value == pytest.approx(1.1, rel=1e-6)
    assert math.log(high / result.value) == pytest.approx(half, rel=1e-6)
    assert math.log(result.value / low) == pytest.approx(half, rel=1e-6)


def test_sessions_that_agree_by_chance_leave_what_their_processes_leave_open():
    noisy = (0.9, 1.0, 1 / 0.9)

    result = estimate(Sample((noisy, noisy)))

    # Variance log(0.9)² in each, four degrees of freedom, six processes.
    half = 2.776445 * -math.log(0.9) / math.sqrt(6)
    assert math.log(bounds(result)[1]) == pytest.approx(half, rel=1e-6)


def test_sessions_weigh_the_same_however_many_processes_they_have():
    assert estimate(Sample(((1.0,) * 5, (4.0,)))).value == pytest.approx(2.0)


def test_what_sessions_do_to_both_sides_cancels_session_by_session():
    hosts = (0.8, 1.0, 1.3)
    first = Sample(tuple((1.1 * host, 1.101 * host) for host in hosts))
    second = Sample(tuple((1.0 * host, 1.001 * host) for host in hosts))

    assert verdict([Pair(first, second, same_session=True)]) == "faster"
    assert verdict([Pair(first, second)]) == "unclear"
    assert (
        verdict([Pair(first, Sample(second.sessions[:2]), same_session=True)])
        == "unclear"
    )


def test_what_a_host_does_to_all_cells_does_not_average_out():
    value, four = (zone([alone(1.0, 1.0, Spread(0.0, 0.02))] * n) for n in (1, 4))
    processes = zone([alone(1.0, 1.0, Spread(0.02, 0.0))] * 4)

    assert value == pytest.approx(four)
    assert processes is not None
    assert four is not None
    assert math.log(processes) == pytest.approx(math.log(four) / 2)


@pytest.mark.parametrize(
    ("factor", "processes", "expected"),
    [
        (1.5, STEADY, "faster"),
        (0.5, STEADY, "slower"),
        (1.5, NOISY, "unclear"),
        (1.0, NOISY, "unclear"),
        (1.015, STEADY, "even"),
        (1.0, STEADY, "even"),
        (1.04, STEADY, "faster"),
    ],
)
def test_repeats_need_evidence_and_a_difference(factor, processes, expected):
    assert verdict([([factor * p for p in processes], STEADY)]) == expected


def test_a_certain_difference_below_two_per_cent_is_even():
    result = ratio([([1.018, 1.019, 1.020], [1.0, 1.0001, 0.9999])])

    assert bounds(result)[0] > 1
    assert bounds(result)[1] > 1.02
    assert verdict([([1.018, 1.019, 1.020], [1.0, 1.0001, 0.9999])]) == "even"


def test_repeats_that_reach_one_by_themselves_leave_a_single_run_unclear():
    repeated = Sample(((0.01, 1.5, 200.0),), NARROW)

    assert verdict([(repeated, Sample(((1.0,),), NARROW))]) == "unclear"


def test_steady_repeats_against_a_single_run_count_as_single_runs():
    single = Sample(((1.0,),), NARROW)

    def verdict_of(factor: float) -> str:
        repeated = Sample((tuple([factor * p for p in STEADY]),), NARROW)
        return verdict([(repeated, single)])

    assert verdict_of(1.045) == "even"
    assert verdict_of(2.0) == "faster"


SIDES = (
    ((1.0,),),
    ((1.1,),),
    ((1.30, 1.31, 1.29),),
    ((1.0, 1.02), (1.05, 1.06)),
    ((1.5, 1.6), (1.4, 1.5), (1.45,)),
)


@pytest.mark.parametrize("spread", [NARROW, WIDE])
def test_what_chance_does_to_each_side_adds_up_to_the_zone_of_both(spread):
    sides = [Sample(sessions, spread) for sessions in SIDES]
    for first in sides:
        for second in sides:
            value = zone([(first, second)])
            assert value
            halves = chance([first]), chance([second])
            assert math.hypot(*filter(None, halves)) == pytest.approx(math.log(value))
    assert chance([Sample(((1.0,),))]) is None
    assert chance([sides[0], Sample(((1.0, 1.1),), Spread(process=0.1))]) is None


def test_what_chance_does_to_a_mean_is_what_it_does_to_a_mean_of_ratios():
    sides = [Sample(((1.0,),), WIDE), Sample(((2.0,),), NARROW)] * 2
    value, half = zone([*zip(sides, sides, strict=True)]), chance(sides)

    assert value
    assert half
    assert math.sqrt(2) * half == pytest.approx(math.log(value))


def on(machine: str | None, speed: float, *, sessions: int = 3) -> Sample:
    """Return a steady sample of a machine, in several sessions."""
    processes = tuple(speed * share for share in (0.9995, 1.0, 1.0005))
    return Sample((processes,) * sessions, NARROW, machine)


def test_several_machines_stand_for_their_median_however_often_each_was_measured():
    fleet = Fleet((on("a", 1.0), on("b", 2.0, sessions=9), on("c", 8.0)))

    assert estimate(fleet).value == pytest.approx(2.0, rel=1e-6)
    assert fleet.count == 45
    assert ratio([(fleet, on("d", 1.0))]).value == pytest.approx(2.0, rel=1e-6)


def test_the_interval_of_machines_spans_machines_and_not_processes():
    low, high = bounds(estimate(Fleet((on("a", 0.9), on("b", 1.0), on("c", 1.1)))))
    own_low, own_high = bounds(estimate(on("b", 1.0)))

    assert low < 0.8
    assert high > 1.2
    assert own_low > 0.98
    assert own_high < 1.02


def test_machines_that_agree_by_chance_leave_what_each_leaves_open_by_itself():
    noisy = Sample((tuple(NOISY),), None, "a")
    fleet = Fleet((noisy, Sample(noisy.sessions, None, "b")))

    _, high = bounds(estimate(fleet))
    _, alone_high = bounds(estimate(noisy))

    of_one = math.log(alone_high / estimate(noisy).value)
    assert math.log(high / estimate(fleet).value) == pytest.approx(
        of_one / math.sqrt(2)
    )


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (on("a", 1.035), on("a", 1.0), "faster"),
        (on("a", 1.035), on("b", 1.0), "even"),
        (on("b", 1.0), on("a", 1.035), "even"),
        (on("a", 1.08), on("b", 1.0), "faster"),
        (on(None, 1.035), on("b", 1.0), "faster"),  # who knows whether it is another
        (Fleet((on("a", 1.035), on("c", 1.035))), on("b", 1.0), "even"),
        (
            Fleet((on("a", 1.035), on("c", 1.035), on("d", 1.035))),
            Fleet((on("b", 1.0), on("e", 1.0), on("f", 1.0))),
            "faster",
        ),
    ],
)
def test_few_machines_must_differ_by_five_per_cent(first, second, expected):
    assert verdict([Pair(first, second)]) == expected


def test_a_threshold_of_ones_own_takes_the_place_of_both():
    sample, other = on("a", 1.08), on("b", 1.0)

    assert verdict([Pair(sample, other)], threshold=0.1) == "even"
    assert verdict([Pair(on("b", 1.035), other)], threshold=0.05) == "even"
    assert verdict([Pair(on("a", 1.035), other)], threshold=0.01) == "faster"
