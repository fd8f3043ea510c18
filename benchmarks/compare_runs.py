"""What it costs to compare two campaigns among many runs, beside few.

The databases are those of ``report_runs``; the two campaigns of 180 processes have
samples as well, without which nothing would be compared.
"""

import shutil
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from benchdb.exchange.packing import Series, pack
from benchmarks.costs import BENCHDB, cost
from benchmarks.report_runs import against_few
from benchmarks.rows import Cost, Extent, Limit, Named, Place, Row

ROWS: tuple[Row, ...] = (
    Row(
        "compare",
        "two campaigns compared among many runs",
        "the same among 10,000",
        (Limit("ratio", most=1.2), Limit("seconds", most=1)),
    ),
)
USUAL = Extent(1_000_000, 11)
QUICK = Extent(2000, 2)
_CAMPAIGNS = ("c000-on-0", "c000-on-4")
_BLOCKS = pack([Series("measure", 1, (0.5, 0.51, 0.5, 0.49, 0.5))])


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn; the sides take turns in going first."""
    yield from against_few(wanted, extent, place, _compare)


def _compare(database: Path) -> Cost:
    sampled = _sampled(database)
    with closing(sqlite3.connect(sampled)) as connection:
        there = connection.execute(
            "SELECT DISTINCT campaign FROM run WHERE campaign IN (?, ?) ORDER BY 1",
            _CAMPAIGNS,
        ).fetchall()
    # Of a few hundred runs one is there, and meets itself: it works, no more is shown.
    (first,), (last,) = there[0], there[-1]
    return cost(*BENCHDB, "compare", first, last, "--db", sampled)


def _sampled(database: Path) -> Path:
    """Return a copy of *database* in which the two campaigns have samples."""
    path = database.with_name(f"compared-{database.name}")
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        shutil.copyfile(database, unfinished)
        with closing(sqlite3.connect(unfinished)) as connection, connection:
            connection.execute(
                "INSERT INTO samples (run, count, packed) "
                "SELECT digest, 5, ? FROM run WHERE campaign IN (?, ?)",
                (_BLOCKS, *_CAMPAIGNS),
            )
        unfinished.rename(path)
    return path
