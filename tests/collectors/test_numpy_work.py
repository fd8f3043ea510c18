"""The operations in NumPy, each as the harness uses it."""

from typing import Any

import pytest
from harness.cells import Cell, Choices, cells_of, workloads
from harness.framework import Work
from with_numpy import Numpy

OPERATIONS = ("matmul", "elementwise", "bandwidth")
NUMPY = Numpy()


def cell_of(workload: str, size: int = 96, precision: str = "fp32") -> Cell:
    choices = Choices("cpu", "smoke", (precision,), axes={"size": (size,)})
    return next(cells_of(workload, choices, "numpy", NUMPY.compilers))


def stepped(workload: str, size: int = 96, precision: str = "fp32") -> Work:
    NUMPY.load(workload)
    work = NUMPY.prepare(cell_of(workload, size, precision))
    work.build()
    work.make_data()
    work.step()
    work.synchronise()
    return work


def test_it_has_the_operations_of_the_catalogue_but_convolution():
    facts = workloads()
    operations = {name for name in facts if facts[name]["kind"] == "operation"}

    assert set(NUMPY.modules) == operations - {"conv"}


@pytest.mark.parametrize("workload", OPERATIONS)
@pytest.mark.parametrize(
    ("precision", "tolerance"), [("fp64", 1e-14), ("fp32", 1e-5), ("fp16", 1e-2)]
)
def test_a_result_is_right_in_its_precision(
    workload: str, precision: str, tolerance: float
):
    work = stepped(workload, precision=precision)

    error = work.relative_error()
    assert error is not None
    assert error <= tolerance
    assert work.types() == work.expected_types() == {precision}


@pytest.mark.parametrize("workload", OPERATIONS)
def test_a_result_smaller_than_the_checked_block_is_checked(workload: str):
    error = stepped(workload, size=5).relative_error()

    assert error is not None
    assert error <= 1e-5


@pytest.mark.parametrize("workload", OPERATIONS)
def test_a_wrong_result_shows(workload: str):
    work = stepped(workload)

    work.last[3, 4] += 1  # type: ignore[attr-defined]

    error = work.relative_error()
    assert error is not None
    assert error > 0.1


@pytest.mark.parametrize(
    ("workload", "precision", "passes", "width"),
    [
        ("elementwise", "fp32", 3, 4),
        ("elementwise", "fp64", 3, 8),
        ("bandwidth", "fp32", 6, 4),
        ("bandwidth", "fp16", 6, 2),
    ],
)
def test_bytes_are_those_of_every_matrix_read_or_written(
    workload: str, precision: str, passes: int, width: int
):
    work = stepped(workload, size=40, precision=precision)

    assert work.bytes_per_step() == passes * width * 40**2


def test_a_product_is_not_bound_by_memory():
    assert stepped("matmul").bytes_per_step() is None


def test_the_error_of_the_math_tells_the_precisions_apart():
    double, single = (
        stepped("matmul", precision=precision).math_error()
        for precision in ("fp64", "fp32")
    )

    assert double is not None
    assert single is not None
    assert double < 1e-13
    assert 1e-8 < single < 1e-5


@pytest.mark.parametrize("workload", OPERATIONS)
def test_a_trial_leaves_what_is_measured_as_it_is(workload: str):
    work = stepped(workload)
    before = work.last.copy()  # type: ignore[attr-defined]

    started, done = work.trial()

    assert 0 < started <= done
    assert (work.last == before).all()  # type: ignore[attr-defined]


def test_each_trial_has_operands_of_its_own():
    work: Any = stepped("elementwise")
    function, seen = work.function, []

    def watched(*matrices: Any) -> Any:
        seen.append([float(matrix[0, 0]) for matrix in matrices])
        return function(*matrices)

    work.function = watched
    work.trial()
    work.trial()

    first, second = seen
    assert set(first).isdisjoint(second)


def test_the_cpu_is_never_waited_for_nor_its_memory_counted():
    work = stepped("matmul")

    assert work.placed_on() == {"cpu"}
    assert work.wait_probe() is None
    assert work.first_steps(3) is None
    assert work.memory() == {}


def test_the_setting_says_what_is_in_effect():
    NUMPY.load("matmul")
    setting = NUMPY.configure(cell_of("matmul", precision="fp16"))

    assert (setting.compiler, setting.precision) == ("none", "fp16")
    assert setting.math["blas"]
    assert "numpy" in setting.packages
