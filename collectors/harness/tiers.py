"""The tiers: how often and how long a cell is measured."""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Tier:
    """How often and how long; seconds throughout, limits end a phase regardless.

    *half_width* makes it go on past the minimum until the median is known so well,
    relative to itself. *process_limit* is when a worker counts as hanging.
    """

    processes: int
    warmup_steps: int
    warmup_seconds: float
    warmup_limit: float
    blocks: int
    window_seconds: float
    window_limit: float
    block_seconds: float = 0.5
    single_steps: int = 50
    single_seconds: float = 5.0
    half_width: float | None = None
    idle_seconds: float = 2.0
    cool_seconds: float = 60.0
    process_limit: float = 3600.0


TIERS = {
    "smoke": Tier(
        *(1, 3, 0, inf, 5, 0, inf, 0),
        single_steps=3,
        single_seconds=inf,
        idle_seconds=0,
        cool_seconds=0,
        process_limit=900,
    ),
    "quick": Tier(3, 10, 5, 30, 10, 10, 60, cool_seconds=15, process_limit=1800),
    "standard": Tier(5, 10, 5, 120, 20, 20, 120, half_width=0.005),
    "reference": Tier(
        *(10, 20, 30, 120, 40, 60, 240), half_width=0.005, process_limit=7200
    ),
}
