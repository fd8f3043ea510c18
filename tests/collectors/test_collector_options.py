"""The options of a collector alone: what fits none of its workloads is refused."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.collector_programs import COLLECTORS, command, run

TORCH = COLLECTORS / "with_torch.py"  # its cells are listed without PyTorch
MEMORY = ("--memory-format", "channels_last")
OPTIMISER = ("--optimizer-implementation", "fused")


def asked(program: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(program, *arguments), capture_output=True, text=True, check=False
    )


def listed(*arguments: str) -> list[dict[str, Any]]:
    done = asked(TORCH, *arguments, "--tier", "smoke", "--list-cells")
    assert done.returncode == 0, done.stderr
    cells: list[dict[str, Any]] = json.loads(done.stdout)["cells"]
    return cells


@pytest.mark.parametrize(
    ("arguments", "choice"),
    [
        (("lstm", *MEMORY), "memory_format"),
        (("lstm", "matmul", "--memory-format", "contiguous"), "memory_format"),
        (("--suite", "m1-vs-v100", "--size", "8"), "size"),
        (("matmul", "--size", "8", *OPTIMISER), "optimizer_implementation"),
        (("conv", *OPTIMISER), "optimizer_implementation"),
        (("lstm", "--size", "8"), "size"),
    ],
)
def test_a_choice_that_none_of_the_workloads_has_is_refused(arguments, choice):
    done = asked(TORCH, *arguments, "--list-cells")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        f"with_torch: error: none of these workloads has a choice of {choice}"
    )


def test_a_choice_is_left_out_of_the_cells_that_it_does_not_fit():
    cells = listed("lstm", "conv", "mnist-cnn", *MEMORY, *OPTIMISER)

    chosen = {cell["workload"]: cell["parameters"] for cell in cells}
    orders = {cell["workload"]: cell["arguments"] for cell in cells}
    assert "memory_format" not in chosen["lstm"]
    assert "optimizer_implementation" not in chosen["conv"]
    assert chosen["lstm"]["optimizer_implementation"] == "fused"
    assert chosen["conv"]["memory_format"] == "channels_last"
    assert chosen["mnist-cnn"].items() >= {
        ("memory_format", "channels_last"),
        ("optimizer_implementation", "fused"),
    }
    assert "--memory-format" not in orders["lstm"]
    assert "--optimizer-implementation" not in orders["conv"]


def test_a_choice_reaches_the_members_of_a_suite_that_have_it():
    cells = listed("--suite", "tf-metal-experiments", "--device", "cuda", *MEMORY)

    having = {c["workload"] for c in cells if "memory_format" in c["parameters"]}
    assert having == {"resnet50", "mobilenetv2", "conv"}
    assert {cell["workload"] for cell in cells} > having


def test_an_image_without_pixels_is_refused_before_anything_runs():
    done = asked(TORCH, "mobilenetv2-cifar10", "--set", "image_size=0")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "with_torch: image_size of mobilenetv2-cifar10 must be at least 1\n"
    )


@pytest.mark.parametrize("arguments", [("matmul",), ("--describe",)], ids=" ".join)
def test_collectors_copied_without_their_catalogues_say_what_they_lack(
    tmp_path, arguments
):
    copy = tmp_path / "collectors"
    shutil.copytree(COLLECTORS, copy, ignore=shutil.ignore_patterns("catalogue"))

    done = asked(copy / "with_numpy.py", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "with_numpy: cannot read catalogue/suites.json (No such file or directory): "
        "copy the folder of the collectors whole\n"
    )


def test_a_copy_of_the_folder_alone_measures(tmp_path):
    shutil.copytree(COLLECTORS, tmp_path / "anywhere")
    small = ("--size", "8", "--tier", "smoke", "--replicates", "1")

    outcome = run(tmp_path / "anywhere" / "with_numpy.py", "matmul", *small)

    (end,) = outcome.ends
    assert (outcome.status, end.status, outcome.errors) == (0, "ok", "")
    assert end.checks["gates"]["result_error"]["status"] == "passed"


@pytest.mark.parametrize("celsius", ["nan", "inf", "warm"])
def test_a_temperature_to_cool_down_to_is_a_finite_number(celsius):
    done = asked(TORCH, "lstm", "--start-temperature", celsius, "--list-cells")

    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{celsius}' is no temperature in degrees Celsius" in done.stderr
