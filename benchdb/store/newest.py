"""The runs of the newest campaign of every cell: what a report of a million reads.

The newest campaign is that of the run that started last; what went well, what did not,
and smoke runs are apart. *cell* is a short name, alike for all of them in one cell.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    delete,
    func,
    insert,
    select,
)

from benchdb.store.cells import CELL, SPELLED, Age, age
from benchdb.store.tables import newest, run

PLACE = ("machine", "workload")  # columns of a run
Place = tuple[str, str]

_ROWS = 1000  # inserted at once
_Kind = tuple[Any, ...]
_Found = tuple[str, Sequence[Any], str | None]  # a run, its cell, when it started
_FACTS = (run.c.campaign, run.c.started, run.c.tier, run.c.status)
# What else runs of one workload on one machine can differ in.
_OTHERWISE = tuple(
    spelled
    for column, spelled in zip(CELL, SPELLED, strict=True)
    if column.name not in PLACE
)


def refresh(connection: Connection, places: Iterable[Place]) -> None:
    """Decide anew for all runs of these workloads on these machines."""
    for machine, workload in sorted(places):
        here = run.c.machine == machine, run.c.workload == workload
        theirs = select(run.c.digest).where(*here)
        connection.execute(delete(newest).where(newest.c.run.in_(theirs)))
        found = _newest(connection, theirs)
        for start in range(0, len(found), _ROWS):
            rows = [
                {
                    "run": digest,
                    "machine": machine,
                    "cell": _name(workload, cell),
                    "started": started,
                }
                for digest, cell, started in found[start : start + _ROWS]
            ]
            connection.execute(insert(newest), rows)


def renew(connection: Connection) -> None:
    """Decide anew for all runs."""
    query = select(run.c.machine, run.c.workload).distinct()
    refresh(connection, [(one[0], one[1]) for one in connection.execute(query)])


def _newest(connection: Connection, query: Select[Any]) -> list[_Found]:
    """Return them by digest; no more than those are in memory."""
    newest_: dict[_Kind, Age] = {}
    facts = query.with_only_columns(*_FACTS, *_OTHERWISE)
    for campaign, started, *cell in connection.execute(facts):
        kind, told = _kind(cell), age(started, campaign)
        if kind not in newest_ or told > newest_[kind]:
            newest_[kind] = told
    names = sorted({name for _, name in newest_.values()})
    # Compared as it is above: a campaign without a name is one as well.
    found: list[_Found] = []
    for start in range(0, len(names), _ROWS):
        some = func.coalesce(run.c.campaign, "").in_(names[start : start + _ROWS])
        rows = connection.execute(facts.add_columns(run.c.digest).where(some))
        found += (
            (digest, cell[2:], started)
            for campaign, started, *cell, digest in rows
            if (campaign or "") == newest_[_kind(cell)][1]
        )
    return sorted(found)


def _kind(cell: Sequence[Any]) -> _Kind:
    tier, status, *rest = cell
    return tier == "smoke", status == "ok", *rest


def _name(workload: str, cell: Sequence[Any]) -> str:
    """Return a short name for the *cell* of a machine."""
    told = json.dumps([workload, *cell]).encode()
    return hashlib.blake2b(told, digest_size=8).hexdigest()
