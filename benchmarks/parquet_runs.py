"""What an export of many runs to Parquet costs, beside the least that it could cost.

The database is filled as that of ``report_runs``, with raw times for each run.
The yardstick reads the same figures and samples by hand and writes two files: runs
by number, no facts beside them, nothing else.

    python -m benchmarks.parquet_runs DATABASE FOLDER

is the yardstick alone.
"""

import random
import shutil
import sqlite3
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from benchdb.exchange.packing import Series, opened, pack
from benchmarks.costs import BENCHDB, PYTHON, cost
from benchmarks.report_runs import filled
from benchmarks.rows import MIB, Extent, Limit, Named, Place, Row, Turn

ROWS: tuple[Row, ...] = (
    Row(
        "parquet",
        "export to Parquet",
        "bare sqlite3 + pyarrow",
        (Limit("peak_bytes", most=250 * MIB),),
    ),
)
USUAL = Extent(20_000, 3)
QUICK = Extent(200, 2)
SAMPLES = 200  # of a run
_GROUP = 2**17  # rows
_KINDS = 1000  # different packs of samples, so that filling is quick


def add_samples(database: Path, samples: int) -> None:
    """Give each run of *database* so many raw times."""
    chance = random.Random(samples)  # noqa: S311 - figures, not secrets
    packs = [
        pack([Series("measure", 4, _times(chance, samples))]) for _ in range(_KINDS)
    ]
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("BEGIN IMMEDIATE")
    runs = connection.execute("SELECT rowid, digest FROM run").fetchall()
    rows = ((digest, samples, packs[number % _KINDS]) for number, digest in runs)
    connection.executemany("INSERT INTO samples VALUES (?, ?, ?)", rows)
    connection.execute("COMMIT")
    connection.close()


def _times(chance: random.Random, count: int) -> tuple[float, ...]:
    step = chance.uniform(0.15, 0.25)
    return tuple(round(step * chance.uniform(0.98, 1.05), 9) for _ in range(count))


def yardstick(database: Path, folder: Path) -> None:
    """Write the figures and samples of *database*, and of each its run's number."""
    import pyarrow as pa  # noqa: PLC0415 - only this side pays for it here
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    folder.mkdir()
    connection = sqlite3.connect(database)
    figures = pa.schema({"run": pa.int64(), "metric": pa.string(), "value": "f8"})
    cursor = connection.execute(
        "SELECT run.rowid, metric, value FROM value JOIN run ON run = run.digest"
    )
    with ParquetWriter(folder / "values", figures, compression="zstd") as writer:
        while rows := cursor.fetchmany(_GROUP):
            columns = zip(*rows, strict=True)
            writer.write(
                pa.Table.from_arrays(list(map(pa.array, columns)), figures.names)
            )
    times = pa.schema({"run": pa.int64(), "seconds": "f8"})
    cursor = connection.execute(
        "SELECT run.rowid, packed FROM samples JOIN run ON run = run.digest"
    )
    with ParquetWriter(folder / "samples", times, compression="zstd") as writer:
        while rows := cursor.fetchmany(_GROUP // SAMPLES):
            runs = pa.array([run for run, raw in rows for _ in range(_count(raw))])
            raw = b"".join(opened(raw)[1] for _, raw in rows)
            seconds = pa.Array.from_buffers(
                pa.float64(), len(runs), [None, pa.py_buffer(raw)]
            )
            writer.write(pa.Table.from_arrays([runs, seconds], times.names))
    connection.close()


def _count(raw: bytes) -> int:
    return sum(count for _, _, count in opened(raw)[0])


def turns(wanted: Collection[str], extent: Extent, place: Place) -> Iterator[Named]:
    """Yield each turn; the sides take turns in going first."""
    if not wanted or extent.runs is None:
        return
    database = place.room / f"samples-{filled(place.room, extent.runs).name}"
    if not database.exists():
        unfinished = database.with_suffix(".unfinished")
        shutil.copyfile(filled(place.room, extent.runs), unfinished)
        add_samples(unfinished, SAMPLES)
        unfinished.rename(database)
    folder = database.with_suffix(".parquet")
    export = (*BENCHDB, "export", "--format", "parquet", "--db", database, "-o", folder)
    bare = (PYTHON, "-m", "benchmarks.parquet_runs", database, folder)
    for number in range(extent.rounds):
        taken = {}
        for side in (bare, export) if number % 2 else (export, bare):
            shutil.rmtree(folder, ignore_errors=True)
            taken[side] = cost(*side)
        yield Named("parquet", Turn(taken[export], taken[bare]))


if __name__ == "__main__":
    yardstick(Path(sys.argv[1]), Path(sys.argv[2]))
