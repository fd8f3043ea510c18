"""A store of runs made up for a test, and the page of it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchdb.report.summary import summarise
from benchdb.report.view.atoms import Ratio
from benchdb.report.view.report_view import Report
from tests.store_factory import Machine, Run, add, new_store

MINE = Machine(chip="Apple M4 Max", model="Mac16,5", ram_gib=64, ours="me")
PC = Machine("AMD Ryzen 9 9950X 16-Core Processor", "AMD", None, 64, gpu="NVIDIA H200")
TRAINING = ("resnet50", "mobilenetv2", "distilbert", "lstm")
WALL, RATE, FIT = "script_wall_seconds", "samples_per_second", "fit_samples_per_second"
STEP = "step_seconds"


def page(folder: Path, runs: Iterable[Run], **wishes: Any) -> Report:
    engine = new_store(folder / "results.sqlite")
    with engine.begin() as connection:
        for run in runs:
            add(connection, run)
        return summarise(connection, **wishes)


def published(chip: str, seconds: float, device: str = "cpu") -> list[Run]:
    machine = Machine(chip=chip)
    return [
        Run(workload=name, device=device, machine=machine, values={WALL: seconds})
        for name in TRAINING
    ]


def measured(
    values: Iterable[dict[str, float | None]], device: str = "cpu", **facts: Any
) -> list[Run]:
    """Return one run for each of *values*: the processes of a campaign."""
    columns = {"campaign": "c", "started": "2026-03-04T05:06:07Z"}
    run = Run(
        workload=facts.pop("workload", "resnet50"),
        device=device,
        machine=facts.pop("machine", MINE),
        framework=facts.pop("framework", "tensorflow"),
        source=None,
        columns={**columns, **facts},
    )
    return [
        replace(run, values=result, columns={**run.columns, "replicate": number})
        for number, result in enumerate(values)
    ]


def three_published() -> list[Run]:
    return [
        *published("M1", 800.0),
        *published("M1 Max", 400.0),
        *published("M1 Max", 100.0, "metal"),
    ]


def known(ratio: Ratio | None) -> Ratio:
    assert ratio is not None
    return ratio
