"""Read runs back as whole records."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Select, collate, select

from benchdb.errors import DatabaseError, UsageError
from benchdb.exchange.messages import Claim, Source
from benchdb.exchange.packing import Series, unpack
from benchdb.exchange.record import Record
from benchdb.store import rows
from benchdb.store.listing import Filter, filtered
from benchdb.store.tables import (
    chip,
    claim,
    environment,
    flag,
    machine,
    run,
    samples,
    source,
    value,
)

_CHUNK = 500  # records held in memory at once
_EVERYTHING = Filter()


def find(connection: Connection, prefix: str) -> str:
    """Return the digest of the one run that starts with *prefix*."""
    wanted = prefix.lower()
    is_id = wanted and not set(wanted) - set("0123456789abcdef")
    query = select(run.c.digest).where(run.c.digest.startswith(wanted)).limit(2)
    matches = list(connection.scalars(query)) if is_id else []
    if len(matches) > 1:
        raise UsageError(f"several runs start with {prefix!r}; give more digits")
    if matches:
        return str(matches[0])
    for what, column in (("campaign", run.c.campaign), ("workload", run.c.workload)):
        query = select(run.c.digest).where(column == prefix).limit(1)
        if connection.scalar(query):
            raise UsageError(
                f"{prefix!r} is a {what}; 'benchdb list --{what} {prefix}' lists its "
                "figures, each with the id of a run"
            )
    if not is_id:
        raise UsageError(
            f"{prefix!r} is no run id; 'benchdb list' shows them, 12 hexadecimal digits"
        )
    raise UsageError(f"no run {prefix!r}; 'benchdb list' shows the runs")


def record(connection: Connection, digest: str) -> Record:
    """Return the run *digest* with everything it refers to."""
    return next(records_of(connection, [digest]))


def samples_of(
    connection: Connection, digests: Sequence[str]
) -> dict[str, tuple[Series, ...]]:
    """Return the samples of the runs *digests*, some hundreds of them at most."""
    query = select(samples.c.run, samples.c.packed).where(samples.c.run.in_(digests))
    packed = {row.run: row.packed for row in connection.execute(query)}
    return {digest: _unpacked(packed.get(digest)) for digest in digests}


def records(connection: Connection, wanted: Filter = _EVERYTHING) -> Iterator[Record]:
    """Yield the records, oldest first, in an order that depends on content alone."""
    # Databases differ in where NULL belongs, and in the order of letters.
    letters = "C" if connection.dialect.name == "postgresql" else "BINARY"
    order = (run.c.started, run.c.source, run.c.digest)
    known_last = (
        by for column in order for by in (column.is_not(None), collate(column, letters))
    )
    query = filtered(select(run.c.digest), wanted).order_by(*known_last)
    with connection.execute(query.execution_options(yield_per=_CHUNK)) as digests:
        for some in digests.scalars().partitions():
            yield from records_of(connection, some)


def sources(connection: Connection, wanted: Filter = _EVERYTHING) -> Iterator[Source]:
    """Yield the published documents, by slug; with a filter, those of its runs."""
    result = connection.execute(of_sources(select(source), wanted)).all()
    for row in sorted(result, key=lambda row: (row.slug, row.digest)):
        yield rows.to_source(rows.plain(row))


def of_sources(query: Select[Any], wanted: Filter) -> Select[Any]:
    """Narrow *query* of ``source`` to the documents that go with what is wanted."""
    if wanted.source is not None:
        return query.where(source.c.slug == wanted.source)
    if wanted.is_empty:
        return query
    return query.where(source.c.digest.in_(of_runs(run.c.source, wanted)))


def of_runs(column: Any, wanted: Filter) -> Select[Any]:
    """Return a query of *column* of the runs that are wanted."""
    return filtered(select(column).select_from(run), wanted)


def claims(
    connection: Connection, wanted: Filter = _EVERYTHING
) -> Iterator[tuple[Claim, Source]]:
    """Yield the claims with their sources."""
    known = {item.key: item for item in sources(connection, wanted)}
    result = connection.execute(select(claim).where(claim.c.source.in_(sorted(known))))
    for row in sorted(result, key=lambda row: (row.source, row.locator, row.digest)):
        yield rows.to_claim(rows.plain(row)), known[row.source]


def records_of(connection: Connection, digests: Sequence[str]) -> Iterator[Record]:
    """Yield the runs with these *digests*, some hundreds of them at most."""
    by_digest = {
        row.digest: row
        for row in connection.execute(select(run).where(run.c.digest.in_(digests)))
    }
    machines = _by_digest(
        connection, machine, {row.machine for row in by_digest.values()}
    )
    chips = _by_digest(connection, chip, {row.chip for row in machines.values()})
    environments = _by_digest(
        connection, environment, {row.environment for row in by_digest.values()}
    )
    documents = _by_digest(
        connection, source, {row.source for row in by_digest.values() if row.source}
    )
    values = _children(
        connection, select(value).order_by(value.c.run, value.c.metric), digests
    )
    flags = _children(
        connection, select(flag).order_by(flag.c.run, flag.c.position), digests
    )
    series = samples_of(connection, digests)
    for digest in digests:
        row = by_digest[digest]
        owner = _referred(machines, row.machine)
        around = _referred(environments, row.environment)
        document = documents.get(row.source)
        yield Record(
            run=rows.to_run(rows.plain(row)),
            machine=rows.to_machine(owner, _referred(chips, owner["chip"])),
            environment=rows.to_environment(around),
            source=None if document is None else rows.to_source(rows.plain(document)),
            series=series[digest],
            end=rows.to_end(
                rows.plain(row), values.get(digest, []), flags.get(digest, [])
            ),
        )


def _referred(there: Mapping[str, Row[Any]], digest: str) -> rows.Row:
    """Return the row that another refers to; a constraint of the database says so."""
    if digest not in there:
        raise DatabaseError(f"a reference leads nowhere: {digest[:12]}")
    return rows.plain(there[digest])


def _unpacked(packed: bytes | None) -> tuple[Series, ...]:
    try:
        return () if packed is None else unpack(packed)
    except ValueError as error:
        raise DatabaseError(str(error)) from error


def _by_digest(
    connection: Connection, table: Any, digests: set[str]
) -> dict[str, Row[Any]]:
    query = select(table).where(table.c.digest.in_(sorted(digests)))
    return {row.digest: row for row in connection.execute(query)}


def _children(
    connection: Connection, query: Select[Any], digests: Sequence[str]
) -> dict[str, list[Any]]:
    table = query.get_final_froms()[0]
    result = connection.execute(query.where(table.c.run.in_(digests)))
    return {
        digest: [rows.plain(row) for row in group]
        for digest, group in groupby(result, key=lambda row: str(row.run))
    }
