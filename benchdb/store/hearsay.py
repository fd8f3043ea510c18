"""Published figures that only a stranger's file tells, beside those that are known.

Anybody can write an exchange file with the figures of any document, or with more runs
of a known one, which may say that they were measured. Known is what benchdb ships, and
what was read here from the document itself. It depends on no order of imports, and on
nothing that a file claims.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    or_,
    select,
    true,
    union_all,
)

from benchdb.resources import folder
from benchdb.store.bulk_load import batched
from benchdb.store.tables import run, source, source_file, supersession


def hearsay(connection: Connection, among: Select[Any] | None = None) -> frozenset[str]:
    """Return the runs of work that a shipped document tells of, told by nobody known.

    They are *among* these digests, if any are given.

    So is what was added to one of these documents as if it had been measured.
    Without such a document there is nothing to take the place of: they count then, as
    those of sources do that the owner has accepted.
    """
    wanted = true() if among is None else run.c.digest.in_(among)
    return frozenset(row.digest for row in _heard(connection, wanted))


def sources_of_hearsay(
    connection: Connection, among: Collection[str] | None = None
) -> set[str]:
    """Return the sources, *among* these, that count nowhere until they are accepted.

    What was added to a shipped document is none that could be accepted.
    """
    wanted = true() if among is None else run.c.source.in_(sorted(among))
    result = {row.source for row in _heard(connection, wanted)}
    return result - _shipped().keys() - {None}


def _heard(
    connection: Connection, wanted: ColumnElement[bool]
) -> Iterator[Row[Any, Any]]:
    there = _shipped_there(connection)
    expression = run.c.source.in_(sorted(there))
    work = set(connection.scalars(select(run.c.workload).where(expression).distinct()))
    known = frozenset[str]().union(*there.values())
    trusted = union_all(_read_here(), _accepted())
    query = select(run.c.digest, run.c.source).where(
        wanted,
        ~run.c.mine,
        or_(
            and_(expression, run.c.label == "measured"),
            and_(
                run.c.label != "measured",
                run.c.workload.in_(sorted(work)),
                or_(run.c.source.is_(None), run.c.source.not_in(trusted)),
            ),
        ),
    )
    rows = connection.execute(query).all()
    return (row for row in rows if row.digest not in known)


def strangers(connection: Connection, sources: Iterable[str]) -> dict[str, int]:
    """Return 0 for *sources* that are known, 1 for accepted ones, 2 for the others.

    Known are those that benchdb ships, and those that were read here.
    """
    known = {*connection.scalars(_read_here()), *_shipped_there(connection)}
    accepted = set(connection.scalars(_accepted()))
    return {
        name: 0 if name in known else 1 if name in accepted else 2 for name in sources
    }


def shipped_machines(connection: Connection) -> frozenset[str]:
    """Return the machines that benchdb ships measurements of, where those are there."""
    texts = set[str]()
    for some in batched(sorted(_every().get("", ()))):
        query = select(run.c.machine).where(run.c.digest.in_(some))
        texts.update(connection.scalars(query.distinct()))
    return frozenset(texts)


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
    """Return the runs that benchdb ships, those that were measured as well."""
    return frozenset[str]().union(*_every().values())


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


def _shipped() -> Mapping[str, frozenset[str]]:
    """Return the runs of each document that benchdb ships, by the source's digest."""
    return {name: runs for name, runs in _every().items() if name}


@cache
def _every() -> Mapping[str, frozenset[str]]:
    """Return all that benchdb ships; "" is the document of what was measured."""
    content = (folder("schema") / "shipped.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, frozenset[str]])
