"""The elementary operations, which stand once, in every framework that has them."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from harness.cells import workloads
from harness.framework import UnsupportedError
from harness.gates import ERROR_TOLERANCE, LEAST_WAITED
from harness.main import main
from with_numpy import Numpy

from tests.collector_programs import run
from tests.collectors.smoke_runs import program
from tests.collectors.works_here import (
    FRAMEWORKS,
    chosen,
    fresh,
    loaded,
    measured,
    stepped,
)

OPERATIONS = ("matmul", "elementwise", "bandwidth", "conv")
CASES = [
    (framework, operation)
    for framework in FRAMEWORKS
    for operation in OPERATIONS
    if (framework, operation) != ("numpy", "conv")
]
each = pytest.mark.parametrize(("framework", "operation"), CASES)


def test_numpy_has_the_operations_of_the_catalogue_but_convolution():
    facts = workloads()
    operations = {name for name in facts if facts[name]["kind"] == "operation"}

    assert operations == set(OPERATIONS)
    assert set(Numpy.modules) == operations - {"conv"}


@pytest.mark.parametrize(
    ("framework", "operation", "precision"),
    [
        (framework, operation, precision)
        for framework, operation in CASES
        for precision in ("fp64", "fp32", "fp16", "bf16")
        if (framework, precision) != ("numpy", "bf16")
        and (framework, operation, precision) != ("mlx", "conv", "fp64")
    ],
)
def test_a_result_is_right_in_its_precision(framework, operation, precision):
    work = stepped(framework, operation, precision)

    assert work.relative_error() <= ERROR_TOLERANCE[precision]
    assert work.types() == work.expected_types() == {precision}
    assert work.placed_on() == {"cpu"}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("compiler", ["xla", "eager"])
def test_a_result_is_right_by_any_compiler(operation, compiler):
    work = stepped("tensorflow", operation, compiler=compiler)

    assert work.relative_error() <= 1e-5


@pytest.mark.parametrize("operation", Numpy.modules)
def test_a_result_smaller_than_the_checked_block_is_checked(operation):
    assert fresh("numpy", operation, size=5).relative_error() <= 1e-5


@each
def test_a_wrong_result_shows(framework, operation):
    work = fresh(framework, operation)

    work.last = work.last + 1

    assert work.relative_error() > 0.1


@each
def test_a_trial_is_timed_and_leaves_what_is_measured_as_it_is(framework, operation):
    work = stepped(framework, operation)
    before = work.float64(work.last).copy()

    called, waited = work.trial()

    assert 0 < called <= waited
    assert np.array_equal(work.float64(work.last), before)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_each_trial_has_operands_of_its_own(framework):
    compiler = {"compiler": "eager"} if framework == "tensorflow" else {}
    work = fresh(framework, "elementwise", **compiler)
    function, seen = work.function, []

    def watched(*operands: Any) -> Any:
        seen.append(work.float64(operands[0]))
        return function(*operands)

    work.function = watched
    work.trial()
    work.trial()

    first, second = seen
    assert not np.array_equal(first, second)
    assert float(first.std()) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("framework", "operation", "compiler", "passes"),
    [
        ("mlx", "elementwise", None, 3),
        ("mlx", "bandwidth", None, 6),
        ("mlx", "bandwidth", "mx.compile", 4),
        ("numpy", "elementwise", None, 3),
        ("numpy", "bandwidth", None, 6),
        ("torch", "elementwise", None, 3),
        ("torch", "bandwidth", None, 4),
        ("tensorflow", "elementwise", None, 3),
        ("tensorflow", "bandwidth", None, 6),
        ("tensorflow", "bandwidth", "eager", 6),
        ("tensorflow", "bandwidth", "xla", 4),
    ],
)
@pytest.mark.parametrize(("precision", "width"), [("fp32", 4), ("fp16", 2)])
def test_bytes_are_those_of_every_matrix_read_or_written(
    framework, operation, compiler, passes, precision, width
):
    changes = {"compiler": compiler} if compiler else {}
    work = stepped(framework, operation, precision, **changes)

    assert work.bytes_per_step() == passes * work.cell.size**2 * width


@each
def test_a_figure_is_of_bytes_or_of_arithmetic(framework, operation):
    result = measured(framework, operation)
    values, moved = result.values, stepped(framework, operation).bytes_per_step()

    assert result.status == "ok"
    assert result.checks["gates"]["result_error"]["status"] == "passed"
    if moved is None:
        assert operation in ("matmul", "conv")
        assert values["teraflops"] > 0
    else:
        assert result.checks["bytes_per_step"] == moved
        assert values["gigabytes_per_second"] == moved / values["step_seconds"] / 1e9


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_a_source_timed_of_an_operation_is_there_too(framework):
    values = measured(framework, "elementwise").values

    assert 0 < values["operation_seconds"] <= values["operation_synced_seconds"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_error_of_the_math_tells_the_precisions_apart(framework):
    precisions = {"numpy": ("fp64", "fp32")}.get(framework, ("fp64", "fp32", "bf16"))

    errors = [stepped(framework, "matmul", p).math_error() for p in precisions]

    double, single, *brain = errors
    assert double < 1e-13
    assert 1e-8 < single < 1e-5
    assert all(1e-3 < error < 3e-2 for error in brain)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_cpu_is_never_waited_for_nor_its_memory_counted(framework):
    work = stepped(framework, "matmul")

    # MLX alone computes in another thread, and can be behind.
    assert (work.wait_probe() is None) is (framework != "mlx")
    assert work.step_times(3) is None
    assert work.first_steps(3) is None
    assert work.memory() == {}
    waited, read = work.read_probe()
    assert LEAST_WAITED <= waited / read <= 1


@pytest.mark.parametrize("waits", [True, False])
def test_a_cpu_that_is_behind_is_seen_by_reading_unless_it_is_waited_for(waits):
    work = fresh("mlx", "matmul")
    work.probe_sides = {}
    if not waits:
        work.wait_for = lambda tensor: None

    waited, read = work.read_probe()

    assert (waited / read >= LEAST_WAITED) is waits


def test_a_convolution_is_one_without_padding_or_bias():
    work = stepped("tensorflow", "conv")

    images, weights = work.operands
    assert work.last.shape[1:] == (30, 30, 128)
    assert images.shape[1:] == (32, 32, 128)
    assert np.std(weights.numpy()) == pytest.approx((3 * 3 * 128) ** -0.5, rel=0.01)


def test_a_convolution_has_an_order_as_well():
    work = stepped("torch", "conv", memory_format="channels_last")

    assert work.last.is_contiguous(memory_format=torch.channels_last)
    assert work.relative_error() <= ERROR_TOLERANCE["fp32"]


def test_metal_has_no_xla_and_says_so():
    cell = replace(chosen("tensorflow", "matmul", compiler="xla"), device="metal")

    with pytest.raises(UnsupportedError, match="tensorflow-metal has no XLA"):
        loaded("tensorflow").prepare(cell)


def test_the_setting_says_what_is_in_effect():
    setting = loaded("numpy").configure(chosen("numpy", "matmul", "fp16"))

    assert (setting.compiler, setting.precision) == ("none", "fp16")
    assert setting.math["blas"]
    assert "numpy" in setting.packages


def test_a_matrix_larger_than_any_memory_is_out_of_memory():
    beyond = ("matmul", "--size", "20000000", "--tier", "smoke")

    outcome = run(program("numpy"), *beyond)

    assert (outcome.status, outcome.ends[0].status) == (1, "oom")
    assert measured("torch", "matmul", size=20_000_000).status == "oom"


def test_a_precision_without_types_is_unsupported():
    outcome = run(
        program("numpy"),
        *("matmul", "--size", "8", "--tier", "smoke", "--precision", "bf16"),
    )

    assert (outcome.status, outcome.ends[0].status) == (1, "unsupported")
    assert outcome.ends[0].reason == "NumPy has no bf16 on cpu"
    assert outcome.runs[0].precision == "bf16"


def test_what_was_asked_for_is_recorded():
    outcome = run(
        program("numpy"),
        *("matmul", "--size", "8", "--size", "16", "--tier", "smoke"),
        *("--replicates", "3", "--replicate", "2", "--seed", "40"),
        *("--campaign", "spring", "--steps-per-block", "1", "--progress"),
    )

    assert {line.parameters["size"] for line in outcome.runs} == {8, 16}
    assert {(line.replicate, line.replicates) for line in outcome.runs} == {(2, 3)}
    assert {(line.seed, line.campaign) for line in outcome.runs} == {(42, "spring")}
    assert "matmul 8 on cpu in fp32, 3/3: warmup" in outcome.errors


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("alexnet",),
        ("matmul", "--size", "0"),
        ("matmul", "--batch-size", "4"),
        ("matmul", "--replicate", "3"),
        ("matmul", "--device", "tpu"),
        ("matmul", "--suite", "standard"),
        ("matmul", "--setting", "other"),
        ("matmul", "--compiler", "xla"),
        ("matmul", "--set", "depth=3"),
        ("matmul", "--set", "size"),
        ("matmul", "--data", "nowhere/at/all"),
        ("--suite", "pytorch-in-m1"),
    ],
)
def test_wrong_use_is_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:  # as argparse ends
        sys.exit(main(Numpy(), arguments))

    assert ended.value.code == 2
    assert capsys.readouterr().out == ""
