"""Published figures that only a stranger's file tells, beside those that are known.

Anybody can write an exchange file with the figures of any document, or with more runs
of a known one. Known is what benchdb ships, and what was read here from the document
itself. It depends on no order of imports, and on nothing that a file claims.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    or_,
    select,
    true,
    union_all,
)

from benchdb.exchange.record import Record
from benchdb.resources import folder
from benchdb.store.tables import run, source, source_file, supersession

_SOURCE = b'"type":"source"'  # as all published documents have it


def hearsay(connection: Connection) -> frozenset[str]:
    """Return the runs of work that a shipped document tells of, told by nobody known.

    Without such a document there is nothing to take the place of: they count then, as
    those of sources do that the owner has accepted.
    """
    return frozenset(row.digest for row in _heard(connection, true()))


def sources_of_hearsay(
    connection: Connection, among: Collection[str] | None = None
) -> set[str]:
    """Return the sources, *among* these, that count nowhere until they are accepted.

    What was added to a shipped document is none that could be accepted.
    """
    wanted = true() if among is None else run.c.source.in_(sorted(among))
    found = {row.source for row in _heard(connection, wanted)}
    return found - _shipped().keys() - {None}


def _heard(
    connection: Connection, wanted: ColumnElement[bool]
) -> Iterator[Row[Any, Any]]:
    there = _shipped_there(connection)
    told = run.c.source.in_(sorted(there))
    work = set(connection.scalars(select(run.c.workload).where(told).distinct()))
    known = frozenset[str]().union(*there.values())
    trusted = union_all(_read_here(), _accepted())
    query = select(run.c.digest, run.c.source).where(
        wanted,
        run.c.label != "measured",
        ~run.c.mine,
        run.c.workload.in_(sorted(work)),
        or_(run.c.source.is_(None), run.c.source.not_in(trusted)),
    )
    return (row for row in connection.execute(query) if row.digest not in known)


def known_sources(connection: Connection) -> frozenset[str]:
    """Return the sources that benchdb ships, and those that were read here."""
    read_here = frozenset(connection.scalars(_read_here()))
    return read_here | _shipped_there(connection).keys()


def added(digests: Mapping[str, str]) -> set[str]:
    """Return which of these runs, with their source, a shipped document has not."""
    shipped = _shipped()
    return {
        name
        for name, origin in digests.items()
        if origin in shipped and name not in shipped[origin]
    }


@cache
def shipped_runs() -> frozenset[str]:
    """Return the runs that benchdb ships, those that were measured as well.

    That reads some megabytes: nothing to do without need.
    """
    return frozenset(
        record.digest
        for path in folder("published").glob("*.jsonl")
        for record in _records(path)
    )


def _records(path: Path) -> Iterator[Record]:
    from benchdb.exchange.reader import read  # noqa: PLC0415  seldom needed

    with path.open("rb") as stream:
        yield from (item for item in read(stream) if isinstance(item, Record))


def _accepted() -> Select[Any]:
    """Return the sources that the owner accepted: decisions about themselves alone."""
    return select(supersession.c.outdated).where(
        supersession.c.outdated == supersession.c.newer, supersession.c.accepted
    )


def _read_here() -> Select[Any]:
    return select(source_file.c.source).where(
        source_file.c.source == source.c.digest,
        source_file.c.file == source.c.document_sha256,
    )


def _shipped_there(connection: Connection) -> dict[str, frozenset[str]]:
    """Return the shipped documents that are in the database, with their runs."""
    shipped = _shipped()
    query = select(source.c.digest).where(source.c.digest.in_(sorted(shipped)))
    return {name: shipped[name] for name in connection.scalars(query)}


@cache
def _shipped() -> Mapping[str, frozenset[str]]:
    """Return the runs of each document that benchdb ships, by the source's digest."""
    found: dict[str, set[str]] = {}
    for path in sorted(folder("published").glob("*.jsonl")):
        with path.open("rb") as stream:
            if not any(_SOURCE in line for line in islice(stream, 2)):
                continue
        for record in _records(path):
            if record.source_digest is not None:
                found.setdefault(record.source_digest, set()).add(record.digest)
    return {name: frozenset(runs) for name, runs in found.items()}
