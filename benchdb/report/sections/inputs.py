"""What the sections of a report are computed from, and what each system did."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import msgspec
from sqlalchemy import Connection

from benchdb.conditions import Conditions
from benchdb.errors import UsageError, suggestion
from benchdb.metric_kinds import BESIDE_THEIR_RATE, SPEEDS
from benchdb.report.measurement import Gap, Measurement, newest
from benchdb.report.references import Notes, Sources
from benchdb.report.runs import StoredRun
from benchdb.report.systems import party, resolve
from benchdb.report.view.atoms import System
from benchdb.report.workloads import trains
from benchdb.statistics.comparison import geometric_mean
from benchdb.store.places import is_known

_ENOUGH = 0.5  # a baseline has at least this share of the likest system's like figures

# What each system measured, by its key: the newest under each conditions.
Candidates = Mapping[System, Sequence[Measurement]]


class SectionInput(msgspec.Struct, frozen=True):
    """The database with the *runs* of the report, and what all sections share.

    *measured* are the newest measurements of every cell, *steady* those that are no
    smoke runs, *tokens* those of language models that are none, *missing* what was
    tried and gave none. *baseline* names the system that
    the ranking compares with, *here* is as ``systems.is_here`` has it. Notes and
    sources are numbered in the order in which they are asked for.
    """

    connection: Connection
    runs: Sequence[StoredRun]
    measured: Sequence[Measurement]
    steady: Sequence[Measurement]
    tokens: Sequence[Measurement]
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


def candidates(trained: Iterable[tuple[System, Measurement]]) -> Candidates:
    """Return the newest measurements of the systems that *trained*."""
    cells: defaultdict[System, defaultdict[Conditions, list[Measurement]]]
    cells = defaultdict(lambda: defaultdict(list))
    for system, one in trained:
        cells[system][one.conditions].append(one)
    return {
        system: [newest(alike) for alike in cells[system].values()]
        for system in sorted(cells, key=lambda it: it.key)
    }


def baseline(everyone: Candidates, name: str | None) -> System:
    """Return the system that others are compared with.

    Without a *name* it is the slowest Mac's CPU with many like figures beside it, then
    the slowest CPU, then the slowest of all. Raise ``UsageError`` for a wrong name.
    """
    likeness = count_alike(everyone)
    scores = {  # how many like figures others have beside each system's own
        system: sum(likeness[m.conditions] - 1 for m in own)
        for system, own in everyone.items()
    }
    if name is not None:
        return _named(scores, name)
    cpus = [system for system in everyone if system.device == "cpu"]
    macs = [system for system in cpus if everyone[system][0].place.vendor == "Apple"]
    fit = macs or cpus or [*everyone]
    most = max(scores[system] for system in fit)
    fit = [system for system in fit if scores[system] >= _ENOUGH * most]
    shared = set.intersection(*({m.conditions for m in everyone[it]} for it in fit))

    def speed(system: System) -> tuple[float, str]:
        speeds = [m.speeds for m in everyone[system] if m.conditions in shared]
        logs = [math.log(geometric_mean(processes)) for processes in sorted(speeds)]
        return fmean(logs) if logs else 0.0, system.key

    return min(fit, key=speed)


def _named(scores: Mapping[System, int], name: str) -> System:
    wanted = _words(name)
    found = [system for system in scores if wanted in _names(system)]
    most = max((scores[system] for system in found), default=0)
    likest = [system for system in found if scores[system] == most]
    if len(likest) == 1:
        return likest[0]
    if not found:
        hint = suggestion(name, (system.key for system in scores))
        raise UsageError(f"baseline {name!r} is not in the results{hint}")
    known = ", ".join(system.key for system in found)
    raise UsageError(f"baseline {name!r} is ambiguous; choose one of: {known}")


def _names(system: System) -> tuple[tuple[str, ...], ...]:
    chip, framework = _words(system.chip), _words(system.framework)
    at_work = (*chip, system.device)
    return _words(system.key), chip, at_work, (*at_work, *framework)


def _words(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", name.lower()))


def count_alike(everyone: Candidates) -> Counter[Conditions]:
    """Count how many systems have a figure under the same conditions."""
    return Counter(m.conditions for own in everyone.values() for m in own)


def anchor(
    own: Iterable[Measurement], likeness: Counter[Conditions]
) -> Measurement | None:
    """Return of the baseline's figures that which most others can compare with."""

    def preference(one: Measurement) -> tuple[object, ...]:
        conditions = one.conditions
        rank = SPEEDS.index(conditions.metric)
        return -likeness[conditions], rank, repr(conditions)

    steady = (one for one in own if not one.conditions.smoke)
    return min(steady, key=preference, default=None)
