"""Plots in tables: every row has marks on one axis, whose labels stand in the head.

x is in per cent of the plot, so that marks keep their size at any width.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from benchdb.report.charts import svg
from benchdb.report.charts.spec import Scale, decimals_of, log_scale
from benchdb.report.language import Language
from benchdb.report.view.atoms import Ratio
from benchdb.statistics.ticks import axis_ticks

if TYPE_CHECKING:  # words of kept facts need no database
    from benchdb.compare.cell_rows import CellRow

_MARGIN = 1.06  # beyond the outermost mark or tick, as a factor
_FAR = 6  # from end to end: decades, or numbers that are closer to each other
_DIGITS = (1, 1.2, 1.5, 2, 3, 4, 5, 6, 8)
_TINY = 1e-3
_LEAST = 1.6  # from end to end: a narrower axis would enlarge chance
# Notes that say what is not alike or how a figure was read, and doubt no speed.
_EXPLAINED = frozenset(
    {
        "approximate",
        "batch-differs-from-command",
        "duplicate-key",
        "launch-bound",
        "power-scope-unknown",
        "unlike-conditions",
    }
)


class Label(msgspec.Struct, frozen=True):
    """A label below an axis; a *minor* one gives way where room is short."""

    at: str
    text: str
    minor: bool


class Axis(msgspec.Struct, frozen=True):
    """The axis of a table: *name* is what its rows call its grid."""

    name: str
    labels: tuple[Label, ...]
    scale: Scale

    def at(self, value: float) -> str:
        """Return where *value* stands, in per cent; what is beyond stands at the end.

        Raise ``ValueError`` for what has no logarithm.
        """
        place = self.scale.place(value)
        if place is None:
            raise ValueError(f"{value} has no place on a logarithmic axis")
        return _per_cent(place)


class Mark(msgspec.Struct, frozen=True):
    """A mark with its class, and what it is where that stands nowhere else."""

    at: str
    look: str
    title: str = ""


class Plot(msgspec.Struct, frozen=True):
    """What one row shows: a *span* from here to there, *whisker* and *band* as well."""

    marks: tuple[Mark, ...]
    span: tuple[str, str] | None = None
    whisker: tuple[str, str] | None = None
    band: tuple[str, str] | None = None
    look: str = ""  # of the span


def axis(
    name: str,
    values: Iterable[float],
    label: Callable[[float], str],
    around: Sequence[float] = (),
) -> Axis:
    """Return a logarithmic axis on which all *values*, and those *around*, have room.

    Values that are not above 0 have no place on it.
    """
    known = [value for value in (*values, *around) if value > 0] or [1.0]
    low, high = min(known), max(known)
    if high / low < _LEAST:
        middle = (low * high) ** 0.5
        low, high = middle / _LEAST**0.5, middle * _LEAST**0.5
    round_ones = axis_ticks(low, high) if high / low > _FAR else _near(low, high)
    inside = [tick for tick in round_ones if low / _MARGIN <= tick <= high * _MARGIN]
    ticks = inside if len(inside) > 1 else [low, high]
    marked = log_scale(ticks, label)
    ends = min(low, ticks[0]) / _MARGIN, max(high, ticks[-1]) * _MARGIN
    scale = Scale(*ends, marked.ticks, "")
    labels = tuple(
        Label(_per_cent(scale.place(tick.value) or 0.0), tick.label, tick.minor)
        for tick in marked.ticks
    )
    return Axis(name, labels, scale)


def _near(low: float, high: float) -> list[float]:
    """Return round numbers where the ends are too near for decades."""
    size = 10.0 ** math.floor(math.log10(low))
    every = [digit * size * ten for ten in (1, 10) for digit in _DIGITS]
    return [float(f"{tick:.3g}") for tick in every if low <= tick * _MARGIN]


def tick(language: Language, value: float) -> str:
    """Write a round number on an axis with no more digits than it has."""
    if value < _TINY:
        return language.significant(value, 1)
    return language.number(value, decimals_of(value))


def times_tick(language: Language, value: float) -> str:
    """Write a round factor on an axis."""
    return language.multiple(tick(language, value))


def is_doubtful(flags: Iterable[str]) -> bool:
    """Tell whether one of *flags*, the codes of notes, speaks against a speed."""
    return not _EXPLAINED.issuperset(flags)


def is_flagged(cell: "CellRow") -> bool:
    """Tell whether something speaks against one of the figures of a ratio."""
    return is_doubtful((*cell.base.flags, *cell.other.flags))


def look(ratio: Ratio, *, flagged: bool = False) -> str:
    """Return the class of a mark that shows a ratio."""
    if flagged:
        return "flagged"
    if ratio.differs:
        return "unlike"
    if ratio.verdict == "even" or not ratio.leads:
        return "level"
    return "up" if ratio.value > 1 else "down" if ratio.value < 1 else "level"


def _per_cent(place: float) -> str:
    return svg.number(100 * min(1.0, max(0.0, place)), decimals=1)
