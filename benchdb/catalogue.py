"""The catalogues: metrics; workloads, suites and chips, as the collectors read them."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Literal, TypeVar

import msgspec

from benchdb.errors import UsageError, suggestion
from benchdb.own_catalogue import Direction, OwnWorkload, own, path
from benchdb.resources import folder

Confidence = Literal["high", "medium", "low"]
Kind = Literal["rnn", "mlp", "cnn", "transformer", "inference", "operation"]
Facts = Mapping[str, Any]
Entry = TypeVar("Entry")


class Metric(msgspec.Struct, frozen=True):
    """A kind of figure: its unit, and which direction is better.

    *short* is what a table calls it, *title* says what was measured. *counts* are what
    a rate or a time of it may count, where that is not left open.
    """

    name: str
    unit: str
    direction: Direction
    short: str
    title: str
    counts: tuple[str, ...] = ()


class Workload(msgspec.Struct, frozen=True):
    """A piece of work: model, data shapes, what is timed, where it comes from.

    *grid* has the values of each axis of a sweep, *smoke* those of a trial, *choices*
    the words that a parameter may be; *precision* is the usual one. *settings* are
    other ways of running it, each with what it does otherwise. Operations per sample
    are by framework, or for a sweep a list of its points; *work* are those of a single
    operation, in words.

    What only others have measured so far has no *sources* and no shapes of its own:
    *cell* names the parameters that make the work, every other one says how it was
    done. *headlines* are metrics that tell most of it.
    """

    name: str
    title: str
    kind: Kind
    sample_unit: str
    model: str
    timed: str
    version: int = 1
    sources: tuple[str, ...] = ()
    parameters: Facts = {}
    parameter_count: Mapping[str, int] = {}
    train_flops_per_sample: Mapping[str, int] | tuple[Facts, ...] = {}
    work: str | None = None
    data: str | None = None
    setting: str = "standard"
    grid: Mapping[str, tuple[Any, ...]] = {}
    smoke: Facts = {}
    choices: Mapping[str, tuple[Any, ...]] = {}
    precision: str = "fp32"
    seed_protocol: Facts = {}
    settings: Mapping[str, Facts] = {}
    cell: tuple[str, ...] = ()
    headlines: tuple[str, ...] = ()

    @property
    def trains(self) -> bool:
        """Tell whether the work is training a model."""
        return self.kind not in ("operation", "inference")


class SuiteEntry(msgspec.Struct, frozen=True):
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
    entries: tuple[SuiteEntry, ...]
    source: str | None = None


class Peak(msgspec.Struct, frozen=True):
    """The most that a chip computes in one math mode, without sparsity.

    *clock_mhz* is the clock that it is of, where that is not the chip's own.
    """

    flops_per_second: int | float  # as the catalogue writes it, so do findings
    basis: str
    confidence: Confidence
    clock_mhz: int | None = None


class Chip(msgspec.Struct, frozen=True):
    """A chip, or a variant of it; what is not known is ``None`` or left out.

    *cpu_levels* are the cores of each tier, fastest first. *peaks* go by math mode.
    *max_memory_gb* is the most that was sold with it.
    """

    vendor: str
    name: str
    kind: Literal["soc", "gpu"]
    confidence: Confidence
    cpu_cores: int | None = None
    cpu_levels: dict[str, int] = {}
    gpu_cores: int | None = None
    gpu_alus: int | None = None
    gpu_clock_mhz: int | None = None
    max_memory_gb: int | None = None
    memory_bandwidth_bytes_per_second: int | float | None = None
    peaks: dict[str, Peak] = {}


def _by_name(catalogue: str, kind: type[Entry]) -> dict[str, Entry]:
    facts = msgspec.json.decode(_content(catalogue), type=dict[str, dict[str, Any]])
    named = {name: {**own, "name": name} for name, own in facts.items()}
    return msgspec.convert(named, dict[str, kind])  # type: ignore[valid-type]


def _content(catalogue: str) -> bytes:
    place, _, name = catalogue.partition("/")
    return (folder(place) / f"{name}.json").read_bytes()


# Each by name.
shipped_metrics = cache(partial(_by_name, "schema/metrics", Metric))
collected = cache(partial(_by_name, "collectors/catalogue/workloads", Workload))
suites = cache(partial(_by_name, "collectors/catalogue/suites", Suite))


@cache
def shipped_workloads() -> Mapping[str, Workload]:
    """Return the work that benchdb has a name for, whoever uses it."""
    return {**collected(), **_by_name("schema/workloads", Workload)}


@cache
def workloads() -> Mapping[str, Workload]:
    """Return all work that has a name: what our collectors run, and that of others.

    An entry moves to the catalogue of the collectors once they can measure it.
    """
    shipped, known = shipped_workloads(), metrics()
    entries = {name: _own_workload(name, it) for name, it in own().workload.items()}
    for name, entry in entries.items():
        _require_new("workload", name, shipped)
        for metric in entry.headlines:
            if metric not in known:
                raise UsageError(
                    f"{path()}: workload {name!r}: no metric {metric!r}"
                    f"{suggestion(metric, known)}"
                )
    return {**shipped, **entries}


class _Metrics(dict[str, Metric]):
    """Metrics by name; one that a database has and nobody here knows has no unit."""

    def __missing__(self, name: str) -> Metric:
        words = name.replace("_", " ")
        return Metric(name, unit="1", direction="none", short=words, title=words)


@cache
def metrics() -> Mapping[str, Metric]:
    """Return all kinds of figures: those of benchdb, and the user's own."""
    shipped = shipped_metrics()
    for name in own().metric:
        _require_new("metric", name, shipped)
    entries = {
        name: Metric(name, it.unit, it.direction, it.short or it.title, it.title)
        for name, it in own().metric.items()
    }
    return _Metrics({**shipped, **entries})


def _own_workload(name: str, its: OwnWorkload) -> Workload:
    return Workload(
        name,
        title=its.title,
        kind="operation",
        sample_unit=its.unit,
        model=its.model,
        timed=its.timed,
        version=its.version,
        work=None if its.flops is None else f"{its.flops:,} FLOPs per {its.unit}",
        cell=its.cell,
        headlines=its.metrics,
    )


def _require_new(kind: str, name: str, shipped: Mapping[str, object]) -> None:
    if name in shipped:
        raise UsageError(
            f"{path()}: benchdb has a {kind} {name!r} itself; give yours another name"
        )


@cache
def chips() -> tuple[Chip, ...]:
    """Return the chips, in the order of the catalogue."""
    return msgspec.json.decode(
        _content("collectors/catalogue/chips"), type=tuple[Chip, ...]
    )


def find_chip(vendor: str, name: str, gpu_cores: int | None = None) -> Chip | None:
    """Return the chip that a machine names so; with its vendor's name or without.

    Where *gpu_cores* is not known it is the largest variant: a share of its peak is
    then too small, never too large. Its CPU cores may be another variant's.
    """
    bare = name.strip().removeprefix(f"{vendor} ").removesuffix(" (Virtual)")
    variants = [
        chip
        for chip in chips()
        if (chip.vendor, chip.name) == (vendor, bare)
        and gpu_cores in (None, chip.gpu_cores)
    ]
    sizes = [(chip.gpu_cores or 0, chip.cpu_cores or 0) for chip in variants]
    return variants[sizes.index(max(sizes))] if variants else None
