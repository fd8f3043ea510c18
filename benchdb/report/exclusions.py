"""What is doubtful about runs, and which of them count in no comparison.

Flags of the sources and findings of the rules are told alike. Runs of a source that
has a newer version, and those that repeat another source's figures, would count twice.
What only a stranger tells would take the place of what is known.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec
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

    def why(self, run: str, source: str | None) -> Flagged | None:
        """Return why *run* of *source* is one of them, as a flag of the whole run."""
        if source is not None and source in self.newer:
            return Flagged("superseded", None, {"newer": self.newer[source]})
        if run in self.originals:
            return Flagged("same-figures", None, {"original": self.originals[run]})
        return Flagged("hearsay", None, {}) if run in self.hearsay else None


NOTHING = LeftOut()


def left_out(connection: Connection, among: Select[Any] | None = None) -> LeftOut:
    """Return the runs that count in no comparison.

    Of those *among* some digests, one whose original is not there counts only once.
    """
    newer = editions.superseded(connection)
    there = None if among is None else set(connection.scalars(among))
    # Each copied run with its copy, and the source that told the figures first.
    copied = [
        (copy, run, duplicate.original)
        for duplicate in duplicates.duplicates(connection)
        for run, copy in duplicate.runs
        if there is None or run in there
    ]
    copies = {copy for copy, _, _ in copied}
    originals: dict[str, str] = {}
    # First those whose original is no copy itself.
    for copy, _, first in sorted(copied, key=lambda row: (row[1] in copies, *row)):
        originals.setdefault(copy, first)
    query = select(source.c.digest, source.c.slug, source.c.title)
    names = {
        row.digest: row.title if row.title == row.slug else f"{row.title} ({row.slug})"
        for row in (connection.execute(query) if newer or originals else ())
    }
    return LeftOut(
        {old: names[new] for old, new in newer.items()},
        {run: names[first] for run, first in originals.items()},
        hearsay.hearsay(connection, among),
    )


def flags(
    connection: Connection, among: Select[Any] | None = None
) -> dict[str, list[Flagged]]:
    """Return the doubts by run: flags in the order raised, then what rules found.

    *among* is the query of the digests of the runs that matter, None for all. What
    a flag says already of a run and metric, no finding repeats.
    """
    flags_of = defaultdict[str, list[Flagged]](list)
    for table, order in (
        (flag, (flag.c.run, flag.c.position)),
        (finding, (finding.c.run, finding.c.code, finding.c.metric)),
    ):
        query = select(table).order_by(*order)
        if among is not None:
            query = query.where(table.c.run.in_(among))
        for row in connection.execute(query).all():
            metric = row.metric or None
            known = {(flagged.code, flagged.metric) for flagged in flags_of[row.run]}
            if table is flag or (row.code, metric) not in known:
                flags_of[row.run].append(Flagged(row.code, metric, row.detail))
    return dict(flags_of)
