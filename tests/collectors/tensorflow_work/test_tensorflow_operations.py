"""Single operations in TensorFlow, each as the harness uses it."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from harness.framework import UnsupportedError

from tests.collectors.tensorflow_cells import cell_of, started, tensorflow

OPERATIONS = ("matmul", "elementwise", "bandwidth", "conv")


@cache
def stepped(workload: str, precision: str = "fp32", compiler: str = "graph") -> Any:
    work = started(cell_of(workload, precision, compiler=compiler))
    work.step()
    work.synchronise()
    return work


@pytest.mark.parametrize("workload", OPERATIONS)
@pytest.mark.parametrize(
    ("precision", "tolerance"),
    [("fp64", 1e-14), ("fp32", 1e-5), ("fp16", 1e-2), ("bf16", 3e-2)],
)
def test_a_result_is_right_in_its_precision(
    workload: str, precision: str, tolerance: float
):
    work = stepped(workload, precision)

    assert work.relative_error() <= tolerance
    assert work.types() == work.expected_types() == {precision}
    assert work.placed_on() == {"cpu"}


@pytest.mark.parametrize("workload", OPERATIONS)
@pytest.mark.parametrize("compiler", ["xla", "eager"])
def test_a_result_is_right_by_any_compiler(workload: str, compiler: str):
    assert stepped(workload, compiler=compiler).relative_error() <= 1e-5


@pytest.mark.parametrize("workload", OPERATIONS)
def test_a_wrong_result_shows(workload: str):
    work = started(cell_of(workload))
    work.step()

    work.last = work.last + 1

    assert work.relative_error() > 0.1


@pytest.mark.parametrize(
    ("workload", "compiler", "passes"),
    [
        ("elementwise", "graph", 3),
        ("bandwidth", "graph", 6),
        ("bandwidth", "eager", 6),
        ("bandwidth", "xla", 4),
    ],
)
@pytest.mark.parametrize(("precision", "width"), [("fp32", 4), ("bf16", 2)])
def test_bytes_are_those_of_every_matrix_read_or_written(
    workload: str, compiler: str, passes: int, precision: str, width: int
):
    work = stepped(workload, precision, compiler)

    assert work.bytes_per_step() == passes * work.cell.size**2 * width


@pytest.mark.parametrize("workload", ["matmul", "conv"])
def test_an_operation_bound_by_arithmetic_counts_no_bytes(workload: str):
    assert stepped(workload).bytes_per_step() is None


def test_a_convolution_is_one_without_padding_or_bias():
    work = stepped("conv")

    images, weights = work.operands
    assert work.last.shape[1:] == (30, 30, 128)
    assert images.shape[1:] == (32, 32, 128)
    assert np.std(weights.numpy()) == pytest.approx((3 * 3 * 128) ** -0.5, rel=0.01)


def test_the_error_of_the_math_tells_the_precisions_apart():
    errors = [
        stepped("matmul", precision).math_error()
        for precision in ("fp64", "fp32", "fp16", "bf16")
    ]

    double, single, half, brain = errors
    assert double < 1e-13
    assert 1e-8 < single < 1e-5
    assert 1e-5 < half < 1e-3 < brain


@pytest.mark.parametrize("workload", OPERATIONS)
def test_a_trial_leaves_what_is_measured_as_it_is(workload: str):
    work = stepped(workload)
    before = work.last.numpy()

    started_after, done_after = work.trial()

    assert 0 < started_after <= done_after
    assert np.array_equal(work.last.numpy(), before)


def test_each_trial_has_operands_of_its_own():
    work = started(cell_of("elementwise", compiler="eager"))
    function, seen = work.function, []

    def watched(*operands: Any) -> Any:
        seen.append(operands[0].numpy())
        return function(*operands)

    work.function = watched
    work.trial()
    work.trial()

    assert not np.array_equal(*seen)


def test_the_cpu_is_never_waited_for_nor_its_memory_counted():
    work = stepped("matmul")

    assert work.wait_probe() is None
    assert work.memory() == {}


def test_metal_has_no_xla_and_says_so():
    cell = replace(cell_of("matmul", compiler="xla"), device="metal")

    with pytest.raises(UnsupportedError, match="tensorflow-metal has no XLA"):
        tensorflow().prepare(cell)
