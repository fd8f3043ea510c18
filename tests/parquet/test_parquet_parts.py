"""Files of bounded row groups, in folders that readers understand."""

from array import array
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.parquet import ParquetFile, read_table
from sqlalchemy import insert

from benchdb.exchange.packing import Series, pack
from benchdb.parquet.dataset import NAMELESS, workload_folders
from benchdb.parquet.parts import GROUP_ROWS, Part, Table
from benchdb.store.database import open_database, writing
from benchdb.store.tables import samples
from tests.parquet.parquet_files import rows, stored_samples, written
from tests.store_factory import Run, add

ODD = (
    "",
    "a/b",
    "a=b c+d&e",
    "Res",
    "res",
    "100%",
    "7",
    "déjà vu",
    "日本",
    "..",
    "x\ny",
)
LONG = "x" * 300
COUNT = 90_000  # samples of a run


def store(location: str, runs: list[Run]) -> list[str]:
    engine = open_database(location, create=True)
    with writing(engine) as connection:
        return [add(connection, run) for run in runs]


def test_any_name_of_a_workload_is_read_back(backend, tmp_path):
    database = backend.database()
    store(database, [Run(workload=name) for name in (*ODD, LONG)])
    files = written(tmp_path / "files", "--db", database)

    result = dict(rows(files, "runs", "workload_name, workload"))

    assert result == {name: name or None for name in ODD} | {LONG: None}


def test_folders_are_told_apart_where_capitals_are_not():
    folders = workload_folders(["ResNet", "resnet", "RESNET", "lstm"]).values()

    assert len({folder.lower() for folder in folders}) == 4
    assert "workload=lstm" in folders
    assert workload_folders(["ResNet", "LSTM"])["ResNet"] == "workload=ResNet"
    assert workload_folders(["Réseau", "réseau"])["Réseau"] == f"workload={NAMELESS}"


def test_a_table_without_rows_can_be_asked(tmp_path):
    database = tmp_path / "bare.sqlite"
    store(str(database), [Run(source=None, sampled=False)])
    files = written(tmp_path / "files", "--db", database)

    for table in ("results", "figures", "samples", "doubts", "sources", "claims"):
        assert rows(files, table) == []
        assert rows(files, table, "count(*)") == [(0,)]


def test_a_run_of_many_samples_is_written_in_parts(tmp_path):
    database = tmp_path / "long.sqlite"
    times = tuple(number / 7 for number in range(COUNT))
    series = [Series("warmup", 1, times[:3]), Series("measure", 9, times[3:])]
    runs = store(str(database), [Run(), Run(device="metal")])
    with writing(open_database(str(database))) as connection:
        for run in runs:
            row = {"run": run, "count": COUNT, "packed": pack(series)}
            connection.execute(insert(samples).values(row))
    files = written(tmp_path / "files", "--db", database)

    (path,) = (files / "samples").rglob("*.parquet")
    with ParquetFile(path) as file:
        groups = [
            file.metadata.row_group(number).num_rows
            for number in range(file.metadata.num_row_groups)
        ]
    assert len(groups) == 2
    assert max(groups) < GROUP_ROWS + 2**16
    result = rows(files, "samples", "run, index, phase, steps, seconds")
    assert sorted(result) == sorted(stored_samples(str(database)))


def table(folder: Path, **limits: int) -> Table:
    schema = pa.schema([pa.field("x", pa.int32()), pa.field("text", pa.string())])
    return Table(folder, schema, **limits)


def some(count: int, text: str = "") -> list[Any]:
    return [pa.array(array("i", range(count)), pa.int32()), pa.array([text] * count)]


def test_a_file_that_is_long_enough_is_followed_by_another(tmp_path):
    long = table(tmp_path, file_rows=GROUP_ROWS)
    with Part(long, "a=1") as part:
        for _ in range(5):
            part.add(some(GROUP_ROWS // 2))
    with Part(long, "a=2") as part:
        part.add(some(1))

    names = sorted(
        str(item.relative_to(tmp_path)) for item in tmp_path.rglob("*.parquet")
    )
    assert names == [
        *("a=1/part-00000.parquet", "a=1/part-00001.parquet"),
        *("a=1/part-00002.parquet", "a=2/part-00003.parquet"),
    ]
    assert long.rows == read_table(tmp_path).num_rows == 5 * GROUP_ROWS // 2 + 1


def test_large_texts_make_smaller_groups(tmp_path):
    with Part(table(tmp_path)) as part:
        for _ in range(5):
            part.add(some(10, "x" * 2**20))

    with ParquetFile(tmp_path / "part-00000.parquet") as file:
        assert file.metadata.num_row_groups == 3


def fail(part: Part) -> None:
    with part:
        part.add(some(GROUP_ROWS))
        raise RuntimeError


def test_what_fails_half_way_raises_and_lets_go_of_its_file(tmp_path):
    with pytest.raises(RuntimeError):
        fail(Part(table(tmp_path)))
