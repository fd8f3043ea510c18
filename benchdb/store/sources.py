"""The sources of a database, each with what is known and decided about it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

import msgspec
from sqlalchemy import Connection, func, select

from benchdb.store.pieces import pieces
from benchdb.store.rows import plain
from benchdb.store.supersession import Proposal, proposals, superseded
from benchdb.store.tables import imported_file, run, source, source_file

_TOGETHER = 500  # digests of one query


class Listed(msgspec.Struct, frozen=True):
    """A source: *runs* by label, the names of the *files* that brought it here.

    *superseded_by* is the source that counts in its place, *proposals* are those about
    which sources could.
    """

    digest: str
    slug: str
    title: str
    authors: Sequence[str]
    url: str | None
    licence: str | None
    published: str | None
    document: str | None
    document_sha256: str | None
    runs: dict[str, int]
    files: list[str]
    superseded_by: str | None
    proposals: list[Proposal]


def listed(connection: Connection) -> list[Listed]:
    """Return all sources by their slugs."""
    newer = superseded(connection)
    runs, files = _runs(connection), _files(connection)
    about: dict[str, list[Proposal]] = defaultdict(list)
    for one in proposals(connection):
        about[one.outdated].append(one)
    columns = Listed.__struct_fields__[: Listed.__struct_fields__.index("runs")]
    query = select(*(source.c[name] for name in columns))
    found = [
        Listed(
            **plain(row),
            runs=dict(sorted(runs[row.digest].items())),
            files=sorted(files[row.digest]),
            superseded_by=newer.get(row.digest),
            proposals=about[row.digest],
        )
        for row in connection.execute(query)
    ]
    return sorted(found, key=lambda one: (one.slug, one.digest))


def runs_by_slug(connection: Connection, digests: Collection[str]) -> dict[str, int]:
    """Return how many runs these sources have, by slug."""
    found: Counter[str] = Counter()
    for some in pieces(sorted(digests), _TOGETHER):
        query = (
            select(source.c.slug, func.count(run.c.digest))
            .outerjoin(run, run.c.source == source.c.digest)
            .where(source.c.digest.in_(some))
            .group_by(source.c.slug)
        )
        for slug, count in connection.execute(query):
            found[slug] += count
    return dict(sorted(found.items()))


def _runs(connection: Connection) -> dict[str, dict[str, int]]:
    query = (
        select(run.c.source, run.c.label, func.count())
        .where(run.c.source.is_not(None))
        .group_by(run.c.source, run.c.label)
    )
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for digest, label, count in connection.execute(query):
        found[digest][label] = count
    return found


def _files(connection: Connection) -> dict[str, set[str]]:
    query = select(source_file.c.source, imported_file.c.name).join_from(
        source_file, imported_file, source_file.c.file == imported_file.c.sha256
    )
    found: dict[str, set[str]] = defaultdict(set)
    for digest, name in connection.execute(query):
        found[digest] |= {name} - {""}  # at first, names were not kept
    return found
