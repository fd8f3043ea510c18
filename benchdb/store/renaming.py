"""Runs of older databases under the names of today: a step of an upgrade.

A name is part of a run's content, so the renamed run has another digest, the same as
when an exchange file with the old name is read today. Its source stays what it is, with
all that was decided about it: a document that is read again by a newer benchdb is
another reading of the same source, and counts in place of the one before.
"""

from collections.abc import Iterator

from sqlalchemy import Connection, delete, select

from benchdb.exchange.language_models import OLD_NAMES, renamed
from benchdb.exchange.record import Record
from benchdb.store import contents
from benchdb.store.bulk_load import batched, delete_keys
from benchdb.store.read import records_of
from benchdb.store.removal import naming
from benchdb.store.tables import future_date, run, workload
from benchdb.store.write import Writer


def rename(connection: Connection) -> set[str]:
    """Give runs the names of today; return the sources of those that had others.

    What a report reads of runs has to be derived anew.
    """
    writer = Writer(connection)
    old, sources = set[str](), set[str]()
    for run_digest, mine in list(_old(connection)):
        new = renamed(run_digest)
        if new.digest != run_digest.digest:
            writer.add_record(new, mine=mine)
            old.add(run_digest.digest)
            sources |= {run_digest.source_digest or ""}
    writer.flush()
    for column in (*naming(run.c.digest), future_date.c.digest, run.c.digest):
        delete_keys(connection, column, old)
    contents.refresh(connection, {digest[: contents.LETTERS] for digest in old})
    used = select(run.c.digest).where(
        run.c.workload == workload.c.name, run.c.workload_version == workload.c.version
    )
    connection.execute(delete(workload).where(~used.exists()))
    return sources


def _old(connection: Connection) -> Iterator[tuple[Record, bool]]:
    """Yield the runs that bear an old name, and whether they are mine."""
    for begin in OLD_NAMES:
        query = select(run.c.digest, run.c.mine).where(run.c.workload.startswith(begin))
        mine = {row.digest: row.mine for row in connection.execute(query)}
        for some in batched(sorted(mine)):
            for record in records_of(connection, some):
                yield record, mine[record.digest]
