"""Sessions: which processes of a campaign ran on one boot without a long pause.

Processes of a session share the state of the machine: its temperature, its clocks, what
else runs there. They differ less from each other than from those of another session.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from benchdb.grading import BUSY_LOAD, load_per_cpu, number

PAUSE = timedelta(minutes=30)  # a longer one begins another session
# By then a load average over one minute has forgotten what ran before.
_FORGOTTEN = timedelta(minutes=3)
_SHIFT = timedelta(minutes=2)  # clocks are set right by less


class Process(NamedTuple):
    """When one run of a machine began and ended, in which campaign and conditions."""

    digest: str
    machine: str
    campaign: str | None
    started: str | None
    ended: str | None
    before: Mapping[str, Any]


class Session(msgspec.Struct, frozen=True):
    """The session of a run, and the load that it met there, which was not our own.

    *name* is equal for all runs of a session. *load* is the load average for each CPU.
    """

    name: str
    load: float | None

    @property
    def state(self) -> str:
        """Return whether the machine was busy with something else; "" if not known.

        "busy 1" is up to twice the load from which a machine counts as busy, "busy 2"
        up to four times, and so on: what two of them did slows work down unlike.
        """
        if self.load is None:
            return ""
        _, doublings = math.frexp(self.load / BUSY_LOAD)
        return f"busy {doublings}" if self.load > BUSY_LOAD else "quiet"


def sessions(processes: Iterable[Process]) -> dict[str, Session]:
    """Return the session of each run, by digest.

    A run without a campaign is a session of its own; where a campaign does not say when
    its runs began, they are one.
    """
    campaigns: defaultdict[tuple[str, str], list[tuple[datetime, Process]]]
    campaigns = defaultdict(list)
    known: dict[str, Session] = {}
    for process in processes:
        start = moment(process.started) if process.campaign is not None else None
        if process.campaign is None or start is None:
            load = load_per_cpu(process.before) if process.before else None
            name = process.digest
            if process.campaign is not None:
                name = f"{process.campaign} on {process.machine}"
            known[process.digest] = Session(name, load)
        else:
            campaigns[process.machine, process.campaign].append((start, process))
    for members in campaigns.values():
        members.sort(key=lambda member: (member[0], member[1].digest))
        known.update(_divided(members))
    return known


def _divided(
    members: Iterable[tuple[datetime, Process]],
) -> Iterator[tuple[str, Session]]:
    """Divide the runs of a campaign, in the order of time.

    A run shortly after another meets the load that the first of them met: what it sees
    is our own.
    """
    name, met = "", None
    until: datetime | None = None
    boot: datetime | None = None
    for start, process in members:
        own, booted = load_per_cpu(process.before), _booted(start, process)
        restarted = bool(boot and booted and abs(booted - boot) > _SHIFT)
        if until is None or start - until > PAUSE or restarted:
            name = process.digest
        if until is None or start - until > _FORGOTTEN or restarted:
            met = own
        load = own if own is None or met is None else min(own, met)
        yield process.digest, Session(name, load)
        end = moment(process.ended) or start
        until = end if until is None else max(until, end)
        boot = booted or boot


def _booted(start: datetime, process: Process) -> datetime | None:
    uptime = number(process.before, "uptime_seconds")
    if uptime is None or not 0 <= uptime < 1e10:
        return None
    try:
        return start - timedelta(seconds=uptime)
    except OverflowError:  # a stranger's date in the first centuries
        return None


def moment(text: str | None) -> datetime | None:
    """Return a time that a run states, in UTC unless it says otherwise."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return None  # a stranger's way to write it
    return time if time.tzinfo else time.replace(tzinfo=UTC)
