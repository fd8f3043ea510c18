"""Does ``collect`` take as long as it says before the start? By workload, for real.

    python -m benchmarks.estimates lstm mnist matmul --framework torch --tier smoke

Each workload is measured twice on the CPU in a database that starts out with the
published results: when nobody has run it here, and again when that is known. To reach:
estimate / seen of 0.7 to 1.5 where it ran before. *seen* is the time from the estimate
to the last figure.
"""

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from benchmarks.costs import BENCHDB, ROOT, SLOW

_ESTIMATE = re.compile(r"of tier \w+: (?:about|at least) ([\d:]+)")
_STORED = re.compile(r"(?:nothing )?stored in ")


class Seen(NamedTuple):
    """Seconds of one call, as it said before and as it was; 0 where it said nothing."""

    estimate: float
    seconds: float

    def __str__(self) -> str:
        """Return both, and what came of them."""
        ratio = self.estimate / self.seconds if self.seconds else 0.0
        return f"{self.estimate:5.0f} / {self.seconds:5.1f} s = {ratio:4.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for and print a row for each; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates")
    parser.add_argument("workloads", nargs="+")
    parser.add_argument("--framework", action="append", help="torch")
    parser.add_argument("--tier", action="append", help="smoke and quick")
    parser.add_argument("--options", default="", help="of collect, such as '--size 64'")
    asked = parser.parse_args(arguments)
    tiers, frameworks = asked.tier or ("smoke", "quick"), asked.framework or ("torch",)
    cells = itertools.product(tiers, frameworks, asked.workloads)
    print(f"{'':36}{'never ran here':24}  ran before")
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder, "fresh")
        _benchdb(
            fresh, ["list", "--limit", "1"]
        ).communicate()  # takes in what was published
        for number, (tier, framework, workload) in enumerate(cells):
            home = shutil.copytree(fresh, Path(folder, str(number)))
            words = [workload, "--framework", framework, "--tier", tier]
            words += asked.options.split()
            first, again = (_collected(home, words) for _ in "12")
            name = f"{workload}, {framework}, {tier}"
            print(f"{name:36}{first}  {again}", flush=True)
    return 0


def _benchdb(home: Path, words: Sequence[str]) -> "subprocess.Popen[str]":
    """Start a command of a user at *home*; what it says can be read."""
    kept = {name: it for name, it in os.environ.items() if name not in SLOW}
    kept |= {"BENCHDB_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [*BENCHDB, *words],
        env=kept,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _collected(home: Path, words: Sequence[str]) -> Seen:
    """Call ``collect`` on the CPU and hold its estimate against a clock."""
    line = ["collect", *words, "--no-metal", "--no-cuda"]
    estimate = seconds = began = 0.0
    with _benchdb(home, line) as process:
        for text in process.stderr or ():
            if match := _ESTIMATE.search(text):
                began, parts = monotonic(), map(int, match[1].split(":"))
                for part in parts:
                    estimate = 60 * estimate + part
            elif began and _STORED.match(text):
                seconds = monotonic() - began
    if not seconds:
        sys.exit(f"{' '.join(line)} told no time or measured nothing")
    return Seen(estimate, seconds)


if __name__ == "__main__":
    sys.exit(main())
