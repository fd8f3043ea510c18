"""What was forgotten here: another import of the same file leaves it out.

A forgotten run stays away by its digest, a forgotten source with all that comes from
it, until that is undone.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, func, or_, select, update

from benchdb.errors import UsageError
from benchdb.store.pieces import pieces
from benchdb.store.rows import OF_A_RUN, Row, Rows
from benchdb.store.tables import forgotten as table
from benchdb.store.tables import run, source

RUN, SOURCE = "run", "source"
_TOGETHER = 500  # digests that are asked for
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
        select(table.c.act, table.c.what, table.c.kind, func.count())
        .where(~table.c.undone)
        .group_by(table.c.act, table.c.what, table.c.kind)
    )
    found: dict[str, Act] = {}
    for act, what, kind, count in connection.execute(query):
        known = found.get(act, Act(act, what, 0, source=False))
        whole = known.source or kind == SOURCE
        runs = known.runs + (count if kind == RUN else 0)
        found[act] = Act(act, what, runs, source=whole)
    return sorted(found.values(), key=lambda one: (one.what, one.id))


def undo(connection: Connection, prefix: str) -> Act:
    """Let imports take again what was forgotten by the act that starts with *prefix*.

    It is not there before an import brings it.
    """
    wanted = prefix.lower()
    found = [one for one in acts(connection) if wanted and one.id.startswith(wanted)]
    if not found:
        raise UsageError(
            f"nothing was forgotten as {prefix!r}; 'benchdb forget --list' shows what "
            "was, and its id"
        )
    if len(found) > 1:
        raise UsageError(f"several ids start with {prefix!r}; give more digits")
    connection.execute(
        update(table).where(table.c.act == found[0].id).values(undone=True)
    )
    return found[0]


def pending(connection: Connection) -> bool:
    """Tell whether a file that was read before may bring something else now.

    It does as long as something is forgotten, or taken back and not there yet.
    """
    there = or_(
        select(run.c.digest).where(run.c.digest == table.c.digest).exists(),
        select(source.c.digest).where(source.c.digest == table.c.digest).exists(),
    )
    query = select(table.c.digest).where(or_(~table.c.undone, ~there)).limit(1)
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

    def less(self, found: Rows) -> Rows:
        """Return the rows that may be written now."""
        if self._some is None:
            query = select(table.c.digest).where(~table.c.undone).limit(1)
            self._some = self._connection.scalar(query) is not None
        if not self._some:
            return found
        runs, claims = found.get("run", []), found.get("claim", [])
        of_runs = {row[_AT["source"]] for row in runs} - {None}
        named = of_runs | {row["source"] for row in claims}
        named |= {row["digest"] for row in found.get("source", [])}
        gone = self._gone(named | {row[0] for row in runs})
        out = {row[0] for row in runs if row[0] in gone or row[_AT["source"]] in gone}
        self.runs |= out
        self.sources |= gone & named
        self._emptied |= {row[_AT["source"]] for row in runs if row[0] in out}
        kept: Rows = {
            name: [row for row in found.get(name, []) if row[0] not in out]
            for name in OF_A_RUN
        }
        kept["claim"] = [row for row in claims if row["source"] not in gone]
        for name in _SHARED:
            self._held[name] |= {_key(row): row for row in found.get(name, [])}
        for one in gone:
            self._held["source"].pop(one, None)
        kept |= self._released(kept)
        return {name: some for name, some in kept.items() if some}

    def rest(self) -> Rows:
        """Return the sources that no run refers to: they mean something alone."""
        held = self._held["source"].values()
        return {"source": [row for row in held if row["digest"] not in self._emptied]}

    def _gone(self, digests: Collection[str]) -> set[str]:
        gone = set[str]()
        for some in pieces(sorted(digests), _TOGETHER):
            query = select(table.c.digest).where(table.c.digest.in_(some))
            gone.update(self._connection.scalars(query.where(~table.c.undone)))
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
            machines[one]["chip"] for one in needed["machine"] if one in machines
        }
        return {
            name: [held.pop(one) for one in sorted(needed[name] & held.keys())]
            for name in _SHARED
            for held in [self._held[name]]
        }


def _key(row: Row) -> Any:
    if "version" in row:
        return row["name"], row["version"]
    return row.get("digest") or row["name"]
