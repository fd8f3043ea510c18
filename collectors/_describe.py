"""What a collector can measure on this machine, as one JSON object."""

from typing import Any

from _cell import catalogue, default_sizes
from _framework import DEVICES, Device, Framework, UnavailableError
from _options import missing_modules
from _timing import TIERS
from _worker import load_framework


def describe(framework: Framework, program: str) -> dict[str, Any]:
    """Return framework, devices and precisions as found; never an error."""
    start = {"framework": framework.name, "collector": program}
    workloads = {
        name: missing_modules(modules) for name, modules in framework.modules.items()
    }
    if all(workloads.values()):
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
        "workloads": [name for name, lacking in workloads.items() if not lacking],
        "missing": {name: lacking for name, lacking in workloads.items() if lacking},
        "install": framework.install,
        "precisions": {
            name: list(framework.precisions(name))
            for name, device in devices.items()
            if device.available
        },
        "tiers": {tier: _tier(framework, tier) for tier in TIERS},
    }


def _tier(framework: Framework, tier: str) -> dict[str, Any]:
    """Return how many processes a cell gets, and the sizes of sized workloads."""
    facts = catalogue()
    return {
        "processes": TIERS[tier].processes,
        "sizes": {
            name: default_sizes(facts[name]["sizes"], tier)
            for name in framework.modules
            if "sizes" in facts[name]
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
        "tiers": {tier: _tier(framework, tier) for tier in TIERS},
    }
