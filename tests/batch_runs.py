"""Runs of the same work at several batch sizes, and the lines that they make."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from benchdb.report.sections.batches import Batches, Line
from benchdb.report.view.page import Report
from tests.store_factory import Machine, Run
from tests.summary_page import RATE

H200 = Machine("Xeon", "Intel", None, 256, gpu="NVIDIA H200")


def runs(
    rates: Mapping[int | None, float],
    device: str = "cuda",
    machine: Machine = H200,
    workload: str = "resnet50",
    **facts: Any,
) -> list[Run]:
    """Return one run for each batch size, of so many samples per second."""
    run = Run(workload=workload, device=device, machine=machine)
    return [
        replace(run, values={RATE: rate}, columns={"batch_size": size, **facts})
        for size, rate in rates.items()
    ]


def known(report: Report) -> Batches:
    section: Batches = report.sections["batches"]
    return section


def lines(report: Report, *, paired: bool) -> dict[str, Line]:
    section = report.sections["batches"]
    every = section.lines(paired=paired) if section else ()
    return {line.workload.title: line for _, line in every}


def ratios(line: Line) -> dict[int, float]:
    return {level.batch_size: level.ratio.value for level in line.levels}
