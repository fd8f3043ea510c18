"""Whether derived tables hold what the runs give, counted anew."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    Table,
    func,
    select,
)
from sqlalchemy.schema import CreateTable

from benchdb.store.derived import DERIVED, renew

_TOLD = 100  # rows of each table


def differences(connection: Connection) -> Iterator[str]:
    """Yield the derived rows that do not follow from the runs, and those that lack.

    They are derived into temporary tables of the same names, which stand before the
    real ones meanwhile: who may only read can check as well.
    """
    home = "main"
    if connection.dialect.name == "postgresql":
        home = str(connection.scalar(select(func.current_schema())))
    anew = connection.begin_nested()
    try:
        for table in DERIVED:
            connection.execute(CreateTable(_temporary(table)))
        renew(connection)
        for table in DERIVED:
            stored = table.to_metadata(MetaData(), schema=home)
            yield from _unlike(connection, stored, table)
    finally:
        anew.rollback()


def _temporary(table: Table) -> Table:
    """Return *table* without its references: what they lead to is in another place."""
    columns = [
        Column(one.name, one.type, primary_key=one.primary_key, nullable=one.nullable)
        for one in table.columns
    ]
    return Table(table.name, MetaData(), *columns, prefixes=["TEMPORARY"])


def _unlike(connection: Connection, stored: Table, anew: Table) -> Iterator[str]:
    sides = (
        (stored, anew, "does not follow from the runs"),
        (anew, stored, "follows from the runs, but is not there"),
    )
    for one, other, what in sides:
        for row in _only_in(connection, one, other):
            key = ", ".join(str(row[column.name])[:12] for column in one.primary_key)
            yield f"{one.name} ({key}) {what}"


def _only_in(connection: Connection, one: Table, other: Table) -> list[Any]:
    query = select(one).except_(select(other)).limit(_TOLD)
    return list(connection.execute(query).mappings())
