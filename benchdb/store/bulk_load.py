"""Many rows at once, as the driver takes them, and into an empty file without a log.

SQLAlchemy's own treatment of each value would cost more than all the rest.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Table, delete
from sqlalchemy.exc import OperationalError

ROWS = 500  # of one statement, and keys
_T = TypeVar("_T")


def insert(
    connection: Connection, table: Table, some: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows that are not there yet, with all columns in the table's order."""
    if not some:
        return
    if connection.dialect.name == "postgresql":
        copy_in(connection, table, some)
        return
    marks = ", ".join("?" * len(table.columns))
    into = f'INTO "{table.name}" ({columns(table)})'
    statement = f"INSERT {into} VALUES ({marks})"  # noqa: S608 - our own names
    connection.exec_driver_sql(statement, list(some))


def copy_in(
    connection: Connection, table: Table, some: Iterable[tuple[Any, ...]]
) -> None:
    """Insert rows into a table of PostgreSQL by COPY."""
    statement = f'COPY "{table.name}" ({columns(table)}) FROM STDIN'
    with _cursor(connection) as cursor, cursor.copy(statement) as stream:
        for row in some:
            stream.write_row(row)


def columns(table: Table) -> str:
    """Return the names of all columns, as a statement lists them."""
    return ", ".join(f'"{column.name}"' for column in table.columns)


@contextmanager
def _cursor(connection: Connection) -> Iterator[Any]:
    """Give a cursor of psycopg, whose trouble is told as that of any statement."""
    from psycopg import Error  # noqa: PLC0415 - an extra

    try:
        cursor: Any = connection.connection.cursor()
        yield cursor
        cursor.close()
    except Error as error:
        raise OperationalError("COPY", None, error) from error


@contextmanager
def unlogged(connection: Connection) -> Iterator[None]:
    """Let the transactions inside do without the log, if nobody has the file open.

    Who comes to read meanwhile waits; there was nothing to see before. What a killed
    process leaves is undone by whoever opens the file next, as ever.
    """
    driver: Any = connection.connection.dbapi_connection
    without = False
    if connection.dialect.name == "sqlite":
        with suppress(sqlite3.Error), _at_once(driver):
            if driver.execute("SELECT 1 FROM run LIMIT 1").fetchone() is None:
                driver.execute("PRAGMA journal_mode=DELETE")
                without = True
    try:
        yield
    finally:
        if without:  # an interrupt may have closed it; who opens it next does so too
            with suppress(sqlite3.Error), _at_once(driver):
                driver.execute("PRAGMA journal_mode=WAL")


@contextmanager
def _at_once(driver: sqlite3.Connection) -> Iterator[None]:
    """Wait for nobody meanwhile."""
    (patience,) = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute("PRAGMA busy_timeout=0")
    try:
        yield
    finally:
        driver.execute(f"PRAGMA busy_timeout={patience}")


def batched(several: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """Yield *several* things in their order, as many as a statement takes."""
    for start in range(0, len(several), ROWS):
        yield several[start : start + ROWS]


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[dict[str, Any]]
) -> None:
    """Insert rows given by the names of their columns, each with the same ones."""
    for some in batched(rows):
        connection.execute(table.insert(), some)


def delete_keys(
    connection: Connection,
    column: Column[Any],
    keys: Iterable[str],
    *also: ColumnElement[bool],
) -> None:
    """Delete the rows that have one of *keys* in *column*, if *also* holds for them."""
    for some in batched(sorted(keys)):
        connection.execute(delete(column.table).where(column.in_(some), *also))
