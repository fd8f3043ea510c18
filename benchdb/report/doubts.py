"""What is doubtful about runs, and which of them count in no comparison.

Flags of the sources and findings of the rules are told alike. Runs of a source that
has a newer version, and those that repeat another source's figures, would count twice.
What only a stranger tells would take the place of what is known.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Select, select

from benchdb.store import duplicates, editions, hearsay
from benchdb.store.tables import finding, flag, source


class Flagged(msgspec.Struct, frozen=True):
    """One flag of one run."""

    code: str
    metric: str | None
    detail: dict[str, Any]


class LeftOut(msgspec.Struct, frozen=True):
    """Runs that are listed, and stay out of every comparison and count.

    *newer* is what each outdated source is replaced by, *originals* who told the
    figures of a run first, *hearsay* are runs that only a stranger's file tells.
    """

    newer: Mapping[str, str] = {}
    originals: Mapping[str, str] = {}
    hearsay: frozenset[str] = frozenset()

    def has(self, run: str, source: str | None) -> bool:
        """Tell whether *run* of *source* is one of them."""
        return source in self.newer or run in self.originals or run in self.hearsay

    def why(self, run: str, source: str | None) -> list[Flagged]:
        """Return why it is, as flags of the whole run."""
        if source is not None and source in self.newer:
            return [Flagged("superseded", None, {"newer": self.newer[source]})]
        if run in self.originals:
            return [Flagged("same-figures", None, {"original": self.originals[run]})]
        if run in self.hearsay:
            return [Flagged("hearsay", None, {})]
        return []


NOTHING = LeftOut()


def left_out(connection: Connection, among: frozenset[str] | None = None) -> LeftOut:
    """Return the runs that count in no comparison.

    Of a report *among* some runs, one whose original is not there counts only once.
    """
    newer = editions.superseded(connection)
    told = duplicates.duplicates(connection)
    if among is not None:
        told = [_within(among, one) for one in told]
    names = _names(connection, {*newer.values(), *(one.original for one in told)})
    return LeftOut(
        {old: names[new] for old, new in newer.items()},
        {run: names[first] for run, first in _originals(told).items()},
        hearsay.hearsay(connection),
    )


def _within(among: frozenset[str], told: duplicates.Duplicate) -> duplicates.Duplicate:
    return replace(told, runs=tuple(pair for pair in told.runs if pair[0] in among))


def _originals(told: Iterable[duplicates.Duplicate]) -> dict[str, str]:
    """Return the source that each copied run comes from: one that copies nobody."""
    pairs = [(copy, run, one.original) for one in told for run, copy in one.runs]
    copies = {copy for copy, _, _ in pairs}
    found: dict[str, str] = {}
    for copy, _, first in sorted(pairs, key=lambda pair: (pair[1] in copies, *pair)):
        found.setdefault(copy, first)
    return found


def _names(connection: Connection, digests: set[str]) -> dict[str, str]:
    """Return what to call each source: its title, and its slug where that differs."""
    if not digests:
        return {}
    query = select(source.c.digest, source.c.slug, source.c.title)
    return {
        row.digest: row.title if row.title == row.slug else f"{row.title} ({row.slug})"
        for row in connection.execute(query)
        if row.digest in digests
    }


def flags(
    connection: Connection, among: Select[Any] | None = None
) -> dict[str, list[Flagged]]:
    """Return the doubts by run: flags in the order raised, then what rules found.

    *among* is the query of the digests of the runs that matter, None for all. What
    a flag says already of a run and metric, no finding repeats.
    """
    found: defaultdict[str, list[Flagged]] = defaultdict(list)
    query = select(flag).order_by(flag.c.run, flag.c.position)
    if among is not None:
        query = query.where(flag.c.run.in_(among))
    for row in connection.execute(query):
        found[row.run].append(Flagged(row.code, row.metric, row.detail))
    query = select(finding).order_by(finding.c.run, finding.c.code, finding.c.metric)
    if among is not None:
        query = query.where(finding.c.run.in_(among))
    for row in connection.execute(query):
        metric = row.metric or None
        told = {(one.code, one.metric) for one in found[row.run]}
        if (row.code, metric) not in told:
            found[row.run].append(Flagged(row.code, metric, row.detail))
    return dict(found)
