"""Tables of a foreign SQLite database, read from memory without running its schema.

Views, triggers, virtual tables and generated columns are never run; what takes too long
or unfolds to far more than the file is broken off.
"""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from benchdb.importing.document import Document, DocumentError

MAGIC = b"SQLite format 3\x00"
ROWS = 1_000_000  # of one table
_STEPS = 10_000  # instructions of the database between two looks at the count
_LOOKS = 50_000  # that many looks are minutes
_SCHEMA_LOOKS = 20  # thousands of tables
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 2**20,  # bytes of a value, and of a row
    sqlite3.SQLITE_LIMIT_COLUMN: 500,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
# Rows as dictionaries take ten times the bytes of a database that is dense.
_UNFOLDED = 12
_ALWAYS_UNFOLDED = 2**25  # bytes, however small the file

Row = dict[str, Any]


def names(document: Document) -> frozenset[str]:
    """Return the names of the tables; none where this is no readable database."""
    try:
        with _opened(document) as database:
            return frozenset(_tables(database))
    except DocumentError:
        return frozenset()


def _tables(database: sqlite3.Connection) -> list[str]:
    """Return the ordinary tables: views and virtual ones run SQL of their author."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
    # SQLite itself writes these words so; the author may write the rest.
    begin = "CREATE TABLE "
    return [name for name, sql in database.execute(query) if str(sql).startswith(begin)]


def rows(document: Document, table: str) -> Iterator[Row]:
    """Yield the rows of one *table* by column name, in their order.

    Raise ``DocumentError`` if it is not there or the database is damaged.
    """
    room = _ALWAYS_UNFOLDED + _UNFOLDED * len(document.content)
    with _opened(document) as database:
        if table not in _tables(database):
            raise DocumentError(f"the database has no table {table!r}")
        # The name is one that we ask for ourselves, and no part of the document.
        if any(it[-1] for it in database.execute(f'PRAGMA table_xinfo("{table}")')):
            why = "generated columns, whose SQL is not run; export it as CSV"
            raise DocumentError(f"table {table!r} has {why}")
        cursor = database.execute(f'SELECT * FROM "{table}"')  # noqa: S608
        columns = [column[0] for column in cursor.description]
        for number, cells in enumerate(cursor):
            row = dict(zip(columns, cells, strict=True))
            room -= sys.getsizeof(row) + sum(map(sys.getsizeof, cells))
            if number == ROWS:
                raise DocumentError(f"table {table!r} has more than {ROWS} rows")
            if room < 0:
                raise DocumentError(
                    f"table {table!r} unfolds to more than {_UNFOLDED} times the file; "
                    "export it as CSV"
                )
            yield row


@contextmanager
def _opened(document: Document) -> Iterator[sqlite3.Connection]:
    """Give the database; what goes wrong inside is a ``DocumentError``."""
    looks = iter(range(_SCHEMA_LOOKS))
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            for limit, value in _LIMITS.items():
                database.setlimit(limit, value)
            database.deserialize(document.content)
            database.execute("PRAGMA trusted_schema = OFF")
            database.execute("PRAGMA query_only = ON")
            database.set_authorizer(_allowed)
            database.set_progress_handler(lambda: next(looks, None) is None, _STEPS)
            database.execute("SELECT name FROM sqlite_master LIMIT 1")
            looks = iter(range(_LOOKS))
            yield database
        # What SQLite says of a damaged database may be no text.
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise DocumentError(f"no readable SQLite database: {error}") from error


def _allowed(
    action: int, name: str | None, _: object, __: object, view: str | None
) -> int:
    """Let tables be read by name; nothing for the SQL of a view, no function."""
    described = action == sqlite3.SQLITE_PRAGMA and name == "table_xinfo"
    read = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ) and view is None
    return sqlite3.SQLITE_OK if described or read else sqlite3.SQLITE_DENY
