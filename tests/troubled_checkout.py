"""A copy of the checkout in which the NumPy collector does what it is told to.

Its only collector is ``fixtures/with_trouble.py`` under the name of NumPy's, so that
the real program plans, measures and stores with it, and quickly.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.collector_programs import ROOT, TROUBLE
from tests.command_line import Outcome

WORK = ("matmul", "--size", "4", "--no-metal", "--no-cuda", "--tier", "smoke")


def make(folder: Path) -> Path:
    """Return the copy, made in *folder*."""
    ignored = shutil.ignore_patterns("with_*.py")
    for name in ("benchdb", "collectors"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copytree(ROOT / "schema", folder / "schema")
    shutil.copyfile(TROUBLE, folder / "collectors" / "with_numpy.py")
    return folder


def environment(home: Path, trouble: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a user at *home* whose collector has *trouble*."""
    return {**os.environ, "BENCHDB_HOME": str(home), **(trouble or {})}


def command(*arguments: object) -> list[str]:
    """Return the command line of benchdb, to be run in the copy."""
    return [sys.executable, "-m", "benchdb", *map(str, arguments)]


def benchdb(checkout: Path, home: Path, *arguments: object, **trouble: str) -> Outcome:
    """Run the copy's benchdb to its end."""
    done = subprocess.run(
        command(*arguments),
        cwd=checkout,
        env=environment(home, trouble),
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
