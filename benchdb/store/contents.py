"""A digest of all contents that does not read them: of the runs, parts are kept.

A part has the runs whose digests begin alike, so that an import counts only those anew
to which it adds, and two databases can tell where they differ.
"""

import hashlib
from collections.abc import Iterable

from sqlalchemy import Connection, delete, func, insert, select

from benchdb.store.tables import claim, part, run, source

LETTERS = 3  # 4,096 parts


def refresh(connection: Connection, prefixes: Iterable[str]) -> None:
    """Count the parts anew that begin with these letters."""
    rows = []
    for prefix in sorted(prefixes):
        connection.execute(delete(part).where(part.c.prefix == prefix))
        # What is between them sorts alike in every language.
        among = run.c.digest.between(prefix, f"{prefix}g")
        digests = connection.scalars(select(run.c.digest).where(among)).all()
        if digests:
            told = hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()
            rows.append({"prefix": prefix, "runs": len(digests), "digest": told})
    if rows:
        connection.execute(insert(part), rows)


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
    for row in connection.execute(select(part).order_by(part.c.prefix)):
        sha.update(f"runs {row.prefix} {row.digest}\n".encode())
    for table in (claim, source):
        for one in connection.scalars(select(table.c.digest).order_by(table.c.digest)):
            sha.update(f"{table.name} {one}\n".encode())
    return sha.hexdigest()
