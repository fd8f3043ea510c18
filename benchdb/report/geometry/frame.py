"""The axes of a chart: how much room ticks and labels take, and where values stand."""

import math
from collections.abc import Sequence

import msgspec

from benchdb.report.geometry.labels import Room, Spot
from benchdb.report.geometry.lettering import Measure, cut
from benchdb.report.planes import Plane, Scale, Tick

_HEIGHT, _HEIGHT_BESIDE = 320.0, 260.0  # of a panel alone and of several, in pixels
_TALLEST = 600.0
_ROW, _TALL_ROW = 36.0, 56.0  # of ticks that name things, beside or above their line
_LINE = 15.0  # between two labels
_LONGEST_TICK, LONGEST_END, _LONGEST_NAME = 92.0, 136.0, 240.0
_OVER = 15.0  # from a line to the name above it
_TICK_GAP = 9.0  # between an axis and its labels
_LEAST = 10.0  # on both sides: half a mark
_COLUMNS = {1: 1, 2: 2, 4: 2}  # panels side by side where there is room; else 3


class Frame(msgspec.Struct, frozen=True):
    """What all panels of a chart share, in pixels.

    *start* and *end* are the margins of a plot for the labels beside it. *over* says
    that the ticks of y stand above their lines: names too long for a margin.
    """

    height: float
    start: float
    end: float
    columns: int
    over: bool


class TickMark(msgspec.Struct, frozen=True):
    """A tick at *at*: per cent on x, pixels on y; shown from a width on (*level*).

    Without a level only its line is there.
    """

    at: float
    label: str
    level: int | None = 0


def frame(plane: Plane, measure: Measure) -> Frame:
    """Return the room that the axes of *plane* need."""
    rows = [tick for panel in plane.panels for tick in panel.y.ticks]
    widest = max((measure(tick.label) for tick in rows), default=0.0)
    names = any(panel.y.named for panel in plane.panels)
    over = widest > _LONGEST_TICK and (
        names or not any(panel.y.log for panel in plane.panels)
    )
    first, last = _overhangs(plane, measure)
    margin = 0.0 if over else min(widest, _LONGEST_TICK) + _TICK_GAP
    return Frame(
        height=_height(plane, names=names or over, over=over),
        start=math.ceil(max(margin, first, _LEAST)),
        end=math.ceil(max(_end(plane, measure), last, _LEAST)),
        columns=_COLUMNS.get(len(plane.panels), 3),
        over=over,
    )


def _overhangs(plane: Plane, measure: Measure) -> tuple[float, float]:
    """Return how far the outermost labels of x reach beyond the plot."""
    first = last = 0.0
    for panel in plane.panels:
        for tick in panel.x.ticks:
            at = place(tick.value, panel.x)
            half = measure(tick.label) / 2
            if at is not None and at < 0.08:
                first = max(first, half)
            elif at is not None and at > 0.92:
                last = max(last, half)
    return min(first, _LONGEST_TICK / 2), min(last, _LONGEST_TICK / 2)


def _end(plane: Plane, measure: Measure) -> float:
    names = [
        measure(stroke.label)
        for panel in plane.panels
        for stroke in panel.strokes
        if stroke.label and not stroke.guide
    ]
    return min(max(names), LONGEST_END) + 14 if names else 0.0


def _height(plane: Plane, *, names: bool, over: bool) -> float:
    if names:
        rows = max((len(panel.y.ticks) for panel in plane.panels), default=0)
        return max(1, rows) * (_TALL_ROW if over else _ROW)
    ends = max(
        (
            sum(bool(s.label) and not s.guide for s in panel.strokes)
            for panel in plane.panels
        ),
        default=0,
    )
    least = _HEIGHT if len(plane.panels) < 2 else _HEIGHT_BESIDE
    return min(_TALLEST, max(least, (ends + 1) * _LINE))


def place(value: float, scale: Scale) -> float | None:
    """Return where *value* stands between the ends of *scale*, which are 0 and 1.

    Outside it is less or more; what no logarithm has, or no number, has no place. On
    a scale without length all values stand in the middle.
    """
    if not math.isfinite(value) or (scale.log and value <= 0):
        return None
    if scale.log and (scale.low <= 0 or scale.high <= 0):
        return 0.5
    low, high = (_even(end, scale) for end in (scale.low, scale.high))
    if not math.isfinite(high - low) or high <= low:
        return 0.5
    return (_even(value, scale) - low) / (high - low)


def _even(value: float, scale: Scale) -> float:
    return math.log(value) if scale.log else value


def across(
    scale: Scale, widths: Sequence[float], measure: Measure
) -> tuple[TickMark, ...]:
    """Place the ticks of an x axis: per cent; those that would collide give way."""
    room = Room(widths, 2 * _LINE, start=math.inf, end=math.inf)
    placed = []
    for tick in _by_weight(scale.ticks):
        at = _at(tick, scale)
        if at is None:
            continue
        label = cut(tick.label, _LONGEST_TICK, measure)
        spot = Spot(at * 100, _LINE, "middle", 0)
        found = room.place(measure(label) + 8, (spot,))
        placed.append(TickMark(at * 100, label, found[1] if found else None))
    return tuple(sorted(placed, key=lambda mark: mark.at))


def upwards(scale: Scale, frame: Frame, measure: Measure) -> tuple[TickMark, ...]:
    """Place the ticks of a y axis: pixels; those that would collide have no label."""
    longest = _LONGEST_NAME if frame.over else _LONGEST_TICK
    placed: list[TickMark] = []
    for tick in _by_weight(scale.ticks):
        at = _at(tick, scale)
        if at is None:
            continue
        y = (1 - at) * frame.height
        near = any(abs(y - t.at) < _LINE - 2 for t in placed if t.level is not None)
        label = cut(tick.label, longest, measure)
        placed.append(TickMark(y, label, None if near else 0))
    return tuple(sorted(placed, key=lambda mark: mark.at))


def tick_spot(tick: TickMark, frame: Frame) -> Spot:
    """Return where the label of a tick of y stands; the style sheet says the same."""
    if frame.over:
        return Spot(0, tick.at - _OVER, "start", 0)
    return Spot(0, tick.at + 4, "end", -_TICK_GAP)


def _by_weight(ticks: Sequence[Tick]) -> list[Tick]:
    return sorted(ticks, key=lambda tick: tick.minor)


def _at(tick: Tick, scale: Scale) -> float | None:
    at = place(tick.value, scale)
    return at if at is not None and -1e-9 <= at <= 1 + 1e-9 else None
