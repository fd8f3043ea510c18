"""What the supervisor hands to a worker, as one line of JSON."""

from dataclasses import dataclass, field
from typing import Any

from _cell import Cell


@dataclass(frozen=True)
class Assignment:
    """One cell, the lines begun for it, and when its process was started."""

    cell: Cell
    run: dict[str, Any]
    environment: dict[str, Any]
    # time.monotonic_ns of the supervisor just before it started us: one clock for all
    # processes of a machine, finer than the 10 ms of /proc/self/stat.
    started_ns: int
    chip: str | None = None
    gpu_cores: int | None = None
    highest_clocks: dict[str, float] = field(default_factory=dict)  # MHz by card
    steps_per_block: int | None = None
    seed_protocol: bool = True
    time_limit: float | None = None  # seconds after which the worker hangs
    progress: bool = False

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Assignment":
        """Return the assignment that ``dataclasses.asdict`` took apart."""
        return cls(**content | {"cell": Cell.from_json(content["cell"])})
