"""What a campaign will take, judged by what the machine has measured before."""

from collections.abc import Sequence
from statistics import median

import msgspec

from benchdb.collecting.history import Past
from benchdb.collecting.plan import Cell, Plan


class Expected(msgspec.Struct, frozen=True):
    """One process of a cell; *at_least* where the tier alone says how long.

    Seconds are None where it does not say either, joules where no earlier run of the
    cell was metered.
    """

    cell: Cell
    seconds: float | None
    at_least: bool
    joules: float | None


def expected(plan: Plan, past: Sequence[Past]) -> list[Expected]:
    """Return what a process of each cell of *plan* will take."""
    return [_of_cell(cell, plan.least_seconds, past) for cell in plan.cells]


def _of_cell(cell: Cell, least_seconds: float, past: Sequence[Past]) -> Expected:
    same = [one for one in past if one.is_of(cell)]
    seconds = [one.seconds for one in same if one.seconds is not None]
    watts = [one.watts for one in same if one.watts is not None]
    if not seconds:
        return Expected(cell, least_seconds or None, at_least=True, joules=None)
    usual = median(seconds)
    joules = median(watts) * usual if watts else None
    return Expected(cell, usual, at_least=False, joules=joules)
