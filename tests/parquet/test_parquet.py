"""Parquet files have what the database has, exactly, and the same bytes each time."""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import duckdb
import duckdb_extension_sqlite_scanner
import pytest
from pyarrow.parquet import read_schema
from sqlalchemy import (
    Text,
    create_engine,
    literal_column,
    select,
    text,
    type_coerce,
)

from benchdb.parquet.columns import BY_WORKLOAD, CONTEXT, WHOLE, Column
from benchdb.store.database import open_database, reading
from benchdb.store.tables import Json, metadata
from benchdb.store.views import COLUMNS
from tests import published_runs
from tests.backends import Backend
from tests.in_process import benchdb
from tests.parquet.parquet_files import (
    dictionaries,
    rows,
    stored_samples,
    tree,
    written,
)

FLATTENED = ("run", "machine", "chip", "environment", "source")


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("shipped"))


@pytest.fixture(scope="module")
def files(shipped) -> Path:
    return written(shipped.with_name("files"), "--db", shipped)


def stored(location: Path, query: Any) -> list[tuple[Any, ...]]:
    with reading(open_database(str(location))) as connection:
        return [tuple(row) for row in connection.execute(query)]


def by_digest(location: Path, name: str) -> dict[str, dict[str, Any]]:
    """Return the rows of the table *name*, JSON as text."""
    table = metadata.tables[name]
    columns = [
        type_coerce(column, Text).label(column.name)
        if isinstance(column.type, Json)
        else column
        for column in table.columns
    ]
    names = [column.name for column in table.columns]
    groups = stored(location, select(*columns))
    return {row[0]: dict(zip(names, row, strict=True)) for row in groups}


def test_every_sample_is_there_in_its_place(shipped, files):
    groups = rows(files, "samples", "run, index, phase, steps, seconds")

    assert len(groups) > 20_000
    assert sorted(groups) == sorted(stored_samples(str(shipped)))


@pytest.mark.parametrize("view", COLUMNS)
def test_files_of_a_view_have_its_names_and_what_it_says(shipped, files, view):
    names = [column.name for column in COLUMNS[view]]

    groups = dictionaries(files, view)

    assert {*groups[0]} == {*names}
    result = stored(
        shipped, select(*map(literal_column, names)).select_from(text(view))
    )
    assert sorted(repr([row[name] for name in names]) for row in groups) == sorted(
        repr([flag(name, cell) for name, cell in zip(names, row, strict=True)])
        for row in result
    )


def flag(name: str, cell: Any) -> Any:
    """Return what SQLite, which has no booleans, means by *cell*."""
    return cell if name not in ("mine", "virtual") or cell is None else bool(cell)


def test_what_is_missing_is_null_with_its_reason(files):
    missing = rows(files, "figures", "value, reason")
    missing = [reason for value, reason in missing if value is None]

    assert missing
    assert all(missing)


def test_an_h200_is_never_called_by_the_name_of_its_processor(files):
    for table in ("results", "figures", "runs", "samples"):
        named = rows(files, table, "DISTINCT accelerator, system, device, label")
        cards = {row[:2] for row in named if row[2:] == ("cuda", "measured")}
        ours = "H200 · CUDA · MLX", "H200 · CUDA · PyTorch"
        assert cards == {("H200", system) for system in ours}


def test_a_run_has_all_facts_of_what_it_refers_to(shipped, files):
    facts = {name: by_digest(shipped, name) for name in FLATTENED}
    columns = [item for item in BY_WORKLOAD["runs"] if table_of(item) in FLATTENED]
    groups = dictionaries(files, "runs")

    assert len(groups) == len(facts["run"])
    for row in groups:
        refers = row | {
            "chip": row["chip_digest"],
            "machine": row["machine_digest"],
            "source": row["source_digest"],
        }
        assert facts["machine"][row["machine_digest"]]["chip"] == row["chip_digest"]
        for column in columns:
            table = table_of(column)
            of = facts[table].get(refers[table], {})
            result = flag(column.name, of.get(column.of.name))
            assert row[column.name] == result, column
        assert row["workload"] == row["workload_name"]


def table_of(column: Column) -> str:
    """Return which table the column is from; one that is computed is from none."""
    return getattr(getattr(column.of, "table", None), "name", "")


def test_runs_and_samples_begin_with_what_the_figures_have(files):
    beside = [column.name for column in CONTEXT]
    assert [column.name for column in BY_WORKLOAD["samples"]][: len(beside)] == beside
    figures = {column.name for column in COLUMNS["figures"]}
    assert {*beside} <= figures
    named = ", ".join(beside)
    runs = {row[0]: row for row in rows(files, "runs", named)}

    assert {*rows(files, "figures", named)} <= {*runs.values()}
    assert {*rows(files, "samples", f"DISTINCT {named}")} <= {*runs.values()}


def test_no_column_of_a_run_a_figure_or_a_source_is_left_behind():
    named = {
        column.of for table in {**BY_WORKLOAD, **WHOLE}.values() for column in table
    }
    views = {column.name for column in COLUMNS["figures"]}
    tables = (*FLATTENED, "value", "metric", "claim")

    left = {
        str(column)
        for name in tables
        for column in metadata.tables[name].columns
        if column not in named and not column.foreign_keys
        if name not in ("value", "metric") or column.name not in views
    }

    # What the view calls by what it is of; a run may be withdrawn, however it ended.
    assert left == {"metric.name", "metric.title", "run.status"}


@pytest.mark.parametrize(
    ("folder", "table"),
    [("environments", "environment"), ("sources", "source")],
)
def test_the_small_tables_are_whole(shipped, files, folder, table):
    groups = dictionaries(files, folder)
    own = [column for column in WHOLE[folder] if column.of.table.name == table]

    assert [{column.of.name: row[column.name] for column in own} for row in groups] == [
        {column.of.name: row[column.of.name] for column in own}
        for _, row in sorted(by_digest(shipped, table).items())
    ]


def test_claims_go_along(shipped, files):
    claims = rows(files, "claims", "claim, source")

    assert sorted(claim for claim, _ in claims) == sorted(by_digest(shipped, "claim"))


def test_either_database_gives_the_same_files_each_time(
    backend: Backend, shipped, files, tmp_path
):
    location = backend.nothing()
    assert benchdb("db", "copy", shipped, location).status == 0

    again = written(tmp_path / "again", "--db", location)

    assert tree(again) == tree(files)


def test_files_say_what_their_columns_mean_and_in_which_unit(files):
    (path, *_) = (files / "samples").rglob("*.parquet")
    schema = read_schema(path)

    assert schema.metadata[b"benchdb.table"] == b"samples"
    assert schema.field("seconds").metadata[b"unit"] == b"s"
    assert all(field.metadata[b"about"] for field in schema)
    result = (files / "README.txt").read_text(encoding="utf-8")
    for name, columns in {**BY_WORKLOAD, **WHOLE}.items():
        assert f"\n{name}\n----" in result
        assert all(f"\n  {column.name}" in result for column in columns)


def test_sources_come_with_their_licences(shipped, files):
    result = (files / "README.txt").read_text(encoding="utf-8")
    kept = by_digest(shipped, "source").values()

    assert rows(files, "sources", "source, source_licence")
    for source in kept:
        (line,) = (
            splitline
            for splitline in result.splitlines()
            if f"  {source['slug']};" in splitline
        )
        assert (source["licence"] or "licence unknown") in line


def test_filters_narrow_every_table(shipped, tmp_path):
    files = written(
        tmp_path / "some", "--source", "needle-metal", "--workload", "matmul",
        "--db", shipped,
    )  # fmt: skip

    assert {row[0] for row in rows(files, "runs", "workload")} == {"matmul"}
    for table in ("runs", "results", "figures", "sources", "claims"):
        assert {row[0] for row in rows(files, table, "source")} == {"needle-metal"}
    used = {row[0] for row in rows(files, "runs", "machine")}
    assert {row[0] for row in rows(files, "machine_details", "machine")} == used
    assert rows(files, "samples") == []


DOCUMENT = Path(__file__).parents[2] / "docs" / "parquet.md"
SPEEDS = """
SELECT
  chip.name, run.workload, run.batch_size, run.setting, run.framework, run.precision,
  value.metric, run.device,
  CASE value.metric
    WHEN 'epoch_seconds' THEN json_extract(run.parameters, '$.images') / value.value
    ELSE value.value
  END
FROM run
JOIN value ON value.run = run.digest
JOIN machine ON machine.digest = run.machine
JOIN chip ON chip.digest = machine.chip
WHERE value.metric IN ('samples_per_second', 'fit_samples_per_second', 'epoch_seconds')
"""
CELLS = """
SELECT run.digest, result.system, run.workload, precision, batch_size, setting
FROM run JOIN result AS own ON own.run = run.digest
JOIN result ON result.run = own.first
WHERE run.workload IN ('resnet50', 'distilbert')
"""


@pytest.fixture(scope="module")
def room(shipped) -> Path:
    """A folder with the files and the database that the document names."""
    written(shipped.with_name("dataset"), "--db", shipped)
    return Path(shipped.parent)


@pytest.fixture(scope="module")
def answers(room) -> list[list[tuple[Any, ...]]]:
    """What DuckDB answers to each query of the document."""
    document = DOCUMENT.read_text(encoding="utf-8")
    result = "".join(re.findall(r"```sql\n(.*?)```", document, re.DOTALL))
    result = result.replace("'dataset/", f"'{room}/dataset/")
    result = result.replace("'results.sqlite'", f"'{room}/results.sqlite'")
    # From its package: tests load nothing from DuckDB's server.
    (extension,) = Path(duckdb_extension_sqlite_scanner.__path__[0]).rglob(
        "*_extension"
    )
    result = result.replace("LOAD sqlite;", f"LOAD '{extension}';")
    statements = [item.strip() for item in result.split(";") if item.strip()]
    groups = []
    with duckdb.connect() as connection:
        for statement in statements:
            if statement != "INSTALL sqlite":
                answer = connection.execute(statement)
                if statement.startswith("SELECT"):
                    groups.append(answer.fetchall())
        # What it asks of the database, asked of the files.
        of_files = statements[-1].replace("FROM stored.results", "FROM results")
        assert of_files != statements[-1]
        groups.append(connection.execute(of_files).fetchall())
    return groups


def asked(database: Path, query: str) -> list[tuple[Any, ...]]:
    with create_engine(f"sqlite:///{database}").connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def test_speed_with_and_without_metal_is_what_the_database_says(shipped, answers):
    cells: dict[tuple[Any, ...], dict[str, list[float]]] = defaultdict(dict)
    for *cell, device, speed in asked(shipped, SPEEDS):
        if speed is not None:
            cells[tuple(cell)].setdefault(device, []).append(speed)

    both = [
        (*cell[:3], median(speeds["metal"]), median(speeds["cpu"]))
        for cell, speeds in cells.items()
        if {"metal", "cpu"} <= speeds.keys()
    ]

    assert len(both) == 10
    assert [row[:3] for row in answers[0]] == sorted(row[:3] for row in both)
    for row, expected in zip(answers[0], sorted(both), strict=True):
        assert row[3:5] == pytest.approx(expected[3:])
        assert row[5] == pytest.approx(expected[3] / expected[4])


def test_the_slowest_steps_are_those_of_the_raw_samples(shipped, answers):
    cells = {digest: tuple(cell) for digest, *cell in asked(shipped, CELLS)}
    times: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for digest, _, phase, steps, seconds in stored_samples(str(shipped)):
        if digest in cells and phase == "step":
            times[cells[digest]].append(1e3 * seconds / steps)

    expected = sorted(
        (*cell[:4], len(some), median(some), _p99(some)) for cell, some in times.items()
    )

    assert len(expected) > 5
    assert [row[:5] for row in answers[1]] == [row[:5] for row in expected]
    for row, known in zip(answers[1], expected, strict=True):
        assert row[5:] == pytest.approx(known[5:])


def _p99(some: list[float]) -> float:
    return some[0] if len(some) == 1 else quantiles(some, n=100, method="inclusive")[98]


def test_the_figures_in_the_document_are_those_of_the_shipped_database(answers):
    document = DOCUMENT.read_text(encoding="utf-8")
    for chip, workload, batch, metal, cpu, ratio in answers[0]:
        line = f"| {chip} | {workload} | {batch} | {metal:.1f} | {cpu:.1f} |"
        assert f"{line} {ratio:.2f} |" in document
    for device, workload, precision, batch, steps, middle, p99 in answers[1]:
        line = f"| {device} | {workload} | {precision} | {batch} | {steps} |"
        assert steps < 100 or f"{line} {middle:.2f} ms | {p99:.2f} ms |" in document
    for system, precision, batch, speed in answers[2]:
        assert f"| {system} | {precision} | {batch} | {speed:.0f} |" in document


def test_duckdb_sees_the_same_results_in_the_files_and_in_the_database(answers):
    assert len(answers[2]) == 3
    assert answers[2] == answers[3]


def test_pandas_shows_what_the_document_shows(room):
    document = DOCUMENT.read_text(encoding="utf-8")
    ((code, shown),) = re.findall(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", document, re.DOTALL
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=room,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == shown
