"""Whether a run of a large file costs what a run of a small one does.

Digests come in no order, so each new run belongs somewhere else in the indexes; what is
asked here is how much that costs once they no longer fit into memory.
"""

import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from benchdb.store.database import open_database
from benchmarks.costs import BENCHDB, cost
from benchmarks.native_import import exchange_file
from benchmarks.rows import MIB, Cost, Extent, Limit, Named, Place, Row, Turn

ROWS: tuple[Row, ...] = (
    Row(
        "import-growth",
        "native import of many runs, SQLite",
        "that of a tenth of them",
        (Limit("ratio", most=11), Limit("peak_bytes", most=150 * MIB)),
    ),
)
USUAL = Extent(1_000_000, 1)
QUICK = Extent(2000, 1)
_TENTH = 10


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn: both files, each into a new database."""
    del wanted  # there is one row
    runs = extent.runs or 0
    many, few = (exchange_file(place.room, item) for item in (runs, runs // _TENTH))
    for number in range(extent.rounds):
        taken = {
            file: _import(file)
            for file in sorted((few, many), reverse=bool(number % 2))
        }
        yield Named("import-growth", Turn(taken[many], taken[few]))


def _import(file: Path) -> Cost:
    with tempfile.TemporaryDirectory(dir=file.parent) as room:
        database = Path(room) / "results.sqlite"
        open_database(str(database), create=True).dispose()
        return cost(*BENCHDB, "import", file, "--db", database)
