"""Whether a database is sound: pages, indexes, references, tables as in the code."""

import warnings
from collections.abc import Iterator
from typing import Any

from sqlalchemy import (
    Connection,
    ForeignKeyConstraint,
    and_,
    func,
    inspect,
    select,
    text,
)
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


_TRIGGERS = {
    "sqlite": "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname, relname FROM pg_trigger "
    "JOIN pg_class ON pg_class.oid = tgrelid "
    "WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace",
}


def schema_differences(connection: Connection) -> Iterator[str]:
    """Yield in words what is missing, different, or nothing of ours."""
    # Imported here: Alembic costs more at start-up than most commands take.
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415
    from alembic.migration import MigrationContext  # noqa: PLC0415

    options = {"compare_type": True, "compare_server_default": True}
    context = MigrationContext.configure(connection, opts=options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # types that SQLAlchemy does not know: told
        found = compare_metadata(context, metadata)
    for change in found:
        changes = change if isinstance(change, list) else [change]
        yield from (_words(*one) for one in changes)
    yield from _keys(connection)
    for name, table in connection.execute(text(_TRIGGERS[connection.dialect.name])):
        yield f"trigger {name} on table {table} is none of benchdb's"


def _keys(connection: Connection) -> Iterator[str]:
    """Yield the primary keys that differ, which Alembic does not look at."""
    there = inspect(connection)
    names = set(there.get_table_names())
    for table in metadata.sorted_tables:
        if table.name in names:
            found = there.get_pk_constraint(table.name)["constrained_columns"]
            wanted = [column.name for column in table.primary_key]
            if found != wanted:
                shown = ", ".join(found) or "missing"
                yield f"primary key of {table.name} is {shown}, not {', '.join(wanted)}"


def _words(kind: str, *about: Any) -> str:
    """Return a difference in words; of what is to be added, the database has none."""
    verb, _, thing = kind.partition("_")
    if verb == "modify":
        _, table, column, _, found, wanted = about
        if thing == "nullable":
            found, wanted = ("NULL" if one else "NOT NULL" for one in (found, wanted))
        elif thing == "default":
            found, wanted = (one and one.arg for one in (found, wanted))
        return f"column {table}.{column} is {found}, not {wanted}"
    state = "is missing" if verb == "add" else "is none of benchdb's"
    return f"{_named(thing, about[-1])} {state}"


def _named(thing: str, what: Any) -> str:
    match thing:
        case "table":
            return f"table {what.name}"
        case "column":
            return f"column {what.table.name}.{what.name}"
        case "index":
            return f"index {what.name} on table {what.table.name}"
        case "fk":
            columns = ", ".join(column.name for column in what.columns)
            return f"foreign key of {what.table.name} ({columns})"
        case _:
            return f"{thing} {what.name} on table {what.table.name}"
