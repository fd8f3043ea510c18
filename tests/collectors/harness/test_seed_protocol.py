"""What the source of a workload did, done again or scaled, and told which."""

import time
from dataclasses import replace

import pytest
from harness import seed_protocol
from harness.cells import Assignment, SeedPlan
from harness.seed_protocol import _limit, affordable
from harness.timing import TIERS

from tests.collectors.counting_work import Counting, cell, follow

FIT = SeedPlan("fit", 1, 3, 30, name="a-source", version=2, data_path="images")
EPOCH = SeedPlan("epoch", samples=1000, loader_processes=4)
TRIALS = SeedPlan("trials", trials=3)
WHOLE = replace(TIERS["smoke"], warmup_steps=1, idle_seconds=0.05)


@pytest.fixture
def _short_standard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TIERS, "standard", WHOLE)


def test_smoke_runs_a_token_of_the_epochs():
    token = affordable(FIT, cell("smoke"), 0)
    without = affordable(SeedPlan("fit", 0, 100, 9), cell("smoke"), 0)

    assert token == replace(FIT, epochs=1, steps_per_epoch=2, scaled=True)
    assert without.warmup_epochs == 0


@pytest.mark.parametrize("tier", ["standard", "reference"])
@pytest.mark.parametrize("plan", [FIT, EPOCH, TRIALS])
def test_a_published_tier_runs_the_whole_protocol(tier, plan):
    assert affordable(plan, cell(tier), 100.0) is plan


def test_quick_runs_the_whole_protocol_where_it_is_short():
    plan = SeedPlan("fit", 0, 1, 2000)

    assert affordable(plan, cell("quick"), 0.015) is plan
    assert affordable(EPOCH, cell("quick"), 0.05) is EPOCH


@pytest.mark.parametrize(
    ("plan", "step_seconds", "scaled"),
    [
        (SeedPlan("fit", 0, 100, 1875), 0.0005, (1, 9, 1875)),
        (SeedPlan("fit", 0, 1, 2000), 0.05, (1, 1, 100)),
        (FIT, 0.4, (1, 1, 12)),
        (FIT, 2.0, (1, 1, 2)),
        (FIT, 18.0, (0, 1, 2)),
    ],
)
def test_quick_scales_long_epochs_to_seconds(plan, step_seconds, scaled):
    seed_plan = affordable(plan, cell("quick"), step_seconds)

    assert seed_plan.scaled
    assert (
        seed_plan.warmup_epochs,
        seed_plan.epochs,
        seed_plan.steps_per_epoch,
    ) == scaled


def test_quick_scales_a_long_pass_over_the_data():
    plan = affordable(EPOCH, cell("quick"), 1.0)

    assert plan == replace(EPOCH, samples=40, scaled=True)


@pytest.mark.usefixtures("_short_standard")
def test_whole_epochs_have_script_times():
    values, recorder = follow(
        Counting(), cell("standard", replace(FIT, steps_per_epoch=5))
    )

    assert values["script_wall_seconds"]["value"] > 0
    assert values["fit_samples_per_second"]["value"] > 0
    assert recorder.checks["seed_protocol"] == {
        "name": "a-source",
        "version": 2,
        "kind": "fit",
        "data_path": "images",
        "warmup_epochs": 1,
        "epochs": 3,
        "steps_per_epoch": 5,
        "scaled": False,
    }


def test_scaled_epochs_say_so_instead_of_script_times():
    values, recorder = follow(Counting(), cell("smoke", FIT))

    reason = "seed protocol scaled to 4 of 120 steps"
    assert values["script_cpu_percent"]["reason"] == reason
    assert values["fit_samples_per_second"]["value"] > 0
    assert recorder.checks["seed_protocol"]["scaled"]


class SlowBefore(Counting):
    def make_data(self) -> None:
        time.sleep(0.2)


@pytest.mark.usefixtures("_short_standard")
def test_a_script_takes_no_time_for_what_its_source_did_not_do():
    values, _ = follow(SlowBefore(), cell("standard", FIT))

    # The process of the test was started when the clock was.
    left_out = time.monotonic() - values["script_wall_seconds"]["value"]
    assert left_out > 0.2 + WHOLE.idle_seconds


@pytest.mark.usefixtures("_short_standard")
def test_epochs_are_samples_of_the_run_and_their_rate_is_over_all_their_time():
    plan = SeedPlan("fit", 1, 3, 5, samples=18)  # the last batch has 2 of 4

    values, recorder = follow(Counting(), cell("standard", plan))

    series = [it for it in recorder.checks["said"] if it["type"] == "samples"]
    (seed,) = [it for it in series if it["phase"] == "seed"]
    assert (seed["per"], len(seed["values"])) == (5, 3)
    assert next(it["per"] for it in series if it["phase"] == "warmup") == 5
    rate = values["fit_samples_per_second"]["value"]
    assert rate == pytest.approx(3 * 18 / sum(seed["values"]))


class SlowLater(Counting):
    """Its first steps take no time, and promise as much of the others."""

    def step(self) -> None:
        super().step()
        if self.asked.count("step") > 3:
            time.sleep(0.02)


@pytest.fixture
def _short_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TIERS, "quick", WHOLE)
    monkeypatch.setattr(seed_protocol, "QUICK_SECONDS", 0.3)


@pytest.mark.usefixtures("_short_quick")
@pytest.mark.parametrize("plan", [FIT, SeedPlan("fit", 0, 3, 40)])
def test_epochs_that_exceed_their_estimate_are_ended_and_say_so(plan):
    began = time.monotonic()

    values, recorder = follow(SlowLater(), cell("quick", plan))

    assert time.monotonic() - began < 20 * 0.3
    protocol = recorder.checks["seed_protocol"]
    reason = f"seed protocol ended after 0.3 s, with {protocol['steps']} of 120 steps"
    assert protocol["scaled"]
    assert protocol["ended"] == values["script_wall_seconds"]["reason"] == reason
    rate = values["fit_samples_per_second"]
    if plan.warmup_epochs:
        assert rate["reason"] == "ended in the warm-up epoch"
    else:
        assert 0 < rate["value"] < 2 * 4 / 0.02
    assert values["step_seconds"]["value"] > 0


@pytest.mark.usefixtures("_short_standard")
def test_whole_epochs_are_ended_before_the_process_is_killed():
    order = Assignment(cell("standard", FIT), {}, {}, 0, time_limit=100)

    assert _limit(order, estimate=0) == 90
    assert _limit(replace(order, cell=cell("quick")), estimate=17) == 51


@pytest.mark.usefixtures("_short_standard")
def test_a_pass_over_the_data_is_timed_as_an_epoch():
    work = Counting()

    values, recorder = follow(work, cell("standard", EPOCH))

    assert work.asked.count("epoch of 1000") == 1
    seconds = values["epoch_seconds"]["value"]
    assert values["epochs_per_hour"]["value"] == 3600 / seconds
    assert values["fit_samples_per_second"]["value"] == pytest.approx(1000 / seconds)
    assert recorder.checks["seed_protocol"]["loader_processes"] == 4


def test_part_of_a_pass_has_a_rate_but_no_epoch_time():
    values, _ = follow(Counting(), cell("smoke", EPOCH))

    assert values["epoch_seconds"]["reason"] == (
        "seed protocol scaled to 8 of 1000 samples"
    )
    assert values["fit_samples_per_second"]["value"] > 0


def test_trials_are_told_with_and_without_waiting():
    work = Counting()

    values, _ = follow(work, cell("smoke", TRIALS))

    assert work.asked.count("trial") == 3
    assert values["operation_seconds"]["value"] == 0.001
    assert values["operation_synced_seconds"]["value"] == 0.004


def test_the_source_can_be_left_out():
    values, recorder = follow(Counting(), cell("smoke", FIT), seed_protocol=False)

    assert "seed_protocol" not in recorder.checks
    assert "fit_samples_per_second" not in values
    assert values["step_seconds"]["value"] > 0


@pytest.mark.parametrize("by_steps", [True, False])
def test_weights_have_to_move_by_the_timed_steps_not_by_what_the_source_did(by_steps):
    class Trained(Counting):
        def fit(self, plan, course):
            super().fit(plan, course)
            self.fitted = True

        def trained(self):
            steps = self.asked.count("step") if by_steps else 0
            return [float(getattr(self, "fitted", False)), float(steps)]

    _, recorded = follow(Trained(), cell(plan=FIT))

    gate = recorded.gates.verdicts()["loss"]
    assert gate["updated"] is by_steps
    assert gate["status"] == ("passed" if by_steps else "failed")
