"""The shortest runs of the real collectors; several tests look at the same one."""

import json
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import language
from harness.cells import workloads
from harness.recorder import GATES

from tests.collector_programs import COLLECTORS, Outcome, command, run

# BERT-Large takes minutes here; its parameters are counted elsewhere. Language models
# have tests of their own.
NETWORKS = [
    name
    for name, facts in workloads().items()
    if facts["kind"] != "operation" and name not in ("bert-large", *language.WORKLOADS)
]
# These are trained by the programs themselves, the others in test_networks_*.py.
PROGRAMS = {
    "torch": ("lstm",),
    "tensorflow": ("lstm",),
    "mlx": ("lstm",),
}
FRAMEWORKS = ("torch", "tensorflow", "numpy", "mlx")
# A home of their own: tests in this process import Keras by themselves.
_KEPT = TemporaryDirectory()
HOME = Path(_KEPT.name)


def program(framework: str) -> Path:
    return COLLECTORS / f"with_{framework}.py"


@cache
def smoke(framework: str, workload: str) -> Outcome:
    """The outcome of one workload; several tests look at the same one."""
    small = {
        "matmul": ("--size", "96"),
        "elementwise": ("--size", "100"),
        "bandwidth": ("--size", "256"),
    }.get(workload, ("--batch-size", "1"))
    # On a busy machine, threads that wait for each other take most of the time.
    own = {"OMP_NUM_THREADS": "1", "HOME": str(HOME)}
    return run(program(framework), workload, "--tier", "smoke", *small, extra=own)


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


def check_gates(framework: str, workload: str, checks: dict[str, Any]) -> None:
    """Fail unless a network stood every test that there is on a CPU."""
    gates = checks["gates"]
    count = workloads()[workload]["parameter_count"][framework]
    assert tuple(gates) == GATES
    assert gates["parameter_count"]["counted"] == count
    assert gates["device"]["found"] == ["cpu"]
    assert gates["loss"]["moving"]
    for name in ("parameter_count", "device", "dtype", "loss", "math_mode"):
        assert gates[name]["status"] == "passed", name
    assert len(checks["loss_trace_sha256"]) == 64


def check_training(framework: str, workload: str) -> None:
    """Fail unless the program trained the network, with samples of every phase."""
    outcome = smoke(framework, workload)
    end = outcome.ends[0]
    assert (outcome.status, end.reason) == (0, None)
    check_gates(framework, workload, end.checks)
    assert len(outcome.times("seed")) == 1
    assert len(outcome.times("warmup")) >= 3
    assert len(outcome.times("measure")) == 5
    assert len(outcome.times("step")) == 3
