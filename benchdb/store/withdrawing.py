"""Withdraw runs of mine; apart from ``retractions``, on which results rest."""

from sqlalchemy import Connection, and_, delete

from benchdb.errors import UsageError
from benchdb.exchange.messages import Retraction
from benchdb.store.results import following
from benchdb.store.retractions import row_of
from benchdb.store.tables import retraction
from benchdb.store.write import insert_new


def retract(connection: Connection, line: Retraction, fingerprint: str | None) -> None:
    """Withdraw a run; results follow. The same line once more changes nothing."""
    with following(connection) as changes:
        row = row_of(line, fingerprint, mine=True)
        connection.execute(insert_new(connection, retraction), [row])
        changes.touch([line.run])


def undo(connection: Connection, digest: str) -> int:
    """Take back what was said of the run *digest* with this database."""
    with following(connection) as changes:
        ours = and_(retraction.c.run == digest, retraction.c.mine)
        count = connection.execute(delete(retraction).where(ours)).rowcount
        changes.touch([digest])
    if not count:
        raise UsageError(
            f"run {digest[:12]} was not withdrawn with this database; "
            "'benchdb show' says who did"
        )
    return count
