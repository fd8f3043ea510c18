"""Are times kept? ``collect --budget`` as users call it, for real: twenty times.

    python -m benchmarks.budget [--tries N] [--seed N] [--device cuda] [--log FILE]
    python -m benchmarks.budget --tries 3 --device cuda --seconds 120 150 180

Each try is one of the times (60 to 120 s) and some work, drawn by the seed, on the CPU
or, with ``--device cuda``, on that GPU and the CPU beside it; one in three goes on
where another has stopped. What is refused as too short is no try: another follows.
A time is kept by what ends at 105 % of it or before, by the clock outside of the
program, with 85 % of what it took measuring, as the program tells.
Exit status: 0 all are kept, 1 some are not.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from benchmarks.costs import SLOW

_LONGEST, _LEAST = 1.05, 85
_TIMES = (60, 75, 90, 105, 120)
_WORK = {
    "cpu": (
        ("matmul", "--framework", "numpy", "--size", "512", "--size", "2048"),
        ("matmul", "--framework", "numpy"),
        ("elementwise", "matmul", "--framework", "numpy"),
        ("matmul", "--framework", "torch", "--size", "256"),
        ("lstm", "--framework", "torch"),
        ("mnist", "lstm", "--framework", "torch"),
    ),
    "cuda": (
        ("matmul", "--framework", "torch", "--size", "2048"),
        ("elementwise", "matmul", "--framework", "torch"),
        ("lstm", "--framework", "torch"),
        ("mnist", "lstm", "--framework", "torch"),
    ),
}
_DEVICES = {"cpu": ("--no-metal", "--no-cuda"), "cuda": ("--cuda",)}
_REFUSED = 2  # too short, which is said at once and is no try
_SHARE = re.compile(r"measuring (\d+) % \(timed blocks (\d+) %")


class Try(NamedTuple):
    """One call: what it was given, what it took, and its own words for the shares."""

    seconds: int
    work: str
    again: bool
    status: int
    took: float
    measuring: int
    blocks: int

    @property
    def kept(self) -> bool:
        """Tell whether it ended in time, most of which went into measuring."""
        within = self.took <= _LONGEST * self.seconds
        return self.status == 0 and within and self.measuring >= _LEAST

    def __str__(self) -> str:
        """Return a line of a table."""
        if self.status == _REFUSED:
            return f"refused{self.seconds:>4} s: too short for {self.work}"
        return (
            f"{'kept' if self.kept else 'MISSED':<7}{self.seconds:>4} s "
            f"{100 * self.took / self.seconds:6.1f} %  measuring {self.measuring} % "
            f"(blocks {self.blocks} %)  {'again ' if self.again else ''}{self.work}"
            + (f"  status {self.status}" if self.status else "")
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the times; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.budget")
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", choices=_WORK, default="cpu")
    parser.add_argument("--seconds", type=int, nargs="+", default=_TIMES)
    parser.add_argument("--log", type=Path, help="what the calls print")
    asked = parser.parse_args(arguments)
    draw = random.Random(asked.seed)  # noqa: S311 - no secret
    tries: list[Try] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(asked.tries):
            again = number % 3 == 2
            while True:
                if not again:
                    work = (*draw.choice(_WORK[asked.device]), *_DEVICES[asked.device])
                    database = Path(folder, f"{number}.sqlite")
                seconds = draw.choice(asked.seconds)
                result, text = _tried(seconds, work, database, again=again)
                print(result, flush=True)
                if result.status != _REFUSED:
                    break
                again = False
            tries.append(result)
            if asked.log:
                with asked.log.open("a") as stream:
                    stream.write(f"{result}\n{text}\n")
    kept = sum(item.kept for item in tries)
    in_time = sum(item.took <= _LONGEST * item.seconds for item in tries)
    print(f"{kept} of {len(tries)} kept; in time {in_time}")
    return 0 if kept == len(tries) else 1


def _tried(
    seconds: int, work: Sequence[str], database: Path, *, again: bool
) -> tuple[Try, str]:
    line = [sys.executable, "-m", "benchdb", "collect", *work]
    line += ["--budget", f"{seconds}s", "--db", str(database)]
    # As users have it: else each process would compile all of its modules.
    kept = {name: it for name, it in os.environ.items() if name not in SLOW}
    began = monotonic()
    done = subprocess.run(line, capture_output=True, text=True, env=kept, check=False)
    took = monotonic() - began
    match = _SHARE.search(done.stdout)
    shares = map(int, match.groups()) if match else (0, 0)
    result = Try(seconds, " ".join(work), again, done.returncode, took, *shares)
    return result, done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
