"""Take into a reporting database what its sites have and it has not."""

from collections.abc import Iterator, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    MetaData,
    Table,
    collate,
    delete,
    false,
    func,
    inspect,
    or_,
    select,
    text,
)

from benchdb.errors import DatabaseError, UsageError
from benchdb.store import dates, editions, removal
from benchdb.store.derived import DERIVED, renew
from benchdb.store.forgetting import pending
from benchdb.store.migrate import SCHEMA_REVISION
from benchdb.store.postgresql.setup import OF_A_RUN, PREFIX, SHARED, VERSIONS
from benchdb.store.tables import (
    claim,
    forgotten,
    future_date,
    run,
    signed_run,
    source,
)
from benchdb.store.write import insert_new

_TOGETHER = 500  # runs; so many keys go into one query of a site
_FORGOTTEN = select(forgotten.c.digest).where(~forgotten.c.undone)
_SITES = text(
    "SELECT srvname FROM pg_foreign_server WHERE starts_with(srvname, :prefix) "
    "ORDER BY srvname"
)


def known_sites(connection: Connection, asked: Sequence[str] = ()) -> list[str]:
    """Return the names of the sites: all that the database knows, or those *asked*."""
    there: list[str] = []
    if connection.dialect.name == "postgresql":
        result = connection.scalars(_SITES, {"prefix": PREFIX})
        there = [name.removeprefix(PREFIX) for name in result]
    if not there:
        raise UsageError(
            "the database knows no sites; the SQL of 'benchdb db federate' makes them, "
            "on PostgreSQL"
        )
    for name in asked:
        if name not in there:
            raise UsageError(f"no site {name!r}; there are: {', '.join(there)}")
    return list(asked) or there


def gather(connection: Connection, site: str) -> int:
    """Take what *site* has in addition; return how many runs that were.

    Rows go from the site's server to ours. What is there already stays as it is, so
    taking it again changes nothing. Nothing is sorted or compared by the site: it may
    order text otherwise than we do.
    """
    _require_our_schema(connection, site)
    _note_sources_to_come(connection, _of(site, source))
    for table in SHARED:
        if table not in (*OF_A_RUN, signed_run):
            there = _of(site, table)
            _take(connection, there, table, _not_forgotten(there))
    _name_readers(connection, _of(site, source))
    count = 0
    for some in _fresh(connection, site):
        count += len(some)
        for table in OF_A_RUN:
            there = _of(site, table)
            key = there.c.digest if table is run else there.c.run
            _take(connection, there, table, key == func.any(list(some)))
        ours = select(run.c.digest, run.c.started).where(
            run.c.digest == func.any(list(some))
        )
        pairs = connection.execute(ours).all()
        _note(connection, dates.rows((row.digest, row.started) for row in pairs))
    seals = _of(site, signed_run)
    _take(connection, seals, signed_run, seals.c.run.in_(select(run.c.digest)))
    if pending(connection):
        removal.sweep(connection)
    return count


def derive(connection: Connection) -> None:
    """Derive everything anew, from the runs of all sites together."""
    # Nobody else has looked at the new rows yet: without figures about them the
    # queries of the rules would read whole tables, a hundred times slower.
    connection.exec_driver_sql(f"ANALYZE {', '.join(table.name for table in SHARED)}")
    for table in DERIVED:
        connection.execute(delete(table))
    renew(connection)


def _require_our_schema(connection: Connection, site: str) -> None:
    there = text(f"SELECT version_num FROM {PREFIX}{site}.{VERSIONS}")  # noqa: S608
    result = connection.scalar(there)
    if result != SCHEMA_REVISION:
        raise DatabaseError(
            f"it has schema {result}, this benchdb {SCHEMA_REVISION}; upgrade the "
            "older, then run the SQL of 'benchdb db federate' again"
        )
    known = inspect(connection)
    if not all(known.has_table(it.name, schema=PREFIX + site) for it in SHARED):
        raise DatabaseError(
            "it shares fewer tables than this benchdb takes; run the SQL of "
            "'benchdb db federate' again"
        )


def _note_sources_to_come(connection: Connection, theirs: Table) -> None:
    """Note which sources that are not here yet have a date ahead of our clock."""
    columns = theirs.c.digest, theirs.c.published, theirs.c.retrieved
    groups = [row._asdict() for row in connection.execute(select(*columns))]
    _note(connection, dates.of_sources(connection, groups))


def _note(connection: Connection, ahead: list[dates.Row]) -> None:
    if ahead:
        connection.execute(insert_new(connection, future_date), ahead)


def _of(site: str, table: Table) -> Table:
    return table.to_metadata(MetaData(), schema=PREFIX + site)


def _name_readers(connection: Connection, theirs: Table) -> None:
    query = select(theirs).execution_options(yield_per=_TOGETHER)
    with connection.execute(query) as result:
        for some in result.mappings().partitions():
            editions.renew_importers(connection, [dict(row) for row in some])


def _fresh(connection: Connection, site: str) -> Iterator[Sequence[str]]:
    """Yield the digests of runs that only *site* has, some at a time."""
    # With a collation of its own neither column is sorted by the site: Danish sorts aa
    # after ff, and what is merged by two orders is wrong.
    ours = collate(run.c.digest, "C")
    there = _of(site, run)
    kept = select(collate(there.c.digest, "C")).where(
        there.c.digest.not_in(_FORGOTTEN),
        or_(there.c.source.is_(None), there.c.source.not_in(_FORGOTTEN)),
    )
    query = kept.except_(select(ours))
    with connection.execute(query.execution_options(yield_per=_TOGETHER)) as result:
        yield from result.scalars().partitions()


def _not_forgotten(there: Table) -> ColumnElement[bool] | None:
    """Return which sources and claims of a site were not forgotten here."""
    if there.name == source.name:
        return there.c.digest.not_in(_FORGOTTEN)
    if there.name == claim.name:
        return there.c.source.not_in(_FORGOTTEN)
    return None


def _take(
    connection: Connection,
    there: Table,
    table: Table,
    which: ColumnElement[bool] | None = None,
) -> None:
    # What a site measured is another's to whoever gathers it.
    columns = [false() if column.name == "mine" else column for column in there.columns]
    query = select(*columns) if which is None else select(*columns).where(which)
    names = [column.name for column in table.columns]
    connection.execute(insert_new(connection, table).from_select(names, query))
