"""Runs with all that they refer to in one row each, for those who ask without us.

A run is named by its digest. Everything comes in an order that depends on content
alone, whatever the database; nothing is decoded that is kept as text.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Select,
    Text,
    bindparam,
    select,
    type_coerce,
)

from benchdb.errors import DatabaseError
from benchdb.exchange.packing import Index, opened
from benchdb.parquet.columns import BY_WORKLOAD, VALUE, WHOLE, Columns
from benchdb.store.listing import Filter
from benchdb.store.read import of_runs, of_sources
from benchdb.store.tables import (
    Json,
    chip,
    claim,
    environment,
    finding,
    flag,
    machine,
    metric,
    run,
    samples,
    source,
    value,
)

_ROWS = 500  # of a page
# One parameter, so that a query is understood once and not again for each page.
_THESE: BindParameter[Any] = bindparam("digests", expanding=True)
TRANSCRIBER, RULE = "transcriber", "rule"

Row = tuple[Any, ...]
Places = Mapping[str, int]  # of the runs of a page, by digest


def workloads(connection: Connection, wanted: Filter) -> list[str]:
    """Return the names of the workloads that were run."""
    return sorted(connection.scalars(of_runs(run.c.workload, wanted).distinct()))


def pages(connection: Connection, wanted: Filter) -> Iterator[Sequence[str]]:
    """Yield the digests of the runs, those of a machine and environment together.

    All of them are hexadecimal, which every database sorts alike.
    """
    query = of_runs(run.c.digest, wanted)
    query = query.order_by(run.c.machine, run.c.environment, run.c.digest)
    with connection.execute(query.execution_options(yield_per=_ROWS)) as found:
        yield from found.scalars().partitions()


def runs(connection: Connection, digests: Sequence[str]) -> list[Row]:
    """Return the rows of *digests* in their order."""
    columns = BY_WORKLOAD["runs"]
    query = (
        _selected(columns)
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .join(environment, run.c.environment == environment.c.digest)
        .outerjoin(source, run.c.source == source.c.digest)
        .outerjoin(samples, samples.c.run == run.c.digest)
        .where(run.c.digest.in_(_THESE))
    )
    name = [column.name for column in columns].index("run")
    these = {"digests": list(digests)}
    found = {row[name]: tuple(row) for row in connection.execute(query, these)}
    return [found[digest] for digest in digests]


def values(connection: Connection, places: Places) -> list[Row]:
    """Return the figures of a page: the place of the run, then what VALUE names."""
    query = _selected(VALUE, value.c.run).join_from(
        value, metric, value.c.metric == metric.c.name
    )
    return sorted(_placed(connection, query, places), key=lambda row: row[:2])


def doubts(connection: Connection, places: Places) -> list[Row]:
    """Return the flags and findings of a page, placed as ``values`` are."""
    rows = []
    for table, kind in ((flag, TRANSCRIBER), (finding, RULE)):
        columns = _as_text(table.c.code, table.c.metric, table.c.detail)
        query = select(table.c.run, *columns)
        for place, code, about, detail in _placed(connection, query, places):
            rows.append((place, code, about or None, detail, kind))
    return sorted(rows, key=lambda row: (row[0], row[-1], row[1], row[2] or "", row))


def packed(
    connection: Connection, digests: Sequence[str]
) -> dict[str, tuple[Index, memoryview]]:
    """Return the samples of the runs that have some, as ``opened`` does."""
    query = select(samples.c.run, samples.c.packed).where(samples.c.run.in_(_THESE))
    contents = {}
    for digest, raw in connection.execute(query, {"digests": list(digests)}):
        try:
            contents[digest] = opened(raw)
        except (ValueError, TypeError) as error:
            raise DatabaseError(
                f"the samples of run {digest[:12]} are damaged; 'benchdb db check' "
                "tells what else is, a backup or 'benchdb import' has them"
            ) from error
    return contents


def whole(connection: Connection, table: str, wanted: Filter) -> Iterator[list[Row]]:
    """Yield the rows of *table*, one of WHOLE, that go with the runs wanted."""
    query = _selected(WHOLE[table])
    match table:
        case "machines":
            used = machine.c.digest.in_(of_runs(run.c.machine, wanted))
            query = query.join_from(machine, chip, machine.c.chip == chip.c.digest)
            query = query.where(used).order_by(machine.c.digest)
        case "environments":
            used = environment.c.digest.in_(of_runs(run.c.environment, wanted))
            query = query.where(used).order_by(environment.c.digest)
        case "sources":
            query = of_sources(query, wanted).order_by(source.c.digest)
        case _:
            query = query.join_from(claim, source, claim.c.source == source.c.digest)
            query = of_sources(query, wanted)
            query = query.order_by(claim.c.source, claim.c.digest)
    with connection.execute(query.execution_options(yield_per=_ROWS)) as found:
        for some in found.partitions():
            yield [tuple(row) for row in some]


def _placed(connection: Connection, query: Select[Any], places: Places) -> list[Row]:
    """Return rows of runs of *places*, with these in place of the digests."""
    query = query.where(query.selected_columns[0].in_(_THESE))
    found = connection.execute(query, {"digests": list(places)})
    return [(places[digest], *rest) for digest, *rest in found]


def _selected(columns: Columns, *before: Any) -> Select[Any]:
    known = [column for column in columns if column.of is not None]
    told = _as_text(*(column.of for column in known))
    named = (one.label(column.name) for one, column in zip(told, known, strict=True))
    return select(*before, *named)


def _as_text(*columns: Any) -> list[Any]:
    """Return *columns*, JSON as the text that it is kept as."""
    return [
        type_coerce(column, Text) if isinstance(column.type, Json) else column
        for column in columns
    ]
