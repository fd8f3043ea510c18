"""Dates to come: what was told to have happened after it was imported.

A clock decides that once, when a run or a source arrives; what it decided is stored,
so that the same database gives the same report at any time. Such a date is told as it
was given, and counts as unknown wherever the newest is asked for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, case, select

from benchdb.plausibility.observed import Finding
from benchdb.store.pieces import pieces
from benchdb.store.tables import future_date, run, source

CODE = "future-date"
_DAY = timedelta(days=1)  # time zones are up to 14 hours ahead, and clocks go wrong
# Nothing is imported before this was written: an earlier clock was never set.
_EARLIEST = datetime(2026, 11, 24, tzinfo=UTC)
_TOGETHER = 500
_STARTED = run.c.keys().index("started")

_AHEAD = select(future_date.c.digest)
# When a run started; NULL where that was yet to come as it was imported.
STARTED = case((run.c.digest.in_(_AHEAD), None), else_=run.c.started).label("started")

Row = dict[str, Any]


def of_runs(new: Iterable[Sequence[Any]]) -> list[Row]:
    """Return the rows of ``future_date`` for those of *new* runs that start ahead."""
    return _rows((row[0], row[_STARTED]) for row in new)


def of_sources(connection: Connection, some: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return those for sources that are not there yet, with their dates ahead."""
    ahead = _rows(
        (row["digest"], date)
        for row in some
        for date in (row["published"], row["retrieved"])
    )
    if not ahead:
        return []
    digests = [row["digest"] for row in ahead]
    query = select(source.c.digest).where(source.c.digest.in_(digests))
    there = set(connection.scalars(query))
    return [row for row in ahead if row["digest"] not in there]


def sources_ahead(connection: Connection) -> set[str]:
    """Return the digests of the sources whose dates were yet to come."""
    query = select(source.c.digest).where(source.c.digest.in_(_AHEAD))
    return set(connection.scalars(query))


def findings(connection: Connection, digests: Sequence[str]) -> Iterator[Finding]:
    """Yield which of the finished runs *digests* have, or are from, a date to come."""
    columns = (future_date.c.imported, run.c.digest, run.c.started)
    dates = (source.c.published, source.c.retrieved)
    started = select(*columns).join(future_date, future_date.c.digest == run.c.digest)
    published = (
        select(*columns, *dates)
        .join(future_date, future_date.c.digest == run.c.source)
        .join(source, source.c.digest == run.c.source)
    )
    for some in pieces(digests, _TOGETHER):
        ahead: dict[str, Row] = {}
        ours = (run.c.digest.in_(some), run.c.status == "ok")
        for row in connection.execute(published.where(*ours)):
            date = max(filter(None, (row.published, row.retrieved)), default=None)
            ahead[row.digest] = {"published": date, "imported": row.imported}
        for row in connection.execute(started.where(*ours)):
            ahead[row.digest] = {"started": row.started, "imported": row.imported}
        yield from (Finding(name, CODE, None, facts) for name, facts in ahead.items())


def _rows(dated: Iterable[tuple[str, str | None]]) -> list[Row]:
    now = max(datetime.now(UTC), _EARLIEST)
    today, limit = now.date().isoformat(), now + _DAY
    # Most dates are seen to be past by their letters alone.
    ahead = {
        digest for digest, date in dated if date and date > today and _after(date, limit)
    }
    return [{"digest": digest, "imported": today} for digest in sorted(ahead)]


def _after(date: str, limit: datetime) -> bool:
    """Tell whether *date*, a day or a part of it, is after *limit*.

    What is no date, but is sorted as one, is: nobody can say that it is past.
    """
    plain = date.strip()
    try:
        moment = datetime.fromisoformat(plain)
    except ValueError:
        return plain[:4].isdecimal() and plain > limit.isoformat()[: len(plain)]
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment > limit
