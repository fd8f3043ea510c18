"""Networks measured by the worker of a collector in this process.

What a program does around its worker is tried on a few networks; here the framework
is imported once for all the others, and they see as little as their weights allow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from harness.cells import Assignment, Cell, Choices, cells_of
from harness.framework import Framework
from harness.timing import TIERS
from harness.worker import run_worker

from tests.collectors.smoke_runs import check_gates

# A normalisation over one value fails.
_BATCHES = {"resnet9": 2, "mobilenetv2-cifar10": 2}
# Enough of each phase to see that it is there: steps of large networks take long.
SHORT = replace(TIERS["smoke"], warmup_steps=1, blocks=2, single_steps=1)
_CHOSEN = {"mobilenetv2-cifar10": {"trainable": "all"}}


@dataclass(frozen=True)
class Trained:
    """All that the worker said."""

    lines: list[dict[str, Any]]

    def only(self, kind: str) -> dict[str, Any]:
        (line,) = (line for line in self.lines if line["type"] == kind)
        return line

    @property
    def status(self) -> str:
        return str(self.only("result")["status"])

    @property
    def checks(self) -> dict[str, Any]:
        return dict(self.only("result")["checks"])

    @property
    def values(self) -> dict[str, float]:
        """The figures; what none could be had of is not there."""
        lines = (line for line in self.lines if line["type"] == "value")
        return {line["metric"]: line["value"] for line in lines if "value" in line}

    def times(self, phase: str) -> list[float]:
        series = (line for line in self.lines if line["type"] == "samples")
        return [
            value
            for line in series
            if line["phase"] == phase
            for value in line["values"]
        ]


def cell_of(framework: Framework, workload: str, smaller: dict[str, Any]) -> Cell:
    """Return the smoke cell of *workload* with a small batch, and *smaller* inputs."""
    axes = {"batch_size": (_BATCHES.get(workload, 1),)}
    choices = Choices("cpu", "smoke", axes=axes)
    cells: Iterator[Cell] = cells_of(
        workload, choices, framework.name, framework.compilers
    )
    cell = next(cells)
    changes = _CHOSEN.get(workload, {}) | smaller
    return replace(cell, parameters=cell.parameters | changes)


def train(framework: Framework, cell: Cell, *, seed: bool = True) -> Trained:
    """Let the worker do what it does after its program has started it."""
    groups: list[dict[str, Any]] = []
    run = {
        "type": "run",
        "key": "run-0",
        "replicate": 0,
        "replicates": 1,
        "precision": cell.precision,
        "parameters": cell.parameters,
    }
    order = Assignment(cell, run, {"type": "environment"}, 0, seed_protocol=seed)
    run_worker(framework, order, groups.append)
    return Trained(groups)


def check_training(framework: Framework, cell: Cell, *, seed: bool = True) -> None:
    """Fail unless the network is trained, stands every test and has every phase.

    Without *seed* it is not trained as its source did.
    """
    with patch.dict(TIERS, {cell.tier: SHORT}):
        trained = train(framework, cell, seed=seed)
    result = trained.only("result")
    assert (result["status"], result["reason"]) == ("ok", None)
    check_gates(cell.parameter_count, result["checks"])
    assert len(trained.times("seed")) == int(seed)
    assert len(trained.times("warmup")) >= SHORT.warmup_steps
    assert len(trained.times("measure")) == SHORT.blocks
    assert len(trained.times("step")) == SHORT.single_steps
