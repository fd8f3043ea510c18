"""Campaigns: one call of ``collect`` or a plan each, and what came of it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypedDict

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    case,
    func,
    or_,
    select,
)

from benchdb.conditions import COLUMNS
from benchdb.store.dates import AHEAD
from benchdb.store.listing import Filter, filtered
from benchdb.store.tables import environment, result, run

_KINDS = ("tier", "device", "framework")
_NOTHING = ("failed", "oom", "unsupported", "interrupted")


class Campaign(TypedDict):
    """What a campaign measured, where, and how far that is to be trusted.

    *grades* count its figures, each of a cell in a session. A name that I and others
    have is two campaigns.
    """

    campaign: str
    mine: bool
    started: str | None
    machines: list[str]
    accelerators: list[str]
    devices: list[str]
    tiers: list[str]
    frameworks: list[str]
    cells: int
    runs: int
    failed: int
    grades: dict[str, int]


def campaigns(connection: Connection, wanted: Filter) -> list[Campaign]:
    """Return the campaigns of the runs that are *wanted*, the newest first.

    They are whole, and at most as many as the limit says.
    """
    last = func.max(run.c.started)
    # A date that was to come as it was imported counts as unknown.
    doubtful = select(run.c.campaign).where(run.c.digest.in_(AHEAD))
    dubious = run.c.campaign.in_(doubtful.where(run.c.campaign.is_not(None)))
    query = (
        filtered(select(run.c.campaign, run.c.mine), wanted)
        .where(run.c.campaign.is_not(None))
        .group_by(run.c.campaign, run.c.mine)
        .order_by(dubious, last.desc().nulls_last(), run.c.campaign)
    )
    rows = connection.execute(query)
    by_name = {(row.campaign, bool(row.mine)): _Parts() for row in rows}
    for some in _batched(list(by_name)):
        for row in _kinds(connection, some):
            by_name[row.campaign, bool(row.mine)].add(row)
        for name, mine, cells in _cells(connection, some):
            by_name[name, bool(mine)].cells = cells
    return [parts.whole(name, mine=mine) for (name, mine), parts in by_name.items()]


def _batched(keys: list[tuple[str, bool]]) -> list[ColumnElement[bool]]:
    """Return conditions for some hundreds of campaigns each."""
    parts = []
    for start in range(0, len(keys), 400):
        some = keys[start : start + 400]
        sides = [
            and_(run.c.campaign.in_([n for n, mine in some if mine is side]), whose)
            for side, whose in ((True, run.c.mine), (False, ~run.c.mine))
        ]
        parts.append(or_(*sides))
    return parts


def _kinds(connection: Connection, some: ColumnElement[bool]) -> Sequence[Any]:
    """Return a row for all runs of a campaign of one system, tier and grade."""
    stands = result.alias("stands")
    own = result.alias("own")
    is_figure = and_(own.c.run == own.c.first, own.c.value.is_not(None))
    kinds = (
        *(run.c.campaign, run.c.mine, stands.c.machine, stands.c.accelerator),
        *(run.c[name] for name in _KINDS),
        *(environment.c.framework_version, stands.c.grade),
    )
    failed = case((run.c.status.in_(_NOTHING), 1), else_=0)
    query = (
        select(
            *kinds,
            func.min(run.c.started).label("began"),
            func.count().label("runs"),
            func.sum(failed).label("failed"),
            func.sum(case((is_figure, 1), else_=0)).label("figures"),
        )
        .join_from(run, own, own.c.run == run.c.digest)
        .join(stands, stands.c.run == own.c.first)
        .join(environment, environment.c.digest == run.c.environment)
        .where(some)
        .group_by(*kinds)
    )
    return connection.execute(query).all()


def _cells(connection: Connection, some: ColumnElement[bool]) -> Sequence[Any]:
    """Return how many cells each campaign has: by what is equal for the processes."""
    facts = [run.c[name] for name in COLUMNS if name != "mine"]
    distinct = select(run.c.campaign, run.c.mine, *facts).where(some).distinct()
    cells = distinct.subquery()
    query = select(cells.c.campaign, cells.c.mine, func.count())
    return connection.execute(query.group_by(cells.c.campaign, cells.c.mine)).all()


class _Parts:
    """A campaign as its rows come."""

    def __init__(self) -> None:
        self.cells = 0
        self._began: str | None = None
        self._runs = self._failed = 0
        self._grades: Counter[str] = Counter()
        self._names: dict[str, set[str]] = {
            kind: set()
            for kind in ("machine", "accelerator", "device", "tier", "framework")
        }

    def add(self, row: Any) -> None:
        self._began = min(filter(None, (self._began, row.began)), default=None)
        self._runs += row.runs
        self._failed += row.failed
        if row.figures and row.grade:
            self._grades[row.grade] += row.figures
        version = f" {row.framework_version}" if row.framework_version else ""
        names = {**row._mapping, "framework": row.framework + version}
        for kind, there in self._names.items():
            if names[kind] is not None:
                there.add(names[kind])

    def whole(self, name: str, *, mine: bool) -> Campaign:
        names = {kind: sorted(there) for kind, there in self._names.items()}
        return Campaign(
            campaign=name,
            mine=mine,
            started=self._began,
            machines=names["machine"],
            accelerators=names["accelerator"],
            devices=names["device"],
            tiers=names["tier"],
            frameworks=names["framework"],
            cells=self.cells,
            runs=self._runs,
            failed=self._failed,
            grades=dict(sorted(self._grades.items())),
        )
