"""Which runs a command is about, and the lines of a list.

Apart from ``read``: a list starts without msgspec and what records are made of.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Select, select

from benchdb.store.dates import STARTED
from benchdb.store.tables import chip, machine, run, source

_COLUMNS: dict[str, Column[Any]] = {
    "workload": run.c.workload,
    "framework": run.c.framework,
    "device": run.c.device,
    "precision": run.c.precision,
    "status": run.c.status,
    "label": run.c.label,
    "source": source.c.slug,
    "machine": machine.c.anonymous_id,
    "mine": run.c.mine,
}
_NEWEST_FIRST = (STARTED.element.desc().nulls_last(), run.c.digest)


@dataclass(frozen=True)
class Filter:
    """Which runs; ``None`` means any.

    A dataclass: the list starts without msgspec, of which the other structs are made.
    """

    workload: str | None = None
    framework: str | None = None
    device: str | None = None
    status: str | None = None
    source: str | None = None
    label: str | None = None
    machine: str | None = None  # anonymous id
    precision: str | None = None
    limit: int | None = None
    mine: bool | None = None


def listed_runs(connection: Connection, wanted: Filter) -> list[dict[str, Any]]:
    """Return the newest runs first, one flat dictionary each."""
    query = (
        select(
            run.c.digest,
            run.c.workload,
            run.c.framework,
            run.c.device,
            run.c.device_name,
            chip.c.name.label("chip"),
            chip.c.accelerators,
            run.c.precision,
            run.c.batch_size,
            run.c.parameters,
            run.c.tier,
            run.c.replicate,
            run.c.status,
            run.c.reason,
            run.c.label,
            run.c.mine,
            source.c.slug.label("source"),
            run.c.started,
        )
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .outerjoin(source, run.c.source == source.c.digest)
    )
    query = filtered(query.order_by(*_NEWEST_FIRST), wanted)
    return [dict(row._mapping) for row in connection.execute(query)]


def digests(wanted: Filter) -> Select[Any]:
    """Return a query for the digests of the runs that are listed."""
    query = (
        select(run.c.digest)
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .outerjoin(source, run.c.source == source.c.digest)
        .order_by(*_NEWEST_FIRST)
    )
    return filtered(query, wanted)


def filtered(query: Select[Any], wanted: Filter) -> Select[Any]:
    """Return *query*, which joins runs with machines and sources, with conditions."""
    for _, column, asked in _asked(wanted):
        query = query.where(column == asked)
    return query if wanted.limit is None else query.limit(wanted.limit)


def unmatched(connection: Connection, wanted: Filter) -> dict[str, list[Any]]:
    """Return each filter that no run has alone, with what runs do have, sorted."""
    joined = run.join(machine, run.c.machine == machine.c.digest).outerjoin(
        source, run.c.source == source.c.digest
    )
    found = {}
    for name, column, asked in _asked(wanted):
        query = select(column).select_from(joined).distinct()
        values = connection.scalars(query)
        there = sorted(one for one in values if one not in (None, ""))
        if asked not in there:
            found[name] = there
    return found


def _asked(wanted: Filter) -> Iterator[tuple[str, Column[Any], Any]]:
    for name, column in _COLUMNS.items():
        asked = getattr(wanted, name)
        if asked is not None:
            yield name, column, asked
