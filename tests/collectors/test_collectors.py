"""The real collectors, with real frameworks on the CPU, in their shortest form."""

import json
import subprocess
import sys
from typing import Any

import pytest
from harness.cells import workloads

from benchdb.exchange import messages
from tests.collector_programs import COLLECTORS, run
from tests.collectors import torch_cells
from tests.collectors.dataset_files import mnist, write
from tests.collectors.smoke_runs import (
    FRAMEWORKS,
    HOME,
    check_gates,
    description,
    program,
    smoke,
)
from tests.collectors.trained_here import train

TRAINING = ("torch", "tensorflow")
MULTIPLYING = ("numpy", "mlx")
BF16: dict[str, Any] = {"precision": "bf16", "batch_size": 2}


@pytest.mark.parametrize("framework", TRAINING)
def test_a_network_trains_passes_every_gate_and_has_every_phase(framework):
    outcome = smoke(framework)

    (end,) = outcome.ends
    assert (outcome.status, end.reason) == (0, None)
    check_gates(workloads()["lstm"]["parameter_count"][framework], end.checks)
    assert len(outcome.times("seed")) == 1
    assert len(outcome.times("warmup")) >= 3
    assert len(outcome.times("measure")) == 5
    assert len(outcome.times("step")) == 3


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_run_tells_what_was_in_effect(framework):
    outcome = smoke(framework)

    run_line, environment = outcome.runs[0], outcome.environments[0]
    compilers = {
        "torch": "eager",
        "tensorflow": "graph",
        "numpy": "none",
        "mlx": "eager",
    }
    assert run_line.precision == "fp32"
    assert run_line.compiler == compilers[framework]
    assert run_line.parameters["data"] == "synthetic"
    assert run_line.device_name
    assert run_line.collector is not None
    assert run_line.collector.name == f"with_{framework}"
    assert environment.framework == framework
    assert environment.framework_version
    assert "numpy" in environment.packages
    assert environment.math


@pytest.mark.parametrize("framework", MULTIPLYING)
def test_a_product_is_right_and_its_operations_are_counted(framework):
    outcome = smoke(framework)

    step = outcome.value("step_seconds")
    assert outcome.status == 0
    assert outcome.ends[0].checks["operations_per_step"] == 2 * 96**3
    assert step is not None
    assert outcome.value("teraflops") == 2 * 96**3 / step / 1e12
    assert outcome.value("samples_per_second") == 1 / step


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_tf32_is_off_where_fp32_was_asked_for(framework):
    math = smoke(framework).environments[0].math

    assert not any(on for mode, on in math.items() if "tf32" in mode)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_file_begins_with_header_and_machine(framework):
    first, second, *_ = smoke(framework).file

    assert isinstance(first, messages.Header)
    assert first.format == messages.FORMAT_VERSION
    assert isinstance(second, messages.Machine)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_metric_is_in_the_catalogue(framework):
    metrics = json.loads((COLLECTORS.parent / "schema/metrics.json").read_text("utf-8"))

    values = smoke(framework).ends[0].values

    assert {value.metric for value in values} <= set(metrics)
    assert all(value.value is not None or value.reason for value in values)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_peak_memory_is_of_the_worker_and_plausible(framework):
    peak = smoke(framework).value("peak_resident_bytes")

    assert peak is not None
    assert 10 * 2**20 < peak < 8 * 2**30


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_describes_what_it_can_do_here(framework):
    items = description(framework)

    assert items["available"]
    about = ("type", "format", "name", "framework")
    assert [items[name] for name in about] == [
        *("collector", 1, f"with_{framework}", framework)
    ]
    assert set(items["workloads"]) <= set(workloads())  # type: ignore[call-overload]
    assert items["devices"]["cpu"]["available"]  # type: ignore[index]
    devices = items["devices"].values()  # type: ignore[attr-defined]
    assert all(device["available"] or device["why"] for device in devices)
    assert "fp32" in items["precisions"]["cpu"]  # type: ignore[index]


@pytest.mark.parametrize("framework", ["torch", "numpy", "mlx"])
def test_a_device_that_is_not_there_is_told_in_one_line(framework):
    absent = next(
        name
        for name, device in description(framework)["devices"].items()  # type: ignore[attr-defined]
        if not device["available"]
    )
    outcome = run(program(framework), "matmul", "--device", absent)

    assert outcome.status == 2
    assert outcome.file == []
    assert outcome.errors.startswith(f"with_{framework}: no ")
    assert outcome.errors.count("\n") == 1


def bare(framework: str, argument: str) -> "subprocess.CompletedProcess[str]":
    """Run with the standard library alone, as where nothing is installed."""
    asked = [sys.executable, "-S", str(program(framework)), argument]
    return subprocess.run(asked, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_missing_framework_is_told_with_its_remedy(framework):
    asked = bare(framework, "matmul")
    process = bare(framework, "--describe")

    assert asked.returncode == 2
    assert asked.stdout == ""
    assert "install with: pip install" in asked.stderr
    assert asked.stderr.count("\n") == 1
    assert process.returncode == 0
    assert json.loads(process.stdout)["available"] is False


def test_mixed_precision_trains_and_is_recorded():
    trained = train(torch_cells.framework("mnist"), torch_cells.cell("mnist", **BF16))

    assert trained.status == "ok"
    assert trained.only("environment")["math"]["autocast"] == "bf16"


def test_tensorflow_is_quiet_and_keras_does_not_write_into_the_home_folder():
    assert smoke("tensorflow").errors == ""
    assert not (HOME / ".keras").exists()


def test_the_same_seed_gives_the_same_losses():
    cell = torch_cells.cell("lstm", batch_size=1)
    again = train(torch_cells.framework("lstm"), cell)

    first = smoke("torch").ends[0].checks["loss_trace_sha256"]
    assert again.checks["loss_trace_sha256"] == first


def test_real_images_are_used_and_told_where_there_are_any(tmp_path):
    write(tmp_path, mnist())
    chosen = ("mnist", "--tier", "smoke", "--batch-size", "2", "--blocks-only")
    outcome = run(program("torch"), *chosen, "--data", str(tmp_path))

    assert (outcome.status, outcome.ends[0].reason) == (0, None)
    assert outcome.runs[0].parameters["data"] == "mnist"
    assert outcome.ends[0].checks["data"]["name"] == "mnist"
    assert len(outcome.ends[0].checks["data"]["sha256"]) == 64


def test_a_folder_without_images_is_one_clear_line(tmp_path):
    cell = torch_cells.cell("mnist", data_folder=str(tmp_path))
    result = train(torch_cells.framework("mnist"), cell).only("result")

    assert result["status"] == "failed"
    assert "train-images-idx3-ubyte" in result["reason"]
    assert "\n" not in result["reason"]
