"""What all processes of a campaign share, and what later ones take from earlier."""

from collections.abc import Mapping
from typing import Any

import msgspec

from benchdb.collecting.plan import Cell
from benchdb.exchange.record import Record

STEPS = "steps_per_block"  # as the checks of a run name it


class Settings(msgspec.Struct, frozen=True):
    """What all processes of a campaign share.

    *time_limit* is the worker's, the collector has *grace* beyond it, both in seconds.
    *cool_down* is how long it may wait for the GPU to cool; None as its tier has it.
    """

    campaign: str
    tier: str
    seed: int
    time_limit: float
    grace: float = 120.0
    cool_down: int | None = None
    isolated: bool = False
    powermetrics: bool = False

    @property
    def patience(self) -> float:
        """Return the seconds after which a collector counts as hanging."""
        return self.time_limit + self.grace + (self.cool_down or 0)


class Memory(msgspec.Struct):
    """What later processes of a campaign take over from earlier ones.

    The steps of a block of each cell, the GPU's temperature in °C when it began, and
    the anonymous id of the machine.
    """

    steps_per_block: dict[Cell, int] = {}
    start_temperature: float | None = None
    machine: str | None = None

    def learn(self, cell: Cell, record: Record) -> None:
        """Keep what *record* found out."""
        self.take(cell, record.run.conditions, record.end.checks)

    def take(
        self, cell: Cell, before: Mapping[str, Any], checks: Mapping[str, Any]
    ) -> None:
        """Keep the temperature of the first run that read it, and a cell's block."""
        read, steps = before.get("gpu_temperature_celsius"), checks.get(STEPS)
        if self.start_temperature is None and isinstance(read, int | float):
            self.start_temperature = read
        if isinstance(steps, int):
            self.steps_per_block.setdefault(cell, steps)
