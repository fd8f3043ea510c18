"""Contenders: everything that each system did, and which of them is the baseline."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

import msgspec

from benchdb.conditions import Conditions
from benchdb.errors import UsageError
from benchdb.report.measurement import Gap, Measurement, differs, newest
from benchdb.report.metric_kinds import BESIDE_THEIR_RATE, SPEEDS, trains
from benchdb.report.systems import is_card, is_known, party, resolve
from benchdb.report.view.atoms import System
from benchdb.statistics.comparison import geometric_mean

_ENOUGH = 0.5  # a baseline has at least this share of the likest system's like figures


class Contender(msgspec.Struct, frozen=True):
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
        found = [m for m in self.measurements if not differs(m, wanted)]
        return newest(found) if found else None

    def reason(self, workload: str) -> str | None:
        """Return why there is no figure of one workload, where anybody said it."""
        found = (g.reason for g in self.gaps if g.conditions.workload == workload)
        return next(found, None)


def contenders(
    measurements: Iterable[Measurement], gaps: Iterable[Gap], here: str | None
) -> list[Contender]:
    """Return what trained, by key; steps stand aside, their rates say the same.

    What was trained on a chip that nobody names is compared with nothing.
    """
    done = [
        one
        for one in measurements
        if trains(one.conditions.workload)
        and one.conditions.metric not in BESIDE_THEIR_RATE
        and is_known(one.place)
    ]
    parties = {one: party(one.place, one.conditions.framework, here) for one in done}
    systems = resolve(parties.values())
    mine: defaultdict[System, list[Measurement]] = defaultdict(list)
    for one in done:
        mine[systems[parties[one]]].append(one)
    lost: defaultdict[System, list[Gap]] = defaultdict(list)
    for gap in gaps:
        who = party(gap.place, gap.conditions.framework, here)
        if who in systems:
            lost[systems[who]].append(gap)
    return [
        _contender(system, found, lost[system])
        for system, found in sorted(mine.items(), key=lambda item: item[0].key)
    ]


def _contender(
    system: System, found: Sequence[Measurement], lost: Sequence[Gap]
) -> Contender:
    first = found[0].place
    card = all(is_card(one.place) for one in found)
    return Contender(system, first.vendor, card, _newest(found), tuple(lost))


def _newest(found: Sequence[Measurement]) -> tuple[Measurement, ...]:
    cells: defaultdict[Conditions, list[Measurement]] = defaultdict(list)
    for one in found:
        cells[one.conditions].append(one)
    return tuple(newest(ones) for ones in cells.values())


def baseline(everyone: Sequence[Contender], name: str | None) -> Contender:
    """Return the contender that others are compared with.

    Without a *name* it is the slowest Mac's CPU with many like figures beside it, then
    the slowest CPU, then the slowest of all. Raise ``UsageError`` for a wrong name.
    """
    scores = _scores(everyone)
    if name is not None:
        return _named(everyone, name, scores)
    cpus = [one for one in everyone if one.system.device == "cpu"]
    macs = [one for one in cpus if one.vendor == "Apple"]
    return _slowest(macs or cpus or everyone, scores)


def _named(
    everyone: Sequence[Contender], name: str, scores: dict[str, int]
) -> Contender:
    wanted = _words(name)
    found = [one for one in everyone if wanted in _names(one.system)]
    most = max((scores[one.system.key] for one in found), default=0)
    likest = [one for one in found if scores[one.system.key] == most]
    if len(likest) == 1:
        return likest[0]
    known = ", ".join(one.system.key for one in found or everyone)
    problem = "is ambiguous" if found else "is not in the results"
    raise UsageError(f"baseline {name!r} {problem}; choose one of: {known}")


def _names(system: System) -> tuple[tuple[str, ...], ...]:
    chip, device = _words(system.chip), (system.device,)
    framework = _words(system.framework)
    return (
        _words(system.key),
        chip,
        (*chip, *device),
        (*chip, *device, *framework),
    )


def _words(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", name.lower()))


def _likeness(everyone: Iterable[Contender]) -> Counter[Conditions]:
    """Count how many systems have a figure under the same conditions."""
    return Counter(m.conditions for one in everyone for m in one.measurements)


def _scores(everyone: Sequence[Contender]) -> dict[str, int]:
    """Return how many like figures others have beside each system's own, by key."""
    likeness = _likeness(everyone)
    return {
        one.system.key: sum(likeness[m.conditions] - 1 for m in one.measurements)
        for one in everyone
    }


def _slowest(candidates: Sequence[Contender], scores: dict[str, int]) -> Contender:
    most = max(scores[one.system.key] for one in candidates)
    fit = [one for one in candidates if scores[one.system.key] >= _ENOUGH * most]
    shared = set.intersection(
        *({m.conditions for m in one.measurements} for one in fit)
    )
    return min(fit, key=lambda one: (_speed(one, shared), one.system.key))


def _speed(one: Contender, shared: set[Conditions]) -> float:
    speeds = [m.speeds for m in one.measurements if m.conditions in shared]
    logs = [math.log(geometric_mean(processes)) for processes in sorted(speeds)]
    return fmean(logs) if logs else 0.0


def anchor(
    own: Contender, workload: str, everyone: Sequence[Contender]
) -> Measurement | None:
    """Return the baseline's figure of *workload* that most others can compare with."""
    likeness = _likeness(everyone)

    def preference(one: Measurement) -> tuple[object, ...]:
        conditions = one.conditions
        rank = SPEEDS.index(conditions.metric)
        return -likeness[conditions], rank, repr(conditions)

    steady = [one for one in own.on(workload) if not one.conditions.smoke]
    return min(steady, key=preference, default=None)
