"""Many rows at once, as the driver takes them.

SQLAlchemy's own treatment of each value would cost more than all the rest.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.exc import OperationalError


def insert(
    connection: Connection, table: Table, some: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows that are not there yet, with all columns in the table's order."""
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
