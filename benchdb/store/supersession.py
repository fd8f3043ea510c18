"""Which sources are out of date: by our own reading, and by decisions of the owner.

What a source says of others is a proposal, for anybody can write a source. Without a
decision only a document that was read here is replaced, by what a newer version of the
same importer has read of it here.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select

from benchdb.errors import UsageError
from benchdb.identity import digest
from benchdb.store import versions
from benchdb.store.hearsay import sources_of_hearsay
from benchdb.store.readers import numbers
from benchdb.store.tables import source, source_file
from benchdb.store.tables import supersession as table
from benchdb.store.versions import Edition, Pair

HEARD = "heard"  # a rule: only a file of others tells these figures


class Proposal(msgspec.Struct, frozen=True):
    """That *newer* takes the place of *outdated*, two sources, and by which rule.

    Where both are the same, that its figures count though nobody known tells them.
    *accepted* is what was decided, ``None`` as long as nothing was.
    """

    outdated: str
    newer: str
    why: str
    accepted: bool | None = None

    @property
    def id(self) -> str:
        """Identify the proposal, in every database."""
        return digest([self.outdated, self.newer])

    @property
    def state(self) -> str:
        """Return ``open``, ``accepted`` or ``rejected``."""
        if self.accepted is None:
            return "open"
        return "accepted" if self.accepted else "rejected"


def superseded(connection: Connection) -> dict[str, str]:
    """Return the digest of the newest version, by those of the sources before it."""
    return _in_force(connection, versions.editions(connection))


def proposals(connection: Connection) -> list[Proposal]:
    """Return what was decided about sources, and what is still to be decided."""
    decided = _decided(connection)
    still = _undecided(connection, versions.editions(connection), decided)
    every = (*decided, *still, *heard(connection))
    return sorted(every, key=lambda one: (one.accepted is not None, one.id))


def heard(
    connection: Connection, among: Collection[str] | None = None
) -> list[Proposal]:
    """Return the open proposals that figures count which only strangers tell.

    Those *among* these sources, ``None`` for all.
    """
    decided = {one.newer for one in _decided(connection) if one.why == HEARD}
    found = sources_of_hearsay(connection, among) - decided
    return [Proposal(name, name, HEARD) for name in sorted(found)]


def proposed_by(connection: Connection, sources: Collection[str]) -> list[Proposal]:
    """Return the open proposals in which one of *sources* is the newer one."""
    known = versions.related(connection, sources)
    still = _undecided(connection, known, _decided(connection))
    return [one for one in still if one.newer in sources]


def find(connection: Connection, prefix: str) -> Proposal:
    """Return the one proposal whose id starts with *prefix*."""
    wanted = prefix.lower()
    found = [
        one for one in proposals(connection) if wanted and one.id.startswith(wanted)
    ]
    if not found:
        raise UsageError(f"no proposal {prefix!r}; 'benchdb sources' shows their ids")
    if len(found) > 1:
        raise UsageError(f"several proposals start with {prefix!r}; give more digits")
    return found[0]


def decide(connection: Connection, about: Proposal, *, accepted: bool) -> None:
    """Accept or reject a proposal, whatever was decided about it before."""
    if about.accepted is accepted:
        raise UsageError(f"proposal {about.id[:12]} is {about.state} already")
    _drop(connection, about)
    row = {
        "outdated": about.outdated,
        "newer": about.newer,
        "why": about.why,
        "accepted": accepted,
    }
    connection.execute(insert(table), [row])


def undo(connection: Connection, about: Proposal) -> None:
    """Take a decision back: the proposal is open again."""
    if about.accepted is None:
        raise UsageError(f"nothing was decided about proposal {about.id[:12]}")
    _drop(connection, about)


def _drop(connection: Connection, about: Proposal) -> None:
    same = table.c.outdated == about.outdated, table.c.newer == about.newer
    connection.execute(delete(table).where(*same))


def _decided(connection: Connection) -> list[Proposal]:
    query = select(table.c.outdated, table.c.newer, table.c.why, table.c.accepted)
    return [Proposal(*row) for row in connection.execute(query)]


def _undecided(
    connection: Connection, known: list[Edition], decided: list[Proposal]
) -> list[Proposal]:
    pairs = {(one.outdated, one.newer) for one in decided}
    refused = {(one.outdated, one.newer) for one in decided if not one.accepted}
    holds = _in_force(connection, known)
    return [
        Proposal(old, new, why)
        for (old, new), why in versions.proposed(known, refused).items()
        if (old, new) not in pairs and holds.get(old) != new
    ]


def _in_force(connection: Connection, known: list[Edition]) -> dict[str, str]:
    ages = {one.digest: one.age for one in known}
    accepted = [
        (one.outdated, one.newer)
        for one in _decided(connection)
        if one.accepted and one.why != HEARD
    ]
    pairs = [
        pair
        for pair in (*accepted, *_read_here(connection))
        if ages.keys() >= set(pair)
    ]
    return versions.newest(pairs, ages)


def _read_here(connection: Connection) -> Iterator[Pair]:
    """Yield readings of a document with that by the newest version of its importer.

    All of them were made here, from the document itself: what an exchange file says of
    documents and importers is no reading, and what it comes with has another SHA-256
    than the document that it speaks of.
    """
    query = select(
        source.c.digest,
        source.c.slug,
        source_file.c.file,
        source_file.c.importer,
        source_file.c.importer_version,
    ).where(
        source_file.c.source == source.c.digest,
        source_file.c.file == source.c.document_sha256,
    )
    groups: dict[Any, dict[str, tuple[int, ...]]] = defaultdict(dict)
    for name, slug, file, importer, version in connection.execute(query):
        group = groups[file, slug, importer]
        group[name] = max(group.get(name, ()), numbers(version))
    for group in groups.values():
        latest = max(group, key=lambda name: (group[name], name))
        for old, version in group.items():
            if version and version < group[latest]:
                yield old, latest
