"""The catalogues that collectors read: workloads with their settings, and suites."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).resolve().parent.parent / "schema"
STANDARD = "standard"


class CatalogueError(Exception):
    """A catalogue is not there; the text says where it should be."""


def workloads(folder: Path = SCHEMA) -> dict[str, Any]:
    """Return the workloads, by name."""
    return _read(folder / "workloads.json")


def suites(folder: Path = SCHEMA) -> dict[str, Any]:
    """Return the suites, by name: the entries each consists of."""
    return _read(folder / "suites.json")


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
    other: dict[str, Any] = facts["settings"][setting]
    shared = {
        name: fact
        for name, fact in own.items()
        if name not in ("grid", "smoke", "seed_protocol")
    }
    return shared | other


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as refused:
        raise CatalogueError(
            f"cannot read {path.parent.name}/{path.name} ({refused.strerror}): "
            f"schema/ must lie beside collectors/ (both are needed)"
        ) from refused
    content: dict[str, Any] = json.loads(text)
    return content
