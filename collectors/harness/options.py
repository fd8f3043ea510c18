"""The options of a collector, and the cells they stand for."""

import importlib.util
import math
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.cells import (
    Cell,
    ChoiceError,
    Choices,
    cells_of,
    of_suite,
    offers,
    settable,
    settings,
    suites,
    workloads,
)
from harness.framework import (
    DEVICES,
    PRECISIONS,
    Device,
    Framework,
    UnavailableError,
    load_framework,
)
from harness.tiers import TIERS

_LARGEST = 2**32 - 1  # of seeds; nothing else is as large


def parse(program: str, framework: Framework, arguments: Sequence[str]) -> Namespace:
    """Return the options; a wrong use ends the program with status 2."""
    parser = ArgumentParser(
        prog=program,
        description=f"Measure standard workloads with {framework.title}. "
        "Writes an exchange file to standard output.",
    )
    _what(parser, framework)
    _how(parser, framework)
    _campaign(parser)
    options = parser.parse_args(arguments)
    if not options.describe:
        _check(parser, framework, options)
    return options


def _what(parser: ArgumentParser, framework: Framework) -> None:
    add = parser.add_argument
    add("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(framework.modules))
    add("--suite", choices=suites(), help="the workloads of a source, as it ran them")
    add("--setting", metavar="NAME", help="of a workload that has several")
    add("--device", choices=DEVICES, default="cpu", help="default: cpu")
    add(
        "--precision",
        choices=PRECISIONS,
        action="append",
        help="repeatable; default: fp32",
    )
    add(
        "--batch-size",
        type=_positive,
        action="append",
        metavar="N",
        help="instead of the catalogue's; repeatable",
    )
    add(
        "--size",
        type=_positive,
        action="append",
        metavar="M",
        help="of matrices; repeatable",
    )
    add(
        "--set",
        type=_assignment,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one point of another axis of a sweep, such as trainable=last",
    )
    add("--steps-per-epoch", type=_positive, metavar="N", help="of the source's epochs")
    add("--data", type=_folder, metavar="DIR", help="real MNIST and CIFAR-10 files")


def _how(parser: ArgumentParser, framework: Framework) -> None:
    add = parser.add_argument
    add("--tier", choices=TIERS, default="quick", help="default: quick")
    first = framework.compilers[0]
    add("--compiler", choices=framework.compilers, help=f"default: {first}")
    for name, values in framework.options.items():
        option = "--" + name.replace("_", "-")
        add(option, choices=values, help=f"default: {values[0]}")
    add(
        "--blocks-only",
        action="store_true",
        help="leave out what the source of a workload did",
    )
    add("--replicates", type=_positive, metavar="K", help="default: by the tier")
    add("--replicate", type=_natural, metavar="I", help="only number I, from 0, of K")
    add("--steps-per-block", type=_positive, metavar="N", help="skip calibration")
    add("--time-limit", type=_positive, metavar="S", help="of a process, in seconds")
    add(
        "--cool-down",
        type=_natural,
        metavar="S",
        help="wait at most so long for the GPU to cool",
    )
    add(
        "--start-temperature",
        type=_temperature,
        metavar="C",
        help="the GPU's when the campaign began",
    )
    add(
        "--powermetrics",
        action="store_true",
        help="measure energy on a Mac with sudo -n powermetrics",
    )


def _campaign(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--campaign", metavar="ID", help="recorded with each run")
    add("--seed", type=_natural, default=0, metavar="S", help="default: 0")
    add("--progress", action="store_true", help="say on standard error what runs")
    add("--describe", action="store_true", help="say what can be measured here")
    add("--list-cells", action="store_true", help="say what would be measured")


def _positive(text: str) -> int:
    number = _natural(text)
    if number == 0:
        raise ArgumentTypeError("must be at least 1")
    return number


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    # The first: Python does not even read numbers of thousands of digits.
    if len(text) > len(str(_LARGEST)) or int(text) > _LARGEST:
        raise ArgumentTypeError(f"{text[:20]} is too large; the largest is {_LARGEST}")
    return int(text)


def _temperature(text: str) -> float:
    try:
        celsius = float(text)
    except ValueError:
        celsius = math.nan
    if not math.isfinite(celsius):
        raise ArgumentTypeError(f"{text!r} is no temperature in degrees Celsius")
    return celsius


def _assignment(text: str) -> tuple[str, int | str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, _natural(value) if value.isdecimal() else value


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise ArgumentTypeError(f"{text!r} is not a folder")
    try:
        str(Path(text).resolve()).encode()
    except UnicodeEncodeError:
        why = "is no UTF-8, in which runs are planned; give the folder another name"
        raise ArgumentTypeError(f"{text!r} {why}") from None
    return Path(text)


def _check(parser: ArgumentParser, framework: Framework, options: Namespace) -> None:
    measured = framework.modules
    if bool(options.workloads) == bool(options.suite):
        parser.error(f"name workloads or a suite: {', '.join(measured)}")
    for name in options.workloads:
        if name not in measured:
            parser.error(f"no workload {name!r} here; there are {', '.join(measured)}")
    names = options.workloads or _members(options.suite)
    for choice in (*chosen_axes(options), *_chosen(framework.options, options)):
        if not any(_has_choice(name, choice, framework) for name in names):
            parser.error(f"none of these workloads has a choice of {choice}")
    replicates = options.replicates or TIERS[options.tier].processes
    if options.replicate is not None and options.replicate >= replicates:
        parser.error(
            f"--replicate counts from 0 and {replicates} are planned; "
            f"give --replicates as well"
        )


def _members(suite: str) -> list[str]:
    return [entry["workload"] for entry in suites()[suite]["entries"]]


def _has_choice(name: str, choice: str, framework: Framework) -> bool:
    if choice in framework.options:
        return offers(choice, name, workloads()[name]["kind"])
    return choice in _axes_of(name)


def _axes_of(name: str) -> set[str]:
    facts = workloads()[name]
    return {axis for setting in settings(facts) for axis in settable(facts, setting)}


def chosen_axes(options: Namespace) -> dict[str, tuple[Any, ...]]:
    """Return the values that the user gave for axes of sweeps."""
    axes: dict[str, tuple[Any, ...]] = {}
    if options.batch_size:
        axes["batch_size"] = tuple(options.batch_size)
    if options.size:
        axes["size"] = tuple(options.size)
    for name, value in options.set:
        axes[name] = (*axes.get(name, ()), value)
    return axes


def chosen_cells(framework: Framework, options: Namespace) -> list[Cell]:
    """Return what to measure.

    Raise UnavailableError where imports are not installed, ChoiceError where the
    catalogue has no such thing. Of a suite, what this framework lacks is left out.
    """
    choices = _choices(framework, options)
    if options.suite:
        members = of_suite(options.suite, framework.name, choices)
        wanted = [pair for pair in members if pair[0] in framework.modules]
    else:
        names = dict.fromkeys(options.workloads)
        wanted = [(name, _fitting(name, choices)) for name in names]
    cells: list[Cell] = []
    for name, chosen in wanted:
        if not options.list_cells:
            _installed(framework, name)
        cells += cells_of(name, chosen, framework.name, framework.compilers)
    if not cells:
        raise ChoiceError(f"{framework.title} has no workload of {options.suite}")
    return cells


def _choices(framework: Framework, options: Namespace) -> Choices:
    return Choices(
        device=options.device,
        tier=options.tier,
        precisions=tuple(dict.fromkeys(options.precision or ("fp32",))),
        compiler=options.compiler,
        setting=options.setting,
        axes=chosen_axes(options),
        parameters=_chosen(framework.options, options),
        steps_per_epoch=options.steps_per_epoch,
        data_folder=str(options.data.resolve()) if options.data else None,
    )


def _fitting(name: str, choices: Choices) -> Choices:
    """Return the choices without axes that only other workloads have."""
    mine = _axes_of(name)
    kept = {axis: values for axis, values in choices.axes.items() if axis in mine}
    return replace(choices, axes=kept)


def _chosen(
    offered: Mapping[str, tuple[str, ...]], options: Namespace
) -> dict[str, str]:
    given = {name: getattr(options, name) for name in offered}
    return {name: value for name, value in given.items() if value is not None}


def _installed(framework: Framework, workload: str) -> None:
    if lacking := missing_modules(framework.modules[workload]):
        raise UnavailableError(
            f"{workload} needs {' and '.join(lacking)}, which this Python "
            f"({sys.executable}) lacks; install with: {framework.install}"
        )


def missing_modules(modules: Sequence[str]) -> list[str]:
    """Return which modules are not installed, without importing any of them."""
    return [name for name in modules if importlib.util.find_spec(name) is None]


def describe(framework: Framework, program: str) -> dict[str, Any]:
    """Return framework, devices and precisions as found; never an error."""
    start = {
        "framework": framework.name,
        "collector": program,
        "compilers": list(framework.compilers),
        "options": {name: list(values) for name, values in framework.options.items()},
        "tiers": {name: {"processes": tier.processes} for name, tier in TIERS.items()},
    }
    lacking = {
        name: missing_modules(modules) for name, modules in framework.modules.items()
    }
    if all(lacking.values()):
        return start | _absent(framework, f"{framework.title} is not installed")
    try:
        version = load_framework(framework, None)
    except UnavailableError as broken:
        return start | _absent(framework, str(broken))
    devices = framework.devices()
    return start | {
        "available": True,
        "version": version,
        "devices": {name: _entry(device) for name, device in devices.items()},
        "workloads": [name for name, modules in lacking.items() if not modules],
        "missing": {name: modules for name, modules in lacking.items() if modules},
        "install": framework.install,
        "precisions": {
            name: list(framework.precisions(name))
            for name, device in devices.items()
            if device.available
        },
    }


def _entry(device: Device) -> dict[str, Any]:
    if device.available:
        return {"available": True, "name": device.name}
    return {"available": False, "why": device.why, "install": device.install}


def _absent(framework: Framework, why: str) -> dict[str, Any]:
    device = _entry(Device(why=why, install=framework.install))
    return {
        "available": False,
        "version": None,
        "why": why,
        "install": framework.install,
        "devices": dict.fromkeys(DEVICES, device),
        "workloads": [],
        "missing": {name: list(needed) for name, needed in framework.modules.items()},
        "precisions": {},
    }


def listed(
    framework: Framework, options: Namespace, cells: list[Cell]
) -> dict[str, Any]:
    """Return the cells that *options* stand for, each with the options of it alone."""
    tier = TIERS[options.tier]
    return {
        "framework": framework.name,
        "processes": options.replicates or tier.processes,
        # What the protocol takes at least: build, data and the source's come on top.
        "least_seconds": tier.idle_seconds + tier.warmup_seconds + tier.window_seconds,
        "process_limit": options.time_limit or tier.process_limit,
        "cells": [_listed(framework, options, cell) for cell in cells],
    }


def _listed(framework: Framework, options: Namespace, cell: Cell) -> dict[str, Any]:
    return {
        "workload": cell.workload,
        "setting": cell.setting,
        "device": cell.device,
        "precision": cell.precision,
        "compiler": cell.compiler,
        "parameters": cell.parameters,
        "axes": {name: cell.parameters[name] for name in cell.axes},
        "arguments": _arguments(framework, options, cell),
    }


def _arguments(framework: Framework, options: Namespace, cell: Cell) -> list[str]:
    """Return the command line, beside the tier, that measures this cell alone."""
    given = [cell.workload, "--setting", cell.setting, "--device", cell.device]
    given += ["--precision", cell.precision, "--compiler", cell.compiler]
    # What else a trial makes smaller comes with its tier, and is no choice.
    for name in settable(workloads()[cell.workload], cell.setting):
        if name in cell.axes:
            given += ["--set", f"{name}={cell.parameters[name]}"]
    for name in framework.options:
        if name in cell.parameters:
            given += ["--" + name.replace("_", "-"), str(cell.parameters[name])]
    plan = cell.seed_plan
    if plan and plan.kind == "fit" and not options.blocks_only:
        given += ["--steps-per-epoch", str(plan.steps_per_epoch)]
    if cell.data_folder:
        given += ["--data", cell.data_folder]
    return given + (["--blocks-only"] if options.blocks_only else [])
