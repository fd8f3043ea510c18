"""Check a database, gather from several sites, explain queries: heavy, so apart."""

import re
from collections.abc import Iterator, Sequence

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from benchdb.cli.console import counted
from benchdb.errors import DatabaseError
from benchdb.store.checks import derived_check, digest_check, structure
from benchdb.store.error_text import why
from benchdb.store.postgresql.gather import derive, gather, known_sites
from benchdb.store.query_plans import explained, indexes, recorded

_COLUMNS = re.compile(r"\ASELECT .*?(?=\sFROM\b)", re.DOTALL)
_WIDTH = 200  # of a query; what tells it from others stands near its start
_TOLD = 100  # problems of a kind; more of them say nothing new


def problems(connection: Connection, sample: int | None) -> Iterator[str]:
    """Yield a line for each problem; *sample* runs are looked into, or all of them."""
    checks = {
        "damage": structure.damage(connection),
        "schema": structure.schema_differences(connection),
        "reference": structure.dangling(connection),
        "digest": digest_check.wrong_digests(connection, sample),
        "derived": derived_check.differences(connection),
    }
    for kind, found in checks.items():
        for number, problem in enumerate(_each(connection, found)):
            if number == _TOLD:
                yield f"{kind}: and more than {_TOLD}"
                break
            yield f"{kind}: {problem}"


def _each(connection: Connection, found: Iterator[str]) -> Iterator[str]:
    """Yield what is found; where one check cannot go on, the next ones still can."""
    try:
        with connection.begin_nested():
            yield from found
    except (SQLAlchemyError, *digest_check.UNREADABLE) as error:
        yield f"cannot be checked: {why(error)}"


class Line(msgspec.Struct, frozen=True):
    """What to tell of a site, and whether it *failed*."""

    text: str
    failed: bool = False


def gathered(connection: Connection, asked: Sequence[str]) -> Iterator[Line]:
    """Yield a line for each site; nothing of one that failed is kept."""
    added = 0
    for site in known_sites(connection, asked):
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


def explanation(connection: Connection) -> Iterator[str]:
    """Yield each query that a report asks, its plan, and then the indexes left over."""
    from benchdb.report.summary import summarise  # noqa: PLC0415 - no check needs it

    with recorded(connection) as queries:
        summarise(connection)
    used: set[str] = set()
    for number, query in enumerate(queries.values(), start=1):
        plan = explained(connection, query)
        used.update(plan.indexes)
        text = " ".join(_COLUMNS.sub("SELECT …", query.statement).split())
        short = text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
        yield f"{number}. asked {query.times} ×: {short}"
        yield from (f"   {line}" for line in plan.lines)
        yield f"   indexes: {', '.join(plan.indexes) or 'none'}"
        yield f"   read whole: {', '.join(plan.whole) or 'none'}"
        yield ""
    unused = ", ".join(sorted(indexes() - used)) or "none"
    yield f"{len(queries)} queries; indexes that none of them uses: {unused}"
