"""Systems: a chip at work on a device, and any two of them held against each other."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from benchdb.compare.cell_rows import CellRow, Comparison, cells, compare
from benchdb.compare.side_names import Asked
from benchdb.compare.sides import Side
from benchdb.exchange.messages import Device
from benchdb.report import scope
from benchdb.report.inputs import Inputs
from benchdb.report.measurement import Measurement
from benchdb.report.runs import StoredRun
from benchdb.site.addresses import addresses
from benchdb.store.places import chip_at_work, is_known


class Worker(NamedTuple):
    """A chip with the device of it that worked: ``M1 Max`` on ``metal``."""

    chip: str
    device: Device


BASELINE = Worker(scope.BASELINE, "metal")  # of every ratio that names no other


class Systems:
    """What each chip measured on each device; comparisons are made once each."""

    def __init__(self, inputs: Inputs) -> None:
        """Put together what was measured; what counts nowhere is of no system."""
        runs = defaultdict[Worker, list[StoredRun]](list)
        for run in inputs.runs:
            if not run.left_out and is_known(run.place):
                runs[Worker(chip_at_work(run.place), run.place.device)].append(run)
        measured = defaultdict[Worker, list[Measurement]](list)
        for one in inputs.compared:
            measured[Worker(chip_at_work(one.place), one.place.device)].append(one)
        self._sides = {
            worker: Side(
                asked=Asked("chip", worker.chip),
                runs=tuple(own),
                measured=tuple(measured[worker]),
                environments={},
                notes=inputs.notes,
            )
            for worker, own in runs.items()
        }
        self._compared: dict[tuple[Worker, Worker], Comparison] = {}

    @property
    def sides(self) -> Mapping[Worker, Side]:
        """Return every system with its runs and what they measured."""
        return self._sides

    @cached_property
    def slugs(self) -> Mapping[Worker, str]:
        """Return what addresses call each system."""
        named = {f"{worker.chip} {worker.device}": worker for worker in self._sides}
        found = addresses("compare", named)
        return {named[name]: path.partition("/")[2] for name, path in found.items()}

    def compare(self, base: Worker, other: Worker) -> Comparison | None:
        """Return what *other* does on the cells that *base* has as well.

        A ratio says how many times as fast *other* is. ``None`` where one of them did
        nothing.
        """
        if base not in self._sides or other not in self._sides:
            return None
        pair = base, other
        if pair not in self._compared:
            self._compared[pair] = compare(self._sides[base], self._sides[other])
        return self._compared[pair]

    def ratio_of(self, run: str, worker: Worker, base: Worker) -> CellRow | None:
        """Return the cell in which *run* of *worker* meets *base*, like for like."""
        if worker == base or (found := self.compare(base, worker)) is None:
            return None
        return next(
            (
                row
                for row in found.cells
                if row.other.quantity.run == run and row.counts
            ),
            None,
        )

    def cells(self, base: Worker, other: Worker) -> tuple[CellRow, ...]:
        """Return the cells of ``compare`` alone, for whoever asks for all pairs."""
        return cells(self._sides[base], self._sides[other])
