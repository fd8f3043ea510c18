"""Withdraw runs, and take what others withdrew; results rest on ``retractions``."""

from sqlalchemy import Connection, and_, delete

from benchdb.bundles.retracting import fingerprint_of
from benchdb.bundles.signatures import SignatureError
from benchdb.errors import UsageError
from benchdb.exchange.messages import Retraction
from benchdb.exchange.reader import BadLine
from benchdb.store.batches import Batch
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


def check(batch: Batch, before: int) -> int:
    """Add rows of the retractions of *batch* whose signatures fit; refuse the others.

    *before* counts the signatures of the same file that were looked at; return that
    with those of this batch.
    """
    believed = batch.rows.setdefault("retraction", [])
    for withdrawal in batch.withdrawals:
        number, line = withdrawal.number, withdrawal.line
        before += line.signature is not None
        try:
            believed.append(row_of(line, fingerprint_of(line, before)))
        except SignatureError as error:
            why, at = str(error), f"line {number}"
            batch.bad.append(BadLine(number, why, locator=at, raw=line.reason))
    return before
