"""The gates of a run: each has a verdict or a reason, none passes in silence."""

import hashlib
import math
from collections.abc import Callable
from dataclasses import replace
from struct import pack
from typing import Any

import pytest
from harness import gates as judging
from harness.cells import Assignment, Cell
from harness.framework import PRECISIONS, FirstSteps
from harness.recorder import GATES, Gates, Recorder

from tests.collectors.counting_work import Counting, cell

OPERATION = replace(cell(), workload="matmul", kind="operation", parameter_count=None)


class Answering(Counting):
    """Work that gives the answers it is made with."""

    def __init__(self, **answers: Any) -> None:
        super().__init__()
        for name, answer in answers.items():
            setattr(self, name, lambda answer=answer: answer)


def recorder(chosen: Cell = OPERATION, precision: str = "fp32") -> Recorder:
    run = {"key": "r", "replicate": 1, "device_name": "Apple M1 Max"}
    made = Recorder(Assignment(chosen, run, {}, 0), lambda _line: None)
    made.precision = precision
    return made


def status(name: str, judged: Recorder | Gates) -> str:
    gates = judged.gates if isinstance(judged, Recorder) else judged
    text: str = gates.verdicts()[name]["status"]
    return text


def judged_work(chosen: Cell = OPERATION, precision: str = "fp32", **answers: Any):
    """Return what is recorded of work that gives *answers*."""
    made = recorder(chosen, precision)
    made.losses = answers.pop("losses", [])
    judging.judge_work(Answering(**answers), made)
    return made


def verdict(name: str, judge: Callable[..., Any], *arguments: Any) -> str:
    gates = Gates()
    judge(gates, *arguments)
    return status(name, gates)


def test_every_gate_is_told_even_when_the_run_ended_before_it():
    groups = Gates().verdicts()

    assert tuple(groups) == GATES
    assert {gate["status"] for gate in groups.values()} == {"not-checked"}
    assert all(gate["why"] for gate in groups.values())


@pytest.mark.parametrize(
    ("losses", "head", "verdict"),
    [
        ([1.0, 0.9], [2.0], "passed"),
        ([1.0, 0.9], [], "failed"),  # weights that did not move
        ([1.0, 1.0], [2.0], "failed"),
        ([1.0, math.nan], [2.0], "failed"),
        ([], [], "not-applicable"),
    ],
)
def test_a_loss_must_be_finite_and_move_and_weights_with_it(losses, head, verdict):
    assert status("loss", judged_work(cell(), losses=losses, trained=head)) == verdict


def test_losses_are_told_as_null_or_by_the_digest_of_their_float32_bytes():
    result = judged_work(cell(), losses=[1.0, math.nan])
    whole = judged_work(cell(), losses=[0.5, 0.1, 2.0])

    expected = hashlib.sha256(pack("<3f", 0.5, 0.1, 2.0)).hexdigest()
    assert result.gates.verdicts()["loss"]["last"] is None
    assert whole.checks["loss_trace_sha256"] == expected


def test_every_precision_has_its_tolerances():
    for tolerances in (judging.ERROR_TOLERANCE, judging.LEAST_ERROR):
        assert set(tolerances) == set(PRECISIONS)
    assert set(judging.LOSS_TOLERANCE) == set(PRECISIONS)


@pytest.mark.parametrize("error", [2e-5, math.inf, math.nan])
def test_a_wrong_product_fails_its_gate(error):
    assert status("result_error", judged_work(relative_error=error)) == "failed"


@pytest.mark.parametrize(
    ("error", "precision", "verdict"),
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
def test_a_label_must_be_what_the_mathematics_shows(error, precision, verdict):
    made = recorder(precision=precision)

    judging.judge_after(Answering(math_error=error), made, 1, 1.0)

    assert status("math_mode", made) == verdict


@pytest.mark.parametrize(
    ("places", "verdict"), [({"metal", "cpu"}, "failed"), ({"metal"}, "passed")]
)
def test_a_fallback_to_the_cpu_is_found_out(places, verdict):
    made = judged_work(replace(OPERATION, device="metal"), placed_on=places)

    assert status("device", made) == verdict


@pytest.mark.parametrize(
    ("types", "verdict"), [({"fp16", "fp32"}, "failed"), ({"fp16"}, "passed")]
)
def test_types_must_be_those_of_the_precision(types, verdict):
    assert status("dtype", judged_work(expected_types={"fp16"}, types=types)) == verdict


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
def test_first_losses_must_agree_with_the_reference(here, precision, status):
    update = [0.1, -0.2]
    own, known = FirstSteps(here, update), FirstSteps([2.0, 1.9], update)

    judge = judging.reference_loss
    assert verdict("reference_loss", judge, own, known, precision, "xla") == status


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
def test_the_first_update_must_agree_though_the_losses_do(update, status):
    own, known = FirstSteps([2.0, 1.9], update), FirstSteps([2.0, 1.9], [0.1, -0.2])

    judge = judging.reference_loss
    assert verdict("reference_loss", judge, own, known, "bf16", "xla") == status


METAL = replace(OPERATION, device="metal")
CONVOLUTION = replace(METAL, workload="conv")
# An M1 Max of 32 cores is stated to do 10.6 TFLOP/s in fp32, at 400 GB/s.


@pytest.mark.parametrize(
    ("chosen", "operations", "verdict"),
    [
        (METAL, 9e12, "passed"),
        (METAL, 1.1e13, "failed"),
        (OPERATION, 9e12, "not-checked"),  # of a CPU no peak is known
        (METAL, None, "not-applicable"),
        # A convolution may take fewer multiplications than are counted.
        (CONVOLUTION, 9e12, "passed"),
        (CONVOLUTION, 1.3e13, "not-checked"),
        (CONVOLUTION, 2.5e13, "failed"),
    ],
)
def test_nothing_computes_faster_than_its_chip(chosen, operations, verdict):
    made = recorder(chosen)

    judging.judge_rates(made, operations, None, 1.0)

    assert status("peak_rate", made) == verdict


@pytest.mark.parametrize(
    ("moved", "seconds", "verdict"),
    [
        (2**30, 1.0, "passed"),
        (2**30, 0.001, "failed"),
        (2**20, 0.000001, "not-checked"),  # a cache may well be quicker
        (None, 1.0, "not-applicable"),
    ],
)
def test_no_memory_is_faster_than_its_bandwidth(moved, seconds, verdict):
    made = recorder(METAL)

    judging.judge_rates(made, None, moved, seconds)

    assert status("peak_bandwidth", made) == verdict


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
def test_twice_the_steps_take_twice_the_time(pairs, status):
    assert verdict("doubling", judging.doubling, pairs) == status


def test_waiting_must_show():
    name, judge = "synchronisation", judging.synchronisation
    more = [(0.02, 0.03), (0.001, 0.03), (0.001, 0.03)]

    assert verdict(name, judge, [(0.001, 0.03)]) == "passed"
    assert verdict(name, judge, [(0.03, 0.03)]) == "failed"
    assert verdict(name, judge, more) == "passed"


def test_failed_gates_say_what_was_found():
    made = judged_work(cell(), losses=[2.0, 1.0], trained=[1.0], parameter_count=8)

    assert made.gates.failures() == ["parameter_count (expected 7, counted 8)"]
