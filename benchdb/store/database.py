"""Open a database: make it, upgrade it, or say plainly why it cannot be used."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from benchdb.errors import DatabaseError
from benchdb.resources import folder

SCHEMA_REVISION = "0001"
KNOWN_REVISIONS = (SCHEMA_REVISION,)

_SQLITE_MAGIC = b"SQLite format 3\x00"


def open_database(location: str, *, create: bool = False) -> Engine:
    """Return an engine for *location*, a path or a ``postgresql+psycopg://`` URL.

    With *create*, a database that does not exist yet is made. Raise ``DatabaseError``
    when it is missing, not ours, made by a newer benchdb, or cannot be opened.
    """
    engine = _engine(location, create=create)
    try:
        _require_schema(engine, location, create=create)
    except (OperationalError, SQLAlchemyError) as error:
        raise DatabaseError(f"cannot open {location}: {_first_line(error)}") from error
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection whose reads all see the same moment."""
    with engine.begin() as connection:
        yield connection


@contextmanager
def writing(engine: Engine, location: str = "the database") -> Iterator[Connection]:
    """Give a connection inside one transaction: all of it happens, or nothing."""
    writer = engine.execution_options(benchdb_write=True)
    try:
        with writer.begin() as connection:
            yield connection
    except OperationalError as error:
        raise DatabaseError(f"cannot write {location}: {_first_line(error)}") from error


def _engine(location: str, *, create: bool) -> Engine:
    if "://" in location:
        return create_engine(make_url(location))
    path = Path(location)
    if not path.exists():
        if not create:
            raise DatabaseError(
                f"no database at {location}; 'benchdb collect' or 'benchdb import' "
                "makes one"
            )
        _create_file(path)
    return _sqlite(path)


def _create_file(path: Path) -> None:
    """Make the schema in a temporary file and give it its name when it is whole."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            dir=path.parent, prefix=".benchdb-"
        ) as scratch:
            unfinished = Path(scratch) / "new.sqlite"
            unfinished.touch()
            engine = _sqlite(unfinished)
            _upgrade(engine)
            engine.dispose()
            # A link, not a rename: two processes may be creating the same database.
            os.link(unfinished, path)
    except FileExistsError:
        return
    except OSError as error:
        raise DatabaseError(f"cannot create {path}: {error.strerror}") from error


def _sqlite(path: Path) -> Engine:
    _require_sqlite(path)
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    # An immutable file needs no lock files, so it can be read in a read-only folder.
    query = "" if writable else "&mode=ro&immutable=1"
    absolute = path.resolve().as_posix().replace("?", "%3f").replace("#", "%23")
    engine = create_engine(f"sqlite:///file:{absolute}?uri=true{query}")
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _require_sqlite(path: Path) -> None:
    try:
        with path.open("rb") as stream:
            start = stream.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise DatabaseError(f"cannot read {path}: {error.strerror}") from error
    if start not in (b"", _SQLITE_MAGIC):
        raise DatabaseError(
            f"{path} is no SQLite database; name another file with --db, or import "
            "this one with 'benchdb import'"
        )


def _configure_sqlite(connection: object, _record: object) -> None:
    # The driver's own transaction handling would delay BEGIN; we say it ourselves.
    connection.isolation_level = None  # type: ignore[attr-defined]
    cursor = connection.cursor()  # type: ignore[attr-defined]
    for pragma in ("foreign_keys=ON", "busy_timeout=30000", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    with suppress(sqlite3.OperationalError):  # read-only: the mode stays what it is
        cursor.execute("PRAGMA journal_mode=WAL")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # Taking the write lock at once lets a second writer wait instead of failing later.
    write = connection.get_execution_options().get("benchdb_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _require_schema(engine: Engine, location: str, *, create: bool) -> None:
    revision = _revision(engine)
    if revision in KNOWN_REVISIONS:
        return
    if revision is None:
        if inspect(engine).get_table_names():
            raise DatabaseError(f"{location} is a database, but not one of benchdb's")
        if not create:
            raise DatabaseError(f"{location} is empty; 'benchdb import' fills it")
        _upgrade(engine)
        return
    raise DatabaseError(
        f"{location} was made by a newer benchdb (schema {revision}, this one knows "
        f"up to {SCHEMA_REVISION}); upgrade benchdb"
    )


def _revision(engine: Engine) -> str | None:
    if not inspect(engine).has_table("alembic_version"):
        return None
    with engine.connect() as connection:
        row = connection.execute(
            text("SELECT version_num FROM alembic_version")
        ).first()
    return None if row is None else str(row[0])


def _upgrade(engine: Engine) -> None:
    # Imported here: Alembic costs more at start-up than most commands take.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(folder("schema") / "migrations"))
    with engine.execution_options(benchdb_write=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _first_line(error: Exception) -> str:
    original = getattr(error, "orig", None) or error
    return str(original).splitlines()[0]
