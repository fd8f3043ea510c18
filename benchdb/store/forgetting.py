"""Delete a run, or all runs of a machine or a source, so that they stay away.

What only they referred to goes as well. What others use stays, and what is derived
follows from the rest. Another import of the same file leaves out what was forgotten, a
run by its digest, a source with all that comes from it, until that is undone.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from benchdb.errors import UsageError
from benchdb.identity import digest
from benchdb.store.bulk_load import batched
from benchdb.store.removal import Removal, Removed
from benchdb.store.rows import OF_A_RUN, Row, Rows
from benchdb.store.tables import (
    chip,
    claim,
    forgotten,
    machine,
    run,
    source,
)

RUN, SOURCE = "run", "source"
_SHARED = ("source", "chip", "machine", "environment", "workload", "metric")
_AT = {name: position for position, name in enumerate(run.c.keys())}


class Act(msgspec.Struct, frozen=True):
    """What was forgotten at once: so many *runs*, and whether a whole source."""

    id: str
    what: str
    runs: int
    source: bool


def acts(connection: Connection) -> list[Act]:
    """Return what is forgotten, by what it was."""
    query = (
        select(forgotten.c.act, forgotten.c.what, forgotten.c.kind, func.count())
        .where(~forgotten.c.undone)
        .group_by(forgotten.c.act, forgotten.c.what, forgotten.c.kind)
    )
    by_id: dict[str, Act] = {}
    for act, what, kind, count in connection.execute(query):
        known = by_id.get(act, Act(act, what, 0, source=False))
        whole = known.source or kind == SOURCE
        runs = known.runs + (count if kind == RUN else 0)
        by_id[act] = Act(act, what, runs, source=whole)
    return sorted(by_id.values(), key=lambda it: (it.what, it.id))


def undo(connection: Connection, prefix: str) -> Act:
    """Let imports take again what was forgotten by the act that starts with *prefix*.

    It is not there before an import brings it.
    """
    wanted = prefix.lower()
    matches = [act for act in acts(connection) if wanted and act.id.startswith(wanted)]
    if not matches:
        raise UsageError(
            f"nothing was forgotten as {prefix!r}; 'benchdb forget --list' shows what "
            "was, and its id"
        )
    if len(matches) > 1:
        raise UsageError(f"several ids start with {prefix!r}; give more digits")
    connection.execute(
        update(forgotten).where(forgotten.c.act == matches[0].id).values(undone=True)
    )
    return matches[0]


def pending(connection: Connection) -> bool:
    """Tell whether a file that was read before may bring something else now.

    It does as long as something is forgotten, or taken back and not there yet.
    """
    there = or_(
        select(run.c.digest).where(run.c.digest == forgotten.c.digest).exists(),
        select(source.c.digest).where(source.c.digest == forgotten.c.digest).exists(),
    )
    query = select(forgotten.c.digest).where(or_(~forgotten.c.undone, ~there)).limit(1)
    return connection.scalar(query) is not None


class LeftOut:
    """Takes what was forgotten out of the rows that an import brings.

    What many runs refer to comes before them, once: it waits for a run that is kept, so
    that nothing remains of which nobody speaks. *runs* and *sources* are what was left
    out.
    """

    def __init__(self, connection: Connection) -> None:
        """Look into the database only when rows come."""
        self._connection = connection
        self._some: bool | None = None
        self._held: dict[str, dict[Any, Row]] = defaultdict(dict)
        self._emptied: set[str] = set()
        self.runs: set[str] = set()
        self.sources: set[str] = set()

    @property
    def any(self) -> bool:
        """Tell whether anything was left out."""
        return bool(self.runs or self.sources)

    def less(self, rows: Rows) -> Rows:
        """Return the rows that may be written now."""
        if self._some is None:
            query = select(forgotten.c.digest).where(~forgotten.c.undone).limit(1)
            self._some = self._connection.scalar(query) is not None
        if not self._some:
            return rows
        runs, claims = rows.get("run", []), rows.get("claim", [])
        of_runs = {row[_AT["source"]] for row in runs} - {None}
        named = of_runs | {row["source"] for row in claims}
        named |= {row["digest"] for row in rows.get("source", [])}
        gone = self._gone(named | {row[0] for row in runs})
        out = {row[0] for row in runs if row[0] in gone or row[_AT["source"]] in gone}
        self.runs |= out
        self.sources |= gone & named
        self._emptied |= {row[_AT["source"]] for row in runs if row[0] in out}
        kept: Rows = {
            name: [row for row in rows.get(name, []) if row[0] not in out]
            for name in OF_A_RUN
        }
        kept["claim"] = [row for row in claims if row["source"] not in gone]
        kept["retraction"] = rows.get("retraction", [])
        for name in _SHARED:
            self._held[name] |= {_key(row): row for row in rows.get(name, [])}
        for text in gone:
            self._held["source"].pop(text, None)
        kept |= self._released(kept)
        return {name: some for name, some in kept.items() if some}

    def rest(self) -> Rows:
        """Return the sources that no run refers to: they mean something alone."""
        held = self._held["source"].values()
        return {"source": [row for row in held if row["digest"] not in self._emptied]}

    def _gone(self, digests: Collection[str]) -> set[str]:
        gone = set[str]()
        for some in batched(sorted(digests)):
            query = select(forgotten.c.digest).where(forgotten.c.digest.in_(some))
            gone.update(self._connection.scalars(query.where(~forgotten.c.undone)))
        return gone

    def _released(self, kept: Rows) -> Rows:
        """Return what is held and *kept* runs and claims refer to."""
        runs = kept["run"]
        needed: dict[str, set[Any]] = {
            name: {row[_AT[name]] for row in runs}
            for name in ("machine", "environment", "source")
        }
        needed["source"] |= {row["source"] for row in kept["claim"]}
        place = _AT["workload"]
        needed["workload"] = {tuple(row[place : place + 2]) for row in runs}
        needed["metric"] = {row[1] for row in kept["value"]}
        machines = self._held["machine"]
        needed["chip"] = {
            machines[item]["chip"] for item in needed["machine"] if item in machines
        }
        return {
            name: [held.pop(item) for item in sorted(needed[name] & held.keys())]
            for name in _SHARED
            for held in [self._held[name]]
        }


def _key(row: Row) -> Any:
    if "version" in row:
        return row["name"], row["version"]
    return row.get("digest") or row["name"]


MACHINE = "machine"
_KINDS = {RUN: run, MACHINE: machine, SOURCE: source}
_WHERE = {RUN: run.c.digest, MACHINE: run.c.machine, SOURCE: run.c.source}


class Target(msgspec.Struct, frozen=True):
    """What to forget: its *kind*, its digest, and what to call it."""

    kind: str
    digest: str
    what: str

    @property
    def act(self) -> str:
        """Identify that it was forgotten."""
        return digest([self.kind, self.digest])


def find(connection: Connection, wanted: str) -> Target:
    """Return the one run, machine or source that *wanted* names.

    That is how an id starts, or the name of a source; ``run:``, ``machine:`` and
    ``source:`` before it tell them apart.
    """
    kind, colon, name = wanted.partition(":")
    kinds = [kind] if colon and kind in _KINDS else list(_KINDS)
    name = name if len(kinds) == 1 else wanted
    matches = [
        (text, key) for text in kinds for key in _matches(connection, text, name)
    ]
    if not matches:
        raise UsageError(
            f"no {', '.join(kinds[:-1])}{' or ' * (len(kinds) > 1)}{kinds[-1]} "
            f"{name!r}; 'benchdb list', 'benchdb machines list' and 'benchdb sources' "
            "show them"
        )
    if len(matches) > 1:
        several = ", ".join(f"{text}:{key[:12]}" for text, key in matches)
        raise UsageError(f"{name!r} fits several: {several}; give one of these")
    ((kind, key),) = matches
    return Target(kind, key, _what(connection, kind, key))


def _matches(connection: Connection, kind: str, name: str) -> Sequence[str]:
    """Return the digests that *name* fits; a few, where it fits many."""
    key = _KINDS[kind].c.digest
    prefix = name.lower()
    fits: list[ColumnElement[bool]] = []
    if prefix and not set(prefix) - set("0123456789abcdef"):
        fits.append(key.startswith(prefix))
    if kind == SOURCE:
        fits.append(source.c.slug == name)
    groups = [connection.scalars(select(key).where(fit).limit(4)).all() for fit in fits]
    return sorted({item for some in groups for item in some})


def _what(connection: Connection, kind: str, key: str) -> str:
    match kind:
        case "run":
            query = select(run.c.workload).where(run.c.digest == key)
        case "machine":
            query = select(chip.c.vendor + " " + chip.c.name).where(
                machine.c.chip == chip.c.digest, machine.c.digest == key
            )
        case _:
            query = select(source.c.slug).where(source.c.digest == key)
    return f"{kind} {key[:12]}, {connection.scalar(query)}"


def forget(connection: Connection, target: Target) -> Removed:
    """Delete what *target* names and what only that referred to; keep it away."""
    _bury(connection, target, _WHERE[target.kind] == target.digest)
    runs = select(forgotten.c.digest).where(
        forgotten.c.act == target.act, forgotten.c.kind == RUN, ~forgotten.c.undone
    )
    removal = Removal(connection, runs)
    if target.kind == MACHINE:
        removal.machines.add(target.digest)
    removal.drop_runs()
    removal.emptied |= removal.sources
    if target.kind == SOURCE:
        removal.drop_claims(claim.c.source == target.digest)
        removal.emptied.add(target.digest)
    return removal.finish()


def _bury(connection: Connection, target: Target, which: ColumnElement[bool]) -> None:
    """Note the runs, and the source if it is one, so that imports leave them out."""
    digests = select(run.c.digest).where(which)
    again = forgotten.c.digest.in_(digests) | (forgotten.c.digest == target.digest)
    connection.execute(delete(forgotten).where(again))
    names = [column.name for column in forgotten.columns]

    def row(key: Any, kind: str) -> Any:
        facts = (literal(kind), literal(target.act), literal(target.what))
        return select(key, *facts, literal(False))  # noqa: FBT003 - a column

    rows = row(run.c.digest, RUN).where(which)
    connection.execute(insert(forgotten).from_select(names, rows))
    if target.kind == SOURCE:
        rows = row(literal(target.digest), SOURCE)
        connection.execute(insert(forgotten).from_select(names, rows))
