"""The questions of docs/parquet.md, word for word, and the answers the database has."""

import re
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import duckdb
import pytest
from sqlalchemy import create_engine, text

from tests import published_runs
from tests.parquet.parquet_files import stored_samples, written

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
def shipped(tmp_path_factory) -> Path:
    return published_runs.database(tmp_path_factory.mktemp("shipped"))


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
    for run, _, phase, steps, seconds in stored_samples(str(shipped)):
        if run in cells and phase == "step":
            times[cells[run]].append(1e3 * seconds / steps)

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
