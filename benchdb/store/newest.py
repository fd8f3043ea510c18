"""The runs of the newest campaign of every cell: what a report of a million reads.

They are those to which ``cells.campaigns`` gives the age 1. Here they are found in two
readings, several times as fast as by the database's sorting.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Select, Text, delete, insert, select, type_coerce

from benchdb.store.cells import CELL
from benchdb.store.tables import newest, run

PLACE = ("machine", "workload")  # columns of a run
Place = tuple[str, str]

_ROWS = 1000  # inserted at once
_FACTS = (run.c.digest, run.c.campaign, run.c.started, run.c.tier, run.c.status)
# What else runs of one workload on one machine can differ in.
_OTHERWISE = tuple(
    type_coerce(column, Text) if column is run.c.parameters else column
    for column in CELL
    if column is not run.c.machine and column is not run.c.workload
)


def refresh(connection: Connection, places: Iterable[Place]) -> None:
    """Decide anew for all runs of these workloads on these machines."""
    for machine, workload in sorted(places):
        here = run.c.machine == machine, run.c.workload == workload
        theirs = select(run.c.digest).where(*here)
        connection.execute(delete(newest).where(newest.c.run.in_(theirs)))
        found = _newest(connection, select(*_FACTS, *_OTHERWISE).where(*here))
        for start in range(0, len(found), _ROWS):
            rows = [{"run": digest} for digest in found[start : start + _ROWS]]
            connection.execute(insert(newest), rows)


def renew(connection: Connection) -> None:
    """Decide anew for all runs."""
    query = select(run.c.machine, run.c.workload).distinct()
    refresh(connection, [(one[0], one[1]) for one in connection.execute(query)])


def _newest(connection: Connection, query: Select[Any]) -> list[str]:
    """Return the digests in order; no more than those are in memory."""
    ages: defaultdict[Any, dict[str | None, str]] = defaultdict(dict)
    for _, campaign, started, *cell in connection.execute(query):
        campaigns = ages[_kind(cell)]
        campaigns[campaign] = max(campaigns.get(campaign, ""), started or "")
    first = {kind: max(map(_age, ages[kind].items())) for kind in ages}
    return sorted(
        digest
        for digest, campaign, _, *cell in connection.execute(query)
        if _age((campaign, ages[kind := _kind(cell)][campaign])) == first[kind]
    )


def _kind(cell: list[Any]) -> tuple[Any, ...]:
    tier, status, *rest = cell
    return tier == "smoke", status == "ok", *rest


def _age(campaign: tuple[str | None, str]) -> tuple[str, str]:
    name, started = campaign
    return started, name or ""
