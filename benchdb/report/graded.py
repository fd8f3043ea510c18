"""The grades of many runs: each cell of a campaign is judged once."""

from collections import defaultdict
from collections.abc import Container
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from benchdb.report import doubts
from benchdb.report.doubts import Flagged
from benchdb.sorted_json import sorted_json
from benchdb.store.grades import CELL, Grades
from benchdb.store.tables import run

_Group = list[Row[tuple[object, ...]]]


def letters(
    connection: Connection, runs: Container[str], among: Select[Any]
) -> dict[str, str]:
    """Return the letter of each of these *runs* that has a figure to judge.

    *among* is the query of their digests.
    """
    columns = [run.c[name] for name in CELL]
    facts = run.c.digest, run.c.status, run.c.checks, run.c.environment
    query = select(*facts, *columns)
    # Processes of their campaigns that are not among them have a say.
    campaigns = select(run.c.campaign).where(run.c.digest.in_(among))
    query = query.where(run.c.digest.in_(among) | run.c.campaign.in_(campaigns))
    grades = Grades(connection)
    groups: defaultdict[tuple[object, ...], _Group] = defaultdict(list)
    for row in connection.execute(query.order_by(run.c.digest)):
        # Some have JSON in them, which cannot be a key.
        environment = grades.environment(row.environment)
        groups[environment, *map(_hashable, row[4:])].append(row)
    flags = doubts.flags(connection, among)
    return {
        row.digest: letter
        for group in groups.values()
        if any(row.digest in runs for row in group)
        and (letter := _letter(grades, group, flags)) is not None
        for row in group
        if row.digest in runs
    }


def _hashable(fact: object) -> object:
    return sorted_json(fact) if isinstance(fact, dict | list) else fact


def _letter(
    grades: Grades, group: _Group, flags: dict[str, list[Flagged]]
) -> str | None:
    if _beyond_doubt(group, flags):
        # Queries for each of a hundred thousand imported runs would take minutes.
        return "I"
    found = grades.of(group[0].digest)
    return None if found is None else found.letter


def _beyond_doubt(group: _Group, flags: dict[str, list[Flagged]]) -> bool:
    """Tell whether these are figures of others, and nothing speaks against them."""
    return group[0].label != "measured" and all(
        row.status == "ok" and not row.checks and row.digest not in flags
        for row in group
    )
