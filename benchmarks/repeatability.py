"""Whether two campaigns of the same cells on one machine agree, cell by cell.

    python benchmarks/repeatability.py first.jsonl second.jsonl

Prints the ratio of seconds a step, second over first, with its 95 % interval over
processes. A cell repeats if the interval contains 1 or lies within 2 %.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.statistics.comparison import Estimate, geometric_mean, ratio

_WITHIN = 1.02
Times = dict[str, list[float]]


def times(path: Path) -> Times:
    """Return the seconds a step of each process, by cell."""
    groups: Times = defaultdict(list)
    with path.open("rb") as stream:
        for item in read(stream):
            if isinstance(item, Record) and item.end.status == "ok":
                figures = {value.metric: value.value for value in item.end.values}
                groups[title(item)].append(figures["step_seconds"] or 0.0)
    return groups


def title(record: Record) -> str:
    """Return what tells the cells of a campaign apart."""
    run = record.run
    size = run.parameters.get("size", run.parameters.get("batch_size"))
    return f"{run.workload} {size} {run.framework} {run.device} {run.precision}"


def repeats(estimate: Estimate) -> bool:
    """Tell whether two campaigns agree."""
    low, high = estimate.low or estimate.value, estimate.high or estimate.value
    return low <= 1 <= high or (low >= 1 / _WITHIN and high <= _WITHIN)


def main() -> int:
    """Compare two files; return 1 if a cell did not repeat."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    asked = parser.parse_args()
    first, second = times(asked.first), times(asked.second)
    failed = 0
    for cell in sorted(first.keys() & second.keys()):
        estimate = ratio([(second[cell], first[cell])])
        interval = (
            f"{estimate.low:.4f} to {estimate.high:.4f}"
            if estimate.low and estimate.high
            else "no interval"
        )
        failed += not repeats(estimate)
        print(
            f"{cell:40} {geometric_mean(first[cell]):.6g} s (n = {len(first[cell])})  "
            f"ratio {estimate.value:.4f}, {interval}  "
            f"{'repeats' if repeats(estimate) else 'DIFFERS'}"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
