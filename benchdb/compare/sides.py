"""Sides: which results each name of a comparison stands for, and what they measured.

A side is named ``kind:value``, or by a value that only one kind has: ``chip:M1 Max``,
``campaign:2026-11-25-08f3``, a run id, ``results.jsonl``.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Engine, Select, select

from benchdb import catalogue
from benchdb.errors import BenchdbError, UsageError
from benchdb.merge import import_or_raise
from benchdb.metric_kinds import COMPARED
from benchdb.report.exclusions import NOTHING, LeftOut, left_out
from benchdb.report.filters import alike
from benchdb.report.measurement import Measurement, measurements
from benchdb.report.references import Notes
from benchdb.report.room import WHOLE
from benchdb.report.runs import StoredRun, stored
from benchdb.report.scope import selection
from benchdb.report.summary import notes_of
from benchdb.store import contents, machines
from benchdb.store.database import open_database, reading
from benchdb.store.newest import age
from benchdb.store.places import chip_at_work
from benchdb.store.postgresql.server import is_address
from benchdb.store.tables import chip, environment, machine, newest, run, source

Kind = Literal["run", "campaign", "machine", "chip", "source", "file", "database"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HERE = "here"  # the newest session on this machine
_SQLITE = b"SQLite format 3\0"
_ENOUGH = 6  # letters of a digest, a campaign or a machine that stand for it
_SHOWN = 8  # names in a message


class Asked(msgspec.Struct, frozen=True):
    """A side as somebody asks for it: a kind with a value that exists."""

    kind: str
    value: str

    @property
    def name(self) -> str:
        """Return what to call it."""
        return "this machine" if self.kind == HERE else f"{self.kind} {self.value}"


class Side(msgspec.Struct, frozen=True):
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

    Of these *workloads* only, if any. Raise ``UsageError`` for a name that nothing has,
    or several things.
    """
    with reading(engine) as connection:
        asked = [resolve(connection, name) for name in names]
        asked += [Asked(HERE, "")] if here else []
        found = [_side(connection, one) for one in asked]
    there = {run.facts.workload for side in found for run in side.runs}
    for name in workloads:
        if name not in there | catalogue.workloads().keys():
            known = [*there, *catalogue.workloads()]
            raise UsageError(f"no workload {name!r}" + _suggested(name, known))
    return [_only(side, workloads) for side in found] if workloads else found


def _only(side: Side, workloads: Sequence[str]) -> Side:
    return replace(
        side,
        runs=tuple(one for one in side.runs if one.facts.workload in workloads),
        measured=tuple(
            one for one in side.measured if one.conditions.workload in workloads
        ),
    )


def resolve(connection: Connection, name: str) -> Asked:
    """Return what *name* stands for: one kind of thing, and one thing of it."""
    prefix, colon, value = name.partition(":")
    if colon and prefix in KINDS and value.strip():
        found = _FITTING[prefix](connection, value.strip())
        known = found or _unknown(connection, prefix, value.strip())
        return _single(name, [Asked(prefix, fitting) for fitting in known])
    every = [
        Asked(kind, fitting)
        for kind in KINDS
        for fitting in _FITTING[kind](connection, name)
    ]
    if not every:
        known = [
            *_campaigns(connection),
            *_chips(connection),
            *_slugs(connection),
        ]
        raise UsageError(
            f"nothing is called {name!r}; a side is "
            f"{', '.join(KINDS[:-1])} or {KINDS[-1]}, as in chip:NAME"
            + _suggested(name, known)
        )
    return _single(name, every)


def _single(name: str, found: Sequence[Asked]) -> Asked:
    if len(found) > 1:
        shown = ", ".join(f"{one.kind}:{one.value}" for one in found[:_SHOWN])
        rest = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise UsageError(f"{name!r} fits several: {shown}{rest}; name one of them")
    return found[0]


def _unknown(connection: Connection, kind: str, value: str) -> list[str]:
    """Raise ``UsageError``: nothing of *kind* has this *value*."""
    names: Mapping[str, Callable[[Connection], Iterable[str]]] = {
        "campaign": _campaigns,
        "chip": _chips,
        "source": _slugs,
        "machine": _machine_ids,
    }
    there = names[kind](connection) if kind in names else ()
    raise UsageError(f"no {kind} {value!r}" + _suggested(value, there))


def _suggested(name: str, there: Iterable[str]) -> str:
    known = list(dict.fromkeys(there))
    folded = {one.casefold(): one for one in known}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    if near:
        return f"; did you mean {folded[near[0]]!r}?"
    shown = ", ".join(known[:_SHOWN])
    return f"; there are: {shown}" if shown else ""


def _runs(connection: Connection, value: str) -> list[str]:
    start = value.lower()
    if len(start) < _ENOUGH or set(start) - set("0123456789abcdef"):
        return []
    # A range: an index finds it whatever the collation.
    query = select(run.c.digest).where(run.c.digest.between(start, f"{start}g"))
    return list(connection.scalars(query.limit(_SHOWN + 1)))


def _named(connection: Connection, value: str) -> list[str]:
    exact = select(run.c.campaign).where(run.c.campaign == value).limit(1)
    if found := list(connection.scalars(exact)):
        return found
    if len(value) < _ENOUGH:
        return []
    after = value[:-1] + chr(ord(value[-1]) + 1)
    among = run.c.campaign.between(value, after), run.c.campaign.startswith(value)
    query = select(run.c.campaign).where(*among).distinct().limit(_SHOWN + 1)
    return [str(name) for name in connection.scalars(query)]


def _campaigns(connection: Connection) -> list[str]:
    query = select(run.c.campaign).where(run.c.campaign.is_not(None)).distinct()
    return [str(name) for name in connection.scalars(query.order_by(run.c.campaign))]


def _machine_ids(connection: Connection) -> list[str]:
    query = select(machine.c.anonymous_id).where(machine.c.anonymous_id.is_not(None))
    return [str(name) for name in connection.scalars(query.distinct())]


def _machines(connection: Connection, value: str) -> list[str]:
    every = _machine_ids(connection)
    start = value.casefold()
    if value in every or len(start) < _ENOUGH:
        return [one for one in every if one == value]
    return [one for one in every if one.casefold().startswith(start)]


def _chips(connection: Connection) -> list[str]:
    """Return the names of all chips that may have worked: processors and cards."""
    names = dict[str, str]()
    for name, cards in connection.execute(select(chip.c.name, chip.c.accelerators)):
        for each in (name, *(card.get("name") or "" for card in cards or ())):
            if each:
                names.setdefault(alike("chip", each), each)
    return sorted(names.values())


def _of_chip(connection: Connection, value: str) -> list[str]:
    wanted = alike("chip", value)
    return [name for name in _chips(connection) if alike("chip", name) == wanted]


def _slugs(connection: Connection) -> list[str]:
    return list(connection.scalars(select(source.c.slug).distinct()))


def _of_source(connection: Connection, value: str) -> list[str]:
    return [slug for slug in _slugs(connection) if slug.casefold() == value.casefold()]


def _file(_: Connection, value: str) -> list[str]:
    path = Path(value)
    return [value] if path.is_file() and not _is_sqlite(path) else []


def _database(_: Connection, value: str) -> list[str]:
    if is_address(value):
        return [value]
    path = Path(value)
    return [value] if path.is_file() and _is_sqlite(path) else []


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_SQLITE)) == _SQLITE


_FITTING: Mapping[str, Callable[[Connection, str], list[str]]] = {
    "run": _runs,
    "campaign": _named,
    "machine": _machines,
    "chip": _of_chip,
    "source": _of_source,
    "file": _file,
    "database": _database,
}


def _side(connection: Connection, asked: Asked) -> Side:
    if asked.kind == "file":
        with _imported(Path(asked.value)) as engine, reading(engine) as own:
            return _measured(own, asked, select(run.c.digest))
    if asked.kind == "database":
        # Nobody upgrades a database by comparing with it.
        engine = open_database(asked.value, agree=lambda older: False)
        with reading(engine) as own:
            return _measured(own, asked, _newest_of_large(own, select(run.c.digest)))
    return _measured(connection, asked, _digests(connection, asked))


@contextmanager
def _imported(path: Path) -> Iterator[Engine]:
    """Give a database of its own with what the file at *path* has."""
    with tempfile.TemporaryDirectory(prefix="benchdb-") as folder:
        engine = open_database(str(Path(folder) / "side.sqlite"), create=True)
        try:
            import_or_raise(engine, [path])
        except UsageError:
            raise
        except BenchdbError as error:
            raise UsageError(f"cannot compare with {error}") from error
        try:
            yield engine
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
            owners = _same_machines(connection, asked.value)
        case "chip":
            owners = _with_chip(connection, asked.value)
        case _:
            return _newest_session(connection)
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


def _same_machines(connection: Connection, anonymous_id: str) -> Select[Any]:
    """Return the digests of a machine, and of all that are known to be the same."""
    groups = machines.canonical(connection)
    own = select(machine.c.digest).where(machine.c.anonymous_id == anonymous_id)
    roots = {groups[digest] for digest in connection.scalars(own)}
    same = sorted(digest for digest, root in groups.items() if root in roots)
    return select(machine.c.digest).where(machine.c.digest.in_(same))


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


def _newest_session(connection: Connection) -> Select[Any]:
    query = select(run.c.started, run.c.campaign).where(run.c.mine).distinct()
    rows = [(age(*row), row.campaign) for row in connection.execute(query)]
    if not rows:
        raise UsageError(
            "nothing was measured on this machine; 'benchdb collect' measures it"
        )
    _, campaign = max(rows, key=lambda row: row[0])
    return select(run.c.digest).where(run.c.mine, run.c.campaign == campaign)


def _measured(connection: Connection, asked: Asked, query: Select[Any]) -> Side:
    out: LeftOut = left_out(connection) if asked.kind == "chip" else NOTHING
    with selection(connection, query) as scope:
        runs = stored(connection, out, scope)
        if asked.kind == "chip":
            wanted = alike("chip", asked.value)
            runs = [
                one
                for one in runs
                if alike("chip", chip_at_work(one.place)) == wanted and not one.left_out
            ]
        measured = measurements(runs, COMPARED)
        if asked.kind == "run":
            measured = [one for one in measured if asked.value in one.runs]
            runs = _beside(runs, measured, asked.value)
        elif asked.kind == HERE:
            sessions = [run.facts.session.name for run in _by_age(runs)[-1:]]
            runs = [one for one in runs if one.facts.session.name in sessions]
            measured = measurements(runs, COMPARED)
        notes = notes_of(connection, runs, scope)
    return Side(
        asked=asked,
        runs=tuple(runs),
        measured=tuple(measured),
        environments=_environments(connection, runs),
        notes=notes,
    )


def _beside(
    runs: Iterable[StoredRun], measured: Iterable[Measurement], digest: str
) -> list[StoredRun]:
    """Return the run *digest*, with the processes that were measured beside it."""
    together = {digest, *(name for one in measured for name in one.runs)}
    return [one for one in runs if one.facts.digest in together]


def _by_age(runs: Iterable[StoredRun]) -> list[StoredRun]:
    return sorted(
        runs, key=lambda one: (age(one.facts.started, None), one.facts.digest)
    )


def _environments(
    connection: Connection, runs: Iterable[StoredRun]
) -> dict[str, Mapping[str, Any]]:
    wanted = sorted({one.facts.environment for one in runs})
    query = select(environment).where(environment.c.digest.in_(wanted))
    return {row.digest: dict(row._mapping) for row in connection.execute(query)}
