"""Copy all contents from one database into another, whatever kind each is."""

import hashlib
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

import msgspec
from sqlalchemy import Connection, LargeBinary, Table, Text, select, type_coerce
from sqlalchemy.exc import SQLAlchemyError

from benchdb.errors import DatabaseError, UsageError
from benchdb.store import bulk_load
from benchdb.store.error_text import name, why
from benchdb.store.tables import Json, made_by, metadata

_ROWS = 1000  # in memory at once
_LARGE_ROWS = 16  # of documents and samples: 64 MiB at most
_BITS = 256
# Who made a database is its own.
_TAKEN = tuple(table for table in metadata.sorted_tables if table is not made_by)

Rows = Sequence[tuple[Any, ...]]


class Copied(msgspec.Struct, frozen=True):
    """What was copied; *digest* is that of both databases.

    *already* tells that the target had the same contents before.
    """

    rows: int
    digest: str
    already: bool


class Digest:
    """A SHA-256 of contents, the same in whichever order rows come from a database.

    Databases sort text differently, so that the digests of a table's rows are added up.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.rows = 0
        self._tables: dict[str, int] = {}

    def add(self, table: Table, some: Rows) -> None:
        """Take *some* rows of *table* in."""
        total = self._tables.get(table.name, 0)
        for row in some:
            data = hashlib.sha256(msgspec.msgpack.encode(row)).digest()
            total += int.from_bytes(data)
        self._tables[table.name] = total % 2**_BITS
        self.rows += len(some)

    def __str__(self) -> str:
        """Return it as 64 hexadecimal digits."""
        lines = (f"{name} {total:x}\n" for name, total in sorted(self._tables.items()))
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def copy(source: Connection, target: Connection) -> Copied:
    """Copy every table but ``made_by``; *target* must be empty, or the same already.

    Nothing is kept where this raises: ``UsageError`` for a target with other contents,
    ``DatabaseError`` where the target cannot hold what the source has.
    """
    if _has_rows(target):
        theirs, ours = digest(source), digest(target)
        if str(theirs) != str(ours):
            raise UsageError(
                f"{name(target.engine)} holds other results; name an empty database, "
                "or merge them with 'benchdb export' and 'benchdb import'"
            )
        return Copied(ours.rows, str(ours), already=True)
    read = Digest()
    for table in _TAKEN:
        with closing(_rows(source, table)) as rows:
            for some in rows:
                read.add(table, some)
                bulk_load.insert(target, table, some)
    written = digest(target)
    if str(written) != str(read):
        raise DatabaseError(
            f"{name(target.engine)} does not hold what {name(source.engine)} does: "
            f"digest {written} in place of {read}"
        )
    return Copied(read.rows, str(read), already=False)


def digest(connection: Connection) -> Digest:
    """Return the digest of all contents: equal in databases that hold the same."""
    whole = Digest()
    for table in _TAKEN:
        for some in _rows(connection, table):
            whole.add(table, some)
    return whole


def _has_rows(connection: Connection) -> bool:
    queries = (select(*table.primary_key).limit(1) for table in _TAKEN)
    return any(connection.execute(query).first() is not None for query in queries)


def _rows(connection: Connection, table: Table) -> Generator[Rows, None, None]:
    """Yield all rows a few at a time, JSON as the text that it is kept as."""
    columns = [
        type_coerce(column, Text) if isinstance(column.type, Json) else column
        for column in table.columns
    ]
    large = any(isinstance(column.type, LargeBinary) for column in table.columns)
    query = select(*columns).execution_options(
        yield_per=_LARGE_ROWS if large else _ROWS
    )
    try:
        with connection.execute(query) as result:
            for some in result.partitions():
                yield [tuple(row) for row in some]
    except SQLAlchemyError as error:
        text = f"cannot read {name(connection.engine)}: {why(error)}"
        raise DatabaseError(text) from error
