"""Add rows to the database; what is there already stays as it is."""

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from benchdb.store import tables
from benchdb.store.rows import Row, Rows

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
    tables.imported_file,
)


class Writer:
    """Gathers rows and inserts them in batches; rows already known are ignored.

    Rows are identified by digest, so inserting one twice cannot change anything.
    """

    def __init__(self, connection: Connection, batch: int = 500) -> None:
        """Write through *connection*, whose transaction belongs to the caller."""
        self._connection = connection
        self._batch = batch
        self._pending: dict[str, list[Row]] = defaultdict(list)
        self._shared: set[tuple[str, Any]] = set()
        self.runs_added = 0

    def add(self, rows: Rows) -> None:
        """Gather *rows* by table; they are in the database after ``flush``."""
        for name, some in rows.items():
            self._pending[name] += [row for row in some if self._fresh(name, row)]
        if len(self._pending["run"]) >= self._batch:
            self.flush()

    def flush(self) -> None:
        """Insert what was gathered."""
        for table in _ORDER:
            some = self._pending.pop(table.name, None)
            if some:
                added = self._connection.execute(_insert(self._connection, table), some)
                if table is tables.run:
                    self.runs_added += max(added.rowcount, 0)

    def _fresh(self, name: str, row: Row) -> bool:
        """Machines and the like repeat in every run; insert each once."""
        if name in ("run", "value", "samples", "flag"):
            return True
        key = (name, _identity(row))
        known = key in self._shared
        self._shared.add(key)
        return not known


def _insert(connection: Connection, table: Table) -> Insert:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement: Insert = dialect.insert(table).on_conflict_do_nothing()
    return statement


def _identity(row: Row) -> Any:
    return row.get("digest") or row.get("sha256") or (row["name"], row.get("version"))
