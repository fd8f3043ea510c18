"""Parquet files have what the database has, exactly, and the same bytes each time."""

import re
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import duckdb
import pytest
from pyarrow.parquet import read_schema
from sqlalchemy import Text, create_engine, func, select, text, type_coerce

from benchdb.parquet.columns import BY_WORKLOAD, WHOLE
from benchdb.store.database import open_database, reading
from benchdb.store.tables import Json, finding, flag, metadata, metric, run, value
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
    return published_runs.database(tmp_path_factory.mktemp("shipped"))


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
    found = stored(location, select(*columns))
    return {row[0]: dict(zip(names, row, strict=True)) for row in found}


def test_every_sample_is_there_in_its_place(shipped, files):
    found = rows(files, "samples", "run, index, phase, steps, seconds")

    assert len(found) > 20_000
    assert sorted(found) == sorted(stored_samples(str(shipped)))


def test_every_figure_is_there_and_what_is_missing_is_null_with_its_reason(
    shipped, files
):
    told = (value.c.uncertainty, value.c.reason, value.c.printed, value.c.locator)
    query = select(
        *(run.c.digest, run.c.workload, value.c.metric, value.c.value),
        *(metric.c.unit, metric.c.direction, *told, value.c.derived),
    ).join_from(run, value)

    found = rows(
        files,
        "values",
        "run, workload, metric, value, unit, direction, uncertainty, reason, printed, "
        "locator, derived",
    )

    assert sorted(found, key=repr) == sorted(
        stored(shipped, query.join(metric)), key=repr
    )
    missing = [row for row in found if row[3] is None]
    assert missing
    assert all(reason for *_, reason, _, _, _ in missing)


def test_a_run_has_all_facts_of_what_it_refers_to(shipped, files):
    facts = {name: by_digest(shipped, name) for name in FLATTENED}
    columns = [one for one in BY_WORKLOAD["runs"] if one.of.table.name in FLATTENED]
    found = dictionaries(files, "runs")

    assert len(found) == len(facts["run"])
    for row in found:
        refers = row | {"chip": row["chip_digest"]}
        assert facts["machine"][row["machine"]]["chip"] == row["chip_digest"]
        for column in columns:
            of = facts[column.of.table.name].get(refers[column.of.table.name], {})
            assert row[column.name] == of.get(column.of.name), column
        assert row["workload"] == row["workload_name"]


def test_no_column_of_a_run_a_figure_or_a_source_is_left_behind():
    named = {one.of for table in {**BY_WORKLOAD, **WHOLE}.values() for one in table}
    tables = (*FLATTENED, "value", "metric", "claim")

    left = {
        str(column)
        for name in tables
        for column in metadata.tables[name].columns
        if column not in named and not column.foreign_keys
    }

    # A foreign key of the figure, which has it; what the catalogue calls it; and what
    # is nobody else's business.
    assert left == {"metric.name", "metric.title", "run.mine"}


@pytest.mark.parametrize(
    ("folder", "table"),
    [("machines", "machine"), ("environments", "environment"), ("sources", "source")],
)
def test_the_small_tables_are_whole(shipped, files, folder, table):
    found = dictionaries(files, folder)
    own = [one for one in WHOLE[folder] if one.of.table.name == table]

    assert [{one.of.name: row[one.name] for one in own} for row in found] == [
        {one.of.name: row[one.of.name] for one in own}
        for _, row in sorted(by_digest(shipped, table).items())
    ]


def test_doubts_and_claims_go_along(shipped, files):
    told = select(flag.c.run, flag.c.code, flag.c.metric)
    found = select(finding.c.run, finding.c.code, func.nullif(finding.c.metric, ""))

    doubts = rows(files, "doubts", "found_by, run, code, metric")

    assert sorted(map(repr, doubts)) == sorted(
        [repr(("transcriber", *row)) for row in stored(shipped, told)]
        + [repr(("rule", *row)) for row in stored(shipped, found)]
    )
    claims = rows(files, "claims", "claim, source_slug")
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
    told = (files / "README.txt").read_text(encoding="utf-8")
    for name, columns in {**BY_WORKLOAD, **WHOLE}.items():
        assert f"\n{name}\n----" in told
        assert all(f"\n  {column.name}" in told for column in columns)


def test_sources_come_with_their_licences(shipped, files):
    told = (files / "README.txt").read_text(encoding="utf-8")
    kept = by_digest(shipped, "source").values()

    assert rows(files, "sources", "source_slug, source_licence")
    for source in kept:
        (line,) = (one for one in told.splitlines() if f"  {source['slug']};" in one)
        assert (source["licence"] or "licence unknown") in line


def test_filters_narrow_every_table(shipped, tmp_path):
    files = written(
        tmp_path / "some", "--source", "needle-metal", "--workload", "matmul",
        "--db", shipped,
    )  # fmt: skip

    assert {row[0] for row in rows(files, "runs", "workload")} == {"matmul"}
    for table in ("runs", "values", "sources", "claims"):
        assert {row[0] for row in rows(files, table, "source_slug")} == {"needle-metal"}
    used = {row[0] for row in rows(files, "runs", "machine")}
    assert {row[0] for row in rows(files, "machines", "machine")} == used
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
SELECT digest, device_name, workload, precision, batch_size, setting, framework
FROM run WHERE workload IN ('resnet50', 'distilbert')
"""


@pytest.fixture(scope="module")
def answers(shipped) -> list[list[tuple[Any, ...]]]:
    """What DuckDB answers to each query of the document."""
    room = written(shipped.with_name("results"), "--db", shipped).parent
    document = DOCUMENT.read_text(encoding="utf-8")
    told = "".join(re.findall(r"```sql\n(.*?)```", document, re.DOTALL))
    told = told.replace("'results/", f"'{room}/results/")
    with duckdb.connect() as connection:
        return [
            connection.execute(query).fetchall()
            for query in told.split(";")
            if query.strip()
        ][2:]  # the first two make views


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
