"""What a collector can measure on this machine, and what it would, as JSON objects."""

from argparse import Namespace
from typing import Any

from _catalogue import workloads
from _cell import Cell
from _choices import settable
from _framework import DEVICES, Device, Framework, UnavailableError
from _options import missing_modules
from _timing import TIERS
from _worker import load_framework


def describe(framework: Framework, program: str) -> dict[str, Any]:
    """Return framework, devices and precisions as found; never an error."""
    start = {"framework": framework.name, "collector": program} | _choices(framework)
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


def _choices(framework: Framework) -> dict[str, Any]:
    return {
        "compilers": list(framework.compilers),
        "options": {name: list(values) for name, values in framework.options.items()},
        "tiers": {name: {"processes": tier.processes} for name, tier in TIERS.items()},
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
