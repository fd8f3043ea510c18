"""Processes to be graded: one without fault, and what changes about it."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from benchdb.grading import Grade, ProcessFacts, grade

TRAINING = {
    **dict.fromkeys(("parameter_count", "device", "dtype", "loss"), "passed"),
    "result_error": "not-applicable",
    "peak_rate": "not-checked",
}
OPERATION = {
    **dict.fromkeys(("parameter_count", "loss"), "not-applicable"),
    **dict.fromkeys(("result_error", "device", "dtype"), "passed"),
}
STEADY = {"drift_pct": 0.2, "steady": True}
ON_CUDA = {"samples": 300, "throttled_fraction": 0.0, "swapped_out_bytes": 0}
ON_METAL = {"samples": 300, "thermal_pressure_max": "nominal"}


def gates(statuses: dict[str, str]) -> dict[str, Any]:
    return {name: {"status": status} for name, status in statuses.items()}


def process(**changes: Any) -> ProcessFacts:
    """Return a process without fault: a training on a CUDA card."""
    checks = {"gates": gates(TRAINING), "steady": STEADY, "during": ON_CUDA}
    perfect = ProcessFacts(
        status="ok",
        label="measured",
        device="cuda",
        tier="standard",
        seconds=0.1,
        iqr_percent=0.5,
        load_per_cpu=0.1,
        checks=checks,
    )
    return replace(perfect, **changes)


def checked(**changes: Any) -> ProcessFacts:
    return process(checks={**process().checks, **changes})


def during(device: str = "cuda", **readings: Any) -> ProcessFacts:
    usual = ON_CUDA if device == "cuda" else ON_METAL
    return replace(checked(during={**usual, **readings}), device=device)


def of(one: ProcessFacts, count: int = 5) -> Grade:
    """Grade one process of this kind among *count* without fault."""
    found = grade([one, *[process(device=one.device, tier=one.tier)] * (count - 1)])
    assert found is not None
    return found


def timed(values: Sequence[float]) -> Grade:
    found = grade([process(seconds=value) for value in values])
    assert found is not None
    return found


def on(device: str, **changes: Any) -> Grade:
    """Grade five like processes on a Mac's GPU or a CPU."""
    calm = replace(during(device, **changes.pop("readings", {})), **changes)
    found = grade([calm] * 5)
    assert found is not None
    return found
