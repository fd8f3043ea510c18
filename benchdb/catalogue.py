"""The catalogues in ``schema/``, metrics and workloads, and the suites."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from benchdb.resources import folder

Direction = Literal["higher", "lower", "none"]


@dataclass(frozen=True)
class Metric:
    """A kind of figure: its unit, and which direction is better."""

    name: str
    unit: str
    direction: Direction
    title: str


@dataclass(frozen=True)
class Workload:
    """A piece of work: model, data shapes, what is timed, where it comes from."""

    name: str
    version: int
    title: str
    kind: str
    sample_unit: str
    model: str
    timed: str
    sources: tuple[str, ...]
    parameters: dict[str, Any]
    parameter_count: dict[str, int]
    train_flops_per_sample: dict[str, int]
    seed_protocol: dict[str, int]
    sizes: tuple[int, ...]
    collected: bool


SUITES: dict[str, tuple[str, ...]] = {
    "standard": ("lstm", "mnist", "resnet50", "mobilenetv2", "distilbert", "matmul"),
}


@cache
def metrics() -> dict[str, Metric]:
    """Return the metrics by name."""
    return {
        name: Metric(name=name, **facts) for name, facts in _read("metrics").items()
    }


@cache
def workloads() -> dict[str, Workload]:
    """Return the workloads by name."""
    return {name: _workload(name, facts) for name, facts in _read("workloads").items()}


def _workload(name: str, facts: dict[str, Any]) -> Workload:
    defaults: dict[str, Any] = {"seed_protocol": {}, "sizes": (), "collected": True}
    merged = {**defaults, **facts, "name": name}
    merged["sources"] = tuple(merged["sources"])
    merged["sizes"] = tuple(merged["sizes"])
    return Workload(**merged)


def _read(name: str) -> dict[str, Any]:
    path = folder("schema") / f"{name}.json"
    catalogue: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return catalogue
