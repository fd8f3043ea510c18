"""What the sections of a report are computed from, and what each system did."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from sqlalchemy import Connection

from benchdb.conditions import Conditions
from benchdb.metric_kinds import BESIDE_THEIR_RATE
from benchdb.report.measurement import Measurement, newest
from benchdb.report.references import Notes, Sources
from benchdb.report.runs import StoredRun
from benchdb.report.systems import party, resolve
from benchdb.report.view.atoms import System
from benchdb.report.workloads import trains
from benchdb.store.memo import Memo
from benchdb.store.places import is_known

# What each system measured, by its key: the newest under each conditions.
Candidates = Mapping[System, Sequence[Measurement]]


class Inputs(msgspec.Struct, frozen=True):
    """The database with the *runs* of the report, and what all sections share.

    *measured* are the newest measurements of every cell, *steady* those that are no
    smoke runs, *tokens* those of language models that are none, *compared* all in which
    systems are held against each other. *here* is as ``systems.is_here`` has it. Notes
    and sources are numbered in the order in which they are asked for. *memo* has what
    was made of the runs that were there before.
    """

    connection: Connection
    runs: Sequence[StoredRun]
    measured: Sequence[Measurement]
    steady: Sequence[Measurement]
    tokens: Sequence[Measurement]
    compared: Sequence[Measurement]
    here: str | None
    notes: Notes
    sources: Sources
    memo: Memo


def training(
    measurements: Iterable[Measurement], here: str | None
) -> tuple[dict[System, System], list[tuple[System, Measurement]]]:
    """Return the systems that trained, and each of their measurements with its own.

    What was trained on a chip that nobody names is compared with nothing. Steps stand
    aside: whoever times them gives their rate as well.
    """
    done = [
        measurement
        for measurement in measurements
        if trains(measurement.conditions.workload)
        and measurement.conditions.metric not in BESIDE_THEIR_RATE
        and is_known(measurement.place)
    ]
    parties = [
        party(measurement.place, measurement.conditions.framework, here)
        for measurement in done
    ]
    systems = resolve(parties)
    pairs = zip(parties, done, strict=True)
    return systems, [(systems[who], measurement) for who, measurement in pairs]


def candidates(trained: Iterable[tuple[System, Measurement]]) -> Candidates:
    """Return the newest measurements of the systems that *trained*."""
    cells: defaultdict[System, defaultdict[Conditions, list[Measurement]]]
    cells = defaultdict(lambda: defaultdict(list))
    for system, measurement in trained:
        cells[system][measurement.conditions].append(measurement)
    return {
        system: [newest(alike) for alike in cells[system].values()]
        for system in sorted(cells, key=lambda it: it.key)
    }
