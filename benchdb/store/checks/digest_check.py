"""Whether stored digests are those of what is stored beside them."""

import hashlib
import zlib
from collections.abc import Callable, Iterator, Sequence

from rfc8785 import CanonicalizationError
from sqlalchemy import Connection, func, select

from benchdb.errors import DatabaseError
from benchdb.exchange.record import claim_digest, digest_of
from benchdb.store import read, rows
from benchdb.store.bulk_load import ROWS, batched
from benchdb.store.tables import (
    chip,
    claim,
    document,
    environment,
    machine,
    run,
    samples,
    source,
)

# What rows changed by hand make of the way back into lines, and of their digests.
UNREADABLE = (DatabaseError, CanonicalizationError, UnicodeError, OverflowError)


def wrong_digests(connection: Connection, sample: int | None = None) -> Iterator[str]:
    """Yield the rows whose digest is not that of their content, or has none.

    Of runs, *sample* may be looked at, chosen by chance; ``None`` is all of them.
    """
    for some in _digests(connection, sample):
        try:
            yield from _runs(connection, some)
        except UNREADABLE:
            for one in some:
                yield from _attempt(f"run {one[:12]}", _one_run, connection, one)
    checks = (_machines, _environments, _sources, _claims, _documents)
    for check in checks:
        yield from _attempt(check.__name__.strip("_"), check, connection)


def _digests(connection: Connection, sample: int | None) -> Iterator[Sequence[str]]:
    if sample is not None:
        by_chance = select(run.c.digest).order_by(func.random()).limit(sample)
        chosen = connection.scalars(by_chance).all()
        yield from batched(chosen)
        return
    query = select(run.c.digest).order_by(run.c.digest).limit(ROWS)
    some = connection.scalars(query).all()
    while some:
        yield some
        some = connection.scalars(query.where(run.c.digest > some[-1])).all()


def _attempt(
    what: str, check: Callable[..., Iterator[str]], *arguments: object
) -> Iterator[str]:
    try:
        yield from check(*arguments)
    except UNREADABLE as error:
        yield f"{what} cannot be read: {error}"


def _one_run(connection: Connection, digest: str) -> Iterator[str]:
    yield from _runs(connection, [digest])


def _runs(connection: Connection, digests: Sequence[str]) -> list[str]:
    query = select(samples.c.run, samples.c.count).where(samples.c.run.in_(digests))
    counts = {row.run: row.count for row in connection.execute(query)}
    found = []
    for record in read.records_of(connection, digests):
        told = record.run.key
        if record.digest != told:
            found.append(_line("run", told, record.digest))
        count = sum(len(one.values) for one in record.series)
        if counts.get(told, 0) != count:
            stored = counts.get(told, 0)
            found.append(f"run {told[:12]} has {count} samples, not {stored}")
    return found


def _machines(connection: Connection) -> Iterator[str]:
    chips = {row.digest: rows.plain(row) for row in connection.execute(select(chip))}
    for row in connection.execute(select(machine)):
        if row.chip not in chips:
            continue  # that is told where references are
        found = rows.to_machine(rows.plain(row), chips[row.chip])
        if digest_of(found) != row.digest:
            yield _line("machine", row.digest, digest_of(found))
        if digest_of(found.chip) != row.chip:
            yield _line("chip", row.chip, digest_of(found.chip))


def _environments(connection: Connection) -> Iterator[str]:
    for row in connection.execute(select(environment)):
        found = digest_of(rows.to_environment(rows.plain(row)))
        if found != row.digest:
            yield _line("environment", row.digest, found)


def _sources(connection: Connection) -> Iterator[str]:
    for row in connection.execute(select(source)):
        found = digest_of(rows.to_source(rows.plain(row)))
        if found != row.digest:
            yield _line("source", row.digest, found)


def _claims(connection: Connection) -> Iterator[str]:
    for row in connection.execute(select(claim)):
        found = claim_digest(rows.to_claim(rows.plain(row)), row.source)
        if found != row.digest:
            yield _line("claim", row.digest, found)


def _documents(connection: Connection) -> Iterator[str]:
    for name in connection.scalars(select(document.c.sha256)).all():
        query = select(document.c.packed).where(document.c.sha256 == name)
        try:
            content = zlib.decompress(connection.execute(query).scalar_one())
        except zlib.error as error:
            yield f"document {name[:12]} cannot be read: {error}"
            continue
        found = hashlib.sha256(content).hexdigest()
        if found != name:
            yield _line("document", name, found)


def _line(what: str, stored: str, found: str) -> str:
    return f"{what} {stored[:12]} was changed: its content has the digest {found[:12]}"
