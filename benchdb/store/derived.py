"""What follows from the runs and is stored beside them: findings and fingerprints."""

from collections.abc import Iterator

from sqlalchemy import Connection, select

from benchdb.store import findings, twins
from benchdb.store.listing import Filter
from benchdb.store.read import records
from benchdb.store.tables import finding, fingerprint, run, source
from benchdb.store.write import Writer

# What ``renew`` makes, from nothing but the other tables.
DERIVED = (finding, fingerprint)
_PUBLISHED = ("imported", "aggregate", "transcribed", "claimed")


def renew(connection: Connection) -> None:
    """Derive everything anew: after an upgrade to a schema that has more of it."""
    writer = Writer(connection)
    for label in _PUBLISHED:
        for record in records(connection, Filter(label=label)):
            writer.add(twins.rows(record))
    writer.flush()
    sources = set(connection.scalars(select(source.c.digest)))
    for some in _by_thousands(connection):
        findings.refresh(connection, sources=set(), runs=some)
    findings.refresh(connection, sources=sources, runs=set())


def _by_thousands(connection: Connection) -> Iterator[set[str]]:
    query = select(run.c.digest).where(run.c.source.is_(None))
    for some in connection.scalars(query).partitions(1000):
        yield set(some)
