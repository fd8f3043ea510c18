"""The options of a collector, the cells they stand for, and what can be measured."""

import math
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.cells import (
    Cell,
    ChoiceError,
    Choices,
    cells_of,
    of_suite,
    offers,
    operations_per_step,
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
from harness.timing import TIERS, extents

PROTOCOL = 1  # of collectors, as README.md has it

_LARGEST = 2**32 - 1  # of seeds; nothing else is as large


def parse(program: str, framework: Framework, arguments: Sequence[str]) -> Namespace:
    """Return the options; a wrong use ends the program with status 2."""
    parser = ArgumentParser(
        prog=program,
        description=f"Measure standard workloads with {framework.title}. "
        "Writes an exchange file to standard output.",
    )
    add = parser.add_argument
    many: Any = {"action": "append"}
    add("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(framework.modules))
    add("--suite", choices=suites(), help="the workloads of a source, as it ran them")
    add("--setting", metavar="NAME", help="of a workload that has several")
    add("--device", choices=DEVICES, default="cpu", help="default: cpu")
    add(
        "--precision",
        choices=PRECISIONS,
        **many,
        help="repeatable; default: fp32, of language models bf16",
    )
    instead = "instead of the catalogue's; repeatable"
    add("--batch-size", type=_positive, **many, metavar="N", help=instead)
    add("--size", type=_positive, **many, metavar="M", help="of matrices; repeatable")
    point = "one point of another axis of a sweep, such as trainable=last"
    add("--set", type=_assignment, **many, metavar="NAME=VALUE", help=point)
    add("--steps-per-epoch", type=_positive, metavar="N", help="of the source's epochs")
    add("--data", type=_folder, metavar="DIR", help="real MNIST and CIFAR-10 files")
    add("--tier", choices=TIERS, default="quick", help="default: quick")
    named = {"compiler": framework.compilers, **framework.options}
    for name, values in named.items():
        default = f"default: {values[0]}"
        add("--" + name.replace("_", "-"), choices=values, help=default)
    add(
        "--blocks-only",
        action="store_true",
        help="leave out what the source of a workload did",
    )
    add("--replicates", type=_positive, metavar="K", help="default: by the tier")
    add("--replicate", type=_natural, metavar="I", help="only number I, from 0, of K")
    numbers = {
        "--steps-per-block": ("N", "skip calibration"),
        "--blocks-until": ("S", "after the start, at most as long as the tier allows"),
        "--time-limit": ("S", "of a process, in seconds"),
    }
    for option, (letter, text) in numbers.items():
        add(option, type=_positive, metavar=letter, help=text)
    cool = "wait at most so long for the GPU to cool"
    add("--cool-down", type=_natural, metavar="S", help=cool)
    began = "the GPU's when the campaign began"
    add("--start-temperature", type=_temperature, metavar="C", help=began)
    meter = "measure energy on a Mac with sudo -n powermetrics"
    add("--powermetrics", action="store_true", help=meter)
    add("--campaign", metavar="ID", help="recorded with each run")
    add("--seed", type=_natural, default=0, metavar="S", help="default: 0")
    add("--progress", action="store_true", help="say on standard error how far it is")
    add("--describe", action="store_true", help="say what can be measured here")
    add("--list-cells", action="store_true", help="say what would be measured")
    options = parser.parse_args(arguments)
    if not options.describe:
        _check(parser, framework, options)
    return options


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
    names = options.workloads
    if bool(names) == bool(options.suite):
        parser.error(f"name workloads or a suite: {', '.join(measured)}")
    for name in names:
        if name not in measured:
            parser.error(f"no workload {name!r} here; there are {', '.join(measured)}")
    if options.suite:
        names = [entry["workload"] for entry in suites()[options.suite]["entries"]]
    known = workloads()
    choices = _choices(framework, options)
    for choice in choices.parameters:
        if not any(offers(choice, name, known[name]["kind"]) for name in names):
            parser.error(f"none of these workloads has a choice of {choice}")
    for axis in choices.axes:
        if not any(axis in _axes(name) for name in names):
            parser.error(f"none of these workloads has a choice of {axis}")
    replicates = options.replicates or TIERS[options.tier].processes
    if options.replicate is not None and options.replicate >= replicates:
        parser.error(
            f"--replicate counts from 0 and {replicates} are planned; "
            f"give --replicates as well"
        )


def _choices(framework: Framework, options: Namespace) -> Choices:
    axes: dict[str, tuple[Any, ...]] = {}
    if options.batch_size:
        axes["batch_size"] = tuple(options.batch_size)
    if options.size:
        axes["size"] = tuple(options.size)
    for name, value in options.set or ():
        axes[name] = (*axes.get(name, ()), value)
    given = {name: getattr(options, name) for name in framework.options}
    return Choices(
        device=options.device,
        tier=options.tier,
        precisions=tuple(dict.fromkeys(options.precision or ())),
        compiler=options.compiler,
        setting=options.setting,
        axes=axes,
        parameters={name: value for name, value in given.items() if value is not None},
        steps_per_epoch=options.steps_per_epoch,
        data_folder=str(options.data.resolve()) if options.data else None,
    )


def _axes(name: str) -> set[str]:
    """Return what may be chosen of a workload, in whatever setting."""
    facts = workloads()[name]
    return {axis for setting in settings(facts) for axis in settable(facts, setting)}


def chosen_cells(framework: Framework, options: Namespace) -> list[Cell]:
    """Return what to measure.

    Raise UnavailableError where imports are not installed, ChoiceError where the
    catalogue has no such thing. Of a suite, what this framework lacks is left out, of
    the choices, the axes that only other workloads have.
    """
    choices = _choices(framework, options)
    if options.suite:
        members = of_suite(options.suite, framework.name, choices)
        wanted = [pair for pair in members if pair[0] in framework.modules]
    else:
        wanted = []
        for name in dict.fromkeys(options.workloads):
            own = _axes(name)
            axes = {axis: v for axis, v in choices.axes.items() if axis in own}
            wanted.append((name, replace(choices, axes=axes)))
    cells: list[Cell] = []
    for name, chosen in wanted:
        lacking = _missing(framework.modules[name])
        if lacking and not options.list_cells:
            raise UnavailableError(
                f"{name} needs {' and '.join(lacking)}, which this Python "
                f"({sys.executable}) lacks; install with: {framework.install}"
            )
        cells += cells_of(name, chosen, framework.name, framework.compilers)
    if not cells:
        raise ChoiceError(f"{framework.title} has no workload of {options.suite}")
    return cells


def _missing(modules: Sequence[str]) -> list[str]:
    """Return which modules are not installed, without importing any of them."""
    return [name for name in modules if find_spec(name) is None]


def describe(
    framework: Framework, program: str, collector_version: str
) -> dict[str, Any]:
    """Return framework, devices and precisions as found; never an error."""
    start = {
        "type": "collector",
        "format": PROTOCOL,
        "name": program,
        "version": collector_version,
        "framework": framework.name,
        "compilers": list(framework.compilers),
        "list_cells": True,
        "progress": True,
        "options": {name: list(values) for name, values in framework.options.items()},
        "tiers": {name: {"processes": tier.processes} for name, tier in TIERS.items()},
    }
    lacking = {name: _missing(modules) for name, modules in framework.modules.items()}
    try:
        if all(lacking.values()):
            raise UnavailableError(  # noqa: TRY301 - told as what fails to import
                f"{framework.title} is not installed"
            )
        version = load_framework(framework, None)
    except UnavailableError as absent:
        device = _entry(Device(why=str(absent), install=framework.install))
        return start | {
            "available": False,
            "framework_version": None,
            "why": str(absent),
            "install": framework.install,
            "devices": dict.fromkeys(DEVICES, device),
            "workloads": [],
            "missing": {name: list(all_) for name, all_ in framework.modules.items()},
            "precisions": {},
        }
    devices = framework.devices()
    return start | {
        "available": True,
        "framework_version": version,
        "devices": {name: _entry(device) for name, device in devices.items()},
        "workloads": [name for name, modules in lacking.items() if not modules],
        "missing": {name: modules for name, modules in lacking.items() if modules},
        "install": framework.install,
        "precisions": {
            name: list(framework.precisions(name))
            for name, device in devices.items()
            if device.why is None
        },
    }


def _entry(device: Device) -> dict[str, Any]:
    if device.why is None:
        return {"available": True, "name": device.name}
    return {"available": False, "why": device.why, "install": device.install}


def listed(
    framework: Framework, options: Namespace, cells: list[Cell]
) -> dict[str, Any]:
    """Return the cells that *options* stand for, each with the options of it alone."""
    tier = TIERS[options.tier]
    return {
        "framework": framework.name,
        "processes": options.replicates or tier.processes,
        # What the protocol takes at least: build, data and the source's come on top.
        "least_seconds": max(
            (tier.least_seconds(lasting=cell.lasting) for cell in cells), default=0
        ),
        "process_limit": options.time_limit or tier.process_limit,
        "protocol": extents(tier),
        "cells": [
            {
                "workload": cell.workload,
                "setting": cell.setting,
                "device": cell.device,
                "precision": cell.precision,
                "compiler": cell.compiler,
                "parameters": cell.parameters,
                "least_seconds": tier.least_seconds(lasting=cell.lasting),
                "operations": operations_per_step(cell),
                "axes": cell.point,
                "arguments": _arguments(framework, options, cell),
            }
            for cell in cells
        ],
    }


def _arguments(framework: Framework, options: Namespace, cell: Cell) -> list[str]:
    """Return the command line, beside the tier, that measures this cell alone."""
    given = [cell.workload, "--setting", cell.setting, "--device", cell.device]
    given += ["--precision", cell.precision, "--compiler", cell.compiler]
    # What else a trial makes smaller comes with its tier, and is no choice.
    for name in settable(workloads()[cell.workload], cell.setting):
        if name in cell.axes:
            given += ["--set", f"{name}={cell.point[name]}"]
    for name in framework.options:
        if name in cell.parameters:
            given += ["--" + name.replace("_", "-"), str(cell.parameters[name])]
    plan = cell.seed_plan
    if plan and plan.kind == "fit" and not options.blocks_only:
        given += ["--steps-per-epoch", str(plan.steps_per_epoch)]
    if cell.data_folder:
        given += ["--data", cell.data_folder]
    return given + (["--blocks-only"] if options.blocks_only else [])
