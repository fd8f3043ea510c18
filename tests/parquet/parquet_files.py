"""Parquet files read back with DuckDB, and what the database has in their place."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
from sqlalchemy import select

from benchdb.exchange.packing import unpack
from benchdb.store.database import open_database, reading
from benchdb.store.tables import samples
from tests.in_process import benchdb

PARTITIONED = ("results", "figures", "doubts", "runs", "samples")


def written(folder: Path, *arguments: object) -> Path:
    done = benchdb("export", "--format", "parquet", "-o", folder, *arguments)
    assert done.status == 0, done.err
    return folder


def rows(folder: Path, table: str, columns: str = "*") -> list[tuple[Any, ...]]:
    """Return what DuckDB reads of *table*."""
    return _asked(folder, table, columns)[1]


def dictionaries(folder: Path, table: str) -> list[dict[str, Any]]:
    names, result = _asked(folder, table, "*")
    return [dict(zip(names, row, strict=True)) for row in result]


def _asked(folder: Path, table: str, columns: str) -> tuple[list[str], list[Any]]:
    parted = table in PARTITIONED
    options = f"hive_partitioning = {parted}, hive_types_autocast = false"
    query = f"SELECT {columns} FROM read_parquet($files, {options})"  # noqa: S608
    with duckdb.connect() as connection:
        duck_dbpy_connection = connection.execute(
            query, {"files": f"{folder / table}/**/*.parquet"}
        )
        return [
            column[0] for column in duck_dbpy_connection.description or ()
        ], duck_dbpy_connection.fetchall()


def stored_samples(location: str) -> Iterator[tuple[str, int, str, int, float]]:
    """Yield every sample of the database: run, index, phase, steps, seconds."""
    with reading(open_database(location)) as connection:
        for run, packed in connection.execute(select(samples.c.run, samples.c.packed)):
            index = 0
            for series in unpack(packed):
                for seconds in series.values:
                    yield run, index, series.phase, series.per, seconds
                    index += 1


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below *folder* by its path there."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
