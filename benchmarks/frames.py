"""What many results as a data frame cost, beside ``pandas.read_sql`` of the same view.

The database is filled as that of ``report_runs``, each run of a session of its own.

    python -m benchmarks.frames DATABASE

is the yardstick alone.
"""

import shutil
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from benchdb.store import results
from benchdb.store.database import open_database, writing
from benchmarks.costs import PYTHON, cost
from benchmarks.report_runs import filled
from benchmarks.rows import Extent, Limit, Named, Place, Row, Turn

ROWS: tuple[Row, ...] = (
    Row(
        "frames",
        "db.results() of many runs",
        "pandas.read_sql of the view",
        (Limit("ratio", most=1.5),),
    ),
)
USUAL = Extent(100_000, 5)
QUICK = Extent(200, 2)
_FRAME = "import sys, benchdb; assert len(benchdb.open(sys.argv[1]).results()) > 0"


def with_results(database: Path, target: Path) -> None:
    """Make a copy of *database* in which each run is a result of its own."""
    unfinished = target.with_suffix(".unfinished")
    shutil.copyfile(database, unfinished)
    engine = open_database(str(unfinished))
    with writing(engine) as connection:
        # Processes of a campaign are one result: without it each run is one.
        connection.exec_driver_sql("UPDATE run SET campaign = NULL")
        results.renew(connection)
    engine.dispose()
    unfinished.rename(target)


def yardstick(database: Path) -> None:
    """Read the view as anybody would."""
    import pandas as pd  # noqa: PLC0415 - only this side pays for it here
    from sqlalchemy import create_engine  # noqa: PLC0415

    engine = create_engine(f"sqlite:///{database}")
    assert len(pd.read_sql("SELECT * FROM results", engine)) > 0


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn; the sides take turns in going first."""
    if not wanted or extent.runs is None:
        return
    database = place.room / f"frames-{extent.runs}.sqlite"
    if not database.exists():
        with_results(filled(place.room, extent.runs), database)
    frame = (PYTHON, "-c", _FRAME, database)
    bare = (PYTHON, "-m", "benchmarks.frames", database)
    for number in range(extent.rounds):
        taken = {}
        for side in (bare, frame) if number % 2 else (frame, bare):
            taken[side] = cost(*side)
        yield Named("frames", Turn(taken[frame], taken[bare]))


if __name__ == "__main__":
    yardstick(Path(sys.argv[1]))
