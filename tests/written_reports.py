"""A report over runs made up for a test, written by the command line."""

import json
from pathlib import Path
from typing import Any

from benchdb.store import results
from benchdb.store.database import open_database
from tests.command_line import Outcome
from tests.in_process import benchdb
from tests.store_factory import Machine, Run, add
from tests.summary_page import WALL, measured, three_published

CARD = Machine("Core i7", "Intel", None, 32, gpu="NVIDIA GeForce RTX 3090")
EVIL = "=cmd()"


def store(folder: Path, runs: list[Run]) -> Path:
    """Return a database of *runs* with the schema that the command line asks for."""
    path = folder / "results.sqlite"
    engine = open_database(str(path), create=True)
    with engine.begin() as connection:
        for run in runs:
            add(connection, run)
        results.renew(connection)
    engine.dispose()
    return path


def mixed() -> list[Run]:
    """Return published and measured runs of three chips and two frameworks."""
    odd = Run(
        machine=Machine(chip="M2", model=EVIL),
        values={WALL: 91.8},
        printed={WALL: "91.80"},
        flags=[("order-inverted", WALL)],
        source="odd",
    )
    rates = (100.0, 101.0, 99.5)
    own = measured([{"samples_per_second": v, "step_seconds": 1 / v} for v in rates])
    card = Run(
        device="cuda",
        machine=CARD,
        framework="torch",
        values={"fit_samples_per_second": 1434.0},
        columns={"precision": "bf16"},
    )
    return [*three_published(), odd, card, *own]


def report(database: Path, *options: object) -> Outcome:
    """Run ``benchdb report`` in English."""
    lang = () if "--lang" in options or "--site" in options else ("--lang", "en")
    return benchdb("report", "--db", database, *lang, *options)


def shown(database: Path, *options: object) -> dict[str, Any]:
    """Return what a report with *options* shows."""
    done = report(database, "--format", "json", "-o", "-", *options)
    assert done.status == 0, done.err
    result: dict[str, Any] = json.loads(done.out)
    return result
