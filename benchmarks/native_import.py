"""Importing an exchange file of many runs, beside the least that it could cost.

The file and the yardstick of SQLite are those of ``import_runs``, that of PostgreSQL is
``copy_runs``. Each import is into a new database that has its tables already.
"""

import shutil
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from benchdb.store.database import open_database
from benchmarks import servers
from benchmarks.costs import BENCHDB, PYTHON, cost
from benchmarks.rows import MIB, Extent, Limit, Named, Place, Row, Turn

_SPEED = Limit("ratio", least=0.7)
_MEMORY = Limit("peak_bytes", most=150 * MIB)
_THIS = Path(__file__).with_name("import_runs.py")

ROWS: tuple[Row, ...] = (
    Row(
        "import",
        "native import, SQLite",
        "decode + executemany",
        (_SPEED, _MEMORY),
        speed=True,
    ),
    Row(
        "reimport",
        "re-import of the same file",
        "the first import",
        (Limit("ratio", most=0.5),),
    ),
    Row(
        "import-postgresql",
        "native import, PostgreSQL",
        "decode + COPY",
        (_SPEED, _MEMORY),
        speed=True,
    ),
)
USUAL = Extent(100_000, 5)
QUICK = Extent(1000, 2)


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn."""
    file = exchange_file(place.room, extent.runs or 0)
    if not {"import", "reimport"}.isdisjoint(wanted):
        with tempfile.TemporaryDirectory(dir=place.room) as room:
            empty = Path(room) / "empty.sqlite"
            open_database(str(empty), create=True).dispose()
            for number in range(extent.rounds):
                yield from _into_files(file, empty, wanted, swapped=bool(number % 2))
    if "import-postgresql" in wanted:
        with (
            servers.address(place.postgres) as server,
            servers.database(server, servers.EMPTY) as empty_one,
        ):
            open_database(empty_one, create=True).dispose()
            for number in range(extent.rounds):
                yield _into_server(file, server, swapped=bool(number % 2))


def exchange_file(room: Path, runs: int) -> Path:
    """Return a file of so many runs in *room*; it is written if it is not there."""
    file = room / f"runs-{runs}.jsonl"
    if not file.exists():
        unfinished = file.with_suffix(".unfinished")
        cost(PYTHON, _THIS, "--write", unfinished, "--runs", runs)
        unfinished.rename(file)
    return file


def _into_files(
    file: Path, empty: Path, wanted: Collection[str], *, swapped: bool
) -> Iterator[Named]:
    with tempfile.TemporaryDirectory(dir=empty.parent) as room:
        bare, ours = (
            shutil.copyfile(empty, Path(room) / name) for name in ("bare", "ours")
        )
        whole = (*BENCHDB, "import", file, "--db", ours)
        sides: dict[str, tuple[object, ...]] = {"ours": whole}
        if "import" in wanted:
            sides["bare"] = (PYTHON, _THIS, "--yardstick", file, "--db", bare)
        taken = {side: cost(*sides[side]) for side in sorted(sides, reverse=swapped)}
        if "import" in wanted:
            yield Named("import", Turn(taken["ours"], taken["bare"]))
        if "reimport" in wanted:
            yield Named("reimport", Turn(cost(*whole), taken["ours"]))


def _into_server(file: Path, server: str, *, swapped: bool) -> Named:
    taken = {}
    sides = ["what", "yardstick"] if swapped else ["yardstick", "what"]
    for side in sides:
        with servers.database(server, servers.NAME, servers.EMPTY) as url:
            if side == "what":
                taken[side] = cost(*BENCHDB, "import", file, "--db", url)
            else:
                taken[side] = cost(PYTHON, "-m", "benchmarks.copy_runs", file, url)
    return Named("import-postgresql", Turn(taken["what"], taken["yardstick"]))
