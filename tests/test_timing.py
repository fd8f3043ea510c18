"""The timing protocol, on work that does nothing."""

from typing import Any

import pytest
from _assignment import Assignment
from _cell import Cell, SeedPlan
from _findings import Findings
from _framework import Work
from _protocol import follow_protocol
from _timing import (
    TIERS,
    Tier,
    affordable,
    calibrate,
    measure,
    median_interval,
    single_steps,
    steps_for,
    stop_reason,
    warm_up,
)

from tests.collector_programs import COLLECTORS


class Counting(Work):
    """Work that does nothing but say what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def step(self) -> None:
        self.asked.append("step")

    def synchronise(self) -> None:
        self.asked.append("sync")

    def loss(self) -> float:
        return float(len(self.asked))

    def parameter_count(self) -> int:
        return 7

    def placed_on(self) -> set[str]:
        return {"cpu"}


class Taken:
    """Samples as recorded."""

    def __init__(self) -> None:
        self.all: list[tuple[str, int, float]] = []

    def __call__(self, phase: str, per: int, seconds: float) -> None:
        self.all.append((phase, per, seconds))


def cell(tier: str = "smoke", plan: SeedPlan | None = None) -> Cell:
    return Cell(
        workload="mnist",
        version=1,
        kind="mlp",
        device="cpu",
        precision="fp32",
        tier=tier,
        seed=0,
        parameters={"batch_size": 4},
        parameter_count=7,
        seed_plan=plan,
    )


def follow(work: Work, chosen: Cell) -> tuple[dict[str, Any], Findings]:
    said: list[dict[str, Any]] = []
    found = Findings(said.append)
    run = {"key": "r", "replicate": 0, "replicates": 1}
    follow_protocol(work, Assignment(chosen, run, {}, 0), found, said.append)
    values = {line["metric"]: line for line in said if line["type"] == "value"}
    return values, found


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
def test_a_block_has_just_enough_steps(block: float, step: float, steps: int):
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
def test_quick_stops_at_its_count_and_window(
    blocks: int, elapsed: float, reason: str | None
):
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
def test_with_few_blocks_the_interval_is_their_range(count: int):
    times = [float(number) for number in range(count)]

    assert median_interval(times) == (times[0], times[-1])


def test_smoke_runs_a_token_of_the_seed_protocol():
    assert affordable(SeedPlan(1, 3, 30), "smoke", 0) == SeedPlan(1, 1, 2, scaled=True)
    assert affordable(SeedPlan(0, 100, 9), "smoke", 0).warmup_epochs == 0


@pytest.mark.parametrize("tier", ["standard", "reference"])
def test_a_published_tier_runs_the_whole_seed_protocol(tier: str):
    plan = SeedPlan(1, 3, 30)

    assert affordable(plan, tier, 100.0) is plan


def test_quick_runs_the_whole_seed_protocol_where_it_is_short():
    plan = SeedPlan(0, 1, 2000)

    assert affordable(plan, "quick", 0.015) is plan


@pytest.mark.parametrize(
    ("plan", "step_seconds", "scaled"),
    [
        (SeedPlan(0, 100, 1875), 0.0005, SeedPlan(0, 100, 200, scaled=True)),
        (SeedPlan(1, 3, 30), 0.5, SeedPlan(1, 3, 5, scaled=True)),
        (SeedPlan(1, 3, 30), 2.0, SeedPlan(0, 1, 5, scaled=True)),
        (SeedPlan(1, 3, 30), 18.0, SeedPlan(0, 1, 2, scaled=True)),
    ],
)
def test_quick_scales_a_long_seed_protocol_to_seconds(
    plan: SeedPlan, step_seconds: float, scaled: SeedPlan
):
    assert affordable(plan, "quick", step_seconds) == scaled


def test_the_whole_seed_protocol_has_script_times(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(TIERS, "standard", Tier(1, 1, 0, 1, 5, 0, 1, block_seconds=0))

    values, found = follow(Counting(), cell("standard", SeedPlan(1, 3, 5)))

    assert values["script_wall_seconds"]["value"] > 0
    assert values["fit_samples_per_second"]["value"] > 0
    assert found.checks["seed_protocol"] == {
        "warmup_epochs": 1,
        "epochs": 3,
        "steps_per_epoch": 5,
        "scaled": False,
    }


def test_a_scaled_seed_protocol_says_so_instead_of_script_times():
    values, found = follow(Counting(), cell("smoke", SeedPlan(1, 3, 30)))

    reason = "seed protocol scaled to 4 of 120 steps"
    assert values["script_cpu_percent"]["reason"] == reason
    assert values["fit_samples_per_second"]["value"] > 0
    assert found.checks["seed_protocol"]["scaled"]


def test_the_first_steps_count_as_warm_up_epoch(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(TIERS, "standard", Tier(1, 1, 0, 1, 1, 0, 1, block_seconds=0))
    work = Counting()

    follow(work, cell("standard", SeedPlan(1, 3, 5)))

    # The protocol's 20 steps, then one of warm-up, one block and the single steps.
    assert work.asked.count("step") == 20 + 1 + 1 + TIERS["standard"].single_steps
