"""Does ``collect`` take as long as it says before the start? By workload, for real.

    python -m benchmarks.estimates lstm mnist matmul --framework torch --tier smoke

Each workload is measured twice on the CPU in a database that starts out with the
published results: when nobody has run it here, and again when that is known. To reach:
estimate / seen of 0.7 to 1.5 where it ran before. *seen* is the time from the estimate
to the last figure.
"""

import argparse
import os
import re
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
    print(f"{'':36}{'never ran here':24}  ran before")
    for tier in asked.tier or ("smoke", "quick"):
        for framework in asked.framework or ("torch",):
            for workload in asked.workloads:
                words = (workload, "--framework", framework, "--tier", tier)
                with tempfile.TemporaryDirectory() as home:
                    more = asked.options.split()
                    first, again = (_collected(home, [*words, *more]) for _ in "12")
                    name = f"{workload}, {framework}, {tier}"
                    print(f"{name:36}{first}  {again}", flush=True)
    return 0


def _collected(home: str, words: Sequence[str]) -> Seen:
    """Call ``collect`` on the CPU and hold its estimate against a clock."""
    kept = {name: it for name, it in os.environ.items() if name not in SLOW}
    kept |= {"BENCHDB_HOME": home, "PYTHONPATH": str(ROOT)}
    line = [*BENCHDB, "collect", *words, "--no-metal", "--no-cuda"]
    estimate = seconds = began = 0.0
    with (
        Path(home, "log").open("a") as log,
        subprocess.Popen(
            line, env=kept, stdout=log, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        for said in process.stderr or ():
            if found := _ESTIMATE.search(said):
                began, parts = monotonic(), map(int, found[1].split(":"))
                for part in parts:
                    estimate = 60 * estimate + part
            elif began and _STORED.match(said):
                seconds = monotonic() - began
    if not seconds:
        sys.exit(f"{' '.join(line)} told no time or measured nothing")
    return Seen(estimate, seconds)


if __name__ == "__main__":
    sys.exit(main())
