"""Captures: outputs of tools, those that we wrote and, where they are, collected ones.

Ours have the layout and the oddities that real tools print, and invented figures.
"""

import json
from pathlib import Path
from typing import Any

from tests.shared_material import SHARED

FIXTURES = Path(__file__).parent / "fixtures"
OURS = FIXTURES / "captures"
COLLECTED = SHARED / "research" / "captures"


def _facts(name: str) -> dict[str, dict[str, Any]]:
    facts: dict[str, dict[str, Any]] = json.loads((FIXTURES / name).read_text("utf-8"))
    return facts


# What stands in each capture, by folder and name.
FACTS = {OURS: _facts("own_capture_facts.json")}
if SHARED.is_dir():
    FACTS[COLLECTED] = _facts("capture_facts.json")


def names(folder: Path) -> list[str]:
    """Return the captures of a folder; an index of them is none."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("INDEX")
    )


def matching(pattern: str) -> list[Path]:
    """Return the captures whose names match, of every folder."""
    return [path for folder in FACTS for path in sorted(folder.glob(pattern))]
