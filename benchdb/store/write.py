"""Add rows to the database; what is there already stays as it is."""

from collections import defaultdict
from importlib import import_module
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Insert, Table, bindparam, select

from benchdb.exchange.record import Record
from benchdb.sorted_json import sorted_json
from benchdb.store import (
    bulk_load,
    contents,
    dates,
    editions,
    newest,
    results,
    rows,
    tables,
)
from benchdb.store.bulk_load import batched
from benchdb.store.forgetting import LeftOut
from benchdb.store.rows import Row, Rows, Shared
from benchdb.store.tables import Json

# Parents before children, so that foreign keys hold at every moment.
_SHARED = (
    tables.source,
    tables.chip,
    tables.machine,
    tables.environment,
    tables.workload,
    tables.metric,
    tables.claim,
    tables.retraction,
)
_OF_A_RUN = tuple(tables.metadata.tables[name] for name in rows.OF_A_RUN)
_KEYS = {table.name: len(table.primary_key) for table in _OF_A_RUN}
_TOGETHER = 500  # runs that are inserted together
_KINDS = 5000  # of new runs that are remembered until what follows is renewed
# A statement of its own for each batch would keep its digests until Python looks for
# garbage, which is seldom.
_THERE = select(tables.run.c.digest).where(
    tables.run.c.digest.in_(bindparam("some", expanding=True))
)


class Writer:
    """Gathers rows and inserts them in batches; rows already known are ignored.

    Whoever has looked for what is doubtful in them lets the results follow from its
    *changes* at the end.

    Rows are identified by digest, so inserting one twice cannot change anything. A run
    that is there is there with all of its rows.
    """

    def __init__(self, connection: Connection) -> None:
        """Write through *connection*, whose transaction belongs to the caller."""
        self._connection = connection
        self._pending: Rows = defaultdict(list)
        self._known: set[Shared] = set()
        self._ages: newest.Ages = {}
        self._prefixes: set[str] = set()
        self.runs_added = self.retractions_added = 0
        self.changes = results.Changes(connection)
        self.left_out = LeftOut(connection)

    def add_record(self, record: Record, *, mine: bool = False) -> None:
        """Gather the rows of a run, which may be *mine*, and of what it refers to."""
        likeness = rows.of_likeness(record)
        self.add(rows.of_record(record, self._known, mine=mine) | likeness)

    def add(self, groups: Rows) -> None:
        """Gather rows by table; they are in the database after ``flush``."""
        for name, some in rows.unknown(groups, self._known).items():
            self._pending[name] += some
        if len(self._pending["run"]) >= _TOGETHER:
            self._send()

    def flush(self) -> None:
        """Insert what was gathered, and bring what follows from the runs up to it."""
        self.land()
        self._renew()

    def land(self) -> None:
        """Insert what was gathered; ``flush`` must follow at the end."""
        self._send()
        self._write(self.left_out.rest())

    def _renew(self) -> None:
        newest.refresh(self._connection, self._ages)
        contents.refresh(self._connection, self._prefixes)
        self._ages, self._prefixes = {}, set()

    def _send(self) -> None:
        gathered, self._pending = self._pending, defaultdict(list)
        self.write(gathered)

    def write(self, gathered: Rows) -> set[str]:
        """Insert rows by table; return the runs among them that were there before.

        What was forgotten is left out. ``flush`` must follow the last of them.
        """
        return self._write(self.left_out.less(gathered))

    def _write(self, gathered: Rows) -> set[str]:
        runs = gathered.get("run", [])
        withdrawn = {row["run"] for row in gathered.get("retraction", ())}
        if runs or withdrawn:
            self.changes.begin()
        self._write_shared(gathered)
        self.changes.touch(withdrawn)  # what comes with them is noted in any case
        if not runs:
            self._add_to_runs(gathered)
            return set()
        named = {row[0] for row in runs}
        there = self._there(named)
        for table in _OF_A_RUN:
            some = gathered.get(table.name, [])
            if there:
                some = [row for row in some if row[0] not in there]
            if len(named) < len(runs):
                some = list({row[: _KEYS[table.name]]: row for row in some}.values())
            if some:
                bulk_load.insert(self._connection, table, some)
            if table is tables.run:
                self._note(some)
        self.runs_added += len(named) - len(there)
        return there

    def _write_shared(self, gathered: Rows) -> None:
        """Insert what runs refer to, and what follows from its being new."""
        sources = gathered.get(tables.source.name, [])
        ahead = dates.of_sources(self._connection, sources)
        for table in _SHARED:
            if some := gathered.get(table.name):
                new = _insert(self._connection, table, some)
                self.retractions_added += new if table is tables.retraction else 0
        self._note_future(ahead)
        if sources:
            editions.renew_importers(self._connection, sources)

    def _note(self, new: list[tuple[Any, ...]]) -> None:
        undated = self._note_future(dates.of_runs(new))
        newest.note(self._ages, new, undated)
        self.changes.note(new)
        self._prefixes |= {row[0][: contents.LETTERS] for row in new}
        if len(self._ages) > _KINDS:
            self._renew()

    def _note_future(self, runs: list[Row]) -> set[str]:
        """Keep which dates were yet to come today; return whose they are."""
        if runs:
            statement = insert_new(self._connection, tables.future_date)
            self._connection.execute(statement, runs)
        return {row["digest"] for row in runs}

    def _there(self, digests: set[str]) -> set[str]:
        """Return which of these runs are there already."""
        texts = set[str]()
        for some in batched(sorted(digests)):
            texts.update(self._connection.scalars(_THERE, {"some": some}))
        return texts

    def _add_to_runs(self, groups: Rows) -> None:
        """Insert what runs that are there already may lack: what is derived of them."""
        names = tables.fingerprint.columns.keys()
        some = groups.get(tables.fingerprint.name, [])
        if some:
            result = [dict(zip(names, row, strict=True)) for row in some]
            _insert(self._connection, tables.fingerprint, result)


def insert_new(connection: Connection, table: Table) -> Insert:
    """Return the statement that inserts rows whose keys are not there yet."""
    # That of the connection is loaded; the other would take a command longer to start.
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    statement: Insert = dialect.insert(table).on_conflict_do_nothing()
    return statement


def _insert(connection: Connection, table: Table, some: list[Row]) -> int:
    """Insert rows of the same columns whose keys are not there; return how many."""
    statement = insert_new(connection, table).compile(
        dialect=connection.dialect, column_keys=list(some[0])
    )
    for name in some[0]:
        if isinstance(table.c[name].type, Json):
            for row in some:
                row[name] = sorted_json(row[name])
    if statement.positiontup is not None:
        in_order = itemgetter(*statement.positiontup)
        in_turn = [in_order(row) for row in some]
        return connection.exec_driver_sql(statement.string, in_turn).rowcount
    return connection.exec_driver_sql(statement.string, some).rowcount
