"""What is wanted of a report becomes its scope: filters first, then what has room."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    insert,
    or_,
    select,
    true,
)
from sqlalchemy.schema import CreateTable, DropTable

from benchdb.report.chosen import Chosen
from benchdb.report.places import Places, places
from benchdb.report.room import WHOLE, Resident, residents, with_room
from benchdb.report.scope import EVERYTHING, SELECTED, Scope, those
from benchdb.report.selection import LETTERS, OPTIONS, Names, alike, resolve
from benchdb.report.systems import chip_at_work
from benchdb.report.view.atoms import Room
from benchdb.store import contents
from benchdb.store.grades import grades as graded
from benchdb.store.machines import mine
from benchdb.store.tables import chip, machine, newest, run, source

# What filters other than the grade ask of a run.
_COLUMNS = (
    run.c.machine,
    run.c.device,
    run.c.device_name,
    run.c.workload,
    run.c.framework,
    run.c.precision,
    run.c.source,
    run.c.mine,
)


class Wanted(msgspec.Struct, frozen=True):
    """What a report is to show: filters by option, and *everything* that they leave.

    Where there is no room for everything, what is mine, or the machine with the
    anonymous id *here* instead, and the chip of the *baseline* have room before others.
    """

    names: Names = {}
    everything: bool = False
    here: str | None = None
    baseline: str | None = None


@contextmanager
def selected(connection: Connection, wanted: Wanted) -> Iterator[Scope]:
    """Give the scope of what is *wanted*; it ends with the block.

    Raise ``UsageError`` for a name that neither the results nor the catalogues have.
    """
    large = not wanted.everything and contents.runs(connection) > WHOLE
    if not large and not any(wanted.names.values()):
        yield EVERYTHING
        return
    connection.execute(CreateTable(SELECTED))
    if any(wanted.names.values()):
        found = _filtered(connection, wanted.names, _newest() if large else true())
    else:
        found = EVERYTHING
    yield _fitted(connection, found, wanted) if large else found
    connection.execute(DropTable(SELECTED))


def _newest() -> ColumnElement[bool]:
    return run.c.digest.in_(select(newest.c.run))


def _filtered(
    connection: Connection, asked: Names, among: ColumnElement[bool]
) -> Scope:
    kinds = _kinds(connection, among)
    there = {name: _names(kinds, name) for name in OPTIONS[:-1]}
    chosen = resolve(asked, there | {"source": _slugs(connection)})
    runs = _runs(connection, {kind.columns for kind in _fitting(kinds, chosen)}, among)
    _keep(connection, runs)
    letters: Collection[str] = ()
    if grades := next((one.names for one in chosen if one.option == "grade"), None):
        found = {
            name: one.grade.letter
            for name, one in graded(connection, those()).items()
            if one.grade is not None
        }
        letters = set(found.values())
        runs = {name: runs[name] for name in runs if found.get(name) in grades}
        _keep(connection, runs)
    return Scope(
        runs=frozenset(runs),
        sources=frozenset(filter(None, runs.values())) | _named(connection, chosen),
        chosen=chosen,
        there=() if runs else _there(kinds, chosen, letters),
    )


def _keep(connection: Connection, runs: Iterable[str]) -> None:
    connection.execute(delete(SELECTED))
    rows = [{"digest": name} for name in sorted(runs)]
    if rows:
        connection.execute(insert(SELECTED), rows)


def _fitted(connection: Connection, found: Scope, wanted: Wanted) -> Scope:
    """Select the newest runs of those machines that have room."""
    among = None if found.runs is None else those()
    there = residents(connection, among, wanted.here, wanted.baseline)
    shown = with_room(there)
    fits = _of(shown)
    if found.runs is None:
        theirs = select(newest.c.run).where(fits)
        connection.execute(insert(SELECTED).from_select(["digest"], theirs))
    elif len(shown) < len(there):
        others = select(newest.c.run).where(~fits)
        connection.execute(delete(SELECTED).where(SELECTED.c.digest.in_(others)))
    told = select(run.c.digest, run.c.source).where(run.c.digest.in_(those()))
    runs = {row.digest: row.source for row in connection.execute(told)}
    used = frozenset(filter(None, runs.values())) | _named(connection, found.chosen)
    return replace(
        found,
        runs=frozenset(runs),
        sources=None if found.sources is None else used,
        room=Room(len(runs), contents.runs(connection), len(shown), len(there)),
    )


def _of(shown: Iterable[Resident]) -> ColumnElement[bool]:
    """Return the condition that a newest run is of one of these machines."""
    own, others = set[str](), set[str]()
    for one in shown:
        (own if one.mine else others).update(one.digests)
    is_mine = newest.c.run.in_(mine(run.c.digest))
    return or_(
        and_(is_mine, newest.c.machine.in_(sorted(own))),
        and_(~is_mine, newest.c.machine.in_(sorted(others))),
    )


class _Kind(msgspec.Struct, frozen=True):
    """Runs that no filter but the grade tells apart: their columns, and their names."""

    columns: tuple[Any, ...]
    names: dict[str, str]
    meant: dict[str, str]


_Wanted = dict[str, set[str]]  # what names mean, by option


def _fitting(kinds: Iterable[_Kind], chosen: Iterable[Chosen]) -> list[_Kind]:
    wanted: _Wanted = {
        one.option: {alike(one.option, name) for name in one.names}
        for one in chosen
        if one.option != "grade"
    }
    return [
        kind
        for kind in kinds
        if all(kind.meant.get(option) in names for option, names in wanted.items())
    ]


def _kinds(connection: Connection, among: ColumnElement[bool]) -> list[_Kind]:
    where = places(connection)
    query = (
        select(
            *_COLUMNS,
            run.c.label,
            machine.c.model,
            machine.c.anonymous_id,
            chip.c.vendor,
            chip.c.name.label("chip"),
            chip.c.ram_bytes,
            chip.c.accelerators,
            source.c.slug,
        )
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .outerjoin(source, run.c.source == source.c.digest)
        .where(among)
        .distinct()
    )
    return [_kind(row, where) for row in connection.execute(query)]


def _kind(row: Any, where: Places) -> _Kind:
    names = {
        "chip": chip_at_work(where.of(row)),
        "workload": row.workload,
        "framework": row.framework,
        "device": row.device,
        "precision": row.precision,
        "source": row.slug,
    }
    known = {option: name for option, name in names.items() if name is not None}
    meant = {option: alike(option, name) for option, name in known.items()}
    return _Kind(tuple(row[: len(_COLUMNS)]), known, meant)


def _names(kinds: Iterable[_Kind], option: str) -> list[str]:
    found = {kind.names[option] for kind in kinds if option in kind.names}
    return sorted(found, key=lambda name: (name.casefold(), name))


def _slugs(connection: Connection) -> list[str]:
    query = select(source.c.slug).distinct().order_by(source.c.slug)
    return list(connection.scalars(query))


def _runs(
    connection: Connection,
    wanted: Collection[tuple[Any, ...]],
    among: ColumnElement[bool],
) -> dict[str, str | None]:
    """Return the runs of these kinds, each with its source."""
    query = select(*_COLUMNS, run.c.digest).where(among)
    return {
        row.digest: row.source
        for row in connection.execute(query)
        if tuple(row[:-1]) in wanted
    }


def _named(connection: Connection, chosen: Sequence[Chosen]) -> set[str]:
    """Return the sources that are asked for alone: some gave statements, no runs."""
    if [one.option for one in chosen] != ["source"]:
        return set()
    names = {alike("source", name) for name in chosen[0].names}
    query = select(source.c.digest, source.c.slug)
    return {
        row.digest
        for row in connection.execute(query)
        if alike("source", row.slug) in names
    }


def _there(
    kinds: Sequence[_Kind], chosen: Sequence[Chosen], letters: Collection[str]
) -> tuple[Chosen, ...]:
    """Return what each filter could be with the others as they are, else at all."""
    together = [
        Chosen(one.option, tuple(names))
        for one in chosen
        if (names := _beside(kinds, one, chosen, letters))
    ]
    every = [
        Chosen(one.option, tuple(names))
        for one in chosen
        if one.option != "grade" and (names := _names(kinds, one.option))
    ]
    return tuple(together or every)


def _beside(
    kinds: Sequence[_Kind],
    one: Chosen,
    chosen: Sequence[Chosen],
    letters: Collection[str],
) -> Sequence[str]:
    if one.option == "grade":
        return [letter for letter in LETTERS if letter in letters]
    others = [other for other in chosen if other is not one]
    return _names(_fitting(kinds, others), one.option)
