"""What a command costs: a new process each time, watched by a small one."""

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.rows import Cost

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable
BENCHDB = (PYTHON, "-m", "benchdb")
_WATCHED = Path(__file__).with_name("watched.py")
# With these, each process would compile all of benchdb, or write line by line.
SLOW = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONOPTIMIZE")


class CannotMeasureError(Exception):
    """A command that is measured failed."""


class NotHereError(CannotMeasureError):
    """What a row needs is not installed: without being asked for, it is left out."""


def cost(*command: object) -> Cost:
    """Run *command* to its end, which must be good; return what it took."""
    words = list(map(str, command))
    watched = [PYTHON, "-I", "-S", str(_WATCHED), *words]
    done = subprocess.run(
        watched, capture_output=True, text=True, env=_environment(), check=False
    )
    result = json.loads(done.stdout) if done.returncode == 0 else None
    if result is None or result["status"] != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise CannotMeasureError(f"{' '.join(words)} failed: {last}")
    return Cost(result["seconds"], result["peak_bytes"])


def _environment() -> dict[str, str]:
    """Return the environment less what changes what is measured."""
    kept = {name: it for name, it in os.environ.items() if name not in SLOW}
    kept.pop("BENCHDB_DB", None)
    return {**kept, "PYTHONPATH": str(ROOT)}
