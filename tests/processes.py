"""Processes of programs under test: who started whom, who is left."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 60  # seconds; far more than any of this takes


def eventually(function: Callable[[], T | None]) -> T:
    """Return what is found in the end."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if result := function():
            return result
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def below(pid: int) -> list[int]:
    """Return the processes that *pid* started, and those that they started."""
    listed = subprocess.run(
        ["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False
    )
    children = [int(child) for child in listed.stdout.split()]
    return [
        *children,
        *(grandchild for child in children for grandchild in below(child)),
    ]


def workers(pid: int) -> list[int]:
    """Return those below that measure, not those that ask what machine this is."""
    return [number for number in below(pid) if "--worker" in _command(number)]


def _command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def alive(pid: int) -> bool:
    """Tell whether there is such a process, and it is no zombie."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
