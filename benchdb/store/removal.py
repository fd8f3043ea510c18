"""Take runs out of a database, with what only they referred to.

What others use stays, and what is derived follows from the rest.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    delete,
    func,
    select,
    update,
)

from benchdb.store import by_bin, contents, copies, findings, newest, results, tables
from benchdb.store import machines as all_machines
from benchdb.store.bulk_load import batched, delete_keys
from benchdb.store.signed_machines import flag_contradicting_signers
from benchdb.store.tables import (
    chip,
    claim,
    document,
    future_date,
    machine,
    run,
    source,
)


class Removed(msgspec.Struct, frozen=True):
    """How many rows went: the runs, and what only they referred to."""

    runs: int
    claims: int
    sources: int
    machines: int
    environments: int
    documents: int


class Removal:
    """Takes away the runs with the digests that *runs* selects, in three steps.

    ``drop_runs`` comes first. Then claims may go, and *emptied* may take in sources,
    which go with ``finish`` where nothing refers to them any more; *changes* take in
    runs that stay, and of which something else goes.
    """

    def __init__(self, connection: Connection, runs: Select[Any]) -> None:
        """Remember what the runs refer to, and where they are counted."""
        self._connection, self._runs = connection, runs
        which = run.c.digest.in_(runs)

        def each(*columns: Any) -> set[Any]:
            query = select(*columns).where(which).distinct()
            rows = connection.execute(query).all()
            return {row[0] if len(columns) == 1 else tuple(row) for row in rows}

        self.sources: set[str] = each(run.c.source) - {None}
        self.machines: set[str] = each(run.c.machine)
        self.emptied: set[str] = set()
        self._places = each(run.c.machine, run.c.workload)
        self._prefixes = each(func.substr(run.c.digest, 1, contents.LETTERS))
        self._environments = each(run.c.environment)
        self._workloads = each(run.c.workload, run.c.workload_version)
        value = tables.value.c
        named = select(value.metric).where(value.run.in_(runs)).distinct()
        self._metrics = set(connection.scalars(named))
        self.changes = results.Changes(connection)
        self.changes.begin()
        self._beside: set[str] = set()
        self._count = self._claims = 0

    def drop_runs(self) -> None:
        """Take the runs away, and all that belongs to one of them."""
        connection = self._connection
        gone = connection.scalars(self._runs).all()
        self.changes.touch(gone)
        self._beside, of_them = copies.same_samples(connection, gone)
        self.sources |= of_them | by_bin.beside(connection, gone)
        for column in (*naming(run.c.digest), future_date.c.digest):
            connection.execute(delete(column.table).where(column.in_(self._runs)))
        ours = run.c.digest.in_(self._runs)
        self._count = connection.execute(delete(run).where(ours)).rowcount

    def drop_claims(self, which: ColumnElement[bool]) -> None:
        """Take claims away."""
        self._claims += self._connection.execute(delete(claim).where(which)).rowcount

    def finish(self) -> Removed:
        """Take away what nothing refers to now, and derive the rest anew."""
        connection = self._connection
        users = run.c.source, claim.c.source
        dropped = _unused(connection, source.c.digest, self.emptied, *users)
        documents = _drop_sources(connection, dropped)
        delete_keys(connection, future_date.c.digest, dropped)
        unused = self._drop_unused()
        newest.renew_at(connection, self._places)
        contents.refresh(connection, self._prefixes)
        # A rule may have compared what is left with what went.
        rest = {text for place in self._places for text in _alone(connection, *place)}
        again = findings.refresh(
            connection, sources=self.sources - {*dropped}, runs=rest | self._beside
        )
        self.changes.touch(again | flag_contradicting_signers(connection))
        all_machines.flag_foreign_ids(connection)
        self.changes.refresh()
        return Removed(self._count, self._claims, len(dropped), *unused, documents)

    def _drop_unused(self) -> tuple[int, int]:
        """Drop what no run refers to; return how many machines, environments."""
        connection = self._connection
        theirs = select(machine.c.chip).where(machine.c.digest.in_(self.machines))
        chips = set(connection.scalars(theirs))
        machines = _drop_machines(connection, self.machines)
        environment = tables.environment.c.digest
        around = _unused(
            connection, environment, self._environments, *naming(environment)
        )
        delete_keys(connection, environment, around)
        for key, some in (
            (chip.c.digest, chips),
            (tables.metric.c.name, self._metrics),
        ):
            delete_keys(connection, key, _unused(connection, key, some, *naming(key)))
        self._drop_workloads()
        return machines, len(around)

    def _drop_workloads(self) -> None:
        known = tables.workload.c
        for name, version in self._workloads:
            there = select(run.c.digest).where(
                run.c.workload == known.name,
                run.c.workload_version == known.version,
            )
            self._connection.execute(
                delete(tables.workload).where(
                    known.name == name, known.version == version, ~there.exists()
                )
            )


def _alone(connection: Connection, place: str, workload: str) -> Sequence[str]:
    """Return the runs of a machine and a workload that come from no source."""
    query = select(run.c.digest).where(
        run.c.machine == place, run.c.workload == workload, run.c.source.is_(None)
    )
    return connection.scalars(query).all()


def sweep(connection: Connection) -> None:
    """Drop the machines, environments and chips that no run refers to."""
    _drop_machines(connection, connection.scalars(select(machine.c.digest)).all())
    for key in (tables.environment.c.digest, chip.c.digest):
        every = connection.scalars(select(key)).all()
        delete_keys(connection, key, _unused(connection, key, every, *naming(key)))


def _drop_machines(connection: Connection, some: Iterable[str]) -> int:
    """Drop which of *some* machines no run refers to; return how many those were."""
    machines = _unused(connection, machine.c.digest, some, run.c.machine)
    _unlink(connection, machines)
    for column in naming(machine.c.digest):
        delete_keys(connection, column, machines)
    delete_keys(connection, machine.c.digest, machines)
    return len(machines)


def naming(key: Column[Any]) -> list[Column[Any]]:
    """Return the columns of all tables that refer to *key*."""
    return [
        column.parent
        for table in tables.metadata.sorted_tables
        for column in table.foreign_keys
        if column.column is key
    ]


def _unused(
    connection: Connection,
    key: Column[Any],
    some: Iterable[str],
    *users: Column[Any],
) -> list[str]:
    """Return which of *some* keys no column of *users* refers to."""
    unused: list[str] = []
    for part in batched(sorted(some)):
        free = [~select(user).where(user == key).exists() for user in users]
        unused += connection.scalars(select(key).where(key.in_(part), *free))
    return unused


def _unlink(connection: Connection, machines: Sequence[str]) -> None:
    """Take *machines* out of what was decided by hand; the others stay the same."""
    link = tables.machine_link
    for machine_digest in machines:
        connection.execute(delete(link).where(link.c.machine == machine_digest))
        theirs = select(func.min(link.c.machine)).where(
            link.c.same_as == machine_digest
        )
        if (root := connection.scalar(theirs)) is not None:
            led = update(link).where(link.c.same_as == machine_digest)
            connection.execute(led.values(same_as=root))


def _drop_sources(connection: Connection, digests: Sequence[str]) -> int:
    """Drop sources with what was decided about them; return how many documents went.

    A document that another source or a refused record speaks of stays.
    """
    of_document = select(source.c.document_sha256).where(source.c.digest.in_(digests))
    known = set(connection.scalars(of_document)) - {None}
    for column in naming(source.c.digest):
        delete_keys(connection, column, digests)
    delete_keys(connection, source.c.digest, digests)
    users = source.c.document_sha256, tables.quarantine.c.file
    documents = _unused(connection, document.c.sha256, known, *users)
    delete_keys(connection, document.c.sha256, documents)
    return len(documents)
