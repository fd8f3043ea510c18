"""Open a database: make it, upgrade it, or say plainly why it cannot be used."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from benchdb.errors import DatabaseError, UsageError
from benchdb.store import postgresql, sqlite
from benchdb.store.migrate import (
    KNOWN_REVISIONS,
    SCHEMA_REVISION,
    is_empty,
    revision,
    upgrade,
)
from benchdb.store.writers import writer

_POSTGRESQL = "postgresql+psycopg"


def open_database(
    location: str,
    *,
    create: bool = False,
    fill: Callable[[Engine], None] = lambda engine: None,
    renew: Callable[[Connection], None] = lambda connection: None,
) -> Engine:
    """Return an engine for *location*, a path or a ``postgresql+psycopg://`` URL.

    *create* is for those who will write: a database that does not exist yet is made,
    and *fill* puts first contents into it; one that cannot be written is refused at
    once. An older schema is upgraded, after a backup of the file; *renew* then derives
    what the older one did not have. Raise
    ``DatabaseError`` when the database is missing, not ours, made by a newer benchdb,
    or cannot be opened.
    """
    engine = _engine(location, create=create, fill=fill)
    try:
        _require_schema(engine, create=create, renew=renew)
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot open {name(engine)}: {_why(error)}") from error
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection whose reads all see the same moment."""
    try:
        with engine.begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot read {name(engine)}: {_why(error)}") from error


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a connection inside one transaction: all of it happens, or nothing.

    Who writes waits for whoever else does.
    """
    try:
        with writer(engine).begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot write {name(engine)}: {_why(error)}") from error


@contextmanager
def rehearsing(engine: Engine) -> Iterator[Connection]:
    """Give a connection as ``writing`` does, and forget all that was written."""
    try:
        with writer(engine).connect() as connection:
            yield connection
            connection.rollback()
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot write {name(engine)}: {_why(error)}") from error


def name(engine: Engine) -> str:
    """Return the database's name for people: the path, or the URL less its password."""
    path: str | None = engine.get_execution_options().get("benchdb_location")
    return path or engine.url.render_as_string(hide_password=True)


def _engine(location: str, *, create: bool, fill: Callable[[Engine], None]) -> Engine:
    if "://" in location:
        return _server(location)
    path = Path(location)
    try:
        exists = path.exists()
    except OSError as error:
        raise DatabaseError(f"cannot open {location}: {error.strerror}") from error
    if not exists:
        if not create:
            raise DatabaseError(
                f"no database at {location}; 'benchdb collect' or 'benchdb import' "
                "makes one"
            )

        def make(engine: Engine) -> None:
            upgrade(engine)
            fill(engine)

        sqlite.create(path, make)
    if create and not sqlite.writable(path):
        raise DatabaseError(
            f"cannot write {location}: the file or its folder is read-only"
        )
    return sqlite.connect(path)


def _server(location: str) -> Engine:
    if not location.startswith(f"{_POSTGRESQL}://"):
        kind = location.partition("://")[0]
        raise UsageError(
            f"no databases of kind {kind!r}; give a path, or a URL that starts with "
            f"{_POSTGRESQL}://"
        )
    try:
        return postgresql.connect(location)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"PostgreSQL needs the package {error.name}; "
            "install benchdb with the extra 'postgres'"
        ) from error
    except (ArgumentError, ValueError) as error:
        raise UsageError("the database URL cannot be understood") from error


def _require_schema(
    engine: Engine, *, create: bool, renew: Callable[[Connection], None]
) -> None:
    found = revision(engine)
    if found == SCHEMA_REVISION:
        return
    if found is None and is_empty(engine):
        if not create:
            raise DatabaseError(f"{name(engine)} is empty; 'benchdb import' fills it")
        upgrade(engine)
    elif found is None:
        raise DatabaseError(f"{name(engine)} is a database, but not one of benchdb's")
    elif found in KNOWN_REVISIONS:
        _upgrade_from(engine, found, renew)
    else:
        raise DatabaseError(
            f"{name(engine)} was made by a newer benchdb (schema {found}, this one "
            f"knows up to {SCHEMA_REVISION}); upgrade benchdb"
        )


def _upgrade_from(
    engine: Engine, found: str, renew: Callable[[Connection], None]
) -> None:
    path = engine.get_execution_options().get("benchdb_location")
    try:
        if path is not None:
            sqlite.backup(Path(path), found)
        upgrade(engine, renew)
    except Exception as error:
        raise DatabaseError(
            f"{name(engine)} has the older schema {found} and cannot be upgraded: "
            f"{_why(error)}"
        ) from error


def _why(error: BaseException) -> str:
    # Where the disk is full, SQLite takes back everything at once: what SQLAlchemy then
    # cannot take back is not the cause.
    before = error.__context__
    while before is not None:
        error = before if isinstance(before, SQLAlchemyError) else error
        before = before.__context__
    original = getattr(error, "orig", None) or error
    return str(original).splitlines()[0]
