"""The shortest runs of the real collectors; several tests look at the same one."""

import json
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness.recorder import GATES

from tests.collector_programs import COLLECTORS, Outcome, command, run

# What the program of each framework is tried on: those that train do. Other networks
# are trained in test_networks.py, operations in test_operations.py.
WORK = {
    "torch": ("lstm", "--batch-size", "1"),
    "tensorflow": ("lstm", "--batch-size", "1"),
    "numpy": ("matmul", "--size", "96"),
    "mlx": ("matmul", "--size", "96"),
}
FRAMEWORKS = tuple(WORK)
# A home of their own: tests in this process import Keras by themselves.
_KEPT = TemporaryDirectory()
HOME = Path(_KEPT.name)


def program(framework: str) -> Path:
    return COLLECTORS / f"with_{framework}.py"


@cache
def smoke(framework: str) -> Outcome:
    """The outcome of the program's work; several tests look at the same one."""
    own = {"HOME": str(HOME)}
    return run(program(framework), *WORK[framework], "--tier", "smoke", extra=own)


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


def check_gates(count: int | None, checks: dict[str, Any]) -> None:
    """Fail unless a network of *count* parameters stood every test that a CPU has."""
    gates = checks["gates"]
    assert tuple(gates) == GATES
    assert gates["parameter_count"]["counted"] == count
    assert gates["device"]["found"] == ["cpu"]
    assert gates["loss"]["moving"]
    for name in ("parameter_count", "device", "dtype", "loss", "math_mode"):
        assert gates[name]["status"] == "passed", name
    assert len(checks["loss_trace_sha256"]) == 64
