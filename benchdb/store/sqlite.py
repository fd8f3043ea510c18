"""SQLite files: made whole or not at all, read where nobody may write."""

import atexit
import fcntl
import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from itertools import chain, count
from pathlib import Path
from weakref import WeakSet

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from benchdb.errors import DatabaseError
from benchdb.files import SQLITE_MAGIC, claim, unfinished_folder
from benchdb.store.writers import WRITES

_connected: WeakSet[Engine] = WeakSet()


def create(path: Path, fill: Callable[[Engine], None]) -> None:
    """Make the database *path*: *fill* it under another name, then name it.

    Two processes may do so at once; the first one's stays.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(path.parent) as room:
            new = room / "new.sqlite"
            new.touch()
            engine = connect(new)
            engine.update_execution_options(benchdb_location=str(path))
            fill(engine)
            engine.dispose()
            _take_in_log(new)
            claim(new, path)
    except OSError as error:
        raise DatabaseError(f"cannot create {path}: {error.strerror}") from error
    except DBAPIError as error:
        raise DatabaseError(f"cannot create {path}: {error.orig}") from error
    except sqlite3.Error as error:
        raise DatabaseError(f"cannot create {path}: {cause(error)}") from error


def connect(path: Path, *, read_only: bool = False) -> Engine:
    """Return an engine for the file *path*; ``DatabaseError`` if it is no SQLite.

    One that is *read_only* changes nothing but tables of its own, whatever it is asked.
    """
    _require_sqlite(path)
    if writable(path):
        _require_locks(path)
    engine = create_engine(
        f"sqlite:///file:{_address(path)}?uri=true{_mode(path)}",
        execution_options={"benchdb_location": str(path)},
    )
    event.listen(engine, "connect", _protect if read_only else _configure)
    event.listen(engine, "begin", _begin)
    _connected.add(engine)
    return engine


def _take_in_log(path: Path) -> None:
    """Write the log into the file, which is a database without it from then on.

    The last connection does so when it closes, but tells nobody that the disk had no
    room for it.
    """
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@atexit.register
def _close() -> None:
    """Close every file at the end: the last to leave takes its log away."""
    for engine in list(_connected):
        engine.dispose()


def backup_name(path: Path, revision: str) -> Path:
    """Return a name for a backup of *path*, with the schema *revision*: a free one."""
    first = path.with_name(f"{path.name}.backup-{revision}")
    more = (path.with_name(f"{first.name}-{number}") for number in count(2))
    return next(name for name in chain([first], more) if not name.exists())


def backup(path: Path, target: Path) -> None:
    """Copy the database *path* to *target*, all of it or nothing."""
    try:
        with unfinished_folder(path.parent) as room:
            unfinished = room / "backup.sqlite"
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("VACUUM INTO ?", (str(unfinished),))
            unfinished.rename(target)
    except OSError as error:
        raise DatabaseError(f"no backup {target}: {error.strerror}") from error
    except sqlite3.Error as error:
        raise DatabaseError(f"no backup {target}: {error}") from error


def copy(path: Path, target: Path) -> None:
    """Copy the database *path* as it is at this moment, and leave it untouched."""
    _require_sqlite(path)
    try:
        reader = sqlite3.connect(f"file:{_address(path)}?mode=ro", uri=True)
        with closing(reader), closing(sqlite3.connect(target)) as written:
            reader.backup(written)
    except sqlite3.Error as error:
        raise DatabaseError(f"cannot read {path}: {cause(error)}") from error


_OUR_WORDS = {
    "SQLITE_READONLY_ROLLBACK": (
        "an import that was killed left it half filled; 'benchdb list' of somebody "
        "who may write it undoes that"
    ),
    # Even a reader needs some KiB beside it, to tell writers that it reads.
    "SQLITE_IOERR_SHMSIZE": "the disk is full; make room there, nothing is lost",
}


def cause(error: BaseException) -> str:
    """Return the cause of *error* in one line, in our words where SQLite's mislead."""
    code = getattr(error, "sqlite_errorname", "")
    lines = str(error).splitlines() or [type(error).__name__]
    return _OUR_WORDS.get(code, lines[0])


def writable(path: Path) -> bool:
    """Tell whether we may write the file, and its log beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def unfinished(path: Path) -> bool:
    """Tell whether somebody writes the file, or was killed: part of it is beside it."""
    return any(_size(path.with_name(path.name + end)) for end in ("-wal", "-journal"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # as of a journal when its writer ends
        return 0


def _address(path: Path) -> str:
    return path.resolve().as_posix().replace("?", "%3f").replace("#", "%23")


def _mode(path: Path) -> str:
    if writable(path):
        return ""
    if unfinished(path):
        return "&mode=ro"  # what is beside it counts
    # An immutable file needs no lock files, so it can be read in a read-only folder.
    return "&mode=ro&immutable=1"


def _require_sqlite(path: Path) -> None:
    try:
        with path.open("rb") as stream:
            start = stream.read(len(SQLITE_MAGIC))
    except OSError as error:
        raise DatabaseError(f"cannot read {path}: {error.strerror}") from error
    if start not in (b"", SQLITE_MAGIC):
        raise DatabaseError(
            f"{path} is no SQLite database; name another file with --db, or import "
            "this one with 'benchdb import'"
        )


def _require_locks(path: Path) -> None:
    """Refuse a share that cannot lock: SQLite would wait there for somebody to end."""
    try:
        probe = tempfile.TemporaryFile(dir=path.parent)  # noqa: SIM115 - closed below
    except OSError:
        return  # whatever it is, it has nothing to do with locks
    # Not on the database: closing it would free what SQLite locks in this process.
    with probe:
        try:
            fcntl.lockf(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DatabaseError(
                f"cannot use {path}: files there cannot be locked ({error.strerror}), "
                "as on some network shares; keep it on a local disk, or use PostgreSQL"
            ) from error


def _configure(connection: sqlite3.Connection, _record: object) -> None:
    # The driver's own transaction handling would delay BEGIN; we say it ourselves.
    connection.isolation_level = None
    cursor = connection.cursor()
    # Whoever imports a million runs keeps the others waiting for minutes.
    for pragma in ("foreign_keys=ON", "busy_timeout=600000", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    # Its digests come in no order. Where fewer pages fit, they are written again and
    # again; where they are smaller, more have to be looked for in the log.
    cursor.execute("PRAGMA cache_size=-36864")  # KiB
    cursor.execute("PRAGMA page_size=8192")  # of a new file
    with suppress(sqlite3.OperationalError):  # read-only: the mode stays what it is
        cursor.execute("PRAGMA journal_mode=WAL")
    cursor.close()


def _protect(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout=600000")
    connection.set_authorizer(private)


_READS = {
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_RECURSIVE,
    sqlite3.SQLITE_SELECT,
}
_TELLING = {
    *("table_info", "table_list", "table_xinfo", "index_info", "index_list"),
    *("index_xinfo", "foreign_key_list", "database_list", "compile_options"),
}


def private(action: int, first: str | None, *rest: str | None) -> int:
    """Allow what reads, and tables that nobody else sees and no file keeps."""
    if action == sqlite3.SQLITE_TRANSACTION or rest[1] == "temp":
        return sqlite3.SQLITE_OK
    return question(action, first)


def question(action: int, first: str | None, *_rest: str | None) -> int:
    """Allow what reads, and nothing else: an authorizer of SQLite."""
    telling = action == sqlite3.SQLITE_PRAGMA and first in _TELLING
    return sqlite3.SQLITE_OK if telling or action in _READS else sqlite3.SQLITE_DENY


def _begin(connection: Connection) -> None:
    # Taking the write lock at once lets a second writer wait instead of failing later.
    write = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
