"""A plan of forty items, made without asking any collector."""

from benchdb.collecting.history import Expected
from benchdb.collecting.items import PlannedItem, planned
from benchdb.collecting.plan import Cell, Settings


def numbered(seed: int) -> list[PlannedItem]:
    cells = [
        Cell(
            *("matmul", "numpy", "cpu", "fp32", "standard", "none"),
            axes=(("size", size),),
            arguments=("matmul", "--size", str(size)),
        )
        for size in range(20)
    ]
    estimates = [Expected(cell, 1.5, at_least=False, joules=None) for cell in cells]
    settings = Settings("many", "smoke", seed, time_limit=900)
    return planned(estimates, 2, settings, "python3")
