"""Series: the same work at several batch sizes, on one machine and device."""

from collections import defaultdict
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.report.measurement import Measurement, newest
from benchdb.report.metric_kinds import TIMES_OF_A_STEP
from benchdb.report.sections.material import Material
from benchdb.report.sections.trained import Trained, trained
from benchdb.report.systems import Place, tidy
from benchdb.report.view.atoms import System

LEAST = 2  # batch sizes that make a series

Key = tuple[object, ...]


class Series(msgspec.Struct, frozen=True):
    """One measurement for each batch size, all else alike; *conditions* name no batch.

    *machine* is equal for all devices of one machine.
    """

    system: System
    machine: Key
    conditions: Conditions
    levels: Mapping[int, Measurement]

    @property
    def work(self) -> Key:
        """Return what was done where, however it was timed and on whichever device."""
        own = self.conditions
        task = own.workload, own.version, own.setting, own.framework
        how = own.precision, own.compiler, own.parameters, own.choices
        return self.machine, *task, *how

    @property
    def started(self) -> str:
        """Return when the newest of its measurements was started, if known."""
        return max(one.started or "" for one in self.levels.values())


def series(material: Material) -> list[Series]:
    """Return every series of at least two batch sizes, in a fixed order."""
    cells: defaultdict[tuple[System, Key, Conditions], list[Measurement]]
    cells = defaultdict(list)
    for one in trained(material):
        if (one.measurement.conditions.batch_size or 0) > 0:
            cells[_cell(one)].append(one.measurement)
    found = (Series(*cell, _levels(ones)) for cell, ones in cells.items())
    several = (one for one in found if len(one.levels) >= LEAST)
    return sorted(several, key=lambda one: (one.system.key, repr(one)))


def _cell(one: Trained) -> tuple[System, Key, Conditions]:
    own = one.measurement
    alike = _without_batch(own.conditions)
    return one.system, _machine(own.place), alike


def _machine(place: Place) -> Key:
    """Tell machines apart: ours by their row, published ones by what is said."""
    if place.measured:
        return place.source, place.machine
    return place.source, tidy(place.chip), place.model, place.ram_bytes


def _without_batch(own: Conditions) -> Conditions:
    """Return *own* for any batch; the samples of one step are no condition then."""
    extent = None if own.metric in TIMES_OF_A_STEP else own.extent
    return replace(own, batch_size=None, extent=extent)


def _levels(ones: list[Measurement]) -> dict[int, Measurement]:
    levels: defaultdict[int, list[Measurement]] = defaultdict(list)
    for one in ones:
        levels[one.conditions.batch_size or 0].append(one)
    return {size: newest(levels[size]) for size in sorted(levels)}
