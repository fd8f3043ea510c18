"""Whether a database is sound in itself: its pages, its indexes, its references."""

from collections.abc import Iterator

from sqlalchemy import Connection, ForeignKeyConstraint, and_, func, select, text
from sqlalchemy.exc import SQLAlchemyError

from benchdb.store.error_text import why
from benchdb.store.tables import metadata

_TOLD = 100  # faults; SQLite looks no further
_AMCHECK = text(
    "SELECT extnamespace::regnamespace::text FROM pg_extension "
    "WHERE extname = 'amcheck'"
)
_TREES = text(
    "SELECT pg_class.oid, relname FROM pg_class JOIN pg_am ON pg_am.oid = relam "
    "WHERE amname = 'btree' AND relkind = 'i' "
    "AND relnamespace = current_schema()::regnamespace ORDER BY relname"
)


def dangling(connection: Connection) -> Iterator[str]:
    """Yield the references that lead nowhere, a line for each foreign key.

    Keys are looked up one by one, so that a constraint that somebody took away or
    switched off hides nothing.
    """
    for table in metadata.sorted_tables:
        for key in table.foreign_key_constraints:
            if count := _lost(connection, key):
                parent = key.referred_table.name
                columns = ", ".join(key.column_keys)
                rows = "1 row refers" if count == 1 else f"{count} rows refer"
                yield f"{table.name} ({columns}): {rows} to no {parent}"


def _lost(connection: Connection, key: ForeignKeyConstraint) -> int:
    parent = key.referred_table.alias("parent")
    pairs = [(one.parent, parent.c[one.column.name]) for one in key.elements]
    there = select(1).where(and_(*(ours == theirs for ours, theirs in pairs)))
    named = and_(*(ours.is_not(None) for ours, _ in pairs))
    query = select(func.count()).select_from(key.table).where(named, ~there.exists())
    return connection.scalar(query) or 0


def damage(connection: Connection) -> Iterator[str]:
    """Yield what SQLite, or PostgreSQL's extension amcheck, finds broken.

    Without that extension nobody looks into the indexes of PostgreSQL.
    """
    if connection.dialect.name == "sqlite":
        check = text(f"PRAGMA integrity_check({_TOLD})")
        yield from (line for line in connection.scalars(check) if line != "ok")
        return
    home = connection.scalar(_AMCHECK)
    if home is None:
        return
    look = text(f"SELECT {home}.bt_index_check(CAST(:index AS regclass), true)")
    for index, relation in connection.execute(_TREES).all():
        try:
            with connection.begin_nested():
                connection.execute(look, {"index": index})
        except SQLAlchemyError as error:
            yield f"index {relation}: {why(error)}"
