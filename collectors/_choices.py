"""From what was asked for to the cells that are measured."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from _catalogue import in_setting, settings, suites, workloads
from _cell import Cell, SeedPlan, offers

Axis = tuple[Any, ...]


class ChoiceError(Exception):
    """Something was asked for that the catalogue does not have."""


@dataclass(frozen=True)
class Choices:
    """What the user asked for, beside the names of workloads.

    *axes* are values instead of the catalogue's: ``{"batch_size": (32, 64)}``;
    *parameters* are options of the framework, left out of cells without a choice.
    """

    device: str
    tier: str
    precisions: tuple[str, ...] = ("fp32",)
    compiler: str | None = None
    setting: str | None = None
    axes: Mapping[str, Axis] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    steps_per_epoch: int | None = None
    data_folder: str | None = None


@dataclass(frozen=True)
class Wanted:
    """A workload with the choices that hold for it."""

    workload: str
    choices: Choices


def of_suite(name: str, framework: str, choices: Choices) -> list[Wanted]:
    """Return the entries of a suite that are for this device.

    What the user chose goes before what the source did.
    """
    if name not in suites():
        raise ChoiceError(f"no suite {name!r}; there are {', '.join(suites())}")
    return [
        Wanted(entry["workload"], _for_entry(entry, framework, choices))
        for entry in suites()[name]["entries"]
        if choices.device in entry.get("devices", (choices.device,))
    ]


def _for_entry(entry: Mapping[str, Any], framework: str, choices: Choices) -> Choices:
    grid = {name: tuple(values) for name, values in entry.get("grid", {}).items()}
    if choices.tier == "smoke":
        grid = {}
    fitting = {
        name: values
        for name, values in choices.axes.items()
        if name in settable(workloads()[entry["workload"]], entry.get("setting"))
    }
    return replace(
        choices,
        setting=choices.setting or entry.get("setting"),
        axes=grid | fitting,
        compiler=choices.compiler or entry.get("compiler", {}).get(framework),
        steps_per_epoch=choices.steps_per_epoch or entry.get("steps_per_epoch"),
    )


def settable(facts: Mapping[str, Any], setting: str | None) -> tuple[str, ...]:
    """Return the parameters that may be chosen: the axes of its sweep, and the batch.

    All others belong to the workload: with another value it would be another one.
    """
    own = in_setting(facts, setting or settings(facts)[0])
    batch = ("batch_size",) if "size" not in {**own["parameters"], **_grid(own)} else ()
    size = ("size",) if not batch else ()
    return tuple(dict.fromkeys([*batch, *size, *_grid(own)]))


def cells_of(
    wanted: Wanted, framework: str, compilers: tuple[str, ...]
) -> Iterator[Cell]:
    """Yield the cells of one workload: a sweep has one for each point of its grid."""
    name, choices = wanted.workload, wanted.choices
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
    refused = [axis for axis in choices.axes if axis not in settable(facts, setting)]
    if refused:
        may = ", ".join(settable(facts, setting))
        raise ChoiceError(f"{name} has no choice of {refused[0]}; it has {may}")
    for axis, points in choices.axes.items():
        _require_points(name, axis, points, _listed(_grid(own).get(axis, 0)))
    axes = axes_of(own, choices)
    for precision in choices.precisions:
        for point in product(*axes.values()):
            values = dict(zip(axes, point, strict=True))
            yield _cell(
                name,
                own | {"setting": setting, "axes": tuple(axes)},
                framework,
                replace(choices, precisions=(precision,), compiler=compiler),
                values,
            )


def _require_points(name: str, axis: str, values: Axis, known: Axis) -> None:
    """Raise ChoiceError for what is no point of an axis whose *known* ones are these.

    Any number is one where they are numbers; of words there are no others.
    """
    for value in values:
        if all(isinstance(one, int) for one in known):
            if not isinstance(value, int):
                raise ChoiceError(f"{axis} of {name} is a whole number, not {value!r}")
            if value < 1 and value not in known:
                raise ChoiceError(f"{axis} of {name} must be at least 1")
        elif value not in known:
            has = ", ".join(map(str, known))
            raise ChoiceError(f"{name} has no {axis} {value!r}; it has {has}")


def axes_of(own: Mapping[str, Any], choices: Choices) -> dict[str, Axis]:
    """Return the values of each axis: the user's, those of smoke, the catalogue's."""
    axes = {name: tuple(values) for name, values in _grid(own).items()}
    if choices.tier == "smoke":
        smoke = own.get("smoke", {})
        axes |= {name: _listed(value) for name, value in smoke.items()}
    return axes | dict(choices.axes)


def _grid(own: Mapping[str, Any]) -> Mapping[str, Any]:
    grid: Mapping[str, Any] = own.get("grid", {})
    return grid


def _listed(value: Any) -> Axis:
    return tuple(value) if isinstance(value, list) else (value,)


def _cell(
    name: str,
    facts: Mapping[str, Any],
    framework: str,
    choices: Choices,
    values: Mapping[str, Any],
) -> Cell:
    fitting = {
        option: value
        for option, value in choices.parameters.items()
        if offers(option, name, facts["kind"])
    }
    parameters = {**facts["parameters"], **values, **fitting}
    plan = facts.get("seed_protocol")
    if plan and choices.steps_per_epoch and plan["kind"] == "fit":
        plan = plan | {"steps_per_epoch": choices.steps_per_epoch}
    return Cell(
        workload=name,
        version=facts["version"],
        kind=facts["kind"],
        setting=facts["setting"],
        device=choices.device,
        precision=choices.precisions[0],
        compiler=str(choices.compiler),
        tier=choices.tier,
        seed=0,
        parameters=parameters,
        axes=facts["axes"],
        parameter_count=facts["parameter_count"].get(framework),
        flops_per_sample=_flops(facts["train_flops_per_sample"], framework, parameters),
        seed_plan=SeedPlan(**plan) if plan else None,
        data=facts.get("data"),
        data_folder=choices.data_folder if facts.get("data") else None,
    )


def _flops(given: Any, framework: str, parameters: Mapping[str, Any]) -> int | None:
    """Return the operations per sample; of a sweep, those of this point."""
    if isinstance(given, dict):
        return given.get(framework)
    for case in given:
        point = {name: value for name, value in case.items() if name != "flops"}
        if point.items() <= parameters.items():
            return int(case["flops"][framework])
    return None
