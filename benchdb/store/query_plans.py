"""How a database goes about its queries: which indexes it uses, what it reads whole."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy import Connection, event

from benchdb.store.tables import metadata

_PREFIX = {"sqlite": "EXPLAIN QUERY PLAN ", "postgresql": "EXPLAIN "}
_INDEX = re.compile(
    r"USING (?:COVERING )?INDEX (\S+)"
    r"|Index (?:Only )?Scan(?: Backward)? using (\S+)|Bitmap Index Scan on (\S+)"
)
_WHOLE = re.compile(r"(?:SCAN|SEARCH) (\w+)$|Seq Scan on (\w+)")


class Query(msgspec.Struct):
    """A statement, the parameters it first had, and how often it was asked."""

    statement: str
    parameters: Any
    times: int = 0


class Plan(msgspec.Struct, frozen=True):
    """The database's own words; indexes it uses, and tables that it reads whole."""

    lines: tuple[str, ...]
    indexes: tuple[str, ...]
    whole: tuple[str, ...]


@contextmanager
def recorded(connection: Connection) -> Iterator[dict[str, Query]]:
    """Give the queries that the block asks on *connection*, by their statement."""
    queries: dict[str, Query] = {}

    def note(_connection: Any, _cursor: Any, statement: str, *rest: Any) -> None:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            query = queries.setdefault(statement, Query(statement, rest[0]))
            query.times += 1

    event.listen(connection, "before_cursor_execute", note)
    try:
        yield queries
    finally:
        event.remove(connection, "before_cursor_execute", note)


def explained(connection: Connection, query: Query) -> Plan:
    """Return how the database would go about *query*, without asking it again."""
    kind = connection.dialect.name
    asked = _PREFIX[kind] + query.statement
    rows = connection.exec_driver_sql(asked, query.parameters).all()
    lines = tuple(str(row[-1]) for row in rows)
    return Plan(lines, _named(_INDEX, lines), _named(_WHOLE, lines))


def indexes() -> set[str]:
    """Return the names of all indexes of ours, those of keys left out."""
    tables = metadata.sorted_tables
    return {str(index.name) for table in tables for index in table.indexes}


def _named(pattern: re.Pattern[str], lines: tuple[str, ...]) -> tuple[str, ...]:
    matches = (pattern.search(line) for line in lines)
    names = {
        next(filter(None, match.groups())) for match in matches if match is not None
    }
    return tuple(sorted(names))
