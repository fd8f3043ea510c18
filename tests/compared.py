"""Databases for comparisons: campaigns of a few processes, in a few words."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchdb.store.database import open_database, writing
from tests.store_factory import Machine, Run, add

M1 = Machine("M1", ours="aaaaaaaa11111111")
M1_TOO = Machine("M1", model="Mac mini", ours="bbbbbbbb22222222")
M2 = Machine("M2", ours="cccccccc33333333")
STEADY = (0.99, 1.0, 1.01)  # of a speed, in three processes


def campaign(
    name: str | None,
    speed: float,
    *,
    machine: Machine = M1,
    shares: Sequence[float] = STEADY,
    metric: str = "samples_per_second",
    day: int = 1,
    columns: dict[str, Any] | None = None,
    **facts: Any,
) -> list[Run]:
    """Return a process for each of *shares* of the *speed*, by default on Metal."""
    batch = (columns or {}).get("batch_size", 128)
    usual: dict[str, Any] = {
        "device": "metal",
        "framework": "torch",
        "version": "2.5.0",
        "source": None,
    }
    return [
        Run(
            machine=machine,
            values=_values(metric, speed * share, batch),
            columns={
                "campaign": name,
                "replicate": number,
                "tier": "quick",
                "parameters": {"batch_size": batch},
                "started": f"2026-03-{day:02}T10:{number:02}:00Z",
                "conditions_before": {"load_1m": 0.1, "cpu_count_usable": 8},
                **(columns or {}),
            },
            **(usual | facts),
        )
        for number, share in enumerate(shares)
    ]


def _values(metric: str, value: float, batch: int) -> dict[str, float | None]:
    """Return a figure; a rate has the step beside it that its grade rests on."""
    if metric == "samples_per_second":
        return {metric: value, "step_seconds": batch / value}
    return {metric: value}


def published(seconds: float, *, machine: Machine, source: str) -> Run:
    """Return a single run that a source tells of."""
    values = {"script_wall_seconds": seconds}
    return Run(machine=machine, source=source, values=values)


def stored(path: Path | str, runs: Iterable[Run]) -> list[str]:
    """Make a database at *path* with these *runs*; return their digests."""
    engine = open_database(str(path), create=True)
    with writing(engine) as connection:
        digests = [add(connection, run) for run in runs]
    engine.dispose()
    return digests
