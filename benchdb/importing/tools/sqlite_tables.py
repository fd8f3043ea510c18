"""Tables of a foreign SQLite database, read from memory without running its schema.

Views, triggers and virtual tables are never touched, and whatever takes too long is
broken off.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from benchdb.importing.document import Document, DocumentError

MAGIC = b"SQLite format 3\x00"
ROWS = 1_000_000  # of one table
_STEPS = 10_000  # instructions of the database between two looks at the count
_LOOKS = 50_000  # that many looks are minutes

Row = dict[str, Any]


def names(document: Document) -> frozenset[str]:
    """Return the names of the tables; none where this is no database."""
    if not document.content.startswith(MAGIC):
        return frozenset()
    try:
        with _opened(document) as database:
            return frozenset(_tables(database))
    except DocumentError:
        return frozenset()


def tables(document: Document, wanted: tuple[str, ...]) -> dict[str, list[Row]]:
    """Return the rows of the tables *wanted*, by column name, in their order.

    Raise ``DocumentError`` if one is not there or the database is damaged.
    """
    with _opened(document) as database:
        there = _tables(database)
        if absent := [name for name in wanted if name not in there]:
            raise DocumentError(f"the database has no table {absent[0]!r}")
        return {name: list(_rows(database, name)) for name in wanted}


def _tables(database: sqlite3.Connection) -> list[str]:
    """Return the ordinary tables: views and virtual ones run SQL of their author."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
    return [
        name
        for name, sql in database.execute(query)
        if isinstance(sql, str) and not sql.upper().startswith("CREATE VIRTUAL")
    ]


def _rows(database: sqlite3.Connection, name: str) -> Iterator[Row]:
    # The name is one that we ask for ourselves, and no part of the document.
    cursor = database.execute(f'SELECT * FROM "{name}" LIMIT {ROWS + 1}')  # noqa: S608
    columns = [column[0] for column in cursor.description]
    for place, row in enumerate(cursor):
        if place == ROWS:
            raise DocumentError(f"table {name!r} has more than {ROWS} rows")
        yield dict(zip(columns, row, strict=True))


@contextmanager
def _opened(document: Document) -> Iterator[sqlite3.Connection]:
    """Give the database; what goes wrong inside is a ``DocumentError``."""
    looks = iter(range(_LOOKS))
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(document.content)
            database.execute("PRAGMA trusted_schema = OFF")
            database.execute("PRAGMA query_only = ON")
            database.set_authorizer(_allowed)
            database.set_progress_handler(lambda: next(looks, None) is None, _STEPS)
            yield database
        except (sqlite3.Error, OverflowError) as error:
            raise DocumentError(f"no readable SQLite database: {error}") from error


def _allowed(action: int, *_: object) -> int:
    readers = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
    return sqlite3.SQLITE_OK if action in readers else sqlite3.SQLITE_DENY
