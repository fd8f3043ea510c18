"""Gather from several sites, each of which may fail without the others."""

from collections.abc import Iterator, Sequence

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from benchdb.cli.counts import counted
from benchdb.errors import DatabaseError
from benchdb.store.error_text import why
from benchdb.store.gathering import derive, gather, sites


class Line(msgspec.Struct, frozen=True):
    """What to tell of a site, and whether it *failed*."""

    text: str
    failed: bool = False


def gathered(connection: Connection, asked: Sequence[str]) -> Iterator[Line]:
    """Yield a line for each site; nothing of one that failed is kept."""
    added = 0
    for site in sites(connection, asked):
        try:
            with connection.begin_nested():
                count = gather(connection, site)
        except (SQLAlchemyError, DatabaseError) as error:
            if connection.invalidated:  # it is our own server that is gone
                raise
            yield Line(f"benchdb: {site}: {_reason(error)}", failed=True)
        else:
            added += count
            yield Line(f"{site}: {counted(count, 'new run')}")
    if added:
        derive(connection)


def _reason(error: Exception) -> str:
    """Return the cause in one line; why a server cannot be reached is its detail."""
    told = str(error) if isinstance(error, DatabaseError) else why(error)
    diagnosis = getattr(getattr(error, "orig", None), "diag", None)
    detail = getattr(diagnosis, "message_detail", None)
    return f"{told}: {' '.join(detail.split())}" if detail else told
