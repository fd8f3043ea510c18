"""The table that a source amounts to: the same work on several systems."""

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from benchdb.plausibility.figures import RATES, TIMES
from benchdb.plausibility.observed import Observed

# In larger tables, of microbenchmarks, orders differ for honest reasons.
_MOST_SYSTEMS = 60
_MOST_WORK = 60

System = tuple[str, str | None]
Work = tuple[object, ...]


class Grid(msgspec.Struct, frozen=True, dict=True):
    """Figures of one metric on one kind of device, by system and work.

    Each is one run, the only one of its cell. *rows* are never empty.
    """

    metric: str
    rows: Mapping[System, Mapping[Work, Observed]]

    def figure(self, run: Observed) -> float:
        """Return the figure of *run* as printed."""
        return run.values[self.metric]

    @cached_property
    def logs(self) -> Mapping[System, Mapping[Work, float]]:
        """Return the logarithm of the time that each run needs, up to a constant."""
        sign = 1 if self.metric in TIMES else -1
        return {
            system: {
                work: sign * math.log(self.figure(run)) for work, run in row.items()
            }
            for system, row in self.rows.items()
        }

    def common(self, one: System, other: System) -> list[Work]:
        """Return the work that both systems did."""
        theirs = self.rows[other]
        return [work for work in self.rows[one] if work in theirs]

    def works(self) -> list[Work]:
        """Return all work of the table, in the order of its appearance."""
        return list(dict.fromkeys(work for row in self.rows.values() for work in row))


def grids(runs: Sequence[Observed], *, systems: int) -> Iterator[Grid]:
    """Yield the tables with at least so many *systems*; cells told twice are left out.

    What was measured by a collector stands in no table, nor what has no source.
    """
    found: dict[tuple[object, ...], dict[System, dict[Work, Observed | None]]]
    found = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        if run.source is None or run.label == "measured":
            continue
        system, work = (run.machine, run.device_name), _work(run)
        for metric in (*TIMES, *RATES):
            if run.values.get(metric, 0) > 0:
                cells = found[metric, *_kind(run)][system]
                cells[work] = None if work in cells else run
    for kind, table in found.items():
        rows = {
            system: {work: run for work, run in cells.items() if run is not None}
            for system, cells in table.items()
        }
        grid = Grid(str(kind[0]), {name: row for name, row in rows.items() if row})
        small = len(grid.rows) <= _MOST_SYSTEMS and len(grid.works()) <= _MOST_WORK
        if small and systems <= len(grid.rows):
            yield grid


def _kind(run: Observed) -> tuple[str | None, ...]:
    return run.device, run.framework, run.precision


def _work(run: Observed) -> Work:
    exact = json.dumps(run.parameters, sort_keys=True, default=str)
    return run.workload, run.setting, run.batch_size, exact
