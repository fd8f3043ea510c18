"""Systems: a chip at work on a device, and any two of them held against each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from benchdb.compare.cell_rows import CellRow, cells
from benchdb.compare.side_names import Asked
from benchdb.compare.sides import Side
from benchdb.exchange.messages import Device
from benchdb.report.inputs import Inputs
from benchdb.report.measurement import Measurement
from benchdb.report.runs import StoredRun
from benchdb.report.view import atoms
from benchdb.site.addresses import addresses
from benchdb.store.places import chip_at_work, is_known


class Worker(NamedTuple):
    """A chip with the device of it that worked: ``M1 Max`` on ``metal``."""

    chip: str
    device: Device


_Known = tuple[Side, Side, tuple[CellRow, ...]]
BASELINE = Worker(atoms.BASELINE, "metal")  # of every ratio that names no other


class Systems:
    """What each chip measured on each device; comparisons are made once each."""

    def __init__(self, inputs: Inputs) -> None:
        """Put together what was measured; what counts nowhere is of no system."""
        runs = defaultdict[Worker, list[StoredRun]](list)
        for run in inputs.runs:
            if not run.left_out and is_known(run.place):
                runs[Worker(chip_at_work(run.place), run.place.device)].append(run)
        measured = defaultdict[Worker, list[Measurement]](list)
        for measurement in inputs.compared:
            measured[
                Worker(chip_at_work(measurement.place), measurement.place.device)
            ].append(measurement)
        given = {
            worker: (
                tuple(own),
                tuple(measured[worker]),
                tuple(inputs.notes.flags_of(run.facts.digest) for run in own),
            )
            for worker, own in runs.items()
        }

        def sides(workers: Iterable[Worker]) -> list[Side]:
            asked = [(Asked("chip", worker.chip), *given[worker]) for worker in workers]
            return [
                Side(name, own, measured, {}, inputs.notes)
                for name, own, measured, _ in asked
            ]

        made = inputs.memo.each("sides", given, sides)
        self._sides = dict(zip(given, made, strict=True))
        # What two sides that are as they were say of each other is so as well.
        self._cells: dict[tuple[Worker, Worker], _Known] = inputs.memo.table("cells")

    @property
    def sides(self) -> Mapping[Worker, Side]:
        """Return every system with its runs and what they measured."""
        return self._sides

    @cached_property
    def slugs(self) -> Mapping[Worker, str]:
        """Return what addresses call each system."""
        named = {f"{worker.chip} {worker.device}": worker for worker in self._sides}
        values = addresses("compare", named)
        return {named[name]: path.partition("/")[2] for name, path in values.items()}

    def cells(self, base: Worker, other: Worker) -> tuple[CellRow, ...]:
        """Return what *other* does on the cells that *base* has as well.

        A ratio says how many times as fast *other* is. There are none where one of them
        did nothing.
        """
        if base not in self._sides or other not in self._sides:
            return ()
        sides = self._sides[base], self._sides[other]
        known = self._cells.get((base, other))
        if known is None or known[0] is not sides[0] or known[1] is not sides[1]:
            known = self._cells[base, other] = *sides, cells(*sides)
        return known[2]

    def ratio_of(self, run: str, worker: Worker, base: Worker) -> CellRow | None:
        """Return the cell in which *run* of *worker* meets *base*, like for like."""
        rows = self.cells(base, worker) if worker != base else ()
        own = (row for row in rows if row.other.quantity.run == run and row.counts)
        return next(own, None)
