"""What follows from the runs and is stored beside them.

Findings and fingerprints tell what is doubtful, ``newest`` and ``part`` are what a
report would otherwise read all runs for, ``result`` what it says of them.
"""

from collections.abc import Iterator

from sqlalchemy import Connection, select

from benchdb.store import contents, findings, machines, newest, results, rows
from benchdb.store.listing import Filter
from benchdb.store.read import records
from benchdb.store.renaming import rename
from benchdb.store.signed_machines import flag_contradicting_signers
from benchdb.store.tables import finding, fingerprint, part, result, run, source
from benchdb.store.tables import newest as newest_runs
from benchdb.store.write import Writer

# What ``renew`` makes, from nothing but the other tables.
DERIVED = (finding, fingerprint, newest_runs, part, result)
_NAMES = "0009"  # the schema since which work of others bears names of the catalogue
_DOUBTS = "0007"  # the schema since which all rules of today look at every run


def renew(connection: Connection, since: str | None = None) -> None:
    """Derive everything anew that a database of the schema *since* did not have.

    Without *since* that is all that is derived; the runs stay as they are, since who
    checks a database may not be allowed to change them.
    """
    renamed = rename(connection) if since and since < _NAMES else set[str]()
    newest.renew(connection)
    contents.renew(connection)
    if since is None or since < _DOUBTS:
        _renew_doubts(connection)
    elif renamed:
        findings.refresh(connection, sources=renamed, runs=set())
    machines.flag_foreign_ids(connection)
    flag_contradicting_signers(connection)
    results.renew(connection)


def _renew_doubts(connection: Connection) -> None:
    writer = Writer(connection)
    for record in records(connection, Filter()):
        writer.add(rows.of_likeness(record))
    writer.flush()
    sources = set(connection.scalars(select(source.c.digest)))
    for some in _by_thousands(connection):
        findings.refresh(connection, sources=set(), runs=some)
    findings.refresh(connection, sources=sources, runs=set())


def _by_thousands(connection: Connection) -> Iterator[set[str]]:
    query = select(run.c.digest).where(run.c.source.is_(None))
    for some in connection.scalars(query).partitions(1000):
        yield set(some)
