"""Which runs a command is about, and the lines of a list.

Apart from ``read``: a list starts without what records are made of.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    collate,
    not_,
    or_,
    select,
)

from benchdb.steps import STEPS
from benchdb.store.dates import AHEAD, STARTED
from benchdb.store.tables import (
    WITHDRAWN,
    chip,
    machine,
    metric,
    result,
    run,
    source,
    value,
)

_COLUMNS: dict[str, Column[Any]] = {
    "workload": run.c.workload,
    "framework": run.c.framework,
    "device": run.c.device,
    "precision": run.c.precision,
    "status": run.c.status,
    "label": run.c.label,
    "campaign": run.c.campaign,
    "mine": run.c.mine,
}
NAMES = (*(name for name in _COLUMNS if name != "mine"), "source", "chip")
_AHEAD = run.c.digest.in_(AHEAD)
SORTS = ("started", "value", "workload", "system", "grade", "trust")


@dataclass(frozen=True)
class Filter:
    """Which runs; ``None`` means any.

    *machine* are the digests that stand for one, *grade* one letter or several, *trust*
    steps of the ladder, *since* how a date begins. A dataclass: the list starts without
    the structs of a report.
    """

    workload: str | None = None
    framework: str | None = None
    device: str | None = None
    precision: str | None = None
    status: str | None = None
    source: str | None = None
    label: str | None = None
    campaign: str | None = None
    chip: str | None = None
    machine: tuple[str, ...] | None = None
    grade: tuple[str, ...] | None = None
    trust: tuple[str, ...] | None = None
    since: str | None = None
    mine: bool | None = None
    limit: int | None = None

    @property
    def is_empty(self) -> bool:
        """Tell whether it leaves out nothing."""
        return all(getattr(self, field.name) is None for field in fields(self))


def filtered(
    query: Select[Any], wanted: Filter, stands: Any | None = None
) -> Select[Any]:
    """Return *query* of ``run`` with conditions.

    *stands* is the result of each run's cell and session, if the query joins it.
    """
    for name, column in _COLUMNS.items():
        asked = getattr(wanted, name)
        if asked not in (None, WITHDRAWN):
            query = query.where(column == asked)
    if wanted.source is not None:
        slugs = select(source.c.digest).where(source.c.slug == wanted.source)
        query = query.where(run.c.source.in_(slugs))
    if wanted.since is not None:
        query = query.where(run.c.started >= wanted.since, not_(_AHEAD))
    if stands is not None:
        query = query.where(*_of_results(wanted, stands))
    elif others := [*_of_results(wanted, result)]:
        own = result.alias("own")
        theirs = select(own.c.run).join(result, result.c.run == own.c.first)
        query = query.where(run.c.digest.in_(theirs.where(*others)))
    return query if wanted.limit is None else query.limit(wanted.limit)


def _of_results(wanted: Filter, stands: Any) -> Iterator[ColumnElement[bool]]:
    if wanted.chip is not None:
        yield stands.c.accelerator == wanted.chip
    if wanted.machine is not None:
        yield stands.c.machine.in_(wanted.machine)
    if wanted.grade is not None:
        yield stands.c.grade.in_(wanted.grade)
    if wanted.trust is not None:
        yield stands.c.trust.in_(wanted.trust)
    if wanted.status is not None:
        gone = wanted.status == WITHDRAWN
        yield stands.c.withdrawn if gone else not_(stands.c.withdrawn)


def matching(connection: Connection, wanted: Filter) -> tuple[Filter, bool]:
    """Return *wanted* with its names as runs have them, and whether any run matches.

    Capitals do not matter. Raise ``UsageError`` for a name that nothing has: every
    command that takes names asks here, so that all of them say the same. Where names
    are known, and no run has all of them, nothing matches and that is no mistake.
    """
    if wanted.is_empty or _is_any(connection, wanted):
        return wanted, True
    from benchdb.store import known_names as names  # noqa: PLC0415 - catalogues, for mistakes alone

    asked = {name: getattr(wanted, name) for name in NAMES}
    there = {name: outcome for name, outcome in asked.items() if outcome is not None}
    changes: dict[str, Any] = {**names.spelled(connection, there)}
    spelled = replace(wanted, **changes)
    return spelled, spelled != wanted and _is_any(connection, spelled)


def _is_any(connection: Connection, wanted: Filter) -> bool:
    query = filtered(select(run.c.digest), replace(wanted, limit=1))
    return connection.scalar(query) is not None


def listed(
    connection: Connection, wanted: Filter, sort: str = "started", *, every: bool
) -> list[dict[str, Any]]:
    """Return a line for each cell and session, or for *every* run; the newest first.

    *sort* is one of ``SORTS``: by value it is the best of each piece of work first.
    """
    stands = result.alias("stands")
    query = _query(stands, every=every)
    if sort != "started":
        query = query.order_by(*_order(connection, sort, stands))
        query = filtered(query, wanted, stands)
        groups = [dict(row._mapping) for row in connection.execute(query)]
        return _with_reasons(connection, groups)
    # Apart, so that an index gives the newest: what has no date would stand before it.
    dated = and_(run.c.started.is_not(None), not_(_AHEAD))
    newest = query.where(dated).order_by(run.c.started.desc(), run.c.digest)
    undated = query.where(or_(run.c.started.is_(None), _AHEAD)).order_by(run.c.digest)
    rows: list[dict[str, Any]] = []
    for some in (newest, undated):
        room = None if wanted.limit is None else wanted.limit - len(rows)
        if room != 0:
            left = filtered(some, replace(wanted, limit=room), stands)
            rows += [dict(row._mapping) for row in connection.execute(left)]
    return _with_reasons(connection, rows)


def _with_reasons(
    connection: Connection, rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return *rows*, those that are withdrawn with the reason for it."""
    gone = [row for row in rows if row["status"] == WITHDRAWN]
    if gone:
        from benchdb.store.retractions import withdrawn  # noqa: PLC0415 - few are

        reasons = withdrawn(connection)
        for row in gone:
            row["reason"] = reasons.get(row["digest"], row["reason"])
    return rows


def standing(connection: Connection, digest: str) -> dict[str, Any] | None:
    """Return the line of the cell and session that the run *digest* is a process of."""
    stands, own = result.alias("stands"), result.alias("own")
    first = select(own.c.first).where(own.c.run == digest).scalar_subquery()
    query = _query(stands, every=False).where(run.c.digest == first)
    row = connection.execute(query).first()
    return None if row is None else dict(row._mapping)


def _query(stands: Any, *, every: bool) -> Select[Any]:
    names = ("workload", "setting", "framework", "device", "precision", "compiler")
    figure = [stands.c[name] for name in ("value", "low", "high", "n")]
    if every:
        figure = [value.c.value]
    query = select(
        run.c.digest,
        *(run.c[name] for name in names),
        *(run.c.batch_size, stands.c.size, run.c.parameters),
        *(stands.c.accelerator, chip.c.name.label("chip"), stands.c.system),
        *(stands.c.metric, *figure, metric.c.unit, metric.c.direction, stands.c.grade),
        *(stands.c.trust, run.c.tier),
        case((stands.c.withdrawn, WITHDRAWN), else_=run.c.status).label("status"),
        *(run.c[name] for name in ("reason", "label", "mine")),
        source.c.slug.label("source"),
        *(run.c.campaign, run.c.replicate, run.c.started, stands.c.machine),
    )
    if every:
        own = result.alias("own")
        joined = run.join(own, own.c.run == run.c.digest)
        joined = joined.join(stands, stands.c.run == own.c.first).outerjoin(
            value,
            and_(value.c.run == run.c.digest, value.c.metric == stands.c.metric),
        )
    else:
        query = query.where(stands.c.first == run.c.digest)
        joined = run.join(stands, stands.c.run == run.c.digest)
    joined = joined.join(machine, run.c.machine == machine.c.digest)
    joined = joined.join(chip, machine.c.chip == chip.c.digest)
    joined = joined.outerjoin(source, run.c.source == source.c.digest)
    return query.select_from(joined.outerjoin(metric, metric.c.name == stands.c.metric))


def _order(
    connection: Connection, sort: str, stands: Any
) -> Iterator[ColumnElement[Any]]:
    # Databases differ in the order of letters.
    letters = "C" if connection.dialect.name == "postgresql" else "BINARY"

    def text(column: Any) -> Iterator[ColumnElement[Any]]:
        yield column.is_(None)
        yield collate(column, letters)

    def number(column: Any) -> Iterator[ColumnElement[Any]]:
        yield column.is_(None)
        yield column

    work = (
        *text(run.c.workload),
        *number(stands.c.size),
        *number(run.c.batch_size),
    )
    best = case((metric.c.direction == "lower", stands.c.value), else_=-stands.c.value)
    match sort:
        case "value":
            yield from (*work, *text(stands.c.metric), *number(best))
        case "workload":
            yield from (*work, *text(run.c.precision))
        case "system":
            yield from (*text(stands.c.system), *work)
        case "grade":
            yield from (*text(stands.c.grade), *work)
        case "trust":  # the highest step first
            places = {step: place for place, step in enumerate(reversed(STEPS))}
            yield from number(case(places, value=stands.c.trust))
            yield from work
    yield STARTED.element.desc().nulls_last()
    yield run.c.digest
