"""How often change points are there that are none, and how often one is found.

    python -m benchmarks.change_points             # the tables, minutes on one core
    python -m benchmarks.change_points --save      # and their figures, to commit

Percentages of simulated courses of campaigns, each of three processes that differ half
as much as campaigns do. The seed is fixed; of long courses there are fewer.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from benchdb.statistics.change_points import changes
from benchdb.statistics.comparison import Sample, Spread
from benchmarks.campaigns import Effects, effects
from benchmarks.promises import Table, markdown

SEED = 20261125
COURSES = 2000
LENGTHS = (3, 4, 6, 10, 20, 50, 100, 300, 1000)
FIGURES = Path(__file__).parent / "change_points.json"
_PROCESSES = 3
_MOST_CAMPAIGNS = 40_000  # of all courses of a length
_STEP = math.log(1.05)
_SHAPES = ((3, 3), (5, 5), (10, 3), (3, 10), (50, 50), (10, 1))


class Noise(msgspec.Struct, frozen=True):
    """What campaigns differ by; *known* is what such work has shown, in multiples."""

    spread: float
    known: float | None = None
    kind: Effects = "normal"

    @property
    def words(self) -> str:
        """Return the row's heading."""
        such = {
            None: "class not known",
            1.0: "as their class",
            0.5: "twice as wide as their class",
        }
        kind = "" if self.kind == "normal" else f", {self.kind}"
        return f"{100 * self.spread:g} %, {such[self.known]}{kind}"


NOISES = (
    Noise(0.01),
    Noise(0.01, 1.0),
    Noise(0.03),
    Noise(0.03, 1.0),
    Noise(0.03, 0.5),
    Noise(0.03, 1.0, "t3"),
)


def course(random: Any, count: int, noise: Noise) -> Any:
    """Return the logs of a course, [campaign, process]; its truth is 0."""
    level = effects(random, noise.kind, noise.spread, (count, 1))
    shape = (count, _PROCESSES)
    return level + effects(random, noise.kind, noise.spread / 2, shape)


def samples(logs: Any, noise: Noise) -> list[Sample]:
    """Return the campaigns of a course, a session each."""
    spread = noise.spread * noise.known if noise.known else None
    known = None if spread is None else Spread(spread / 2, spread)
    return [Sample((tuple(item),), known) for item in np.exp(logs).tolist()]


def false_changes(courses: int = COURSES) -> Table:
    """Return how many courses without a change are said to have any."""
    random = np.random.default_rng(SEED)
    rows = {}
    for noise in NOISES:
        shares = []
        for length in LENGTHS:
            many = max(1, min(courses, _MOST_CAMPAIGNS // length))
            flags = [
                bool(changes(samples(course(random, length, noise), noise)))
                for _ in range(many)
            ]
            shares.append(_share(flags))
        rows[noise.words] = tuple(shares)
    return Table(
        "Courses without a change in which one is marked, by campaigns",
        "campaigns differ by",
        tuple(map(str, LENGTHS)),
        rows,
    )


def found_changes(courses: int = COURSES) -> Table:
    """Return how many courses with a step of 5 % are said to have it, and there."""
    random = np.random.default_rng(SEED + 1)
    rows = {}
    for noise in (Noise(0.01), Noise(0.01, 1.0), Noise(0.02, 1.0)):
        pairs: list[tuple[float, float]] = []
        for before, after in _SHAPES:
            many = max(1, min(courses, _MOST_CAMPAIGNS // (before + after)))
            places = []
            for _ in range(many):
                logs = course(random, before + after, noise)
                logs[before:] += _STEP
                places.append([change.at for change in changes(samples(logs, noise))])
            near = {before - 1, before, before + 1}
            there = _share([bool(some) for some in places])
            pairs.append((there, _share([not near.isdisjoint(it) for it in places])))
        rows[noise.words] = tuple(share for share, _ in pairs)
        rows[f"{noise.words}: within one campaign"] = tuple(share for _, share in pairs)
    return Table(
        "Courses with a step of 5 % in which a change is marked, before + after it",
        "campaigns differ by",
        tuple(f"{before} + {after}" for before, after in _SHAPES),
        rows,
    )


def _share(flags: Sequence[bool]) -> float:
    return round(100 * sum(flags) / len(flags), 2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; with --save write their figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.change_points",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--courses", type=int, default=COURSES)
    parser.add_argument("--save", action="store_true", help=f"write {FIGURES.name}")
    asked = parser.parse_args(arguments)
    tables = []
    for make in (false_changes, found_changes):
        table = make(asked.courses)
        tables.append(table)
        print("", table.title, "", *markdown(table), sep="\n", flush=True)
    if asked.save:
        FIGURES.write_bytes(msgspec.json.format(msgspec.json.encode(tables)) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
