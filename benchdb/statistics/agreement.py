"""Whether a second measurement confirms a first one: docs/statistics.md has reasons.

The words of a comparison come first: what is surely faster or slower confirms nothing,
however little it is. What chance explains confirms a figure only where the two are near
each other, and where a large difference would have been seen.
"""

import math
from typing import Literal

from benchdb.statistics.comparison import Cell, Word, judged

# Two sessions of the noisiest class of work differ by 6 %, a standard deviation, on a
# machine that did not change; by more than this in one of nine.
TOLERANCE = 0.10
# Of evidence that would have let half as fast again pass, nothing follows.
SENSITIVITY = 0.5

_NOISE = 1e-9  # of floats: 1.004 - 1 is a little more than 0.004
Outcome = Literal["reproduced", "differs", "unclear"]


def outcome(ratio: float, usual: Word, wide: Word) -> Outcome:
    """Return what a *ratio* of two figures says, by the words of a comparison.

    *usual* is its verdict, *wide* that with the threshold ``SENSITIVITY``.
    """
    if usual in ("faster", "slower"):
        return "differs"
    near = usual in ("even", "unclear") and deviation(ratio) <= TOLERANCE
    return "reproduced" if near and wide == "even" else "unclear"


def agreement(cell: Cell) -> tuple[Outcome, float]:
    """Return whether both sides of *cell* agree, and how far they are apart."""
    estimate, usual = judged([cell])
    _, wide = judged([cell], SENSITIVITY)
    return outcome(estimate.value, usual, wide), deviation(estimate.value)


def deviation(ratio: float) -> float:
    """Return by what share the larger of two figures exceeds the other one."""
    return max(ratio, 1 / ratio) - 1


def rounded_up(share: float) -> float:
    """Return *share* in tenths of a per cent, none of which is too small."""
    return math.ceil(1000 * share - _NOISE) / 1000
