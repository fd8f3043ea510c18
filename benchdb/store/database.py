"""Open a database: make it, upgrade it, or say plainly why it cannot be used."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from benchdb.errors import DatabaseError, UsageError
from benchdb.files import sweep
from benchdb.store import sqlite
from benchdb.store.bulk_load import unlogged
from benchdb.store.error_text import name, why
from benchdb.store.migrate import SCHEMA_REVISION, Older, bring_up, revision, upgrade
from benchdb.store.postgresql import server
from benchdb.store.writers import writer

_POSTGRESQL = "postgresql+psycopg"
_SCHEMA = "benchdb_schema"


def open_database(
    location: str,
    *,
    create: bool = False,
    fill: Callable[[Engine], None] = lambda engine: None,
    renew: Callable[[Connection, str], None] = lambda connection, since: None,
    agree: Callable[[Older], bool] = lambda older: True,
) -> Engine:
    """Return an engine for *location*, a path or a ``postgresql+psycopg://`` URL.

    *create* is for those who will write: a database that does not exist yet is made,
    and *fill* puts first contents into it; one that cannot be written is refused at
    once. An older schema is upgraded if *agree* says so, after a backup of the file;
    *renew* then derives what the older one did not have. Raise ``DatabaseError`` when
    the database is missing, not ours, made by a newer benchdb, or cannot be opened.
    """
    engine = connected(location, create=create, fill=fill)
    try:
        bring_up(engine, create=create, renew=renew, agree=agree)
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot open {name(engine)}: {why(error)}") from error
    engine.update_execution_options(**{_SCHEMA: SCHEMA_REVISION})
    return engine


def open_to_read(location: str) -> Engine:
    """Return an engine for *location* that makes, upgrades and changes nothing.

    Raise ``DatabaseError`` as ``open_database`` does, and for an older schema.
    """
    engine = connected(location, read_only=True)
    try:
        bring_up(
            engine,
            create=False,
            renew=lambda connection, since: None,
            agree=lambda older: False,
        )
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot open {name(engine)}: {why(error)}") from error
    return engine


def connected(
    location: str,
    *,
    create: bool = False,
    fill: Callable[[Engine], None] = lambda engine: None,
    read_only: bool = False,
) -> Engine:
    """Return an engine for *location*, whatever schema the database has.

    A file that does not exist is made with ours if *create* says so. Whoever has one
    that is *read_only* changes no file, whatever is asked; on a server the one who asks
    says so.
    """
    if server.is_address(location):
        return _server(location)
    if not location.strip():
        raise UsageError(
            "an empty name names no database; give a path or an address, or no --db"
        )
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
    if create:
        sweep(path.parent)
    return sqlite.connect(path, read_only=read_only)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection whose reads all see the same moment."""
    try:
        with engine.begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot read {name(engine)}: {why(error)}") from error


@contextmanager
def writing(engine: Engine, *, much: bool = False) -> Iterator[Connection]:
    """Give a connection inside one transaction: all of it happens, or nothing.

    Who writes waits for whoever else does; so does who reads while *much* comes into an
    empty file.
    """
    try:
        with (
            writer(engine).connect() as connection,
            unlogged(connection) if much else nullcontext(),
            connection.begin(),
        ):
            _require_the_same_schema(connection)
            yield connection
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot write {name(engine)}: {why(error)}") from error


@contextmanager
def rehearsing(engine: Engine) -> Iterator[Connection]:
    """Give a connection as ``writing`` does, and forget all that was written."""
    try:
        with writer(engine).connect() as connection:
            _require_the_same_schema(connection)
            yield connection
            connection.rollback()
    except SQLAlchemyError as error:
        raise DatabaseError(f"cannot write {name(engine)}: {why(error)}") from error


def _require_the_same_schema(connection: Connection) -> None:
    """Refuse to write what another benchdb upgraded since it was opened."""
    engine = connection.engine
    expected = engine.get_execution_options().get(_SCHEMA)
    if expected is None:
        return
    text = revision(connection)
    if text != expected:
        raise DatabaseError(
            f"{name(engine)} was upgraded from schema {expected} to {text} meanwhile, "
            "by a newer benchdb; nothing more is written, upgrade this one"
        )


def _server(location: str) -> Engine:
    if not location.startswith(f"{_POSTGRESQL}://"):
        kind = location.partition(":")[0]
        raise UsageError(
            f"no databases of kind {kind!r}; give a path, or a URL that starts with "
            f"{_POSTGRESQL}://"
        )
    try:
        return server.connect(location)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"PostgreSQL needs the package {error.name}; "
            "install benchdb with the extra 'postgres'"
        ) from error
    except (ArgumentError, ValueError) as error:
        raise UsageError(
            "the database URL cannot be understood; in a password write @ as %40, "
            "& as %26"
        ) from error
