"""Add rows to the database; what is there already stays as it is."""

from collections import defaultdict
from importlib import import_module
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Insert, Table, select

from benchdb.exchange.record import Record
from benchdb.store import contents, newest, readers, rows, tables
from benchdb.store.json_text import Json, json_text
from benchdb.store.rows import Row, Rows, Shared

# Parents before children, so that foreign keys hold at every moment.
_ORDER = (
    tables.source,
    tables.chip,
    tables.machine,
    tables.environment,
    tables.workload,
    tables.metric,
    tables.run,
    tables.value,
    tables.samples,
    tables.flag,
    tables.claim,
    tables.fingerprint,
)


_OF_A_RUN = ("run", "value", "samples", "flag", "fingerprint")
_REMEMBERED = 20_000  # shared rows that are known to be there; then it forgets them


class Writer:
    """Gathers rows and inserts them in batches; rows already known are ignored.

    Rows are identified by digest, so inserting one twice cannot change anything.
    """

    def __init__(self, connection: Connection, batch: int = 500) -> None:
        """Write through *connection*, whose transaction belongs to the caller."""
        self._connection = connection
        self._batch = batch
        self._pending: dict[str, list[Row]] = defaultdict(list)
        self._shared: set[Shared] = set()
        self._touched: tuple[set[newest.Place], set[str]] = set(), set()
        self.runs_added = 0

    def add_record(self, record: Record) -> None:
        """Gather the rows of a run and of what it refers to."""
        self.add(rows.of_record(record, self._shared))

    def add(self, found: Rows) -> None:
        """Gather rows by table; they are in the database after ``flush``."""
        for name, some in found.items():
            shared = name not in _OF_A_RUN
            new = [row for row in some if self._fresh(name, row)] if shared else some
            self._pending[name] += new
        if len(self._pending["run"]) >= self._batch:
            self.send()

    def send(self) -> None:
        """Insert what was gathered so far; ``flush`` must follow."""
        for table in _ORDER:
            some = self._pending.pop(table.name, None)
            if some and table is tables.run:
                self._note_new(some)
            if some:
                _insert(self._connection, table, some)
            if some and table is tables.source:
                readers.renew(self._connection, some)
        if len(self._shared) > _REMEMBERED:
            self._shared.clear()
        if len(self._touched[0]) > _REMEMBERED:
            self._renew()

    def flush(self) -> None:
        """Insert what was gathered, and bring what follows from the runs up to it."""
        self.send()
        self._renew()

    def _renew(self) -> None:
        places, prefixes = self._touched
        newest.refresh(self._connection, places)
        contents.refresh(self._connection, prefixes)
        self._touched = set(), set()

    def _note_new(self, some: list[Row]) -> None:
        """Count the runs that are not there yet; not every driver counts insertions."""
        new = {row["digest"]: row for row in some}
        there = select(tables.run.c.digest).where(tables.run.c.digest.in_(new))
        for digest in self._connection.scalars(there):
            del new[digest]
        self.runs_added += len(new)
        places, prefixes = self._touched
        places |= {(row["machine"], row["workload"]) for row in new.values()}
        prefixes |= {digest[: contents.LETTERS] for digest in new}

    def _fresh(self, name: str, row: Row) -> bool:
        """Machines and the like repeat in every run; insert each once."""
        key = (name, _identity(row))
        known = key in self._shared
        self._shared.add(key)
        return not known


def insert_new(connection: Connection, table: Table) -> Insert:
    """Return the statement that inserts rows whose keys are not there yet."""
    # That of the connection is loaded; the other would take a command longer to start.
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    statement: Insert = dialect.insert(table).on_conflict_do_nothing()
    return statement


def _insert(connection: Connection, table: Table, some: list[Row]) -> None:
    """Insert rows that all have the same columns.

    The driver takes them as they are: SQLAlchemy's own treatment of each value would
    cost more than all the rest of an insertion.
    """
    statement = insert_new(connection, table).compile(
        dialect=connection.dialect, column_keys=list(some[0])
    )
    for name in some[0]:
        if isinstance(table.c[name].type, Json):
            for row in some:
                row[name] = json_text(row[name])
    if statement.positiontup is not None:
        told = itemgetter(*statement.positiontup)
        connection.exec_driver_sql(statement.string, [told(row) for row in some])
    else:
        connection.exec_driver_sql(statement.string, some)


def _identity(row: Row) -> Any:
    """Return what identifies a shared row, as ``rows.of_record`` knows it."""
    if "importer_version" in row:
        return row["digest"], row["importer"], row["importer_version"]
    if "version" in row:
        return row["name"], row["version"]
    return row.get("digest") or row["name"]
