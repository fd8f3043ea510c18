"""The shortest runs of the real collectors; several tests look at the same one."""

import json
import subprocess
from functools import cache
from pathlib import Path

from tests.collector_programs import COLLECTORS, Outcome, command, run

FRAMEWORKS = ("torch", "tensorflow", "numpy")


def program(framework: str) -> Path:
    return COLLECTORS / f"with_{framework}.py"


@cache
def smoke(framework: str, workload: str) -> Outcome:
    """The outcome of one workload; several tests look at the same one."""
    small = {
        "matmul": ("--size", "96"),
        "elementwise": ("--size", "100"),
        "bandwidth": ("--size", "256"),
        "mobilenetv2-cifar10": ("--batch-size", "2", "--set", "trainable=all"),
        "resnet9": ("--batch-size", "2"),  # a normalisation over one value fails
    }.get(workload, ("--batch-size", "1"))
    # On a busy machine, threads that wait for each other take most of the time.
    one = {"OMP_NUM_THREADS": "1"}
    return run(program(framework), workload, "--tier", "smoke", *small, extra=one)


@cache
def description(framework: str) -> dict[str, object]:
    shown = subprocess.run(
        command(program(framework), "--describe"),
        capture_output=True,
        text=True,
        check=True,
    )
    described: dict[str, object] = json.loads(shown.stdout)
    return described
