"""Runs made up for tests, with readings of their power; and what is shown of them."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from benchdb.site.answers.efficiency import (
    Efficiency,
    EfficiencyGroup,
    EfficiencyRow,
)
from tests.store_factory import Machine, Run

FIT, RATE, PER_JOULE = (
    "fit_samples_per_second",
    "samples_per_second",
    "samples_per_joule",
)
MEAN, SOC, PEAK = "mean_power_watts", "peak_soc_power_watts", "peak_power_watts"
M1, M2, M4 = (Machine(chip=chip, model=None) for chip in ("M1", "M2", "M4"))
CARD = Machine("5600X", "AMD", None, 32, gpu="NVIDIA GeForce RTX 3090")


def read(
    machine: Machine,
    rate: float | None,
    watts: float | None,
    power: str = SOC,
    **columns: Any,
) -> Run:
    """Return a published run with its throughput and a reading of power."""
    return Run(
        workload=columns.pop("workload", "resnet50"),
        device=columns.pop("device", "metal"),
        machine=machine,
        flags=columns.pop("flags", ()),
        printed=columns.pop("printed", {}),
        values={columns.pop("metric", FIT): rate, power: watts},
        columns=columns,
    )


def counted(
    machine: Machine, joules: Sequence[float], scope: str = "soc_model", **columns: Any
) -> list[Run]:
    """Return processes of one campaign, 100 samples a second, with counted joules."""
    run = Run(
        device=columns.pop("device", "metal"),
        workload=columns.pop("workload", "resnet50"),
        machine=machine,
        source=None,
        columns={
            "campaign": "c",
            "started": "2026-03-04T05:06:07Z",
            "checks": {"energy": {"source": "meter", "scope": scope}},
            **columns,
        },
    )
    return [
        replace(
            run,
            values={
                RATE: 100.0,
                "step_seconds": 1.28,
                MEAN: 101 / each,
                PER_JOULE: each,
            },
            columns={**run.columns, "replicate": number},
        )
        for number, each in enumerate(joules)
    ]


def rows(efficiency: Efficiency | None) -> list[EfficiencyRow]:
    assert efficiency is not None
    return [row for group in efficiency.groups for row in group.rows]


def group_of(efficiency: Efficiency | None, chip: str) -> EfficiencyGroup:
    assert efficiency is not None
    (group,) = (group for group in efficiency.groups if group.system.chip == chip)
    return group
