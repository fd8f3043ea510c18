"""Write ``schema/spreads.json``: what classes of work have shown in our database.

    python -m tools.seen_spreads          # make spreads

Sessions and conditions are those of a report. A machine without an id counts as one:
its campaigns tell its hosts apart.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from benchdb.report.measurement import classified, measurements
from benchdb.report.runs import stored
from benchdb.statistics.comparison import Sample
from benchdb.statistics.spreads import Seen, WorkClass, seen
from benchdb.store import sqlite

DATABASE = Path(__file__).parents[1] / "results.sqlite"


def samples() -> list[tuple[str, WorkClass, Sample]]:
    """Return what was measured in the database that we publish: of what, its class."""
    with sqlite.connect(DATABASE).connect() as connection:
        return [
            (
                measurement.conditions.workload,
                name,
                measurement.sampled(measurement.values),
            )
            for measurement, name in classified(measurements(stored(connection)))
        ]


def classes() -> Mapping[WorkClass, Seen]:
    """Return what the classes have shown."""
    return seen((name, sample) for _, name, sample in samples())


def encoded(classes: Mapping[WorkClass, Seen]) -> str:
    """Return *classes* as ``schema/spreads.json`` has them, to six decimals."""
    facts = {name: msgspec.structs.asdict(result) for name, result in classes.items()}
    for fact in facts.values():
        for level in ("process", "session"):
            if fact[level] is not None:
                fact[level] = round(fact[level], 6)
    return json.dumps(facts, indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(encoded(classes()))
