"""Whether the blocks of a run came to rest."""

import random

import pytest
from harness.timing import changepoint, first_is_outlier, steady


def noisy(count: int, level: float = 1.0, seed: int = 1) -> list[float]:
    source = random.Random(seed)  # noqa: S311 - noise, no secret
    return [level * source.gauss(1, 0.002) for _ in range(count)]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_of_a_few_blocks_nobody_can_tell(count):
    result = steady([60.3] * count)

    assert result["steady"] is None
    assert result["why"] == f"{count} blocks; it takes 6"
    assert "drift_pct" not in result


def test_blocks_that_do_not_change_are_steady():
    assert steady([1.0] * 6)["steady"]
    assert steady([1.0] * 9)["steady"]
    assert steady(noisy(30))["steady"]


def test_drift_is_told_from_first_to_last_third():
    result = steady([1.0, 1.0, 1.0, 1.0, 1.1, 1.1])

    assert (result["drift_pct"], result["steady"]) == (10.0, False)


def test_a_drift_is_between_the_medians_of_two_thirds():
    verdict = steady([1.0, 1.2, 1.2, 2.0, 2.0, 2.2])

    assert (verdict["first_third"], verdict["last_third"]) == (1.1, 2.1)


def test_a_shift_of_the_level_is_found_where_it_happens():
    shift, at = changepoint([*noisy(12), *noisy(12, 1.03, seed=2)])

    assert at == 12
    assert shift == pytest.approx(3.0, abs=0.3)


def test_noise_alone_is_no_shift():
    shifts = [changepoint(noisy(20, seed=seed))[0] for seed in range(200)]

    assert sum(shift != 0 for shift in shifts) < 20


def test_a_dip_in_the_middle_is_unsteady_though_both_ends_agree():
    times = [*noisy(10), *noisy(10, 1.05, seed=2), *noisy(10, seed=3)]

    result = steady(times)

    assert abs(result["drift_pct"]) < 1
    assert not result["steady"]


def test_a_slow_first_block_stands_out():
    assert first_is_outlier([1.2, *noisy(19)])
    assert not first_is_outlier(noisy(20))
    assert not steady([1.2, *noisy(19)])["steady"]
