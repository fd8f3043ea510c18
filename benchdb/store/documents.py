"""Files that were read, what was refused of them, and the sources that they brought.

A file that was read cleanly is known the next time. One with refused records is read
again, so that they are told again; its place in the quarantine is written anew.
"""

import hashlib
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import IO, Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    func,
    select,
    update,
)

from benchdb.errors import UsageError
from benchdb.exchange.reader import BadLine
from benchdb.identity import digest
from benchdb.store.bulk_load import batched
from benchdb.store.editions import Proposal, proposals, superseded
from benchdb.store.rows import plain
from benchdb.store.tables import (
    document,
    imported_file,
    quarantine,
    run,
    source,
    source_file,
)
from benchdb.store.write import insert_new

KEPT_LIMIT = 4 * 2**20  # bytes; a larger document is told apart, but not kept


class Fingerprint(msgspec.Struct, frozen=True):
    """A file: its name without folders, its SHA-256, its size and its line breaks."""

    name: str
    sha256: str
    size: int
    lines: int


class Reader(msgspec.Struct, frozen=True):
    """What reads a file: an importer, its version, the digest of a map.

    *about* is what the importing person told besides: told otherwise, the file is
    another source.
    """

    importer: str
    version: str
    map_sha256: str | None = None
    about: Mapping[str, Any] = {}


def fingerprint(stream: IO[bytes], name: str) -> Fingerprint:
    """Read the whole *stream* once, in pieces, and go back to its start."""
    hashed, size, lines = hashlib.sha256(), 0, 0
    for chunk in iter(lambda: stream.read(2**20), b""):
        hashed.update(chunk)
        size += len(chunk)
        lines += chunk.count(b"\n")
    stream.seek(0)
    return Fingerprint(name, hashed.hexdigest(), size, lines)


def key(file: Fingerprint, by: Reader) -> str:
    """Identify that *file* is read so."""
    about = [by.about] if by.about else []
    return digest([file.sha256, by.importer, by.version, by.map_sha256, *about])


def refused_of(file: Fingerprint, by: Reader) -> ColumnElement[bool]:
    """Return what holds for the entries of *file* in the quarantine."""
    same = quarantine.c.file == file.sha256, quarantine.c.importer == by.importer
    return and_(*same)


def known_file(connection: Connection, file: Fingerprint, by: Reader) -> int | None:
    """Return how many runs the file had, if it was read so before without a refusal."""
    refused = select(quarantine.c.digest).where(refused_of(file, by))
    query = select(imported_file.c.runs).where(
        imported_file.c.digest == key(file, by), ~refused.exists()
    )
    number: int | None = connection.scalar(query)
    return number


def rename(connection: Connection, file: Fingerprint, by: Reader) -> None:
    """Keep the name of *file*, if it comes first in the alphabet of those it had."""
    named = update(imported_file).where(
        imported_file.c.digest == key(file, by), imported_file.c.name > file.name
    )
    connection.execute(named.values(name=file.name))


def record(connection: Connection, file: Fingerprint, by: Reader, runs: int) -> None:
    """Note that *file*, which had so many runs, was read."""
    same = imported_file.c.digest == key(file, by)
    before = connection.scalar(select(imported_file.c.name).where(same))
    row = {
        "digest": key(file, by),
        "sha256": file.sha256,
        "name": min(file.name, before or file.name),
        "importer": by.importer,
        "importer_version": by.version,
        "map_sha256": by.map_sha256,
        "bytes": file.size,
        "lines": file.lines,
        "runs": runs,
    }
    connection.execute(delete(imported_file).where(same))
    connection.execute(insert_new(connection, imported_file), [row])


def brought(
    connection: Connection, file: Fingerprint, by: Reader, sources: Mapping[str, str]
) -> None:
    """Note that *file* brought these *sources*, each in which version of its reader.

    Where the file is the document itself, that shows what was read of it here.
    """
    there = select(source.c.digest)
    for some in batched(sorted(sources)):
        rows = [
            {
                "source": edition,
                "file": file.sha256,
                "importer": by.importer,
                "importer_version": sources[edition],
            }
            for edition in connection.scalars(there.where(source.c.digest.in_(some)))
        ]
        if rows:
            connection.execute(insert_new(connection, source_file), rows)


def refuse(
    connection: Connection, file: Fingerprint, by: Reader, bad: Sequence[BadLine]
) -> None:
    """Put what was refused of *file* into the quarantine, in place of what is there."""
    connection.execute(delete(quarantine).where(refused_of(file, by)))
    rows = [
        {
            "digest": digest(
                [
                    file.sha256,
                    by.importer,
                    refusal.number,
                    refusal.locator,
                    refusal.reason,
                ]
            ),
            "file": file.sha256,
            "name": file.name,
            "importer": by.importer,
            "map_sha256": by.map_sha256,
            "about": by.about,
            "line": refusal.number,
            "locator": refusal.locator,
            "reason": refusal.reason,
            "raw": refusal.raw,
        }
        for refusal in map(_storable, bad)
    ]
    if rows:
        connection.execute(insert_new(connection, quarantine), rows)


def _storable(line: BadLine) -> BadLine:
    """Return *line* with ``?`` for half a surrogate pair, which cannot be encoded."""
    texts = {"reason": line.reason, "locator": line.locator, "raw": line.raw}
    encoded = {name: text.encode(errors="replace") for name, text in texts.items()}
    return replace(line, **{name: text.decode() for name, text in encoded.items()})


def keep(connection: Connection, name: str, content: bytes) -> None:
    """Keep a document byte for byte; who calls minds the ``KEPT_LIMIT``."""
    row = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "name": name,
        "bytes": len(content),
        "packed": zlib.compress(content, 9),
    }
    connection.execute(insert_new(connection, document), [row])


def kept(connection: Connection, sha256: str) -> bytes | None:
    """Return the document with that digest, if it was kept."""
    query = select(document.c.packed).where(document.c.sha256 == sha256)
    packed = connection.scalar(query)
    return None if packed is None else zlib.decompress(packed)


class RefusedFile(msgspec.Struct, frozen=True):
    """A file with refused records, the map it was read by, what was told about it."""

    sha256: str
    name: str
    importer: str
    map_sha256: str | None
    about: Mapping[str, Any]


def refused_records(connection: Connection) -> list[dict[str, Any]]:
    """Return every refused record, by file and place."""
    query = select(quarantine).order_by(
        quarantine.c.name, quarantine.c.file, quarantine.c.line, quarantine.c.locator
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def find_refused(connection: Connection, prefix: str) -> dict[str, Any]:
    """Return the one refused record whose id starts with *prefix*."""
    wanted = prefix.lower()
    query = select(quarantine).where(quarantine.c.digest.startswith(wanted)).limit(2)
    hexadecimal = wanted and not set(wanted) - set("0123456789abcdef")
    matches = list(connection.execute(query).mappings()) if hexadecimal else []
    if not matches:
        raise UsageError(f"nothing {prefix!r}; 'benchdb quarantine list' shows the ids")
    if len(matches) > 1:
        raise UsageError(f"several ids start with {prefix!r}; give more digits")
    return dict(matches[0])


def refused_files(connection: Connection) -> list[RefusedFile]:
    """Return the files that have refused records."""
    columns = ("file", "name", "importer", "map_sha256", "about")
    query = select(*(quarantine.c[name] for name in columns)).distinct()
    files = [RefusedFile(*row) for row in connection.execute(query)]
    return sorted(files, key=lambda file: (file.name, file.sha256, file.importer))


class ListedSource(msgspec.Struct, frozen=True):
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


def listed_sources(connection: Connection) -> list[ListedSource]:
    """Return all sources by their slugs."""
    newer = superseded(connection)
    runs, files = _runs(connection), _files(connection)
    about: dict[str, list[Proposal]] = defaultdict(list)
    for proposal in proposals(connection):
        about[proposal.outdated].append(proposal)
    columns = ListedSource.__struct_fields__[
        : ListedSource.__struct_fields__.index("runs")
    ]
    query = select(*(source.c[name] for name in columns))
    listed = [
        ListedSource(
            **plain(row),
            runs=dict(sorted(runs[row.digest].items())),
            files=sorted(files[row.digest]),
            superseded_by=newer.get(row.digest),
            proposals=about[row.digest],
        )
        for row in connection.execute(query)
    ]
    return sorted(
        listed, key=lambda listed_source: (listed_source.slug, listed_source.digest)
    )


def runs_by_slug(connection: Connection, digests: Collection[str]) -> dict[str, int]:
    """Return how many runs these sources have, by slug."""
    counts: Counter[str] = Counter()
    for some in batched(sorted(digests)):
        query = (
            select(source.c.slug, func.count(run.c.digest))
            .outerjoin(run, run.c.source == source.c.digest)
            .where(source.c.digest.in_(some))
            .group_by(source.c.slug)
        )
        for slug, count in connection.execute(query):
            counts[slug] += count
    return dict(sorted(counts.items()))


def _runs(connection: Connection) -> dict[str, dict[str, int]]:
    query = (
        select(run.c.source, run.c.label, func.count())
        .where(run.c.source.is_not(None))
        .group_by(run.c.source, run.c.label)
    )
    groups: dict[str, dict[str, int]] = defaultdict(dict)
    for name, label, count in connection.execute(query):
        groups[name][label] = count
    return groups


def _files(connection: Connection) -> dict[str, set[str]]:
    query = select(source_file.c.source, imported_file.c.name).join_from(
        source_file, imported_file, source_file.c.file == imported_file.c.sha256
    )
    groups: dict[str, set[str]] = defaultdict(set)
    for key, name in connection.execute(query):
        groups[key] |= {name} - {""}  # at first, names were not kept
    return groups
