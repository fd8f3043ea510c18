"""What an export of many runs to Parquet costs, beside the least that it could cost.

    python benchmarks/parquet_runs.py --runs 100000 --runs 500000

Fills databases as ``report_runs.py`` does, with raw times for each run. One side is
``benchdb export --format parquet``. The yardstick reads the same figures and samples by
hand and writes them into two files: runs by number, no facts beside them, nothing else.
Each side is a process of its own, whose peak memory is told as well. Reach: 250 MiB at
any size.
"""

import argparse
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
from pathlib import Path

from import_runs import Cost, cost
from report_runs import fill

from benchdb.exchange.packing import Series, opened, pack

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
    found = connection.execute(
        "SELECT run.rowid, metric, value FROM value JOIN run ON run = run.digest"
    )
    with ParquetWriter(folder / "values", figures, compression="zstd") as writer:
        while rows := found.fetchmany(_GROUP):
            columns = zip(*rows, strict=True)
            writer.write(
                pa.Table.from_arrays(list(map(pa.array, columns)), figures.names)
            )
    times = pa.schema({"run": pa.int64(), "seconds": "f8"})
    found = connection.execute(
        "SELECT run.rowid, packed FROM samples JOIN run ON run = run.digest"
    )
    with ParquetWriter(folder / "samples", times, compression="zstd") as writer:
        while rows := found.fetchmany(_GROUP // SAMPLES):
            runs = pa.array([run for run, raw in rows for _ in range(_count(raw))])
            raw = b"".join(opened(raw)[1] for _, raw in rows)
            seconds = pa.Array.from_buffers(
                pa.float64(), len(runs), [None, pa.py_buffer(raw)]
            )
            writer.write(pa.Table.from_arrays([runs, seconds], times.names))
    connection.close()


def _count(raw: bytes) -> int:
    return sum(count for _, _, count in opened(raw)[0])


def compared(runs: int, rounds: int, samples: int) -> None:
    """Measure both sides in turn; print what was seen, and the ratio of the medians."""
    with tempfile.TemporaryDirectory() as room:
        database, folder = Path(room) / "runs.sqlite", Path(room) / "written"
        fill(database, runs)
        add_samples(database, samples)
        mib = database.stat().st_size / 2**20
        print(f"{runs} runs, {runs * samples} samples, {mib:.0f} MiB", flush=True)
        bare = [sys.executable, __file__, "--yardstick", str(database), str(folder)]
        ours = [sys.executable, "-m", "benchdb", "export", "--format", "parquet"]
        ours += ["--db", str(database), "-o", str(folder)]
        seen: list[tuple[Cost, Cost]] = []
        for _ in range(rounds):
            pair = []
            for command in (bare, ours):
                shutil.rmtree(folder, ignore_errors=True)
                pair.append(cost(command))
                size = sum(one.stat().st_size for one in folder.rglob("*"))
                print(f"{_told(pair[-1])} {size / 2**20:5.0f} MiB", flush=True)
            seen.append((pair[0], pair[1]))
    least, taken = (
        statistics.median(pair[side].seconds for pair in seen) for side in (0, 1)
    )
    peak = max(one.peak_bytes for _, one in seen) / 2**20
    print(
        f"ratio {taken / least:.2f}, {runs * samples / taken:,.0f} samples/s, ", end=""
    )
    print(f"peak {peak:.0f} MiB", flush=True)


def _told(one: Cost) -> str:
    return f"{one.seconds:7.2f} s, peak {one.peak_bytes / 2**20:5.0f} MiB, written"


def main() -> None:
    """Measure, or be the yardstick."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, action="append")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--yardstick", type=Path, nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.yardstick:
        yardstick(*asked.yardstick)
        return
    for runs in asked.runs or [100_000]:
        compared(runs, asked.rounds, asked.samples)


if __name__ == "__main__":
    main()
