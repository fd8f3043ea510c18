"""Runs with all that they refer to in one row each, for those who ask without us.

A run is named by its digest. Everything comes in an order that depends on content
alone, whatever the database; nothing is decoded that is kept as text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from sqlalchemy import (
    BindParameter,
    Connection,
    Select,
    Text,
    and_,
    bindparam,
    column,
    select,
    table,
    type_coerce,
)

from benchdb.errors import DatabaseError
from benchdb.exchange.packing import Index, opened
from benchdb.parquet.columns import BY_WORKLOAD, WHOLE, Columns
from benchdb.store.listing import Filter
from benchdb.store.read import of_runs, of_sources
from benchdb.store.tables import (
    Json,
    chip,
    claim,
    environment,
    machine,
    result,
    run,
    samples,
    source,
    workload,
)
from benchdb.store.views import COLUMNS

_ROWS = 500  # of a page
# One parameter, so that a query is understood once and not again for each page.
_THESE: BindParameter[Any] = bindparam("digests", expanding=True)
_own = result.alias("own")
_SAME_WORKLOAD = and_(
    workload.c.name == run.c.workload, workload.c.version == run.c.workload_version
)
_VIEWS: Mapping[str, Any] = {
    name: select(
        *(column(item.name) for item in {**BY_WORKLOAD, **WHOLE}[name])
    ).select_from(table(name))
    for name in COLUMNS
}
# Of the rows about a run.
_ORDER = {
    "results": ("metric",),
    "figures": ("metric",),
    "doubts": ("kind", "code", "metric", "detail"),
}

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
    with connection.execute(query.execution_options(yield_per=_ROWS)) as cursor_result:
        yield from cursor_result.scalars().partitions()


def runs(connection: Connection, digests: Sequence[str]) -> list[Row]:
    """Return the rows of *digests* in their order."""
    columns = BY_WORKLOAD["runs"]
    query = (
        _selected(columns)
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .join(environment, run.c.environment == environment.c.digest)
        .join(workload, _SAME_WORKLOAD)
        .outerjoin(_own, _own.c.run == run.c.digest)
        .outerjoin(result, result.c.run == _own.c.first)
        .outerjoin(source, run.c.source == source.c.digest)
        .outerjoin(samples, samples.c.run == run.c.digest)
        .where(run.c.digest.in_(_THESE))
    )
    name = [column.name for column in columns].index("run")
    these = {"digests": list(digests)}
    groups = {row[name]: tuple(row) for row in connection.execute(query, these)}
    return [groups[digest] for digest in digests]


def of_view(connection: Connection, name: str, places: Places) -> list[Row]:
    """Return the rows of the view *name* about the runs of a page, in their order."""
    names = [column.name for column in BY_WORKLOAD[name]]
    query = _VIEWS[name].where(column("run").in_(_THESE))
    rows = connection.execute(query, {"digests": list(places)})
    by = [names.index(key) for key in _ORDER[name]]
    run_at = names.index("run")
    return sorted(
        _typed(BY_WORKLOAD[name], rows),
        key=lambda row: (places[row[run_at]], *(row[at] or "" for at in by)),
    )


def _typed(columns: Columns, rows: Iterable[Sequence[Any]]) -> list[Row]:
    """Return *rows* of a view; SQLite's have numbers where it means yes or no."""
    flags = [at for at, outcome in enumerate(columns) if outcome.type == pa.bool_()]
    values = []
    for row in rows:
        cells = list(row)
        for at in flags:
            cells[at] = None if cells[at] is None else bool(cells[at])
        values.append(tuple(cells))
    return values


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
    if table == "machine_details":
        yield _machines(connection, wanted)
        return
    query = _selected(WHOLE[table])
    match table:
        case "environments":
            used = environment.c.digest.in_(of_runs(run.c.environment, wanted))
            query = query.where(used).order_by(environment.c.digest)
        case "sources":
            query = of_sources(query, wanted).order_by(source.c.digest)
        case _:
            query = query.join_from(claim, source, claim.c.source == source.c.digest)
            query = of_sources(query, wanted)
            query = query.order_by(claim.c.source, claim.c.digest)
    with connection.execute(query.execution_options(yield_per=_ROWS)) as cursor_result:
        for some in cursor_result.partitions():
            yield [tuple(row) for row in some]


def _machines(connection: Connection, wanted: Filter) -> list[Row]:
    stands = select(result.c.machine).join(_own, _own.c.first == result.c.run)
    used = stands.where(_own.c.run.in_(of_runs(run.c.digest, wanted)))
    query = _VIEWS["machine_details"].where(column("machine").in_(used))
    query = query.order_by(column("machine"), column("mine"))
    return _typed(WHOLE["machine_details"], connection.execute(query))


def _selected(columns: Columns, *before: Any) -> Select[Any]:
    known = [column for column in columns if column.of is not None]
    outcome = _as_text(*(column.of for column in known))
    named = (
        item.label(column.name) for item, column in zip(outcome, known, strict=True)
    )
    return select(*before, *named)


def _as_text(*columns: Any) -> list[Any]:
    """Return *columns*, JSON as the text that it is kept as."""
    return [
        type_coerce(column, Text) if isinstance(column.type, Json) else column
        for column in columns
    ]
