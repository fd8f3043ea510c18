"""Filters of data frames: names become conditions on the columns of a view."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypedDict

from sqlalchemy import (
    ColumnElement,
    Connection,
    TableClause,
    collate,
    false,
    not_,
    select,
    true,
)

from benchdb.errors import UsageError, suggestion
from benchdb.store import known_names as names
from benchdb.store.tables import future_date

Names = str | Iterable[str] | None


class Filters(TypedDict, total=False):
    """Which rows: a name or several of each; what is not given is not asked."""

    chip: Names
    """The chip that did the work: a discrete GPU, else the machine's chip."""
    workload: Names
    device: Names
    framework: Names
    precision: Names
    source: Names
    """The short name of a document."""
    campaign: Names
    machine: Names
    """An anonymous id or the identity of a machine; 6 letters do."""
    grade: Names
    label: Names
    mine: bool | None
    """True: measured or planned with this database; False: what others gave."""
    since: str | date | None
    """Started then or later: an ISO date, a date or a datetime; UTC without a zone."""


OPTIONS = tuple(Filters.__annotations__)


def conditions(
    connection: Connection, view: TableClause, asked: Mapping[str, Any]
) -> list[ColumnElement[bool]]:
    """Return what rows of *view* must satisfy.

    Capitals do not matter. Raise ``UsageError`` for a name that nothing has.
    """
    for option in asked:
        if option not in OPTIONS:
            raise UsageError(f"no filter {option!r}" + suggestion(option, OPTIONS))
    wheres: list[ColumnElement[bool]] = []
    for option, value in asked.items():
        if value is None:
            continue
        if option == "mine":
            wheres.append(view.c.mine.is_(true() if value else false()))
        elif option == "since":
            wheres += _since(connection, view, moment(value))
        elif option == "machine":
            owners = {
                digest
                for name in listed(option, value)
                for digest in names.machines(connection, name)
            }
            wheres.append(view.c.machine.in_(sorted(owners)))
        else:
            column = view.c["accelerator" if option == "chip" else option]
            meant = [
                names.spelled(connection, {option: name})[option]
                for name in listed(option, value)
            ]
            wheres.append(column.in_(meant))
    return wheres


def moment(value: Any) -> datetime:
    """Return the time that *value* stands for; raise ``UsageError`` if that is none."""
    try:
        point = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError as error:
        raise UsageError(f"since={value!r} is no date; write 2026-11-25") from error
    if isinstance(point, date) and not isinstance(point, datetime):
        point = datetime.combine(point, time())
    if not isinstance(point, datetime):
        raise UsageError(f"since={value!r} is no date; write '2026-11-25'")
    return point if point.tzinfo else point.replace(tzinfo=UTC)


def _since(
    connection: Connection, view: TableClause, start: datetime
) -> list[ColumnElement[bool]]:
    """Return what text can tell; zones make up to a day, which the frame tells.

    What was yet to come when it was imported is as unknown as everywhere.
    """
    letters = "C" if connection.dialect.name == "postgresql" else "BINARY"
    day = (start.astimezone(UTC) - timedelta(days=1)).date().isoformat()
    ahead = select(future_date.c.digest)
    return [collate(view.c.started, letters) >= day, not_(view.c.run.in_(ahead))]


def listed(option: str, value: Any) -> list[str]:
    """Return the names in *value*, one or several."""
    several = [value] if isinstance(value, str) else value
    several = list(several) if isinstance(several, Iterable) else [several]
    if not all(isinstance(name, str) for name in several):
        raise UsageError(f"{option}={value!r} is neither a name nor a list of names")
    return several
