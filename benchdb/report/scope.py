"""The runs that a report is about: all of them, or those that filters leave.

The database holds their digests for as long as the report is made, so that every
query can be limited before it picks the newest campaign or counts anything.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Table,
    insert,
    select,
    true,
)
from sqlalchemy.schema import CreateTable, DropTable

from benchdb.report import graded
from benchdb.report.chosen import Chosen
from benchdb.report.places import Places, places
from benchdb.report.selection import LETTERS, OPTIONS, Names, alike, resolve
from benchdb.report.systems import chip_at_work
from benchdb.store.tables import Digest, chip, machine, run, source

_selected = Table(
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
)


@dataclass(frozen=True)
class Scope:
    """Which runs count; *runs* and *sources* are digests, None for all.

    *chosen* are the filters; *there* is what one may choose from where they leave
    nothing.
    """

    runs: frozenset[str] | None = None
    sources: frozenset[str] | None = None
    chosen: tuple[Chosen, ...] = ()
    there: tuple[Chosen, ...] = ()

    def has(self, digest: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the condition that a run's *digest* is among them."""
        if self.runs is None:
            return true()
        return digest.in_(select(_selected.c.digest))

    def tells(self, digest: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the condition that a source's *digest* is to be listed."""
        if self.sources is None:
            return true()
        return digest.in_(sorted(self.sources))


EVERYTHING = Scope()


@dataclass(frozen=True)
class _Kind:
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


@contextmanager
def selected(connection: Connection, asked: Names) -> Iterator[Scope]:
    """Give the scope of what was *asked* for, by option; it ends with the block.

    Raise ``UsageError`` for a name that neither the results nor the catalogues have.
    """
    if not any(asked.values()):
        yield EVERYTHING
        return
    kinds = _kinds(connection)
    there = {name: _names(kinds, name) for name in OPTIONS[:-1]}
    chosen = resolve(asked, there | {"source": _slugs(connection)})
    runs = _runs(connection, {kind.columns for kind in _fitting(kinds, chosen)})
    letters: Collection[str] = ()
    if grades := next((one.names for one in chosen if one.option == "grade"), None):
        found = graded.letters(connection, runs)
        letters = set(found.values())
        runs = {name: runs[name] for name in runs if found.get(name) in grades}
    connection.execute(CreateTable(_selected))
    if runs:
        rows = [{"digest": name} for name in sorted(runs)]
        connection.execute(insert(_selected), rows)
    yield Scope(
        runs=frozenset(runs),
        sources=frozenset(filter(None, runs.values())) | _named(connection, chosen),
        chosen=chosen,
        there=() if runs else _there(kinds, chosen, letters),
    )
    connection.execute(DropTable(_selected))


def _kinds(connection: Connection) -> list[_Kind]:
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
    connection: Connection, wanted: Collection[tuple[Any, ...]]
) -> dict[str, str | None]:
    """Return the runs of these kinds, each with its source."""
    query = select(*_COLUMNS, run.c.digest)
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
