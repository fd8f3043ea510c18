"""The runs of the newest campaign of every cell: what a report of a million reads."""

from collections.abc import Iterable

from sqlalchemy import Connection, and_, delete, insert, select

from benchdb.store.cells import campaigns
from benchdb.store.tables import newest, run

Place = tuple[str, str]  # a machine's digest, and a workload


def refresh(connection: Connection, places: Iterable[Place]) -> None:
    """Decide anew for all runs of these workloads on these machines."""
    for machine, workload in sorted(places):
        here = and_(run.c.machine == machine, run.c.workload == workload)
        theirs = select(run.c.digest).where(here)
        connection.execute(delete(newest).where(newest.c.run.in_(theirs)))
        aged = campaigns(here)
        first = select(aged.c.digest).where(aged.c.age == 1)
        connection.execute(insert(newest).from_select([newest.c.run], first))


def renew(connection: Connection) -> None:
    """Decide anew for all runs."""
    query = select(run.c.machine, run.c.workload).distinct()
    refresh(
        connection, [(row.machine, row.workload) for row in connection.execute(query)]
    )
