"""The collector programs: find them, ask them what they can do."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchdb.errors import BenchdbError, UsageError
from benchdb.resources import folder

FRAMEWORKS = ("torch", "tensorflow", "numpy")


@dataclass(frozen=True)
class Capability:
    """A device as a collector sees it: there, or why not and what to install."""

    available: bool
    name: str | None = None
    why: str | None = None
    install: str | None = None


@dataclass(frozen=True)
class Tier:
    """How many processes a cell gets, and which sizes a sized workload has."""

    processes: int
    sizes: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Description:
    """What one collector can measure here; *version* is None without its framework."""

    framework: str
    version: str | None
    why: str | None
    devices: dict[str, Capability]
    workloads: tuple[str, ...]
    tiers: dict[str, Tier]


def program(framework: str) -> Path:
    """Return the collector of *framework*."""
    path = folder("collectors") / f"with_{framework}.py"
    if not path.is_file():
        known = ", ".join(sorted(_installed()))
        raise UsageError(f"no collector for {framework!r}; there are: {known}")
    return path


def _installed() -> list[str]:
    return [
        p.stem.removeprefix("with_") for p in folder("collectors").glob("with_*.py")
    ]


def environment() -> dict[str, str]:
    """Return the environment that collectors run in."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


def fingerprint() -> dict[str, Any]:
    """Return what ``collectors/machine.py`` finds out about this machine."""
    return _answer([str(folder("collectors") / "machine.py"), "--json"])


def describe(framework: str) -> Description:
    """Ask the collector of *framework* what it can measure on this machine."""
    facts = _answer([str(program(framework)), "--describe"])
    return Description(
        framework=facts["framework"],
        version=facts.get("version"),
        why=facts.get("why"),
        devices={
            name: Capability(
                **{k: device.get(k) for k in ("available", "name", "why", "install")}
            )
            for name, device in facts.get("devices", {}).items()
        },
        workloads=tuple(facts.get("workloads", ())),
        tiers={name: _tier(tier) for name, tier in facts.get("tiers", {}).items()},
    )


def _tier(facts: dict[str, Any]) -> Tier:
    sizes = {name: tuple(some) for name, some in facts["sizes"].items()}
    return Tier(facts["processes"], sizes)


def _answer(arguments: list[str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        env=environment(),
        text=True,
        check=False,
    )
    name = Path(arguments[0]).name
    if done.returncode != 0:
        why = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
        raise BenchdbError(f"{name} failed: {why[0]}")
    try:
        facts: dict[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        raise BenchdbError(f"{name} printed no JSON: {error}") from error
    return facts
