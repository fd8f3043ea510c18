"""The queries of a report: which cells were measured how often, what is missing."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Text,
    and_,
    func,
    or_,
    select,
    type_coerce,
)

from benchdb.report.doubts import NOTHING, LeftOut
from benchdb.report.measurement import (
    REPORTED,
    SPEEDS,
    TIMES_OF_ALL_SAMPLES,
    Conditions,
    Gap,
    Measurement,
    Place,
)
from benchdb.report.places import Places, places
from benchdb.report.scope import EVERYTHING, Scope
from benchdb.store.cells import CELL, campaigns
from benchdb.store.tables import chip, machine, run, value

# Beyond these nothing is a speed; ratios of such numbers are no numbers.
_SLOWEST, _FASTEST = 1e-15, 1e18

_FACTS: tuple[ColumnElement[Any], ...] = (
    *CELL,
    run.c.digest,
    run.c.environment,
    run.c.campaign,
    run.c.replicate,
    run.c.tier,
    run.c.started,
    run.c.device_name,
    run.c.label,
    run.c.status,
    run.c.reason.label("why"),
    machine.c.model,
    machine.c.anonymous_id,
    chip.c.vendor,
    chip.c.name.label("chip"),
    chip.c.ram_bytes,
    chip.c.accelerators,
)

# As text: they are long, and few runs are asked for them.
_CHECKS = type_coerce(run.c.checks, Text).label("checks")


def measurements(
    connection: Connection, left_out: LeftOut = NOTHING, scope: Scope = EVERYTHING
) -> list[Measurement]:
    """Return the newest campaign of every cell, its processes together.

    The database picks the campaigns, so that older ones never leave it. A smoke
    campaign never stands in for a longer one. Runs *left_out* are in no measurement.
    """
    latest, where = campaigns(scope.has(run.c.digest)), places(connection)
    figures = value.c.metric, value.c.value, value.c.printed, value.c.derived
    query = (
        _facts(_CHECKS, *figures, latest.c.processes)
        .join(value, value.c.run == run.c.digest)
        .join(latest, latest.c.digest == run.c.digest)
        .where(
            latest.c.age == 1,
            latest.c.ok,
            value.c.metric.in_(SPEEDS),
            value.c.value.between(_SLOWEST, _FASTEST),
        )
        .order_by(run.c.replicate.nulls_last(), run.c.digest, value.c.metric)
    )
    cells: defaultdict[tuple[Any, ...], list[Row[Any]]] = defaultdict(list)
    for row in connection.execute(query):
        if row.source not in left_out.newer:
            cells[_cell(row, where)].append(row)
    found = (
        _measurement([row for row in rows if row.digest not in left_out.originals], at)
        for (at, *_), rows in cells.items()
        if _complete(rows) and any(row.digest not in left_out.originals for row in rows)
    )
    return sorted(found, key=_order)


def _complete(rows: list[Row[Any]]) -> bool:
    """Tell whether every process gave the figure.

    Where only quick processes had time for it, their figures alone would flatter.
    """
    processes: int = max(row.processes for row in rows)
    return len(rows) >= processes


def _facts(*more: ColumnElement[Any]) -> Select[Any]:
    return (
        select(*_FACTS, *more)
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
    )


def _cell(row: Row[Any], where: Places) -> tuple[Any, ...]:
    return (
        where.of(row),
        row.environment,
        row.campaign,
        _conditions(row, row.metric),
    )


def _measurement(rows: list[Row[Any]], place: Place) -> Measurement:
    first = rows[0]
    return Measurement(
        conditions=_conditions(first, first.metric),
        place=place,
        environment=first.environment,
        values=tuple(row.value for row in rows),
        runs=tuple(row.digest for row in rows),
        campaign=first.campaign,
        started=max((row.started for row in rows if row.started), default=None),
        printed=first.printed if len(rows) == 1 else None,
        derived=any(row.derived is not None for row in rows),
    )


def _order(measurement: Measurement) -> tuple[str, tuple[str, ...]]:
    return measurement.conditions.metric, measurement.runs


def _conditions(row: Row[Any], metric: str) -> Conditions:
    return Conditions(
        workload=row.workload,
        version=row.workload_version,
        setting=row.setting,
        framework=row.framework,
        batch_size=row.batch_size,
        precision=row.precision,
        compiler=row.compiler,
        metric=metric,
        extent=_extent(row, metric),
        smoke=row.tier == "smoke",
        told_by=row.source if metric in REPORTED else None,
    )


def _extent(row: Row[Any], metric: str) -> float | None:
    """Return the samples that a time covers: as stated, or from epochs and steps."""
    if metric == "reported_step_seconds":
        return None if row.batch_size is None else float(row.batch_size)
    if metric not in TIMES_OF_ALL_SAMPLES:
        return None
    stated = row.parameters.get("samples_total")
    if isinstance(stated, int | float):
        return float(stated) if stated > 0 else None
    plan = json.loads(row.checks).get("seed_protocol")
    if not plan or plan.get("kind", "fit") != "fit" or row.batch_size is None:
        return None
    epochs = plan["warmup_epochs"] + plan["epochs"]
    return float(epochs * plan["steps_per_epoch"] * row.batch_size)


def gaps(
    connection: Connection, left_out: LeftOut = NOTHING, scope: Scope = EVERYTHING
) -> list[Gap]:
    """Return the cells without a figure: failed, unsupported, or not measured."""
    where = places(connection)
    missing = and_(value.c.metric.in_(SPEEDS), value.c.value.is_(None))
    query = (
        _facts(_CHECKS, value.c.metric, value.c.reason)
        .outerjoin(value, and_(value.c.run == run.c.digest, missing))
        .where(
            or_(run.c.status != "ok", value.c.metric.is_not(None)),
            scope.has(run.c.digest),
        )
        .order_by(run.c.digest, value.c.metric)
    )
    return [
        _gap(row, where.of(row))
        for row in connection.execute(query)
        if not left_out.has(row.digest, row.source)
    ]


def _gap(row: Row[Any], place: Place) -> Gap:
    return Gap(
        conditions=_conditions(row, row.metric or ""),
        place=place,
        reason=row.reason or row.why or row.status,
        run=row.digest,
    )


def every_run(
    connection: Connection,
    metrics: Iterable[str],
    scope: Scope = EVERYTHING,
    workload: str | None = None,
) -> Iterator[list[Any]]:
    """Yield the rows of each run, one for each of its *metrics*; at least one.

    With a *workload*, of the runs of that.
    """
    shown = and_(value.c.run == run.c.digest, value.c.metric.in_(list(metrics)))
    query = (
        _facts(
            run.c.locator,
            value.c.metric,
            value.c.value,
            value.c.reason,
            value.c.printed,
            value.c.uncertainty,
            value.c.derived,
            value.c.locator.label("value_locator"),
        )
        .outerjoin(value, shown)
        .where(scope.has(run.c.digest))
        .order_by(run.c.digest)
    )
    if workload is not None:
        query = query.where(run.c.workload == workload)
    rows: list[Any] = []
    for row in connection.execute(query):
        if rows and rows[0].digest != row.digest:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def newest_measured(connection: Connection, scope: Scope = EVERYTHING) -> str | None:
    """Return the day of the newest run that a collector measured."""
    own = run.c.label == "measured", scope.has(run.c.digest)
    query = select(func.max(run.c.started)).where(*own)
    started: str | None = connection.scalar(query)
    return started and started[:10]
