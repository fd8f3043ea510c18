"""Catalogues, choices and cells: from what was asked for to what a process measures."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import language

CATALOGUE = Path(__file__).resolve().parents[1] / "catalogue"
STANDARD = "standard"
_UNTRAINED = ("operation", "inference")
PLAIN_WEIGHTS = ("fp32", "bf16", "fp16")
Axis = tuple[Any, ...]


class ChoiceError(Exception):
    """Something was asked for that the catalogue does not have, or there is none."""


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as refused:
        raise ChoiceError(
            f"cannot read {path.parent.name}/{path.name} ({refused.strerror}): "
            f"copy the folder of the collectors whole"
        ) from refused
    return content


workloads = partial(_read, CATALOGUE / "workloads.json")  # by name
suites = partial(_read, CATALOGUE / "suites.json")  # by name, with their entries


def settings(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the settings of a workload, its own first."""
    return (facts.get("setting", STANDARD), *facts.get("settings", ()))


def in_setting(facts: Mapping[str, Any], setting: str) -> dict[str, Any]:
    """Return the facts of a workload as they are in one of its settings.

    A setting says only what it does otherwise; its protocol and grid are its own.
    """
    own = {name: fact for name, fact in facts.items() if name != "settings"}
    if setting == settings(facts)[0]:
        return own
    for name in ("grid", "smoke", "seed_protocol"):
        own.pop(name, None)
    other: dict[str, Any] = facts["settings"][setting]
    return own | other


@dataclass(frozen=True)
class SeedPlan:
    """What the source of a workload did, or as much of it as we can afford.

    *name* is the source, *version* counts how it has been done again; one that differs
    differs in figures. *kind* is ``fit`` (epochs of so many steps after warm-up epochs,
    where *samples* are stated the last batch smaller), ``epoch`` (one pass over
    *samples*, loading included) or ``trials`` (the mean of single operations on fresh
    operands). *data_path* is where batches come from (``training_data.source_arrays``).
    Every so many steps the source *looks*: another forward pass, its loss read.
    """

    kind: str
    warmup_epochs: int = 0
    epochs: int = 1
    steps_per_epoch: int = 0
    samples: int = 0
    validation_samples: int = 0
    looks_every: int = 0
    loader_processes: int = 0
    trials: int = 0
    name: str = ""
    version: int = 1
    data_path: str = ""
    scaled: bool = False

    @property
    def steps(self) -> int:
        """Return all the steps, those of the warm-up included."""
        return (self.warmup_epochs + self.epochs) * self.steps_per_epoch

    def looks(self, step: int) -> bool:
        """Tell whether the source looks at its network after a *step*, from 1."""
        every = self.looks_every
        return every > 0 and (step == 1 or step % every == 0)

    def samples_of(self, steps: int, batch_size: int) -> int:
        """Return the samples of an epoch that took so many *steps*."""
        whole = math.ceil(self.samples / batch_size) == steps
        return self.samples if whole else steps * batch_size


@dataclass(frozen=True)
class Cell:
    """One workload with every choice made: what one process measures.

    *precision* is what was asked for; what is in effect, the framework says.
    *flops_per_sample* counts multiply-adds as two, forward and backward.
    """

    workload: str
    version: int
    kind: str
    setting: str
    device: str
    precision: str
    compiler: str
    tier: str
    seed: int
    parameters: dict[str, Any]
    axes: tuple[str, ...] = ()  # the parameters that tell cells of a sweep apart
    parameter_count: int | None = None
    flops_per_sample: int | None = None
    seed_plan: SeedPlan | None = None
    data: str | None = None  # the real images it can be fed with
    data_folder: str | None = field(default=None, repr=False)

    @property
    def batch_size(self) -> int:
        """Return the samples of one step."""
        return int(self.parameters["batch_size"])

    @property
    def size(self) -> int:
        """Return M of M x M matrices."""
        return int(self.parameters["size"])

    @property
    def samples_per_step(self) -> int:
        """Return the samples of one step; those of a language model are tokens."""
        if self.counts_tokens:
            return language.tokens_per_step(self.workload, self.parameters)
        return self.batch_size

    @property
    def counts_tokens(self) -> bool:
        """Return whether its rate is one of tokens."""
        return self.workload in language.WORKLOADS

    @property
    def operation(self) -> bool:
        """Return whether it is a single operation."""
        return self.kind == "operation"

    @property
    def trains(self) -> bool:
        """Return whether a model is trained."""
        return self.kind not in _UNTRAINED

    @property
    def lasting(self) -> bool:
        """Return whether people do it for minutes: networks, models, products."""
        return not self.operation or self.workload == "matmul"

    def offers(self, option: str) -> bool:
        """Return whether it has a choice of an *option* of its framework."""
        return offers(option, self.workload, self.kind)

    @property
    def point(self) -> dict[str, Any]:
        """Return its place in a sweep; no depth is 0."""
        return {name: self.parameters.get(name, 0) for name in self.axes}

    @property
    def title(self) -> str:
        """Return the cell in words, with what tells it from the rest of a sweep."""
        what = " ".join([self.workload, *map(str, self.point.values())])
        return f"{what} on {self.device} in {self.precision}"

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Cell":
        """Return the cell that ``dataclasses.asdict`` took apart."""
        plan = content["seed_plan"] and SeedPlan(**content["seed_plan"])
        return cls(**content | {"seed_plan": plan, "axes": tuple(content["axes"])})


def offers(option: str, workload: str, kind: str) -> bool:
    """Return whether a workload has a choice of an *option* of its framework.

    Only images lie in an order of their own, and an operation has no optimiser.
    """
    if option == "memory_format":
        return kind == "cnn" or workload == "conv"
    return option != "optimizer_implementation" or kind not in _UNTRAINED


def operations_per_step(cell: Cell) -> int | None:
    """Return the floating-point operations of one step; a multiply-add is two."""
    facts = cell.parameters
    match cell.workload:
        case "matmul":
            return 2 * cell.size**3
        case "elementwise" | "bandwidth" as name:
            return (1 if name == "elementwise" else 2) * cell.size**2
        case "conv":
            side = facts["image_size"] - facts["kernel_size"] + 1
            per_output = 2 * facts["kernel_size"] ** 2 * facts["channels"]
            return int(cell.batch_size * side**2 * facts["channels"] * per_output)
    if cell.counts_tokens:
        return language.operations_per_step(cell.workload, facts)
    known = cell.flops_per_sample
    return None if known is None else cell.batch_size * known


@dataclass(frozen=True)
class Choices:
    """What the user asked for, beside the names of workloads.

    *axes* are values instead of the catalogue's: ``{"batch_size": (32, 64)}``;
    *parameters* are options of the framework, left out of cells without a choice.
    """

    device: str
    tier: str
    precisions: tuple[str, ...] = ()  # () is the workload's usual one
    compiler: str | None = None
    setting: str | None = None
    axes: Mapping[str, Axis] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    steps_per_epoch: int | None = None
    data_folder: str | None = None


def of_suite(name: str, framework: str, choices: Choices) -> list[tuple[str, Choices]]:
    """Return the workloads of a suite that are for this device, with their choices.

    What the user chose goes before what the source did.
    """
    if name not in suites():
        raise ChoiceError(f"no suite {name!r}; there are {', '.join(suites())}")
    members = []
    for entry in suites()[name]["entries"]:
        if choices.device not in entry.get("devices", (choices.device,)):
            continue
        facts, setting = workloads()[entry["workload"]], entry.get("setting")
        own = settable(facts, setting)
        grid = {} if choices.tier == "smoke" else entry.get("grid", {})
        chosen = {axis: points for axis, points in choices.axes.items() if axis in own}
        steps = choices.steps_per_epoch or entry.get("steps_per_epoch")
        wanted = replace(
            choices,
            setting=choices.setting or setting,
            axes={axis: tuple(points) for axis, points in grid.items()} | chosen,
            compiler=choices.compiler or entry.get("compiler", {}).get(framework),
            steps_per_epoch=steps,
        )
        members.append((entry["workload"], wanted))
    return members


def settable(facts: Mapping[str, Any], setting: str | None) -> tuple[str, ...]:
    """Return the parameters that may be chosen: batch, axes of its sweep, *choices*.

    All others belong to the workload: with another value it would be another one.
    """
    own = in_setting(facts, setting or settings(facts)[0])
    grid = own.get("grid", {})
    extent = "size" if "size" in {**own["parameters"], **grid} else "batch_size"
    return tuple(dict.fromkeys([extent, *grid, *own.get("choices", {})]))


def cells_of(
    name: str, choices: Choices, framework: str, compilers: tuple[str, ...]
) -> Iterator[Cell]:
    """Yield the cells of one workload: a sweep has one for each point of its grid."""
    facts = workloads()[name]
    setting = choices.setting or settings(facts)[0]
    if setting not in settings(facts):
        known = ", ".join(settings(facts))
        raise ChoiceError(f"{name} has no setting {setting!r}; it has {known}")
    compiler = choices.compiler or compilers[0]
    if compiler not in compilers:
        raise ChoiceError(
            f"{framework} has no compiler {compiler!r}; it has {', '.join(compilers)}"
        )
    own = in_setting(facts, setting)
    axes = _axes_of(name, own, choices, settable(facts, setting))
    kind, flops = own["kind"], own["train_flops_per_sample"]
    options = {
        option: value
        for option, value in choices.parameters.items()
        if offers(option, name, kind)
    }
    plan = own.get("seed_protocol")
    if plan and choices.steps_per_epoch and plan["kind"] == "fit":
        plan = plan | {"steps_per_epoch": choices.steps_per_epoch}
    points = [dict(zip(axes, point, strict=True)) for point in product(*axes.values())]
    usual = choices.precisions or (own.get("precision", "fp32"),)
    for precision, point in product(usual, points):
        parameters = {**own["parameters"], **point, **options}
        if "quantization" in parameters:
            parameters["quantization"] = _weights(parameters["quantization"], precision)
        if parameters.get("depth") == 0:  # as everybody leaves it out
            del parameters["depth"]
        counted = name in language.WORKLOADS
        yield Cell(
            workload=name,
            version=own["version"],
            kind=kind,
            setting=setting,
            device=choices.device,
            precision=precision,
            compiler=compiler,
            tier=choices.tier,
            seed=0,
            parameters=parameters,
            axes=tuple(axes),
            parameter_count=language.parameter_count(name, parameters)
            if counted
            else own["parameter_count"].get(framework),
            flops_per_sample=_flops(flops, framework, parameters),
            seed_plan=SeedPlan(**plan) if plan else None,
            data=own.get("data"),
            data_folder=choices.data_folder if own.get("data") else None,
        )


def _axes_of(
    name: str, own: Mapping[str, Any], choices: Choices, offered: tuple[str, ...]
) -> dict[str, Axis]:
    """Return the values of each axis: the user's, those of smoke, the catalogue's.

    Of the user's any number is a point where the catalogue has numbers; of words there
    are no others. Raise ChoiceError for what is no point, or no axis *offered*.
    """
    axes = {axis: tuple(points) for axis, points in own.get("grid", {}).items()}
    for axis, values in choices.axes.items():
        if axis not in offered:
            has = ", ".join(offered)
            raise ChoiceError(f"{name} has no choice of {axis}; it has {has}")
        known = own.get("choices", {}).get(axis) or axes.get(axis, (0,))
        for value in values:
            if not all(isinstance(point, int) for point in known):
                if value not in known:
                    has = ", ".join(map(str, known))
                    raise ChoiceError(f"{name} has no {axis} {value!r}; it has {has}")
            elif not isinstance(value, int):
                raise ChoiceError(f"{axis} of {name} is a whole number, not {value!r}")
            elif value < 1 and value not in known:
                raise ChoiceError(f"{axis} of {name} must be at least 1")
    if choices.tier == "smoke":
        for axis, points in own.get("smoke", {}).items():
            axes[axis] = tuple(points) if isinstance(points, list) else (points,)
    return axes | dict(choices.axes)


def _weights(asked: str, precision: str) -> str:
    """Return how weights are stored: as the precision says, unless in fewer bits."""
    if asked in ("none", precision):
        return precision
    if asked in PLAIN_WEIGHTS:
        raise ChoiceError(f"weights of {asked} are those of --precision {asked}")
    return asked


def _flops(given: Any, framework: str, parameters: Mapping[str, Any]) -> int | None:
    """Return the operations per sample; of a sweep, those of this point."""
    if isinstance(given, dict):
        return given.get(framework)
    for case in given:
        point = {name: value for name, value in case.items() if name != "flops"}
        if point.items() <= parameters.items():
            return int(case["flops"][framework])
    return None


@dataclass(frozen=True)
class Assignment:
    """One cell, the lines begun for it, and when its process was started."""

    cell: Cell
    run: dict[str, Any]
    environment: dict[str, Any]
    # time.monotonic_ns of the supervisor just before it started us: one clock for all
    # processes of a machine, finer than the 10 ms of /proc/self/stat.
    started_ns: int
    chip: str | None = None
    gpu_cores: int | None = None
    highest_clocks: dict[str, float] = field(default_factory=dict)  # MHz by card
    steps_per_block: int | None = None
    seed_protocol: bool = True
    time_limit: float = 3600.0  # seconds after which the worker hangs
    progress: bool = False
    # By the monotonic clock: blocks go on until then, as far as the tier allows.
    blocks_until: float | None = None
    term_seconds: int | None = None  # as it was asked for, from the start on
    metered: bool = True  # whether anything sees what is drawn at rest

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Assignment":
        """Return the assignment that ``dataclasses.asdict`` took apart."""
        return cls(**content | {"cell": Cell.from_json(content["cell"])})
