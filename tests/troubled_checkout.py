"""A copy of the checkout in which the NumPy collector does what it is told to.

Its only collector is ``fixtures/with_trouble.py`` under the name of NumPy's, so that
the real program plans, measures and stores with it, and quickly.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchdb import resources
from tests.collector_programs import ROOT, TROUBLE
from tests.command_line import Outcome
from tests.in_process import benchdb as in_process_benchdb

WORK = ("matmul", "--size", "4", "--no-metal", "--no-cuda", "--tier", "smoke")


def make(folder: Path) -> Path:
    """Return the copy, made in *folder*."""
    shutil.copytree(ROOT / "benchdb", folder / "benchdb")
    return make_collectors(folder)


def make_collectors(folder: Path) -> Path:
    """Return a copy in *folder* that ``in_process`` can run, but no program."""
    ignored = shutil.ignore_patterns("with_*.py")
    shutil.copytree(ROOT / "collectors", folder / "collectors", ignore=ignored)
    shutil.copytree(ROOT / "schema", folder / "schema")
    shutil.copyfile(TROUBLE, folder / "collectors" / "with_numpy.py")
    return folder


def quick(folder: Path, tier: str) -> None:
    """Let the tier "quick" of the copy in *folder* be *tier*, which takes seconds."""
    timing = folder / "collectors" / "harness" / "timing.py"
    text = timing.read_text(encoding="utf-8")
    made = f'"quick": {tier},\n'
    text, tiers = re.subn(r'"quick": Tier\(.*?\),\n', made, text, flags=re.DOTALL)
    assert tiers == 1
    timing.write_text(text, encoding="utf-8")


def environment(home: Path, trouble: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a user at *home* whose collector has *trouble*."""
    return {**os.environ, "BENCHDB_HOME": str(home), **(trouble or {})}


def command(*arguments: object) -> list[str]:
    """Return the command line of benchdb, to be run in the copy."""
    return [sys.executable, "-m", "benchdb", *map(str, arguments)]


def in_process(checkout: Path, home: Path, *arguments: object, **how: str) -> Outcome:
    """Run benchdb in this process, with the copy's collectors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resources, "_PACKAGE", checkout / "benchdb")
        for name, value in environment(home, how).items():
            patch.setenv(name, value)
        return in_process_benchdb(*arguments)


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
