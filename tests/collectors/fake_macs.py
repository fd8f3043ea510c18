"""Run programs as if on a Mac: the hosts, commands and frameworks of ``fakes``."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchdb.collecting.preflight import VARIABLES
from tests.collector_programs import COLLECTORS
from tests.command_line import Outcome, benchdb

FAKES = Path(__file__).parents[1] / "fakes"
HOSTS = FAKES / "macos" / "hosts"
TORCH = ("metal_torch",)
MLX = ("metal_mlx",)
TENSORFLOW = ("metal_tensorflow", "metal_plugin")
NO_PLUGIN = ("metal_tensorflow",)
BOTH = (*TORCH, *TENSORFLOW)
_AT_ONCE = 4


@dataclass(frozen=True)
class Mac:
    """One host of the fakes, with what is installed on it.

    *installed* are the folders of ``fakes/frameworks``, *wrong* variables that make
    something of it fail.
    """

    host: str
    installed: tuple[str, ...] = TORCH
    wrong: tuple[tuple[str, str], ...] = ()
    zeus: bool = False

    @property
    def environment(self) -> Mapping[str, str]:
        """Return what makes a program believe that it runs there."""
        frameworks = FAKES / "frameworks"
        modules = [frameworks / name for name in ("apple_gpu", *self.installed)]
        modules += [FAKES / "zeus"] if self.zeus else []
        path = f"{FAKES / 'macos' / 'commands'}{os.pathsep}{os.environ['PATH']}"
        own = {k: v for k, v in os.environ.items() if k not in VARIABLES}
        return {
            **own,
            "BENCHDB_PLATFORM": "darwin",
            "FAKE_MAC": str(HOSTS / self.host),
            "PATH": path,
            "PYTHONPATH": os.pathsep.join(map(str, modules)),
            # Else the fakes would fill with files of the interpreter's.
            "PYTHONDONTWRITEBYTECODE": "1",
            **dict(self.wrong),
        }

    def benchdb(self, *arguments: object) -> Outcome:
        """Run the command line there."""
        return benchdb(*arguments, environment=self.environment)

    def collector(self, name: str, *arguments: object) -> Outcome:
        """Run a collector there, alone."""
        program = COLLECTORS / f"with_{name}.py"
        done = subprocess.run(
            [sys.executable, str(program), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)


def together(commands: Mapping[str, Callable[[], Outcome]]) -> dict[str, Outcome]:
    """Run all *commands*, some at a time: half of what they do is waiting."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return dict(
            zip(commands, pool.map(lambda run: run(), commands.values()), strict=True)
        )
