"""A digest of all contents that does not read them: of the runs, parts are kept.

A part has the runs whose digests begin alike, so that an import counts only those anew
to which it adds, and two databases can tell where they differ.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter

from sqlalchemy import Connection, func, select

from benchdb.store.bulk_load import delete_keys, insert_rows
from benchdb.store.tables import (
    claim,
    finding,
    forgotten,
    future_date,
    machine_link,
    part,
    retraction,
    run,
    signature,
    signed_run,
    signer,
    source,
    source_file,
    supersession,
)

LETTERS = 3  # 4,096 parts
# What is found in runs, and decided of them, apart from what they say.
_TOLD = (
    *(source, finding, source_file, supersession),
    *(machine_link, future_date, forgotten, retraction),
    *(signer, signature, signed_run),
)
_MANY = 2000  # of these; from here on one reading of all is quicker


def refresh(connection: Connection, prefixes: Collection[str]) -> None:
    """Count the parts anew that begin with these letters."""
    touched = sorted(prefixes)
    query = select(run.c.digest).order_by(run.c.digest)
    if len(touched) > _MANY:
        digests = connection.scalars(query)
        counted = (
            _part(some) for some in _alike(digests) if some[0][:LETTERS] in prefixes
        )
    else:
        # What is between them sorts alike in every language.
        among = (run.c.digest.between(text, f"{text}g") for text in touched)
        groups = (connection.scalars(query.where(each)).all() for each in among)
        counted = (_part(some) for some in groups if some)
    rows = list(counted)
    delete_keys(connection, part.c.prefix, touched)
    insert_rows(connection, part, rows)


def _alike(digests: Iterable[str]) -> Iterator[list[str]]:
    """Yield the digests that begin alike together."""
    for _, some in groupby(digests, itemgetter(slice(LETTERS))):
        yield list(some)


def _part(digests: Sequence[str]) -> dict[str, object]:
    text = hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return {"prefix": digests[0][:LETTERS], "runs": len(digests), "digest": text}


def renew(connection: Connection) -> None:
    """Count all parts anew."""
    prefix = func.substr(run.c.digest, 1, LETTERS)
    refresh(connection, connection.scalars(select(prefix).distinct()).all())


def runs(connection: Connection) -> int:
    """Return how many runs there are."""
    return connection.scalar(select(func.coalesce(func.sum(part.c.runs), 0))) or 0


def digest(connection: Connection) -> str:
    """Return a SHA-256 over the contents: the same runs, the same digest."""
    sha = hashlib.sha256()
    parts = select(part.c.prefix, part.c.digest).order_by(part.c.prefix)
    for prefix, result in connection.execute(parts).all():
        sha.update(f"runs {prefix} {result}\n".encode())
    for table in (claim, source):
        query = select(table.c.digest).order_by(table.c.digest)
        for item in connection.scalars(query).all():
            sha.update(f"{table.name} {item}\n".encode())
    return sha.hexdigest()


def state(connection: Connection) -> str:
    """Return a SHA-256 over the contents, and over what was found and decided of them.

    Nothing that is told of a database changes without it.
    """
    sha = hashlib.sha256(digest(connection).encode())
    for table in _TOLD:
        query = select(table).order_by(*table.primary_key)
        for row in chain.from_iterable(connection.execute(query).partitions(1000)):
            sha.update(repr((table.name, *row)).encode())
    for scalar in connection.scalars(
        select(run.c.digest).where(run.c.mine).order_by(run.c.digest)
    ):
        sha.update(scalar.encode())
    return sha.hexdigest()
