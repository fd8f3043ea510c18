"""Where marks stand on the axes of a report: percentages, counted from the left.

Charts have percentage x and pixel y and no viewBox, so text keeps its size at any
width. All axes are logarithmic: equal distance means equal factor.
"""

import math
from itertools import groupby

import msgspec

from benchdb.report.sections.distance import DistanceRow
from benchdb.report.sections.metal import MetalGroup, MetalRow, MetalSection
from benchdb.report.view.atoms import Axis, Quantity, Ratio

MARGIN = 4.0  # per cent kept free at both ends, so that end marks are not cut
SHADES = (1.25, 2.0, 4.0, 8.0)  # the factors at which a heat cell changes its shade
_SHAPES = 5  # marker shapes that the style sheet knows


class Tick(msgspec.Struct, frozen=True):
    """A labelled place on an axis; *minor* ticks give way on narrow screens."""

    at: float
    value: float
    minor: bool


class Span(msgspec.Struct, frozen=True):
    """A horizontal stroke from *start* to *end*."""

    start: float
    end: float


class Dumbbell(msgspec.Struct, frozen=True):
    """The two sides of one comparison and the stroke between them.

    *doubtful* strokes are dashed: a flag hangs on one of the values.
    """

    cpu: float | None
    metal: float | None
    bar: Span | None
    whiskers: tuple[Span, ...]
    verdict: str
    doubtful: bool


class Dot(msgspec.Struct, frozen=True):
    """One system's mark; *shape* counts the systems of the table from 0."""

    at: float
    shape: int
    whisker: Span | None
    unlike: bool


class Bundle(msgspec.Struct, frozen=True):
    """Groups of one row each that share chip, framework and metric, shown as one."""

    groups: tuple[MetalGroup, ...]


def bundles(section: MetalSection) -> tuple[Bundle, ...]:
    """Put neighbouring groups together where each alone would head a single row."""
    keyed = groupby(enumerate(section.groups), key=_bundle_key)
    return tuple(Bundle(tuple(group for _, group in found)) for _, found in keyed)


def _bundle_key(numbered: tuple[int, MetalGroup]) -> tuple[object, ...]:
    index, group = numbered
    if len(group.rows) != 1:
        return (index,)
    row = group.rows[0]
    return row.chip, row.model, row.framework, group.metric


def position(value: float, axis: Axis) -> float:
    """Return where *value* stands on *axis*, in per cent; outside is at the edge."""
    if value <= 0 or axis.low <= 0 or axis.high <= axis.low:
        return MARGIN
    share = math.log(value / axis.low) / math.log(axis.high / axis.low)
    return MARGIN + min(1.0, max(0.0, share)) * (100 - 2 * MARGIN)


def ticks(axis: Axis) -> tuple[Tick, ...]:
    """Return the ticks of *axis* with their places; that of 1 is never minor."""
    first = axis.ticks.index(1) if 1 in axis.ticks else 0
    return tuple(
        Tick(position(value, axis), value, minor=(index - first) % 2 == 1)
        for index, value in enumerate(axis.ticks)
    )


def dumbbell(row: MetalRow, axis: Axis) -> Dumbbell:
    """Place both sides of *row* on *axis*; a value in another unit has no place."""
    cpu, metal = _placed(row.cpu, axis), _placed(row.metal, axis)
    sides = (row.cpu, row.metal)
    return Dumbbell(
        cpu=cpu,
        metal=metal,
        bar=None if cpu is None or metal is None else Span(cpu, metal),
        whiskers=tuple(s for q in sides if (s := _interval(q, axis)) is not None),
        verdict=row.ratio.verdict if row.ratio else "unclear",
        doubtful=bool(
            (row.ratio and row.ratio.notes) or any(q and q.notes for q in sides)
        ),
    )


def dots(row: DistanceRow, axis: Axis) -> tuple[Dot, ...]:
    """Place the share of every system that has one on *axis*."""
    return tuple(
        Dot(
            at=position(cell.share.value, axis),
            shape=index % _SHAPES,
            whisker=_ratio_interval(cell.share, cell.quantity, axis),
            unlike=bool(cell.share.differs),
        )
        for index, cell in enumerate(row.cells)
        if cell.share is not None
    )


def shade(ratio: float) -> int:
    """Return the heat step of *ratio*: 4 is 8 times as fast or more, -4 the inverse."""
    factor = ratio if ratio >= 1 else 1 / ratio
    # A hair of slack: 1 / 0.8 is 1.25 on paper but not in binary.
    steps = sum(factor >= step * (1 - 1e-9) for step in SHADES)
    return steps if ratio >= 1 else -steps


def _placed(quantity: Quantity | None, axis: Axis) -> float | None:
    if quantity is None or quantity.unit != axis.unit:
        return None
    return position(quantity.value, axis)


def _interval(quantity: Quantity | None, axis: Axis) -> Span | None:
    if quantity is None or quantity.unit != axis.unit or quantity.n < 2:
        return None
    return _span(quantity.low, quantity.high, axis)


def _ratio_interval(ratio: Ratio, quantity: Quantity | None, axis: Axis) -> Span | None:
    if quantity is None or quantity.n < 2:
        return None
    return _span(ratio.low, ratio.high, axis)


def _span(low: float | None, high: float | None, axis: Axis) -> Span | None:
    if low is None or high is None:
        return None
    return Span(position(low, axis), position(high, axis))
