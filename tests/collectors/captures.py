"""Captures: outputs of tools, those that we wrote and, where they are, collected ones.

Ours have the layout and the oddities that real tools print, and invented figures.
"""

import json
from pathlib import Path
from typing import Any

from tests.shared_material import SHARED

FIXTURES = Path(__file__).parents[1] / "fixtures"
OURS = FIXTURES / "captures"
COLLECTED = SHARED / "research" / "captures"


# What no collector reads: other forms of what it reads, and other programs.
UNREAD = (
    "linux/uname/*",
    "macos/ioreg/cluster*",
    "macos/ioreport/cpu_cluster*",
    "macos/ioreport/siliconscope*",
    "macos/ioreport/socpwrbud*",
    "macos/misc/*system_info*",
    "macos/misc/thermal_state*",
    "macos/powermetrics/*.txt",
    "macos/sysctl/*_n_*",
    "macos/system_profiler/memory*",
    "macos/system_profiler/power*",
    "macos/system_profiler/*_text_*",
    "nvidia/*.metrics",
    "nvidia/*.txt",
)


def _facts(name: str) -> dict[str, dict[str, Any]]:
    facts: dict[str, dict[str, Any]] = json.loads((FIXTURES / name).read_text("utf-8"))
    return facts


# What stands in each capture, by folder and name.
FACTS = {OURS: _facts("own_capture_facts.json")}
if SHARED.is_dir():
    FACTS[COLLECTED] = _facts("capture_facts.json")


def names(folder: Path) -> list[str]:
    """Return the captures of a folder that collectors can read, without an index."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(
        path.relative_to(folder).as_posix()
        for path in files
        if not path.name.startswith("INDEX") and not any(map(path.match, UNREAD))
    )


def matching(pattern: str) -> list[Path]:
    """Return the captures whose names match, of every folder."""
    return [path for folder in FACTS for path in sorted(folder.glob(pattern))]
