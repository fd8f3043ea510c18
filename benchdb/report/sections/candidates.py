"""Candidates: everything that each system did, and which of them is the baseline."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

import msgspec

from benchdb.conditions import Conditions
from benchdb.errors import UsageError, suggestion
from benchdb.metric_kinds import SPEEDS
from benchdb.report.measurement import Gap, Measurement, differs, newest
from benchdb.report.sections.inputs import training
from benchdb.report.systems import party
from benchdb.report.view.atoms import System
from benchdb.statistics.comparison import geometric_mean
from benchdb.store.places import is_card

_ENOUGH = 0.5  # a baseline has at least this share of the likest system's like figures


class Candidate(msgspec.Struct, frozen=True):
    """One system: its newest measurement under each conditions, and its gaps.

    A *card* is a discrete GPU, which others may be compared with.
    """

    system: System
    vendor: str
    card: bool
    measurements: tuple[Measurement, ...]
    gaps: tuple[Gap, ...]

    def on(self, workload: str) -> list[Measurement]:
        """Return its measurements of one workload."""
        return [m for m in self.measurements if m.conditions.workload == workload]

    def like(self, wanted: Measurement) -> Measurement | None:
        """Return its newest measurement that is like the *wanted* one."""
        alike = [m for m in self.measurements if not differs(m, wanted)]
        return newest(alike) if alike else None

    def reason(self, workload: str) -> str | None:
        """Return why there is no figure of one workload, where anybody said it."""
        found = (g.reason for g in self.gaps if g.conditions.workload == workload)
        return next(found, None)


def candidates(
    measurements: Iterable[Measurement], gaps: Iterable[Gap], here: str | None
) -> list[Candidate]:
    """Return the systems that trained, by key."""
    systems, done = training(measurements, here)
    cells: defaultdict[System, defaultdict[Conditions, list[Measurement]]]
    cells = defaultdict(lambda: defaultdict(list))
    for system, one in done:
        cells[system][one.conditions].append(one)
    lost: defaultdict[System, list[Gap]] = defaultdict(list)
    for gap in gaps:
        who = party(gap.place, gap.conditions.framework, here)
        if who in systems:
            lost[systems[who]].append(gap)
    everyone = []
    for system in sorted(cells, key=lambda it: it.key):
        own = [one for alike in cells[system].values() for one in alike]
        candidate = Candidate(
            system=system,
            vendor=own[0].place.vendor,
            card=all(is_card(one.place) for one in own),
            measurements=tuple(map(newest, cells[system].values())),
            gaps=tuple(lost[system]),
        )
        everyone.append(candidate)
    return everyone


def baseline(everyone: Sequence[Candidate], name: str | None) -> Candidate:
    """Return the candidate that others are compared with.

    Without a *name* it is the slowest Mac's CPU with many like figures beside it, then
    the slowest CPU, then the slowest of all. Raise ``UsageError`` for a wrong name.
    """
    likeness = _likeness(everyone)
    scores = {  # how many like figures others have beside each system's own
        one.system.key: sum(likeness[m.conditions] - 1 for m in one.measurements)
        for one in everyone
    }
    if name is not None:
        return _named(everyone, name, scores)
    cpus = [one for one in everyone if one.system.device == "cpu"]
    macs = [one for one in cpus if one.vendor == "Apple"]
    return _slowest(macs or cpus or everyone, scores)


def _named(
    everyone: Sequence[Candidate], name: str, scores: dict[str, int]
) -> Candidate:
    wanted = _words(name)
    found = [one for one in everyone if wanted in _names(one.system)]
    most = max((scores[one.system.key] for one in found), default=0)
    likest = [one for one in found if scores[one.system.key] == most]
    if len(likest) == 1:
        return likest[0]
    if not found:
        hint = suggestion(name, (one.system.key for one in everyone))
        raise UsageError(f"baseline {name!r} is not in the results{hint}")
    known = ", ".join(one.system.key for one in found)
    raise UsageError(f"baseline {name!r} is ambiguous; choose one of: {known}")


def _names(system: System) -> tuple[tuple[str, ...], ...]:
    chip, framework = _words(system.chip), _words(system.framework)
    at_work = (*chip, system.device)
    return _words(system.key), chip, at_work, (*at_work, *framework)


def _words(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", name.lower()))


def _slowest(fit: Sequence[Candidate], scores: dict[str, int]) -> Candidate:
    most = max(scores[one.system.key] for one in fit)
    fit = [one for one in fit if scores[one.system.key] >= _ENOUGH * most]
    shared = set.intersection(
        *({m.conditions for m in one.measurements} for one in fit)
    )

    def speed(one: Candidate) -> tuple[float, str]:
        speeds = [m.speeds for m in one.measurements if m.conditions in shared]
        logs = [math.log(geometric_mean(processes)) for processes in sorted(speeds)]
        return fmean(logs) if logs else 0.0, one.system.key

    return min(fit, key=speed)


def _likeness(everyone: Iterable[Candidate]) -> Counter[Conditions]:
    """Count how many systems have a figure under the same conditions."""
    return Counter(m.conditions for one in everyone for m in one.measurements)


def anchor(
    own: Candidate, workload: str, everyone: Sequence[Candidate]
) -> Measurement | None:
    """Return the baseline's figure of *workload* that most others can compare with."""
    likeness = _likeness(everyone)

    def preference(one: Measurement) -> tuple[object, ...]:
        conditions = one.conditions
        rank = SPEEDS.index(conditions.metric)
        return -likeness[conditions], rank, repr(conditions)

    steady = [one for one in own.on(workload) if not one.conditions.smoke]
    return min(steady, key=preference, default=None)
