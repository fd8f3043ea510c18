"""What ``db check`` looks at: structure, digests, and what is derived from the runs."""

import hashlib
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rfc8785 import CanonicalizationError
from sqlalchemy import (
    Column,
    Connection,
    ForeignKeyConstraint,
    MetaData,
    Table,
    and_,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateTable

from benchdb.errors import DatabaseError
from benchdb.exchange.record import claim_digest, digest_of
from benchdb.store import read, rows
from benchdb.store.bulk_load import ROWS, batched
from benchdb.store.derived import DERIVED, renew
from benchdb.store.error_text import why
from benchdb.store.tables import (
    VIEWS,
    chip,
    claim,
    document,
    environment,
    machine,
    metadata,
    run,
    samples,
    source,
)

_TOLD = 100  # faults of a kind, and rows of each table
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
    pairs = [
        (element.parent, parent.c[element.column.name]) for element in key.elements
    ]
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
        result = compare_metadata(context, metadata)
    for change in result:
        changes = change if isinstance(change, list) else [change]
        yield from (_words(*item) for item in changes if "comment" not in item[0])
    yield from _keys(connection)
    views = set(inspect(connection).get_view_names())
    yield from (f"view {name} is missing" for name in VIEWS if name not in views)
    for name, table in connection.execute(text(_TRIGGERS[connection.dialect.name])):
        yield f"trigger {name} on table {table} is none of benchdb's"


def _keys(connection: Connection) -> Iterator[str]:
    """Yield the primary keys that differ, which Alembic does not look at."""
    there = inspect(connection)
    names = set(there.get_table_names())
    for table in metadata.sorted_tables:
        if table.name in names:
            texts = there.get_pk_constraint(table.name)["constrained_columns"]
            wanted = [column.name for column in table.primary_key]
            if texts != wanted:
                shown = ", ".join(texts) or "missing"
                yield f"primary key of {table.name} is {shown}, not {', '.join(wanted)}"


def _words(kind: str, *about: Any) -> str:
    """Return a difference in words; of what is to be added, the database has none."""
    verb, _, thing = kind.partition("_")
    if verb == "modify":
        _, table, column, _, there, wanted = about
        if thing == "nullable":
            there, wanted = ("NULL" if item else "NOT NULL" for item in (there, wanted))
        elif thing == "default":
            there, wanted = (item and item.arg for item in (there, wanted))
        return f"column {table}.{column} is {there}, not {wanted}"
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


# What rows changed by hand make of the way back into lines, and of their digests.
UNREADABLE = (DatabaseError, CanonicalizationError, UnicodeError, OverflowError)


def wrong_digests(connection: Connection, sample: int | None = None) -> Iterator[str]:
    """Yield the rows whose digest is not that of their content, or has none.

    Of runs, *sample* may be looked at, chosen by chance; ``None`` is all of them.
    """
    for some in _digests(connection, sample):
        try:
            yield from _runs(connection, some)
        except UNREADABLE:
            for item in some:
                yield from _attempt(f"run {item[:12]}", _runs, connection, [item])
    checks = (_machines, _environments, _sources, _claims, _documents)
    for check in checks:
        yield from _attempt(check.__name__.strip("_"), check, connection)


def _digests(connection: Connection, sample: int | None) -> Iterator[Sequence[str]]:
    if sample is not None:
        by_chance = select(run.c.digest).order_by(func.random()).limit(sample)
        chosen = connection.scalars(by_chance).all()
        yield from batched(chosen)
        return
    query = select(run.c.digest).order_by(run.c.digest).limit(ROWS)
    some = connection.scalars(query).all()
    while some:
        yield some
        some = connection.scalars(query.where(run.c.digest > some[-1])).all()


def _attempt(
    what: str, check: Callable[..., Iterable[str]], *arguments: object
) -> Iterator[str]:
    try:
        yield from check(*arguments)
    except UNREADABLE as error:
        yield f"{what} cannot be read: {error}"


def _runs(connection: Connection, digests: Sequence[str]) -> list[str]:
    query = select(samples.c.run, samples.c.count).where(samples.c.run.in_(digests))
    counts = {row.run: row.count for row in connection.execute(query)}
    wrong = []
    for record in read.records_of(connection, digests):
        key = record.run.key
        if record.digest != key:
            wrong.append(_line("run", key, record.digest))
        count = sum(len(series.values) for series in record.series)
        if counts.get(key, 0) != count:
            stored = counts.get(key, 0)
            wrong.append(f"run {key[:12]} has {count} samples, not {stored}")
    return wrong


def _machines(connection: Connection) -> Iterator[str]:
    chips = {row.digest: rows.plain(row) for row in connection.execute(select(chip))}
    for row in connection.execute(select(machine)):
        if row.chip not in chips:
            continue  # that is told where references are
        line = rows.to_machine(rows.plain(row), chips[row.chip])
        if digest_of(line) != row.digest:
            yield _line("machine", row.digest, digest_of(line))
        if digest_of(line.chip) != row.chip:
            yield _line("chip", row.chip, digest_of(line.chip))


def _environments(connection: Connection) -> Iterator[str]:
    def identified(row: Mapping[str, Any]) -> str:
        return digest_of(rows.to_environment(row))

    yield from _lines(connection, environment, identified)


def _sources(connection: Connection) -> Iterator[str]:
    def identified(row: Mapping[str, Any]) -> str:
        return digest_of(rows.to_source(row))

    yield from _lines(connection, source, identified)


def _claims(connection: Connection) -> Iterator[str]:
    def identified(row: Mapping[str, Any]) -> str:
        return claim_digest(rows.to_claim(row), row["source"])

    yield from _lines(connection, claim, identified)


def _lines(
    connection: Connection, table: Table, digest: Callable[[Mapping[str, Any]], str]
) -> Iterator[str]:
    for row in connection.execute(select(table)):
        result = digest(rows.plain(row))
        if result != row.digest:
            yield _line(table.name, row.digest, result)


def _documents(connection: Connection) -> Iterator[str]:
    for name in connection.scalars(select(document.c.sha256)).all():
        query = select(document.c.packed).where(document.c.sha256 == name)
        try:
            content = zlib.decompress(connection.execute(query).scalar_one())
        except zlib.error as error:
            yield f"document {name[:12]} cannot be read: {error}"
            continue
        result = hashlib.sha256(content).hexdigest()
        if result != name:
            yield _line("document", name, result)


def _line(what: str, stored: str, result: str) -> str:
    return f"{what} {stored[:12]} was changed: its content has the digest {result[:12]}"


def derived_differences(connection: Connection) -> Iterator[str]:
    """Yield the derived rows that do not follow from the runs, and those that lack.

    They are derived into temporary tables of the same names, which stand before the
    real ones meanwhile: who may only read can check as well.
    """
    home = "main"
    if connection.dialect.name == "postgresql":
        home = str(connection.scalar(select(func.current_schema())))
    anew = connection.begin_nested()
    try:
        for table in DERIVED:
            connection.execute(CreateTable(_temporary(table)))
        renew(connection)
        for table in DERIVED:
            stored = table.to_metadata(MetaData(), schema=home)
            for result, other, what in (
                (stored, table, "does not follow from the runs"),
                (table, stored, "follows from the runs, but is not there"),
            ):
                query = select(result).except_(select(other)).limit(_TOLD)
                for row in connection.execute(query).mappings():
                    key = (str(row[column.name])[:12] for column in result.primary_key)
                    yield f"{result.name} ({', '.join(key)}) {what}"
    finally:
        anew.rollback()


def _temporary(table: Table) -> Table:
    """Return *table* without its references: what they lead to is in another place."""
    columns = [
        Column(
            column.name,
            column.type,
            primary_key=column.primary_key,
            nullable=column.nullable,
        )
        for column in table.columns
    ]
    return Table(table.name, MetaData(), *columns, prefixes=["TEMPORARY"])
