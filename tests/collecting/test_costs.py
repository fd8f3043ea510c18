"""What a process takes: from figures of other chips, from peaks, from what it took."""

from dataclasses import replace

import pytest

from benchdb.collecting.costs import (
    Device,
    Seen,
    devices_of,
    guessed,
    guesses,
    learned,
    reference_seconds,
    shares,
    step_seconds,
)
from benchdb.collecting.history import Past
from benchdb.collecting.plan import Cell, Plan, Protocol

QUICK = Protocol(10, 5.0, 30.0, 10, 0.5, 10.0, 60.0, 2.0, 4.0, 10.0, 50, 5.0)
PRODUCT = Cell(
    *("matmul", "torch", "metal", "fp32", "standard", "eager"),
    axes=(("size", 4096),),
    arguments=(),
    operations=2 * 4096**3,
)
NEW = Device("metal", "M9", 8e12)


def figure(
    chip: str, rate: float, peak: float, framework: str = "torch", device: str = "metal"
) -> Seen:
    return Seen("matmul", framework, device, chip, 4096, rate, peak)


def test_a_chip_without_figures_is_scaled_from_the_one_whose_peak_is_nearest():
    seen = [figure("M1", 1.3e12, 2.6e12), figure("M4 Max", 8e12, 16e12)]

    seconds, basis = step_seconds(PRODUCT, [NEW], seen, 0.0)

    assert basis == "figures of M4 Max"
    assert seconds == pytest.approx(2 * 4096**3 / 4e12)


def test_figures_of_the_chip_itself_go_before_all_others():
    seen = [figure("M9", 2e12, 8e12, framework="mlx"), figure("M8", 6e12, 8e12)]

    seconds, basis = step_seconds(PRODUCT, [NEW], seen, 0.0)

    assert basis == "figures of M9"
    assert seconds == pytest.approx(2 * 4096**3 / 2e12)


def test_without_figures_it_is_a_usual_share_of_the_peak():
    elsewhere = [figure("M1", 1e12, 2e12, device="cpu")]

    seconds, basis = step_seconds(PRODUCT, [NEW], elsewhere, 0.0)
    assert basis == "operations and peak"
    assert seconds == pytest.approx(2 * 4096**3 / (0.6 * 8e12))
    unknown = Device("metal", "M99", None)
    assert step_seconds(PRODUCT, [unknown], [], 0.0) == (0.0, "the protocol alone")


def test_the_catalogue_knows_the_peaks_of_a_mac_and_of_a_card():
    facts = {"vendor": "Apple", "name": "M1", "cpu_cores": 8, "gpu_cores": 8}
    own = devices_of(facts, {"metal": "Apple M1", "cuda": "NVIDIA H200"})

    assert [(device.kind, device.chip) for device in own][1:] == [
        ("metal", "M1"),
        ("cuda", "NVIDIA H200"),
    ]
    assert [device.peak for device in own][1:] == [2617344000000, 66908160000000]


def test_short_steps_cost_what_the_protocol_takes_and_long_ones_their_own_time():
    short, long = guessed(0.001, QUICK, None), guessed(4.0, QUICK, None)

    assert 17 < short.later < 30
    assert long.later > 30 + 40  # ten steps of warm-up are cut at 30 s, ten blocks
    assert guessed(200.0, QUICK, None).later < 6 + 5 * 200
    assert short.first - short.later == pytest.approx(2 + 4)


def test_without_a_term_a_process_rests_and_times_single_steps_for_longer():
    term, whole = guessed(0.1, QUICK, None), guessed(0.1, QUICK, None, has_term=False)

    assert whole.later - term.later == pytest.approx(2 + (5 - 1))
    assert whole.first - whole.later == pytest.approx(10)


LSTM = Cell(
    *("lstm", "torch", "cpu", "fp32", "standard", "eager"),
    axes=(),
    arguments=(),
    parameters={"batch_size": 64},
    operations=64 * 502144,
)
CPU = Device("cpu", "M9", 8 * 50e9)


@pytest.mark.parametrize(
    ("tier", "seconds"), [("smoke", 4 * 0.002), ("quick", 4), ("standard", 4)]
)
def test_what_the_source_did_is_a_part_or_the_whole_of_its_steps(tier, seconds):
    plan = Plan((LSTM,), 1, 0.0, 60.0, (), QUICK)
    alone = replace(LSTM, arguments=("--blocks-only",))
    without = Plan((alone,), 1, 0.0, 60.0, (), QUICK)

    own = guesses(plan, tier, [CPU], [], 0.0)[LSTM]
    other = guesses(without, tier, [CPU], [], 0.0)[alone]

    assert own.basis == "operations and peak"
    assert own.seconds - other.seconds == pytest.approx(seconds)  # 2,000 of 2 ms


def test_only_few_samples_of_a_step_are_held_against_the_cpu():
    half = replace(LSTM, precision="bf16")
    step, _ = step_seconds(LSTM, [CPU], [], 0.0)

    assert reference_seconds(LSTM, [CPU], [], 0.0) is None
    assert reference_seconds(half, [CPU], [], 0.0) == pytest.approx(step * 8 / 64)


def past(replicate: int, seconds: float, **phases: float) -> Past:
    return Past(
        workload="matmul",
        framework="torch",
        device="cpu",
        setting="standard",
        precision="fp32",
        compiler="eager",
        parameters={},
        replicate=replicate,
        status="ok",
        before={},
        checks={"phase_seconds": phases, "steps_per_block": 50},
        seconds=seconds,
        watts=None,
        step_seconds=0.01,
    )


def test_what_it_took_here_counts_without_what_blocks_went_on_for():
    first = past(0, 40.0, idle=2.0, warmup=5.0, measure=20.0, step=1.0, gates=6.0)
    later = past(1, 31.0, warmup=5.0, measure=20.0, step=1.0, gates=0.5)
    guess = guessed(0.01, QUICK, None)

    once = learned([first], QUICK, 1.0, guess)
    twice = learned([first, later], QUICK, 1.0, guess)

    assert learned([], QUICK, 1.0, guess) == guess
    assert (once.first, once.later) == (31.0, 23.0)
    assert (twice.first, twice.later) == (31.0, 22.0)
    assert twice.stretch == 50.0


def test_measuring_is_all_but_rest_and_what_is_no_process():
    phases = {"import": 1.0, "idle": 2.0, "warmup": 5.0, "measure": 10.0, "gates": 1.0}

    its = shares([(20.0, {"phase_seconds": phases})])

    assert (its.blocks, its.working, its.checks, its.rest) == (10.0, 5.0, 1.0, 2.0)
    assert its.set_up == 2.0  # import, and the start of the program
    assert its.measuring == 18.0
