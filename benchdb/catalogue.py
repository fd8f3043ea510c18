"""The catalogues: metrics; workloads and suites, as the collectors read them."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import msgspec

from benchdb.resources import folder

Direction = Literal["higher", "lower", "none"]
Facts = Mapping[str, Any]


class Metric(msgspec.Struct, frozen=True):
    """A kind of figure: its unit, and which direction is better."""

    name: str
    unit: str
    direction: Direction
    title: str


class Workload(msgspec.Struct, frozen=True):
    """A piece of work: model, data shapes, what is timed, where it comes from.

    *grid* has the values of each axis of a sweep, *smoke* those of a trial. *settings*
    are other ways of running it, each with what it does otherwise. Operations per
    sample are by framework, or for a sweep a list of its points; *work* are those of a
    single operation, in words.
    """

    name: str
    version: int
    title: str
    kind: str
    sample_unit: str
    model: str
    timed: str
    sources: tuple[str, ...]
    parameters: Facts
    parameter_count: Mapping[str, int]
    train_flops_per_sample: Mapping[str, int] | tuple[Facts, ...]
    work: str | None = None
    data: str | None = None
    setting: str = "standard"
    grid: Mapping[str, tuple[Any, ...]] = {}
    smoke: Facts = {}
    seed_protocol: Facts = {}
    settings: Mapping[str, Facts] = {}


class Entry(msgspec.Struct, frozen=True):
    """What a suite has of one workload; an empty field leaves it as it is."""

    workload: str
    setting: str | None = None
    grid: Mapping[str, tuple[Any, ...]] = {}
    devices: tuple[str, ...] = ()
    compiler: Mapping[str, str] = {}
    steps_per_epoch: int | None = None


class Suite(msgspec.Struct, frozen=True):
    """Workloads that belong together; with *source*, as that source ran them."""

    name: str
    title: str
    entries: tuple[Entry, ...]
    source: str | None = None


@cache
def metrics() -> dict[str, Metric]:
    """Return the metrics by name."""
    return {
        name: Metric(name=name, **facts)
        for name, facts in _read("schema", "metrics").items()
    }


@cache
def workloads() -> dict[str, Workload]:
    """Return the workloads by name."""
    entries = _read("collectors", "catalogue/workloads")
    return {name: _workload(name, facts) for name, facts in entries.items()}


@cache
def suites() -> dict[str, Suite]:
    """Return the suites by name."""
    entries = _read("collectors", "catalogue/suites")
    return {name: _suite(name, facts) for name, facts in entries.items()}


def _workload(name: str, facts: Facts) -> Workload:
    flops = facts["train_flops_per_sample"]
    fixed = {
        "name": name,
        "sources": tuple(facts["sources"]),
        "grid": _grid(facts),
        "train_flops_per_sample": tuple(flops) if isinstance(flops, list) else flops,
    }
    return Workload(**{**facts, **fixed})


def _suite(name: str, facts: Facts) -> Suite:
    entries = tuple(_entry(entry) for entry in facts["entries"])
    return Suite(**{**facts, "name": name, "entries": entries})


def _entry(facts: Facts) -> Entry:
    devices = tuple(facts.get("devices", ()))
    return Entry(**{**facts, "grid": _grid(facts), "devices": devices})


def _grid(facts: Facts) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(values) for name, values in facts.get("grid", {}).items()}


def _read(place: str, name: str) -> dict[str, Any]:
    path = folder(place) / f"{name}.json"
    catalogue: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return catalogue
