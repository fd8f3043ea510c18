"""Single operations, measured by the real collectors, and options used wrongly.

Products are measured by the programs in test_collectors, the rest by workers in here.
"""

import pytest

from tests.collector_programs import run
from tests.collectors.operations_here import measured
from tests.collectors.smoke_runs import FRAMEWORKS, program


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("workload", ["elementwise", "bandwidth"])
def test_bytes_are_counted_where_memory_is_the_bound(framework: str, workload: str):
    told = measured(framework, workload)

    moved = told.checks["bytes_per_step"]
    assert told.status == "ok"
    assert told.values["gigabytes_per_second"] == (
        moved / told.values["step_seconds"] / 1e9
    )
    assert told.checks["gates"]["result_error"]["status"] == "passed"


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_a_convolution_is_right(framework: str):
    told = measured(framework, "conv")

    assert told.checks["gates"]["result_error"]["status"] == "passed"
    assert told.values["teraflops"] > 0


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_a_source_timed_of_an_operation_is_there_too(framework: str):
    values = measured(framework, "elementwise").values

    assert 0 < values["operation_seconds"] <= values["operation_synced_seconds"]


def test_a_matrix_larger_than_any_memory_is_out_of_memory():
    beyond = ("matmul", "--size", "20000000", "--tier", "smoke")
    outcome = run(program("numpy"), *beyond)

    assert outcome.status == 1
    assert outcome.ends[0].status == "oom"


def test_nor_has_pytorch_memory_for_it():
    assert measured("torch", "matmul", size=20_000_000).status == "oom"


def test_a_precision_without_types_is_unsupported():
    outcome = run(
        program("numpy"),
        *("matmul", "--size", "8", "--tier", "smoke", "--precision", "bf16"),
    )

    assert outcome.status == 1
    assert outcome.ends[0].status == "unsupported"
    assert outcome.ends[0].reason == "NumPy has no bf16 on cpu"
    assert outcome.runs[0].precision == "bf16"


@pytest.mark.parametrize(
    ("framework", "precision"),
    [("numpy", "fp64"), ("torch", "bf16"), ("tensorflow", "fp16")],
)
def test_a_product_in_another_precision_is_within_its_tolerance(
    framework: str, precision: str
):
    told = measured(framework, "matmul", precision)

    assert told.status == "ok"
    assert told.only("run")["precision"] == precision
    assert told.checks["gates"]["result_error"]["status"] == "passed"


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
def test_wrong_use_is_status_2(arguments: tuple[str, ...]):
    outcome = run(program("numpy"), *arguments)

    assert outcome.status == 2
    assert outcome.file == []
    assert "Traceback" not in outcome.errors
