"""Filters of data frames: names become conditions on the columns of a view."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypedDict, get_args

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    TableClause,
    collate,
    false,
    not_,
    select,
    true,
)

from benchdb.catalogue import chips, workloads
from benchdb.errors import UsageError, suggestion
from benchdb.exchange.messages import Device, Label
from benchdb.grading import Letter
from benchdb.report.filters import alike
from benchdb.store.machines import canonical
from benchdb.store.places import tidy
from benchdb.store.tables import future_date, machine, result, run, source

Names = str | Iterable[str] | None
_ENOUGH = 6  # letters of an id or a digest that stand for it


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
_COLUMNS: Mapping[str, Column[Any]] = {
    "chip": result.c.accelerator,
    "workload": run.c.workload,
    "device": run.c.device,
    "framework": run.c.framework,
    "precision": run.c.precision,
    "source": source.c.slug,
    "campaign": run.c.campaign,
    "grade": result.c.grade,
    "label": run.c.label,
}
# What is known though no result may have it.
_CATALOGUES: Mapping[str, Callable[[], Iterable[str]]] = {
    "chip": lambda: (tidy(one.name) for one in chips()),
    "workload": workloads,
    "device": lambda: get_args(Device),
    "grade": lambda: get_args(Letter),
    "label": lambda: get_args(Label),
}


def conditions(
    connection: Connection, view: TableClause, asked: Mapping[str, Any]
) -> list[ColumnElement[bool]]:
    """Return what rows of *view* must satisfy.

    Capitals do not matter. Raise ``UsageError`` for a name that nothing has.
    """
    for option in asked:
        if option not in OPTIONS:
            raise UsageError(f"no filter {option!r}" + suggestion(option, OPTIONS))
    found: list[ColumnElement[bool]] = []
    for option, value in asked.items():
        if value is None:
            continue
        if option == "mine":
            found.append(view.c.mine.is_(true() if value else false()))
        elif option == "since":
            found += _since(connection, view, moment(value))
        elif option == "machine":
            owners = _machines(connection, listed(option, value))
            found.append(view.c.machine.in_(owners))
        else:
            column = view.c["accelerator" if option == "chip" else option]
            names = _resolved(connection, option, listed(option, value))
            found.append(column.in_(names))
    return found


def moment(value: Any) -> datetime:
    """Return the time that *value* stands for; raise ``UsageError`` if that is none."""
    try:
        told = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError as error:
        raise UsageError(f"since={value!r} is no date; write 2026-11-25") from error
    if isinstance(told, date) and not isinstance(told, datetime):
        told = datetime.combine(told, time())
    if not isinstance(told, datetime):
        raise UsageError(f"since={value!r} is no date; write '2026-11-25'")
    return told if told.tzinfo else told.replace(tzinfo=UTC)


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
    names = [value] if isinstance(value, str) else value
    names = list(names) if isinstance(names, Iterable) else [names]
    if not all(isinstance(name, str) for name in names):
        raise UsageError(f"{option}={value!r} is neither a name nor a list of names")
    return names


def _resolved(connection: Connection, option: str, names: Iterable[str]) -> list[str]:
    """Return the names in the results that *names* mean."""
    column = _COLUMNS[option]
    there = {
        str(name)
        for name in connection.scalars(select(column).distinct())
        if name is not None
    }
    known = there | set(_CATALOGUES.get(option, tuple)())
    found = []
    for name in names:
        same = {one for one in known if alike(option, one) == alike(option, name)}
        if not same:
            raise UsageError(f"no {option} {name!r}" + suggestion(name, there or known))
        found += sorted(same)
    return found


def _machines(connection: Connection, names: Iterable[str]) -> list[str]:
    """Return the digests that stand for the machines with these *names*."""
    groups = canonical(connection)
    query = select(machine.c.digest, machine.c.anonymous_id)
    rows = [(row.digest, row.anonymous_id or "") for row in connection.execute(query)]
    return [_machine(rows, groups, name) for name in names]


def _machine(
    rows: Iterable[tuple[str, str]], groups: Mapping[str, str], name: str
) -> str:
    start = name.casefold()
    exact = {groups[digest] for digest, own in rows if start in (digest, own)}
    near = {
        groups[digest]
        for digest, own in rows
        if len(start) >= _ENOUGH and (digest.startswith(start) or own.startswith(start))
    }
    found = exact or near
    if not found:
        ids = sorted({own or digest[:12] for digest, own in rows})
        raise UsageError(f"no machine {name!r}" + suggestion(name, ids))
    if len(found) > 1:
        raise UsageError(f"several machines start with {name!r}; give more of the id")
    return found.pop()
