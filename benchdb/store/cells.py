"""Cells: what makes two runs the same measurement, whenever they were made."""

from typing import Any

from sqlalchemy import ColumnElement, Subquery, func, select

from benchdb.store.tables import run

CELL = (
    run.c.machine,
    run.c.source,
    run.c.workload,
    run.c.workload_version,
    run.c.setting,
    run.c.framework,
    run.c.device,
    run.c.precision,
    run.c.compiler,
    run.c.batch_size,
    run.c.parameters,
)


def campaigns(among: ColumnElement[bool]) -> Subquery:
    """Return the runs *among* which to look, with the age of their campaign.

    The *age* of the newest in a cell is 1. What went well, what did not, and smoke
    runs have ages of their own, so that none of them stands in for another.
    *processes* counts the runs of a campaign that have one environment.
    """
    kinds = _smoke().label("smoke"), (run.c.status == "ok").label("ok")
    cell = [*CELL, _smoke(), run.c.status == "ok"]
    campaign = [*cell, run.c.campaign]
    started = func.max(func.coalesce(run.c.started, "")).over(partition_by=campaign)
    processes = func.count().over(partition_by=[*campaign, run.c.environment])
    told = (
        select(
            run.c.digest,
            run.c.campaign,
            *CELL,
            started.label("last"),
            processes.label("processes"),
            *kinds,
        )
        .where(among)
        .subquery()
    )
    age = func.dense_rank().over(
        partition_by=[*(told.c[one.name] for one in CELL), told.c.smoke, told.c.ok],
        order_by=[told.c.last.desc(), func.coalesce(told.c.campaign, "").desc()],
    )
    return select(
        told.c.digest, told.c.ok, told.c.processes, age.label("age")
    ).subquery()


def _smoke() -> ColumnElement[Any]:
    return func.coalesce(run.c.tier, "") == "smoke"
