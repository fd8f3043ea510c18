"""What stats says of two sides: by their repeats, their sessions, and their work."""

import math

import pytest

from benchdb.statistics.comparison import (
    Estimate,
    Pair,
    Sample,
    Spread,
    chance,
    estimate,
    ratio,
    verdict,
    zone,
)

# What classes of work have shown: steps bound by the device, and by the host.
NARROW, WIDE = Spread(process=0.006, session=0.008), Spread(process=0.08, session=0.06)


def alone(
    first: float, second: float, spread: Spread, *, same_session: bool = False
) -> Pair:
    """Return a pair of single processes of the same work."""
    sides = (Sample(((value,),), spread) for value in (first, second))
    return Pair(next(sides), next(sides), same_session)


def bounds(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


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
    apart, shared = (
        zone([alone(1.0, 1.0, WIDE, same_session=same)]) for same in (False, True)
    )

    assert apart == pytest.approx(math.exp(3 * math.sqrt(2) * 0.1))
    assert shared == pytest.approx(math.exp(3 * math.sqrt(2) * 0.08))


def test_one_side_without_a_known_spread_is_enough_to_be_unclear():
    known, unknown = Sample(((10.0,),), NARROW), Sample(((1.0,),))

    assert verdict([(known, unknown)]) == "unclear"
    assert verdict([(unknown, known)]) == "unclear"
    assert verdict([alone(10.0, 1.0, NARROW), (known, unknown)]) == "unclear"


def test_repeats_of_two_sessions_need_to_know_how_sessions_differ():
    fast, slow = ([factor * p for p in STEADY] for factor in (1.04, 1.0))
    unknown, narrow = Spread(process=0.001), Spread(process=0.001, session=0.005)

    def said(spread: Spread | None) -> str:
        sides = (Sample((tuple(side),), spread) for side in (fast, slow))
        return verdict([(next(sides), next(sides))])

    assert said(None) == said(unknown) == "unclear"
    assert said(narrow) == "faster"
    assert said(Spread(process=0.001, session=0.02)) == "unclear"
    assert verdict([(fast, slow)]) == "faster"  # one session, as plain sequences are


def test_two_sessions_give_the_t_interval_of_their_means():
    sessions = tuple(tuple(f * p for p in STEADY) for f in (1.0, 1.1, 1.21))

    found = estimate(Sample(sessions))

    low, high = bounds(found)
    half = 4.302653 * math.log(1.1) / math.sqrt(3)
    assert found.value == pytest.approx(1.1, rel=1e-6)
    assert math.log(high / found.value) == pytest.approx(half, rel=1e-6)
    assert math.log(found.value / low) == pytest.approx(half, rel=1e-6)


def test_sessions_that_agree_by_chance_leave_what_their_processes_leave_open():
    noisy = (0.9, 1.0, 1 / 0.9)

    found = estimate(Sample((noisy, noisy)))

    # Variance log(0.9)² in each, four degrees of freedom, six processes.
    half = 2.776445 * -math.log(0.9) / math.sqrt(6)
    assert math.log(bounds(found)[1]) == pytest.approx(half, rel=1e-6)


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
    one, four = (zone([alone(1.0, 1.0, Spread(0.0, 0.02))] * n) for n in (1, 4))
    processes = zone([alone(1.0, 1.0, Spread(0.02, 0.0))] * 4)

    assert one == pytest.approx(four)
    assert processes is not None
    assert four is not None
    assert math.log(processes) == pytest.approx(math.log(four) / 2)


STEADY = [0.999, 1.0, 1.001]
NOISY = [0.7, 1.0, 1.4]


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
    found = ratio([([1.018, 1.019, 1.020], [1.0, 1.0001, 0.9999])])

    assert bounds(found)[0] > 1
    assert bounds(found)[1] > 1.02
    assert verdict([([1.018, 1.019, 1.020], [1.0, 1.0001, 0.9999])]) == "even"


def test_repeats_that_reach_one_by_themselves_leave_a_single_run_unclear():
    repeated = Sample(((0.01, 1.5, 200.0),), NARROW)

    assert verdict([(repeated, Sample(((1.0,),), NARROW))]) == "unclear"


def test_steady_repeats_against_a_single_run_count_as_single_runs():
    single = Sample(((1.0,),), NARROW)

    def said(factor: float) -> str:
        repeated = Sample((tuple([factor * p for p in STEADY]),), NARROW)
        return verdict([(repeated, single)])

    assert said(1.045) == "even"
    assert said(2.0) == "faster"


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
            apart = zone([(first, second)])
            assert apart
            halves = chance([first]), chance([second])
            assert math.hypot(*filter(None, halves)) == pytest.approx(math.log(apart))
    assert chance([Sample(((1.0,),))]) is None
    assert chance([sides[0], Sample(((1.0, 1.1),), Spread(process=0.1))]) is None


def test_what_chance_does_to_a_mean_is_what_it_does_to_a_mean_of_ratios():
    sides = [Sample(((1.0,),), WIDE), Sample(((2.0,),), NARROW)] * 2
    apart, half = zone([*zip(sides, sides, strict=True)]), chance(sides)

    assert apart
    assert half
    assert math.sqrt(2) * half == pytest.approx(math.log(apart))
