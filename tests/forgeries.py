"""Files that somebody forged from runs that benchdb ships."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from benchdb.resources import folder
from tests.in_process import benchdb

SHIPPED = Path(__file__).parents[1] / "published" / "benchdb-h200.jsonl"
TO_COME = "2099-01-01T00:00:00.000+00:00"
Line = dict[str, Any]
Change = Callable[[Line], None]
PROCESSES = 2
# Some processes of one cell: ResNet-50 in fp32 on one H200.
_CELL = {
    "campaign": "20261121-h200-a",
    "workload": "resnet50",
    "precision": "fp32",
    "setting": "standard",
}
_BATCH = 128


@cache
def _lines() -> list[bytes]:
    """Return the lines of one shipped cell, with all that they refer to."""
    kept, runs = [], set()
    for raw in SHIPPED.read_bytes().splitlines():
        line = json.loads(raw)
        if line["type"] == "run":
            if not _wanted(line):
                continue
            runs.add(line["key"])
        if line.get("run") is None or line["run"] in runs:
            kept.append(raw)
    return kept


def _wanted(run: Line) -> bool:
    few = run["replicate"] < PROCESSES
    usual = run["parameters"].get("memory_format") == "contiguous"
    alike = all(run.get(name) == fact for name, fact in _CELL.items())
    return alike and few and usual and run["parameters"]["batch_size"] == _BATCH


def forged(path: Path, *changes: Change) -> Path:
    """Write the shipped cell to *path*, each line as *changes* leave it."""
    lines = [json.loads(raw) for raw in _lines()]
    for line in lines:
        for change in changes:
            change(line)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def on(kind: str, **facts: Any) -> Change:
    """Return what sets *facts* of the lines of this *kind*."""

    def change(line: Line) -> None:
        if line["type"] == kind:
            line.update(facts)

    return change


def figure(metric: str, factor: float) -> Change:
    """Return what multiplies the figure of *metric*."""

    def change(line: Line) -> None:
        for value in line.get("values", ()) if line["type"] == "end" else ():
            if value["metric"] == metric:
                value["value"] *= factor

    return change


def chip(**facts: Any) -> Change:
    """Return what sets *facts* of the chip of each machine."""

    def change(line: Line) -> None:
        if line["type"] == "machine":
            line["chip"] = {"vendor": "Apple", **facts}
            line["missing"] = {}

    return change


def import_(database: Path | str, *paths: Path) -> None:
    done = benchdb("import", *paths, "--db", database)
    assert (done.status, done.err) == (0, "")


def shown(database: Path | str) -> list[Line]:
    """Return what ``show`` says of each run, in the order of ``list``.

    The database must be sound.
    """
    check = benchdb("db", "check", "--db", database)
    assert check.status == 0, check.out
    listed = benchdb("list", "--json", "--db", database)
    assert listed.status == 0, listed.err
    runs = []
    for run in json.loads(listed.out):
        done = benchdb("show", run["digest"], "--json", "--db", database)
        assert done.status == 0, done.err
        runs.append(json.loads(done.out))
    return runs


def doubts(runs: list[Line]) -> Counter[tuple[str, str | None]]:
    """Return how often each code was found about each metric."""
    return Counter(
        (one["code"], one["metric"]) for run in runs for one in run["findings"]
    )


def grades(runs: list[Line]) -> set[str]:
    return {run["grade"]["letter"] for run in runs}


def newest(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {name for (name,) in connection.execute("SELECT run FROM newest")}


def edition(room: Path, published: str) -> Path:
    """Write a published document once more, faster, as an edition of that date."""
    lines = [
        json.loads(raw)
        for raw in (folder("published") / "needle-metal.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    for line in lines:
        if line["type"] == "source":
            line["published"], line["document_sha256"] = published, "5" * 64
        for value in line.get("values", ()):
            if value.get("value") is not None:
                value["value"] *= 3
    path = room / "edition.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path
