"""Dates to come: what was told to have happened after it was imported.

A clock decides that once, when a run or a source arrives; what it decided is stored,
so that the same database gives the same report at any time. Such a date is told as it
was given, and counts as unknown wherever the newest is asked for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, case, select

from benchdb.store.bulk_load import batched
from benchdb.store.tables import future_date, run, source

_DAY = timedelta(days=1)  # time zones are up to 14 hours ahead, and clocks go wrong
# Nothing is imported before this was written: an earlier clock was never set.
_EARLIEST = datetime(2026, 11, 24, tzinfo=UTC)
_STARTED = run.c.keys().index("started")

AHEAD = select(future_date.c.digest)
# When a run started; NULL where that was yet to come as it was imported.
STARTED = case((run.c.digest.in_(AHEAD), None), else_=run.c.started).label("started")

Row = dict[str, Any]


def of_runs(new: Iterable[Sequence[Any]]) -> list[Row]:
    """Return the rows of ``future_date`` for those of *new* runs that start ahead."""
    return rows((row[0], row[_STARTED]) for row in new)


def of_sources(connection: Connection, some: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return those for sources that are not there yet, with their dates ahead."""
    ahead = rows(
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
    query = select(source.c.digest).where(source.c.digest.in_(AHEAD))
    return set(connection.scalars(query))


def to_come(
    connection: Connection, digests: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the finished ones of the runs *digests* that have a date to come.

    With each come the date, by what it is of, and the day of the import.
    """
    facts = (future_date.c.imported, run.c.digest)
    started = select(*facts, run.c.started).where(run.c.digest == future_date.c.digest)
    published = select(*facts, source.c.published, source.c.retrieved).where(
        run.c.source == future_date.c.digest, source.c.digest == run.c.source
    )
    for some in batched(digests):
        ours = (run.c.digest.in_(some), run.c.status == "ok")
        ahead: dict[str, dict[str, str]] = {}
        for day, digest, *dates in connection.execute(published.where(*ours)):
            latest = max(filter(None, dates), default="")
            ahead[digest] = {"published": latest, "imported": day}
        for day, digest, date in connection.execute(started.where(*ours)):
            ahead[digest] = {"started": date, "imported": day}
        yield from ahead.items()


def rows(dated: Iterable[tuple[str, str | None]]) -> list[Row]:
    """Return the rows of ``future_date`` for what is *dated* ahead of the clock."""
    now = max(datetime.now(UTC), _EARLIEST)
    today, limit = now.date().isoformat(), now + _DAY
    # Most dates are seen to be past by their letters alone.
    plain = ((digest, date.strip()) for digest, date in dated if date)
    later = (pair for pair in plain if pair[1] > today)
    ahead = sorted({digest for digest, date in later if _after(date, limit)})
    return [{"digest": digest, "imported": today} for digest in ahead]


def _after(date: str, limit: datetime) -> bool:
    """Tell whether *date*, which may be a year or a month, is after *limit*.

    What cannot be a date, but begins as one, is compared as the text that it is.
    """
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:
        return date[:4].isdecimal() and date > limit.isoformat()[: len(date)]
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment > limit
