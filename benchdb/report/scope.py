"""The runs that a report is about: all of them, or what filters and room leave.

The database holds the digests of those for as long as the report is made, so that every
query can be limited before it picks the newest campaign or counts anything.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Select,
    Table,
    delete,
    insert,
    select,
    true,
)
from sqlalchemy.schema import CreateTable, DropTable

from benchdb.report.filters import OPTIONS, Names, alike, resolve
from benchdb.report.view.atoms import BASELINE, Filter, Room
from benchdb.store import contents
from benchdb.store.known_names import LETTERS
from benchdb.store.machines import mine
from benchdb.store.places import Places, chip_at_work, tidy
from benchdb.store.run_grades import grades as graded
from benchdb.store.tables import Digest, chip, machine, newest, run, source

# Runs that a page is made of: of a larger database the newest of each cell.
WHOLE = 12_000
_SELECTED = Table(
    "benchdb_selected",
    MetaData(),
    Column("digest", Digest, primary_key=True),
    prefixes=["TEMPORARY"],
)
# What filters other than the grade ask of a run.
_COLUMNS = (
    run.c.machine,
    run.c.device,
    run.c.device_name,
    run.c.workload,
    run.c.framework,
    run.c.precision,
    run.c.source,
    run.c.campaign,
    run.c.mine,
)


class Scope(msgspec.Struct, frozen=True):
    """Which runs count; *runs* and *sources* are digests, None for all.

    *chosen* are the filters; *there* is what one may choose from where they leave
    nothing. *room* tells how much of it has room, where that is not all. A page shows
    *everything*, however long it gets, where that is asked for.
    """

    runs: frozenset[str] | None = None
    sources: frozenset[str] | None = None
    chosen: tuple[Filter, ...] = ()
    there: tuple[Filter, ...] = ()
    room: Room | None = None
    everything: bool = False

    def has(self, digest: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the condition that a run's *digest* is among them."""
        return true() if self.among is None else digest.in_(self.among)

    @property
    def among(self) -> Select[Any] | None:
        """Return the query of the digests of the runs among them, ``None`` for all."""
        return None if self.runs is None else select(_SELECTED.c.digest)

    def tells(self, digest: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the condition that a source's *digest* is to be listed."""
        return true() if self.sources is None else digest.in_(sorted(self.sources))


EVERYTHING = Scope()


class Wanted(msgspec.Struct, frozen=True):
    """What a report is to show: filters by option, and *everything* that they leave.

    Where there is no room for everything, what is mine, or the machine with the
    anonymous id *here* instead, and the chip of the baseline have room before others.
    """

    names: Names = {}
    everything: bool = False
    here: str | None = None


@contextmanager
def selected(connection: Connection, wanted: Wanted) -> Iterator[Scope]:
    """Give the scope of what is *wanted*; it ends with the block.

    Raise ``UsageError`` for a name that neither the results nor the catalogues have.
    """
    # What is newest of each cell leaves out campaigns; one of them has room.
    whole = wanted.everything or bool(wanted.names.get("campaign"))
    large = not whole and contents.runs(connection) > WHOLE
    filtered = any(wanted.names.values())
    all_of_it = replace(EVERYTHING, everything=wanted.everything)
    if not large and not filtered:
        yield all_of_it
        return
    connection.execute(CreateTable(_SELECTED))
    scope = all_of_it
    if filtered:
        newest_only = run.c.digest.in_(select(newest.c.run)) if large else true()
        scope = _filtered(connection, wanted.names, newest_only)
        scope = replace(scope, everything=wanted.everything)
    yield _fitted(connection, scope, wanted) if large else scope
    connection.execute(DropTable(_SELECTED))


@contextmanager
def selection(connection: Connection, query: Select[Any]) -> Iterator[Scope]:
    """Give the scope of the runs whose digests *query* has; it ends with the block."""
    connection.execute(CreateTable(_SELECTED))
    connection.execute(insert(_SELECTED).from_select(["digest"], query))
    chosen = connection.scalars(select(_SELECTED.c.digest))
    yield Scope(runs=frozenset(chosen))
    connection.execute(DropTable(_SELECTED))


def _filtered(
    connection: Connection, asked: Names, among: ColumnElement[bool]
) -> Scope:
    kinds = _kinds(connection, among)
    slugs = connection.scalars(select(source.c.slug).distinct().order_by(source.c.slug))
    there = {name: _names(kinds, name) for name in OPTIONS[:-1]}
    chosen = resolve(asked, there | {"source": [*slugs]})
    wanted = {kind.columns for kind in _fitting(kinds, chosen)}
    rows = connection.execute(select(*_COLUMNS, run.c.digest).where(among))
    runs = {row.digest: row.source for row in rows if tuple(row[:-1]) in wanted}
    _keep(connection, runs)
    letters: Collection[str] = ()
    if grades := next((item.names for item in chosen if item.option == "grade"), None):
        letters_of = {
            name: result.grade.letter
            for name, result in graded(connection, select(_SELECTED.c.digest)).items()
            if result.grade is not None
        }
        letters = set(letters_of.values())
        runs = {name: runs[name] for name in runs if letters_of.get(name) in grades}
        _keep(connection, runs)
    return Scope(
        runs=frozenset(runs),
        sources=frozenset(filter(None, runs.values())) | _named(connection, chosen),
        chosen=chosen,
        there=() if runs else _there(kinds, chosen, letters),
    )


def _keep(connection: Connection, runs: Iterable[str]) -> None:
    connection.execute(delete(_SELECTED))
    if rows := [{"digest": name} for name in sorted(runs)]:
        connection.execute(insert(_SELECTED), rows)


def _fitted(connection: Connection, scope: Scope, wanted: Wanted) -> Scope:
    """Select the newest runs of each cell: what was asked for, then the newest."""
    kept = select(newest.c.run).order_by(
        *(asked.desc() for asked in _asked(connection, wanted)),
        newest.c.started.desc(),
        newest.c.run,
    )
    if scope.runs is not None:
        kept = kept.where(newest.c.run.in_(select(_SELECTED.c.digest)))
    _keep(connection, connection.scalars(kept.limit(WHOLE)))
    chosen = select(_SELECTED.c.digest)
    rows = connection.execute(
        select(run.c.digest, run.c.source).where(run.c.digest.in_(chosen))
    )
    runs = {row.digest: row.source for row in rows}
    used = frozenset(filter(None, runs.values())) | _named(connection, scope.chosen)
    return replace(
        scope,
        runs=frozenset(runs),
        sources=None if scope.sources is None else used,
        room=Room(len(runs), contents.runs(connection)),
    )


def _asked(
    connection: Connection, wanted: Wanted
) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return the conditions that a newest run is mine, and of the baseline's chip.

    Instead of mine it may be of the machine with the anonymous id *here*.
    """
    own = mine(run.c.digest)
    if wanted.here is not None:
        same = machine.c.anonymous_id == wanted.here
        own = select(run.c.digest).join(machine, run.c.machine == machine.c.digest)
        own = own.where(same)
    query = select(machine.c.digest, chip.c.name).join(
        chip, machine.c.chip == chip.c.digest
    )
    rows = connection.execute(query)
    named = [row.digest for row in rows if tidy(row.name) == BASELINE]
    return newest.c.run.in_(own), newest.c.machine.in_(named)


class _Kind(msgspec.Struct, frozen=True):
    """Runs that no filter but the grade tells apart: their columns, and their names."""

    columns: tuple[Any, ...]
    names: dict[str, str]


def _kinds(connection: Connection, among: ColumnElement[bool]) -> list[_Kind]:
    places = Places(connection)
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
    kinds = []
    for row in connection.execute(query):
        names = {
            "chip": chip_at_work(places.of(row)),
            "workload": row.workload,
            "framework": row.framework,
            "device": row.device,
            "precision": row.precision,
            "source": row.slug,
            "campaign": row.campaign,
        }
        known = {option: name for option, name in names.items() if name is not None}
        kinds.append(_Kind(tuple(row[: len(_COLUMNS)]), known))
    return kinds


def _fitting(kinds: Iterable[_Kind], chosen: Iterable[Filter]) -> list[_Kind]:
    wanted = {
        item.option: {alike(item.option, name) for name in item.names}
        for item in chosen
        if item.option != "grade"
    }
    return [
        kind
        for kind in kinds
        if all(
            option in kind.names and alike(option, kind.names[option]) in names
            for option, names in wanted.items()
        )
    ]


def _names(kinds: Iterable[_Kind], option: str) -> list[str]:
    texts = {kind.names[option] for kind in kinds if option in kind.names}
    return sorted(texts, key=lambda name: (name.casefold(), name))


def _named(connection: Connection, chosen: Sequence[Filter]) -> set[str]:
    """Return the sources that are asked for alone: some gave statements, no runs."""
    if [item.option for item in chosen] != ["source"]:
        return set()
    names = {alike("source", name) for name in chosen[0].names}
    rows = connection.execute(select(source.c.digest, source.c.slug))
    return {row.digest for row in rows if alike("source", row.slug) in names}


def _there(
    kinds: Sequence[_Kind], chosen: Sequence[Filter], letters: Collection[str]
) -> tuple[Filter, ...]:
    """Return what each filter could be with the others as they are, else at all."""
    together, alone = [], []
    for choice in chosen:
        if choice.option == "grade":
            names = [letter for letter in LETTERS if letter in letters]
        else:
            others = [other for other in chosen if other is not choice]
            names = _names(_fitting(kinds, others), choice.option)
            alone.append(Filter(choice.option, tuple(_names(kinds, choice.option))))
        together.append(Filter(choice.option, tuple(names)))
    possible = [choice for choice in together if choice.names]
    return tuple(possible or [choice for choice in alone if choice.names])
