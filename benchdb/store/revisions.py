"""A database and the schema that this benchdb knows: the same, older, or newer."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from benchdb.errors import BenchdbError, DatabaseError
from benchdb.store import sqlite
from benchdb.store.error_text import name, why
from benchdb.store.migrate import (
    KNOWN_REVISIONS,
    SCHEMA_REVISION,
    is_empty,
    maker,
    revision,
    upgrade,
)


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
        found = revision(connection)
        if found == SCHEMA_REVISION:
            return
        empty = is_empty(connection)
    if empty:
        if not create:
            raise DatabaseError(f"{name(engine)} is empty; 'benchdb import' fills it")
        upgrade(engine)
    elif found is None:
        raise DatabaseError(f"{name(engine)} is a database, but not one of benchdb's")
    elif found not in KNOWN_REVISIONS:
        raise DatabaseError(newer(engine, found))
    else:
        _upgrade(engine, found, renew, agree)


def newer(engine: Engine, found: str) -> str:
    """Return what to say of a database with the schema *found*, which is not known."""
    version = maker(engine, found)
    install = "upgrade benchdb" if version is None else f"install benchdb {version}"
    later = "" if version is None else " or later"
    return (
        f"{name(engine)} was made by a newer benchdb (schema {found}, this one knows "
        f"up to {SCHEMA_REVISION}); {install}{later}"
    )


def _upgrade(
    engine: Engine,
    found: str,
    renew: Callable[[Connection, str], None],
    agree: Callable[[Older], bool],
) -> None:
    path = Path(engine.get_execution_options().get("benchdb_location", ""))
    is_file = engine.dialect.name == "sqlite"
    copy = sqlite.backup_name(path, found) if is_file else None
    told = f"{name(engine)} has the older schema {found}"
    if not agree(Older(name(engine), found, copy)):
        raise DatabaseError(
            f"{told}, this benchdb needs {SCHEMA_REVISION}; 'benchdb db upgrade' "
            "brings it there"
        )
    made: list[Path] = []

    def keep() -> None:
        if copy is not None:
            sqlite.backup(path, copy)
            made.append(copy)

    try:
        upgrade(engine, lambda connection: renew(connection, found), before=keep)
    except BaseException as error:
        for one in made:  # nothing happened, so the file itself is what it was
            with suppress(OSError):
                one.unlink()
        if not isinstance(error, BenchdbError | SQLAlchemyError | OSError):
            raise
        reason = str(error) if isinstance(error, BenchdbError) else why(error)
        raise DatabaseError(f"{told} and cannot be upgraded: {reason}") from error
