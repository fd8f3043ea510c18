"""Whose runs are whose: those that are *mine*, and those that others contributed.

Mine is what ``collect`` wrote here, and what answers an item that was planned here; the
mark is stored with the run. An anonymous id stands in every file that is shared, so it
proves nothing: a run with the id of a machine of mine that came in a file from
elsewhere is of another machine, and a finding says so.
"""

from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select

from benchdb.store.pieces import pieces
from benchdb.store.tables import finding, machine, run

FOREIGN_ID = "foreign-id"  # the code of the finding

_ROWS = 500  # of one statement


def mine(column: Any) -> Select[Any]:
    """Return a query of *column* of the runs that are mine."""
    return select(column).where(run.c.mine)


def is_mine(connection: Connection, digest: str) -> bool:
    """Tell whether the run *digest* is mine."""
    query = mine(run.c.digest).where(run.c.digest == digest)
    return connection.scalar(query) is not None


def machines(connection: Connection) -> frozenset[str]:
    """Return the digests of the machines that runs of mine ran on."""
    return frozenset(connection.scalars(mine(run.c.machine).distinct()))


def ids(connection: Connection) -> frozenset[str]:
    """Return the anonymous ids of machines of mine."""
    found = connection.scalars(_ids())
    return frozenset(one for one in found if one is not None)


def _ids() -> Select[Any]:
    return select(machine.c.anonymous_id).where(
        machine.c.anonymous_id.is_not(None),
        machine.c.digest.in_(mine(run.c.machine)),
    )


def refresh(connection: Connection) -> None:
    """Find anew which contributed runs bear the anonymous id of a machine of mine.

    To be called when runs are there that were not, mine or others'.
    """
    there = set(
        connection.scalars(select(finding.c.run).where(finding.c.code == FOREIGN_ID))
    )
    namesakes = select(machine.c.digest).where(machine.c.anonymous_id.in_(_ids()))
    foreign = select(run.c.digest).where(run.c.machine.in_(namesakes), ~run.c.mine)
    wanted = set(connection.scalars(foreign))
    for some in pieces(sorted(there - wanted), _ROWS):
        of_them = finding.c.run.in_(some), finding.c.code == FOREIGN_ID
        connection.execute(delete(finding).where(*of_them))
    rows = [
        {"run": one, "code": FOREIGN_ID, "metric": "", "detail": {}}
        for one in sorted(wanted - there)
    ]
    for some_rows in pieces(rows, _ROWS):
        connection.execute(insert(finding), some_rows)
