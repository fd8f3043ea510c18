"""The timing protocol, on work that does nothing."""

import pytest
from harness.cells import Assignment
from harness.recorder import Recorder
from harness.timing import (
    TIERS,
    Tier,
    calibrate,
    doubled,
    measure,
    median_interval,
    noise_is_stable,
    single_steps,
    steps_for,
    stop_reason,
    warm_up,
)

from tests.collector_programs import COLLECTORS
from tests.collectors.counting_work import Counting, cell, follow


class Taken:
    """Samples as recorded."""

    def __init__(self) -> None:
        self.all: list[tuple[str, int, float]] = []

    def __call__(self, phase: str, per: int, seconds: float) -> None:
        self.all.append((phase, per, seconds))


def test_the_tiers_are_those_of_the_readme():
    text = (COLLECTORS / "README.md").read_text(encoding="utf-8")
    promised = {
        cells[1].strip(): int(cells[2])
        for line in text.splitlines()
        if len(cells := line.split("|")) > 3 and cells[2].strip().isdecimal()
    }

    assert promised == {name: tier.processes for name, tier in TIERS.items()}


def test_higher_tiers_never_ask_for_less():
    quick, standard, reference = (TIERS[n] for n in ("quick", "standard", "reference"))

    for name in ("processes", "warmup_steps", "blocks", "window_seconds"):
        asked = [getattr(tier, name) for tier in (quick, standard, reference)]
        assert asked == sorted(asked)


@pytest.mark.parametrize(
    ("block", "step", "steps"),
    [(0.5, 0.5, 1), (0.5, 2.0, 1), (0.5, 0.1, 6), (0.5, 0.001, 550)],
)
def test_a_block_has_just_enough_steps(block, step, steps):
    assert steps_for(block, step) == steps


def test_a_clock_too_coarse_for_a_step_still_gives_a_block():
    assert steps_for(0.5, 0.0) > 1


def test_calibration_grows_a_block_until_it_lasts():
    taken, tier = Taken(), Tier(1, 1, 0, 1, 1, 0, 1, block_seconds=0.002)

    steps = calibrate(Counting(), tier, 0.002 / 3, taken)

    assert taken.all[-1][1] == steps
    assert taken.all[-1][2] >= 0.002
    assert all(seconds < 0.002 for _, _, seconds in taken.all[:-1])


def test_smoke_and_long_steps_need_no_calibration():
    taken = Taken()

    assert calibrate(Counting(), TIERS["smoke"], 0.001, taken) == 1
    assert calibrate(Counting(), TIERS["quick"], 0.7, taken) == 1
    assert taken.all == []


def test_blocks_are_synchronised_at_both_ends():
    work, between = Counting(), []

    times, reason = measure(work, TIERS["smoke"], 2, Taken(), lambda: between.append(1))

    assert work.asked == ["sync", "step", "step", "sync"] * 5
    assert (len(times), len(between), reason) == (5, 5, "count")


def test_warm_up_keeps_every_sample_and_counts_its_steps():
    taken, work = Taken(), Counting()

    warm_up(work, Tier(1, 3, 0, 60, 5, 0, 60), taken)

    assert [(phase, per) for phase, per, _ in taken.all] == [("warmup", 1)] * 3


def test_warm_up_of_tiny_steps_is_sampled_in_growing_chunks():
    taken = Taken()

    warm_up(Counting(), Tier(1, 2, 0.05, 60, 5, 0, 60), taken)

    pers = [per for _, per, _ in taken.all]
    assert pers == sorted(pers)
    assert len(pers) < 64


def test_the_per_step_pass_is_at_least_one_step():
    taken = Taken()

    single_steps(Counting(), TIERS["quick"], 60.0, taken)

    assert [(phase, per) for phase, per, _ in taken.all] == [("step", 1)]


@pytest.mark.parametrize(
    ("blocks", "elapsed", "reason"),
    [(9, 30.0, None), (10, 9.9, None), (10, 10.0, "count"), (1, 60.0, "limit")],
)
def test_quick_stops_at_its_count_and_window(blocks, elapsed, reason):
    assert stop_reason(TIERS["quick"], [1.0] * blocks, elapsed) == reason


def test_standard_goes_on_while_the_median_is_vague():
    steady, noisy = [0.5] * 20, [0.5, 0.6] * 10

    assert stop_reason(TIERS["standard"], steady, 20) == "tight"
    assert stop_reason(TIERS["standard"], noisy, 20) is None
    assert stop_reason(TIERS["standard"], noisy, 120) == "limit"


def test_the_interval_of_a_median_uses_the_usual_ranks():
    ranks = [float(rank) for rank in range(1, 21)]

    assert median_interval(ranks) == (6.0, 15.0)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_with_few_blocks_the_interval_is_their_range(count):
    times = [float(number) for number in range(count)]

    assert median_interval(times) == (times[0], times[-1])


def test_noise_that_has_come_to_rest_ends_a_run():
    wild = [0.5, 0.6] * 60

    assert noise_is_stable(wild)
    assert stop_reason(TIERS["standard"], wild, 60) == "noise-stable"
    assert not noise_is_stable([0.5, 0.6] * 20)
    assert not noise_is_stable([0.5] * 60 + [0.5 + 0.01 * n for n in range(60)])


def test_doubled_blocks_take_turns_with_single_ones():
    work = Counting()

    pairs = doubled(work, 2, 0.5)

    assert len(pairs) == 3
    assert work.asked.count("step") == 3 * (2 + 4)


def test_blocks_that_take_long_are_not_doubled():
    assert doubled(Counting(), 1, 11.0) == []
    assert len(doubled(Counting(), 1, 9.0)) == 1


class WithEvents(Counting):
    def step_times(self, steps: int) -> list[float]:
        return [0.25] * steps


def test_steps_are_timed_by_the_device_where_it_has_a_clock():
    taken = Taken()

    waited_for = single_steps(WithEvents(), TIERS["smoke"], 0.1, taken)

    assert not waited_for
    assert taken.all == [("step", 1, 0.25)] * 3
    assert single_steps(Counting(), TIERS["smoke"], 0.1, taken)


def test_a_process_goes_through_its_phases_in_order():
    _, recorder = follow(Counting(), cell("smoke"))

    result = [line for line in recorder.checks["said"] if line["type"] == "phase"]
    begun = [line["phase"] for line in result if line["begin"]]
    assert begun == [
        "build",
        "data",
        "first_step",
        "warmup",
        "measure",
        "step",
        "gates",
    ]
    assert [line["at_ns"] for line in result] == sorted(
        line["at_ns"] for line in result
    )
    (done,) = (line["samples"] for line in result if "samples" in line)
    assert done == 5 * 1 * 4


def test_the_clock_is_put_to_the_test_in_the_first_process_of_a_cell():
    _, first = follow(Counting(), cell("smoke"))
    _, second = follow(Counting(), cell("smoke"), replicate=1)

    why = first.gates.verdicts()["doubling"]["why"]
    assert why == "the blocks of this tier are too short"
    assert "first process" in second.gates.verdicts()["doubling"]["why"]
    assert first.gates.verdicts()["synchronisation"]["status"] == "not-applicable"
    assert first.gates.verdicts()["parameter_count"]["status"] == "passed"


@pytest.mark.parametrize(
    ("replicate", "metered", "rest"), [(0, True, 2.0), (0, False, 0.0), (1, True, 0.0)]
)
def test_with_a_term_only_the_first_process_rests_and_only_for_a_meter(
    replicate, metered, rest
):
    run = {"key": "r", "replicate": replicate}
    order = Assignment(cell("quick"), run, {}, 0, blocks_until=0.0, metered=metered)

    assert Recorder(order, lambda _line: None).tier.idle_seconds == rest
