"""The schema of a database: ours, older, or newer than this benchdb knows."""

import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from benchdb import __version__
from benchdb.errors import BenchdbError, DatabaseError
from benchdb.resources import folder
from benchdb.store import sqlite
from benchdb.store.error_text import name, why
from benchdb.store.tables import made_by
from benchdb.store.writers import writer

SCHEMA_REVISION = "0013"
# Oldest first: what we can upgrade from, and ours.
KNOWN_REVISIONS = ("0001", "0002", "0003", "0004", "0007", "0008", "0009", "0013")

_OURS = re.compile(r"\d{4}", re.ASCII)  # others let Alembic make theirs up
_VERSIONS = "alembic_version"


def revision(connection: Connection) -> str | None:
    """Return the revision of the database, or ``None`` if it has none of ours."""
    if not inspect(connection).has_table(_VERSIONS):
        return None
    row = connection.execute(text(f"SELECT version_num FROM {_VERSIONS}")).first()  # noqa: S608
    return str(row[0]) if row is not None and _OURS.fullmatch(str(row[0])) else None


def maker(engine: Engine, schema: str) -> str | None:
    """Return which benchdb brought the database to the revision *schema*, if told.

    It may be a newer one's database: nothing is certain about its tables.
    """
    query = made_by.select().where(made_by.c.revision == schema)
    try:
        with engine.connect() as connection:
            row = connection.execute(query).first()
    except SQLAlchemyError:
        return None
    return None if row is None else str(row.benchdb)


def is_empty(connection: Connection) -> bool:
    """Tell whether the database has no tables at all."""
    return not inspect(connection).get_table_names()


def upgrade(
    engine: Engine,
    after: Callable[[Connection], None] = lambda connection: None,
    *,
    before: Callable[[], None] = lambda: None,
) -> None:
    """Bring the database to ``SCHEMA_REVISION``, in one transaction with *after*.

    *before* is called when nobody else can write any more. Where another process was
    first, nothing is left to do.
    """
    # Imported here: Alembic costs more at start-up than most commands take.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(folder("schema") / "migrations"))
    with writer(engine).begin() as connection:
        if revision(connection) == SCHEMA_REVISION:
            return
        before()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        if engine.dialect.name == "postgresql":
            _comment(connection)
        own = {"revision": SCHEMA_REVISION, "benchdb": __version__}
        connection.execute(made_by.insert(), [own])
        after(connection)


def _comment(connection: Connection) -> None:
    """Say in the database what is in it, as we say it now; SQLite has no place."""
    explained = tomllib.loads((folder("schema") / "comments.toml").read_text("utf-8"))
    there = inspect(connection)
    views = set(there.get_view_names())
    for table, columns in explained.items():
        known = {"", *(column["name"] for column in there.get_columns(table))}
        kind = "VIEW" if table in views else "TABLE"
        for column, about in columns.items():
            if column in known:
                place = f"COLUMN {table}.{column}" if column else f"{kind} {table}"
                quoted = about.replace("'", "''").replace(":", "\\:")
                connection.execute(text(f"COMMENT ON {place} IS '{quoted}'"))


@dataclass(frozen=True)
class Older:
    """A database with the older *schema*.

    *backup* is where its file is kept before an upgrade, None on a server.
    """

    name: str
    schema: str
    backup: Path | None


def bring_up(
    engine: Engine,
    *,
    create: bool,
    renew: Callable[[Connection, str], None],
    agree: Callable[[Older], bool],
) -> None:
    """Let the database have our schema, or raise ``DatabaseError`` that says why not.

    An empty one is filled with tables if *create* says so, an older one upgraded if
    *agree* does; *renew* is told which schema it had.
    """
    with engine.connect() as connection:
        schema = revision(connection)
        if schema == SCHEMA_REVISION:
            return
        empty = is_empty(connection)
    if empty:
        if not create:
            raise DatabaseError(f"{name(engine)} is empty; 'benchdb import' fills it")
        upgrade(engine)
    elif schema is None:
        raise DatabaseError(f"{name(engine)} is a database, but not one of benchdb's")
    elif schema not in KNOWN_REVISIONS:
        raise DatabaseError(newer(engine, schema))
    else:
        _upgrade(engine, schema, renew, agree)


def newer(engine: Engine, schema: str) -> str:
    """Return what to say of a database with the schema *schema*, which is not known."""
    version = maker(engine, schema)
    install = "upgrade benchdb" if version is None else f"install benchdb {version}"
    later = "" if version is None else " or later"
    return (
        f"{name(engine)} was made by a newer benchdb (schema {schema}, this one knows "
        f"up to {SCHEMA_REVISION}); {install}{later}"
    )


def _upgrade(
    engine: Engine,
    schema: str,
    renew: Callable[[Connection, str], None],
    agree: Callable[[Older], bool],
) -> None:
    path = Path(engine.get_execution_options().get("benchdb_location", ""))
    is_file = engine.dialect.name == "sqlite"
    copy = sqlite.backup_name(path, schema) if is_file else None
    what = f"{name(engine)} has the older schema {schema}"
    if not agree(Older(name(engine), schema, copy)):
        raise DatabaseError(
            f"{what}, this benchdb needs {SCHEMA_REVISION}; 'benchdb db upgrade' "
            "brings it there"
        )
    made: list[Path] = []

    def keep() -> None:
        if copy is not None:
            sqlite.backup(path, copy)
            made.append(copy)

    try:
        upgrade(engine, lambda connection: renew(connection, schema), before=keep)
    except BaseException as error:
        for item in made:  # nothing happened, so the file itself is what it was
            with suppress(OSError):
                item.unlink()
        if not isinstance(error, BenchdbError | SQLAlchemyError | OSError):
            raise
        reason = str(error) if isinstance(error, BenchdbError) else why(error)
        raise DatabaseError(f"{what} and cannot be upgraded: {reason}") from error
