"""What the sections of a report are computed from."""

import math
from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import Connection

from benchdb.metric_kinds import BESIDE_THEIR_RATE
from benchdb.report.measurement import Gap, Measurement
from benchdb.report.references import Notes, Sources
from benchdb.report.runs import StoredRun
from benchdb.report.systems import party, resolve
from benchdb.report.view.atoms import System
from benchdb.report.workloads import trains
from benchdb.store.places import is_known


class SectionInput(msgspec.Struct, frozen=True):
    """The database with the *runs* of the report, and what all sections share.

    *measured* are the newest measurements of every cell, *steady* those that are no
    smoke runs, *missing* what was tried and gave none. *baseline* names the system that
    the ranking compares with, *here* is as ``systems.is_here`` has it. Notes and
    sources are numbered in the order in which they are asked for.
    """

    connection: Connection
    runs: Sequence[StoredRun]
    measured: Sequence[Measurement]
    steady: Sequence[Measurement]
    missing: Sequence[Gap]
    baseline: str | None
    here: str | None
    notes: Notes
    sources: Sources

    def throughputs(self) -> list[tuple[System, Measurement]]:
        """Return each steady measurement of training with a known throughput."""
        known = [
            measurement
            for measurement in self.steady
            if all(0 < rate < math.inf for rate in measurement.throughputs or (0.0,))
        ]
        return training(known, self.here)[1]


def training(
    measurements: Iterable[Measurement], here: str | None
) -> tuple[dict[System, System], list[tuple[System, Measurement]]]:
    """Return the systems that trained, and each of their measurements with its own.

    What was trained on a chip that nobody names is compared with nothing. Steps stand
    aside: whoever times them gives their rate as well.
    """
    done = [
        one
        for one in measurements
        if trains(one.conditions.workload)
        and one.conditions.metric not in BESIDE_THEIR_RATE
        and is_known(one.place)
    ]
    parties = [party(one.place, one.conditions.framework, here) for one in done]
    systems = resolve(parties)
    pairs = zip(parties, done, strict=True)
    return systems, [(systems[who], one) for who, one in pairs]
