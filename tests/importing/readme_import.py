"""A README with a table, its map, and what a database holds of it."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.in_process import benchdb

README = """\
# Speed

**On my MacBook Pro (M1 Max, 64 GB)**

| Model | Batch | Throughput |
|-------|-------|------------|
| ResNet50 | 128 | 140 img/s |
| MobileNetV2 | 128 | 352 img/s |
| VGG16 | 64 | OOM |
| AlexNet | 64 | 1 | 2 |
"""
MAP = """\
[source]
slug = "speed"

[set]
framework = "torch"
device = "metal"
machine = "mine"

[machines.mine]
chip = { vendor = "Apple", name = "M1 Max" }

[[table]]
header = ["Model", "Batch", "Throughput"]

[table.columns.Model]
field = "workload"

[table.columns.Batch]
field = "parameters.batch_size"

[table.columns.Throughput]
is = "value"
metric = "reported_samples_per_second"
"""


@pytest.fixture(name="readme")
def readme_file(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(README)
    return path


@pytest.fixture(name="map_")
def map_file(tmp_path: Path) -> Path:
    path = tmp_path / "speed.toml"
    path.write_text(MAP)
    return path


@pytest.fixture(name="db")
def database(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def runs(db: Path) -> dict[str, dict[str, object]]:
    listed = json.loads(benchdb("list", "--json", "--db", db).out)
    return {run["workload"]: run for run in listed}


def quarantined(db: Path) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = json.loads(
        benchdb("quarantine", "list", "--json", "--db", db).out
    )
    return groups


def rows(db: Path) -> dict[str, int]:
    with sqlite3.connect(db) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        counts = {
            name: connection.execute(f"SELECT count(*) FROM {name}")  # noqa: S608
            for (name,) in names.fetchall()
            if name != "import_part"  # when what was imported
        }
        result = {name: count.fetchone()[0] for name, count in counts.items()}
    connection.close()
    return result
