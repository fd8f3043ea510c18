"""The gates of a run: each has a verdict or a reason, none passes in silence."""

import hashlib
import math
from functools import partial
from struct import pack
from typing import Any

import pytest
from harness import gates as judging
from harness.framework import PRECISIONS, FirstSteps
from harness.recorder import GATES, Gates


def verdict(name: str, judge: Any, *arguments: Any) -> str:
    gates = Gates()
    judge(gates, *arguments)
    status: str = gates.verdicts()[name]["status"]
    return status


def test_every_gate_is_told_even_when_the_run_ended_before_it():
    told = Gates().verdicts()

    assert tuple(told) == GATES
    assert {gate["status"] for gate in told.values()} == {"not-checked"}
    assert all(gate["why"] for gate in told.values())


@pytest.mark.parametrize(
    ("losses", "updated", "status"),
    [
        ([1.0, 0.9], True, "passed"),
        ([1.0, 0.9], False, "failed"),
        ([1.0, 1.0], True, "failed"),
        ([1.0, math.nan], True, "failed"),
        ([], False, "not-applicable"),
    ],
)
def test_a_loss_must_be_finite_and_move_and_weights_with_it(
    losses: list[float],
    updated: bool,  # noqa: FBT001
    status: str,
):
    judge = partial(judging.loss, updated=updated)

    assert verdict("loss", judge, losses) == status


def test_what_is_not_finite_is_told_as_null():
    gates = Gates()

    judging.loss(gates, [1.0, math.nan], updated=True)

    assert gates.verdicts()["loss"]["last"] is None


def test_the_loss_digest_is_over_float32_bytes():
    expected = hashlib.sha256(pack("<3f", 0.5, 0.1, 2.0)).hexdigest()

    assert judging.loss_digest([0.5, 0.1, 2.0]) == expected


def test_every_precision_has_its_tolerances():
    for tolerances in (judging.ERROR_TOLERANCE, judging.LEAST_ERROR):
        assert set(tolerances) == set(PRECISIONS)
    assert set(judging.LOSS_TOLERANCE) == set(PRECISIONS)


@pytest.mark.parametrize("error", [2e-5, math.inf, math.nan])
def test_a_wrong_product_fails_its_gate(error: float):
    assert verdict("result_error", judging.result_error, error, "fp32") == "failed"


@pytest.mark.parametrize(
    ("error", "precision", "status"),
    [
        (4e-7, "fp32", "passed"),
        (3e-4, "fp32", "failed"),  # TF32 under the label of fp32
        (3e-4, "tf32", "passed"),
        (4e-7, "tf32", "failed"),  # and fp32 under that of TF32
        (4e-3, "bf16", "passed"),
        (4e-7, "bf16", "failed"),
        (3e-4, "fp16", "passed"),
        (5e-16, "fp64", "passed"),
        (4e-7, "fp64", "failed"),
    ],
)
def test_a_label_must_be_what_the_mathematics_shows(
    error: float, precision: str, status: str
):
    assert verdict("math_mode", judging.math_mode, error, precision) == status


def test_a_fallback_to_the_cpu_is_found_out():
    mixed = {"metal", "cpu"}

    assert verdict("device", judging.device, "metal", mixed) == "failed"
    assert verdict("device", judging.device, "metal", {"metal"}) == "passed"


def test_types_must_be_those_of_the_precision():
    assert verdict("dtype", judging.dtype, {"fp16"}, {"fp16", "fp32"}) == "failed"
    assert verdict("dtype", judging.dtype, {"fp16"}, {"fp16"}) == "passed"


@pytest.mark.parametrize(
    ("here", "precision", "status"),
    [
        ([2.0, 1.9], "fp32", "passed"),
        ([2.0, 1.8], "fp32", "passed"),  # after an update rounding is amplified
        ([2.0, 1.6], "fp32", "failed"),
        ([2.001, 1.9], "fp32", "failed"),  # before one it is not
        ([2.01, 1.8], "bf16", "passed"),
        ([2.0, math.nan], "bf16", "failed"),
        ([math.nan, 1.9], "bf16", "failed"),
    ],
)
def test_first_losses_must_agree_with_the_reference(
    here: list[float], precision: str, status: str
):
    update = [0.1, -0.2]
    own, known = FirstSteps(here, update), FirstSteps([2.0, 1.9], update)

    judge = partial(judging.reference_loss, compiler="xla")
    assert verdict("reference_loss", judge, own, known, precision) == status


@pytest.mark.parametrize(
    ("update", "status"),
    [
        ([0.1, -0.2], "passed"),
        ([0.11, -0.19], "passed"),
        ([0.0, 0.0], "failed"),
        ([0.05, -0.1], "failed"),  # half of it
        ([-0.1, 0.2], "failed"),  # the wrong way
        ([0.2, 0.1], "failed"),
        ([math.nan, -0.2], "failed"),
    ],
)
def test_the_first_update_must_agree_though_the_losses_do(
    update: list[float], status: str
):
    own, known = FirstSteps([2.0, 1.9], update), FirstSteps([2.0, 1.9], [0.1, -0.2])

    judge = partial(judging.reference_loss, compiler="xla")
    assert verdict("reference_loss", judge, own, known, "bf16") == status


@pytest.mark.parametrize(
    ("flops", "peak", "status"),
    [
        (9e12, 1e13, "passed"),
        (1.1e13, 1e13, "failed"),
        (9e12, None, "not-checked"),
        (None, 1e13, "not-applicable"),
    ],
)
def test_nothing_computes_faster_than_its_chip(
    flops: float | None, peak: float | None, status: str
):
    judged = verdict("peak_rate", judging.peak_rate, flops, peak, "peak unknown")

    assert judged == status


@pytest.mark.parametrize(
    ("flops", "status"),
    [(9e12, "passed"), (1.3e13, "not-checked"), (2.3e13, "failed")],
)
def test_a_convolution_may_take_fewer_multiplications_than_are_counted(
    flops: float, status: str
):
    judge = partial(judging.peak_rate, convolution=True)

    assert verdict("peak_rate", judge, flops, 1e13, "peak unknown") == status


@pytest.mark.parametrize(
    ("moved", "status"),
    [
        ((2**30, 1.0), "passed"),
        ((2**30, 0.001), "failed"),
        ((2**20, 0.000001), "not-checked"),  # a cache may well be quicker
        (None, "not-applicable"),
    ],
)
def test_no_memory_is_faster_than_its_bandwidth(
    moved: tuple[int, float] | None, status: str
):
    judged = verdict("peak_bandwidth", judging.peak_bandwidth, moved, 4e11, "unknown")

    assert judged == status


@pytest.mark.parametrize(
    ("pairs", "status"),
    [
        ([(1.0, 2.0), (1.0, 2.02), (1.0, 3.0)], "passed"),
        ([(1.0, 1.0)], "failed"),  # a clock that does not wait
        ([(1.0, 2.2)], "failed"),
        ([(1.0, 1.52 + n / 100) for n in range(24)], "failed"),
        ([(1.0, 2.3), (1.0, 0.7), (1.0, 9.3), (1.0, 2.9)], "not-checked"),
    ],
)
def test_twice_the_steps_take_twice_the_time(
    pairs: list[tuple[float, float]], status: str
):
    assert verdict("doubling", judging.doubling, pairs) == status


def test_waiting_must_show():
    judge = partial(verdict, "synchronisation", judging.synchronisation)

    assert judge([(0.001, 0.03)]) == "passed"
    assert judge([(0.03, 0.03)]) == "failed"
    assert judge([(0.02, 0.03), (0.001, 0.03), (0.001, 0.03)]) == "passed"


def test_failed_gates_say_what_was_found():
    gates = Gates()
    judging.parameter_count(gates, 7, 8)
    judging.device(gates, "cpu", {"cpu"})

    assert gates.failures() == ["parameter_count (expected 7, counted 8)"]
