"""Run collectors as programs and read their lines the way the importer would."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchdb.exchange import messages

ROOT = Path(__file__).resolve().parents[1]
COLLECTORS = ROOT / "collectors"
TROUBLE = ROOT / "tests" / "fixtures" / "with_trouble.py"


def decode(text: str) -> list[messages.Line]:
    return [msgspec.json.decode(line, type=messages.Line) for line in text.splitlines()]


@dataclass(frozen=True)
class Outcome:
    status: int
    file: list[messages.Line]
    errors: str

    @property
    def runs(self) -> list[messages.Run]:
        return [line for line in self.file if isinstance(line, messages.Run)]

    @property
    def ends(self) -> list[messages.End]:
        return [line for line in self.file if isinstance(line, messages.End)]

    @property
    def samples(self) -> list[messages.Samples]:
        return [line for line in self.file if isinstance(line, messages.Samples)]

    @property
    def environments(self) -> list[messages.Environment]:
        return [line for line in self.file if isinstance(line, messages.Environment)]

    def times(self, phase: str) -> list[float]:
        taken = (line.values for line in self.samples if line.phase == phase)
        return [value for values in taken for value in values]

    def value(self, metric: str) -> float | None:
        values = {value.metric: value.value for value in self.ends[0].values}
        return values[metric]


def command(program: Path, *arguments: str) -> list[str]:
    return [sys.executable, str(program), *arguments]


def run(
    program: Path, *arguments: str, extra: Mapping[str, str] | None = None
) -> Outcome:
    """Run a collector to its end, with one thread.

    On a busy machine, threads that wait for each other take most of the time.
    """
    done = subprocess.run(
        command(program, *arguments),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(extra or {})},
        timeout=300,
    )
    return Outcome(done.returncode, decode(done.stdout), done.stderr)
