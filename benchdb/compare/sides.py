"""Sides of a comparison: the runs that a name stands for, and what they measured."""

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Engine, Select, select

from benchdb import catalogue
from benchdb.compare.pairs import Batches, Group, Work, groups
from benchdb.compare.side_names import HERE, Asked, resolve
from benchdb.errors import BenchdbError, UsageError, suggestion
from benchdb.metric_kinds import compared
from benchdb.report import quantities
from benchdb.report.class_spreads import class_spreads
from benchdb.report.exclusions import NOTHING, left_out
from benchdb.report.filters import alike
from benchdb.report.measurement import ClassSpreads, Measurement, measurements
from benchdb.report.references import Notes, notes_of
from benchdb.report.runs import StoredRun, stored
from benchdb.report.scope import WHOLE, selection
from benchdb.report.view.atoms import Quantity
from benchdb.store import contents
from benchdb.store.database import open_database, reading
from benchdb.store.machines import canonical, mine
from benchdb.store.newest import age
from benchdb.store.places import chip_at_work
from benchdb.store.run_facts import Around, around
from benchdb.store.tables import chip, environment, machine, newest, run, source

# Sides of all that there is, less what counts nowhere; others are what was asked for.
_WIDE = ("chip", "machine", "database")


class Known(msgspec.Struct, frozen=True):
    """What is known of a database before any side: chance, and what surrounds runs."""

    seen: ClassSpreads
    around: Around


class Figure(msgspec.Struct, frozen=True):
    """What one side reached: its quantity, on so many machines.

    *flags* are the codes of what is noted on its runs.
    """

    quantity: Quantity
    machines: int
    flags: tuple[str, ...]
    accelerator: str
    device: str
    framework: str
    precision: str | None
    compiler: str | None


class Side(msgspec.Struct, frozen=True, dict=True):
    """One side: its runs, what they measured, and in which environments.

    *environments* are rows of that table by digest. *notes* are what speaks against
    the figures.
    """

    asked: Asked
    runs: tuple[StoredRun, ...]
    measured: tuple[Measurement, ...]
    environments: Mapping[str, Mapping[str, Any]]
    notes: Notes

    @property
    def name(self) -> str:
        """Return what to call it."""
        return self.asked.name

    @cached_property
    def groups(self) -> Sequence[Group]:
        """Return what was measured, that of several machines together."""
        return groups(self.measured)

    @cached_property
    def batches(self) -> Mapping[Work, Batches]:
        """Return the groups by their work and the size of the batch."""
        by_work = defaultdict[Work, dict[int | None, list[Group]]](dict)
        for group in self.groups:
            own = group.first.conditions
            by_work[own.work].setdefault(own.batch, []).append(group)
        return by_work

    @cached_property
    def works(self) -> Set[tuple[Work, int | None]]:
        """Return what was computed, each for a batch size."""
        own = (measurement.conditions for measurement in self.measured)
        return {(conditions.work, conditions.batch) for conditions in own}

    @cached_property
    def settings(self) -> Sequence[tuple[Work, str]]:
        """Return what each measurement computed, and in which setting."""
        own = (measurement.conditions for measurement in self.measured)
        return [(conditions.work, conditions.setting) for conditions in own]

    @cached_property
    def parameters(self) -> Mapping[str, Set[frozenset[tuple[str, str]]]]:
        """Return which parameters with which values each workload is measured with."""
        known = defaultdict[str, set[frozenset[tuple[str, str]]]](set)
        for measurement in self.measured:
            known[measurement.conditions.workload].add(
                frozenset(measurement.conditions.facts.items())
            )
        return known

    @cached_property
    def figures(self) -> dict[tuple[str, ...], Figure]:
        """Keep the figures of groups by their keys: a side may meet many others."""
        return {}

    @cached_property
    def speeds(self) -> dict[tuple[bool, tuple[str, ...]], quantities.Side]:
        """Keep what groups bring to a ratio, as rates or as timed."""
        return {}

    @property
    def disqualified(self) -> int:
        """Return how many of its runs failed a check, and count nowhere."""
        return sum(run.facts.disqualified for run in self.runs)


def sides(
    engine: Engine,
    names: Sequence[str],
    *,
    here: bool = False,
    workloads: Sequence[str] = (),
) -> list[Side]:
    """Return the sides with these *names*, and the newest session *here* at the end.

    Of these *workloads* only, if any. What is known of chance is that of the database
    in *engine*, as on its pages. Raise ``UsageError`` for a name that nothing has, or
    several things.
    """
    with reading(engine) as connection:
        asked = [resolve(connection, name) for name in names]
        asked += [Asked(HERE, "")] if here else []
        surroundings = around(connection)
        known = Known(class_spreads(connection, surroundings), surroundings)
        compared = [_side(connection, item, known) for item in asked]
    there = {run.facts.workload for side in compared for run in side.runs}
    for name in workloads:
        if name not in there | catalogue.workloads().keys():
            every = [*there, *catalogue.workloads()]
            raise UsageError(f"no workload {name!r}{suggestion(name, every)}")
    return [_only(side, workloads) for side in compared] if workloads else compared


def _only(side: Side, workloads: Sequence[str]) -> Side:
    return replace(
        side,
        runs=tuple(
            stored_run
            for stored_run in side.runs
            if stored_run.facts.workload in workloads
        ),
        measured=tuple(
            measurement
            for measurement in side.measured
            if measurement.conditions.workload in workloads
        ),
    )


def _side(connection: Connection, asked: Asked, known: Known) -> Side:
    if asked.kind == "file":
        with _imported(Path(asked.value)) as engine, reading(engine) as own:
            every = select(run.c.digest)
            return side_of(own, asked, every, replace(known, around=around(own)))
    if asked.kind == "database":
        # Nobody upgrades a database by comparing with it.
        engine = open_database(asked.value, agree=lambda older: False)
        with reading(engine) as own:
            query = _newest_of_large(own, select(run.c.digest))
            return side_of(own, asked, query, replace(known, around=around(own)))
    return side_of(connection, asked, _digests(connection, asked), known)


@contextmanager
def _imported(path: Path) -> Iterator[Engine]:
    """Give a database of its own with what the file at *path* has."""
    # All importers: other sides do without them.
    from benchdb.merge import import_or_raise  # noqa: PLC0415  heavy

    with tempfile.TemporaryDirectory(prefix="benchdb-") as folder:
        engine = open_database(str(Path(folder) / "side.sqlite"), create=True)
        try:
            import_or_raise(engine, [path])
            yield engine
        except BenchdbError as error:
            raise UsageError(f"cannot compare with {error}") from error
        finally:
            engine.dispose()


def _digests(connection: Connection, asked: Asked) -> Select[Any]:
    """Return the query of the digests of the runs that a side is about."""
    every = select(run.c.digest)
    match asked.kind:
        case "run":
            return _beside_run(connection, asked.value)
        case "campaign":
            return every.where(run.c.campaign == asked.value)
        case "source":
            digests = select(source.c.digest).where(source.c.slug == asked.value)
            return every.where(run.c.source.in_(digests))
        case "machine":
            groups = canonical(connection)
            same = sorted(group for group in groups if groups[group] == asked.value)
            owners = select(machine.c.digest).where(machine.c.digest.in_(same))
        case "chip":
            owners = _with_chip(connection, asked.value)
        case _:
            return _newest_campaign(connection)
    return _newest_of_large(connection, every.where(run.c.machine.in_(owners)))


def _beside_run(connection: Connection, digest: str) -> Select[Any]:
    """Return the query of a run and what its campaign did beside it."""
    query = select(run.c.digest)
    row = connection.execute(select(run).where(run.c.digest == digest)).one()
    if row.campaign is None:
        return query.where(run.c.digest == digest)
    return query.where(
        run.c.campaign == row.campaign,
        run.c.machine == row.machine,
        run.c.workload == row.workload,
    )


def _with_chip(connection: Connection, name: str) -> Select[Any]:
    """Return the query of the machines that have a chip of this *name*."""
    wanted = alike("chip", name)
    rows = connection.execute(select(chip.c.digest, chip.c.name, chip.c.accelerators))
    chips = [
        digest
        for digest, own, cards in rows
        if wanted
        in {alike("chip", own), *(alike("chip", str(it.get("name"))) for it in cards)}
    ]
    return select(machine.c.digest).where(machine.c.chip.in_(chips))


def _newest_of_large(connection: Connection, query: Select[Any]) -> Select[Any]:
    if contents.runs(connection) <= WHOLE:  # else as a report does
        return query
    return query.where(run.c.digest.in_(select(newest.c.run)))


def _newest_campaign(connection: Connection) -> Select[Any]:
    own = mine(run.c.digest)
    query = (
        select(newest.c.started, run.c.campaign)
        .join(run, run.c.digest == newest.c.run)
        .where(newest.c.run.in_(own))
    )
    rows = connection.execute(query.distinct()).all()
    if not rows:
        raise UsageError(
            "nothing was measured on this machine; 'benchdb collect' measures it"
        )
    _, campaign = max(rows, key=lambda row: age(*row))
    return own.where(run.c.campaign == campaign)


def side_of(
    connection: Connection, asked: Asked, query: Select[Any], known: Known
) -> Side:
    """Return the side of the runs whose digests *query* has, as it was *asked* for."""
    with selection(connection, query) as scope:
        out = left_out(connection, scope.among) if asked.kind in _WIDE else NOTHING
        every = stored(connection, out, scope.among, surroundings=known.around)
        runs = _about(every, asked)
        measured = measurements(runs, compared(), known.seen)
        if asked.kind == "run":
            measured = [
                measurement
                for measurement in measured
                if asked.value in measurement.runs
            ]
            together = {
                asked.value,
                *(name for measurement in measured for name in measurement.runs),
            }
            runs = [
                stored_run for stored_run in runs if stored_run.facts.digest in together
            ]
        notes = notes_of(connection, runs, scope)
    return Side(
        asked=asked,
        runs=tuple(runs),
        measured=tuple(measured),
        environments=_environments(connection, runs),
        notes=notes,
    )


def _about(runs: Iterable[StoredRun], asked: Asked) -> list[StoredRun]:
    """Return the *runs* that the side is about, without those that count nowhere."""
    counted = [stored_run for stored_run in runs if not stored_run.left_out]
    if asked.kind == "chip":
        # Its machines have other chips as well.
        wanted = alike("chip", asked.value)
        return [
            stored_run
            for stored_run in counted
            if alike("chip", chip_at_work(stored_run.place)) == wanted
        ]
    if asked.kind == HERE and counted:
        last = max(
            counted,
            key=lambda stored_run: (
                age(stored_run.facts.started, None),
                _name(stored_run),
            ),
        )
        session = last.facts.session.name
        return [
            stored_run
            for stored_run in counted
            if stored_run.facts.session.name == session
        ]
    return counted


def _name(stored_run: StoredRun) -> str:
    return stored_run.facts.digest


def _environments(
    connection: Connection, runs: Iterable[StoredRun]
) -> dict[str, Mapping[str, Any]]:
    wanted = sorted({stored_run.facts.environment for stored_run in runs})
    query = select(environment).where(environment.c.digest.in_(wanted))
    return {row.digest: dict(row._mapping) for row in connection.execute(query)}
