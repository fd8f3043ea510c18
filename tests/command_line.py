"""Run the command line as a user does: in a process of its own."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


def benchdb(*arguments: object, cwd: Path | None = None, stdin: bytes = b"") -> Outcome:
    done = subprocess.run(
        [sys.executable, "-m", "benchdb", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        check=False,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
