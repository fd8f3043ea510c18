"""Where everything on a chart stands, in per cent and pixels.

x is in per cent of the plot, y in pixels from its top, so that letters and marks keep
their size at any width. The same places are drawn on the page and beside Markdown.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from benchdb.report.charts.labels import (
    Box,
    Measure,
    Place,
    Room,
    Spot,
    along,
    around,
    cut,
    space_out,
    width,
)
from benchdb.report.charts.spec import (
    LOOKS,
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Rows,
    Scale,
    Stroke,
    Tick,
)

# The panels for which labels are placed, in pixels; the style sheet has these steps.
WIDTHS = (280.0, 350.0, 520.0, 720.0)
_NARROWEST = 60.0  # of a plot, however much its labels take
_HEIGHT, _HEIGHT_BESIDE, _TALLEST = 320.0, 260.0, 600.0  # alone, of several, at most
_ROW, _TALL_ROW = 30.0, 56.0  # of names beside or above their line
_LINE = 15.0  # between two labels
_LONGEST_TICK, _LONGEST_END, _LONGEST_NAME, _LONGEST = 92.0, 136.0, 264.0, 170.0
_OVER = 15.0  # from a line to the name above it
_TICK_GAP = 9.0  # between an axis and its labels
_LEAST = 10.0  # on both sides: half a mark
_COLUMNS = {1: 1, 2: 2, 4: 2}  # panels side by side where there is room; else 3
_NEAR = 5.0  # pixels that a label may move before a line leads to it
_BESIDE = 97.0  # per cent: strokes that end here have their labels beside the plot
_MOST = 60  # labels of marks in a panel; more would be no picture
_RADIUS, _RADIUS_MINE = 6.0, 10.0
_RANK = {look: n for n, look in enumerate(LOOKS)}
_DEPTH: Mapping[Look, int] = {"quiet": -1, "mine": 1}  # drawn below or above others
Kind = Literal["point", "end", "guide"]


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
    level: int | None
    value: float

    def spot(self, frame: Frame) -> Spot:
        """Return where the label of a tick of y stands, as in the style sheet."""
        if frame.over:
            return Spot(0, self.at - _OVER, "start", 0)
        return Spot(0, self.at + 4, "end", -_TICK_GAP)


class Label(msgspec.Struct, frozen=True):
    """Words at a spot, on plots from the width *level* on.

    *whole* is set where *text* had to be cut.
    """

    text: str
    whole: str
    look: Look
    kind: Kind
    spot: Spot
    level: int = 0

    @property
    def complete(self) -> bool:
        """Tell whether it is there in full at every width."""
        return self.level == 0 and not self.whole


class Mark(msgspec.Struct):
    """A point at its place; *whisker* are the ends of its interval."""

    point: Point
    at: Place
    whisker: tuple[Place, Place] | None
    label: Label | None = None

    @property
    def title(self) -> str:
        """Return the point's label where that is not on the plot in full."""
        return "" if self.label and self.label.complete else self.point.label


class Trail(msgspec.Struct):
    """A stroke as it is seen: in pieces, where it leaves the plot and returns."""

    stroke: Stroke
    pieces: tuple[tuple[Place, ...], ...]
    label: Label | None = None

    @property
    def title(self) -> str:
        """Return the stroke's label where that is not on the plot in full."""
        return "" if self.label and self.label.complete else self.stroke.label


class Axes(msgspec.Struct, frozen=True):
    """One panel. *leaders* lead from the ends of strokes to labels that had to move."""

    panel: Panel
    x_ticks: tuple[TickMark, ...]
    y_ticks: tuple[TickMark, ...]
    trails: tuple[Trail, ...]
    marks: tuple[Mark, ...]
    leaders: tuple[tuple[float, float], ...]

    @property
    def labels(self) -> Iterator[Label]:
        """Yield the labels that have a place."""
        items: tuple[Trail | Mark, ...] = (*self.trails, *self.marks)
        yield from (item.label for item in items if item.label)


class Sign(msgspec.Struct, frozen=True):
    """An entry of the legend: a mark, a stroke or both; or the stroke of a *guide*."""

    key: Key
    mark: bool
    stroke: bool
    guide: bool


class Layout(msgspec.Struct, frozen=True):
    """A chart with everything in its place."""

    frame: Frame
    panels: tuple[Axes, ...]
    signs: tuple[Sign, ...]


def lay_out(
    chart: Chart, widths: Sequence[float] = WIDTHS, measure: Measure = width
) -> Layout:
    """Place all of *chart* for panels as wide as *widths*, the narrowest first."""
    frame = _frame(chart, widths[0], measure)
    plots = [max(_NARROWEST, w - frame.start - frame.end) for w in widths]
    panels = tuple(_Plot(p, frame, plots, measure).axes() for p in chart.panels)
    return Layout(frame, panels, tuple(_sign(key, chart) for key in chart.keys))


def _frame(chart: Chart, wide: float, measure: Measure) -> Frame:
    """Return the room that the axes of *chart* need on panels *wide* pixels wide."""
    rows = [row for p in chart.panels if isinstance(p.y, Rows) for row in p.y.rows]
    names = [row.label for row in rows if not row.heading] or [
        tick.label for panel in chart.panels for tick in panel.y.ticks
    ]
    widest = max(map(measure, names), default=0.0)
    longest = max(_LONGEST_TICK, (wide - 100) / 2)
    over = widest > longest and not any(
        isinstance(panel.y, Scale) and panel.y.log for panel in chart.panels
    )
    first = last = 0.0  # how far the outermost labels of x reach beyond the plot
    for panel in chart.panels:
        for tick in panel.x.ticks:
            at = panel.x.place(tick.value)
            half = min(measure(tick.label), _LONGEST_TICK) / 2
            if at is not None and at < 0.08:
                first = max(first, half)
            elif at is not None and at > 0.92:
                last = max(last, half)
    ends = [
        min(measure(stroke.label), _LONGEST_END)
        for panel in chart.panels
        for stroke in panel.strokes
        if stroke.label and not stroke.guide
    ]
    ends += [measure(row.remark) for row in rows if row.remark]
    end = max(ends) + 14 if ends else 0.0
    margin = 0.0 if over else min(widest, longest) + _TICK_GAP
    return Frame(
        height=_height(chart, over=over),
        start=math.ceil(max(margin, first, _LEAST)),
        end=math.ceil(max(end, last, _LEAST)),
        columns=_COLUMNS.get(len(chart.panels), 3),
        over=over,
    )


def _height(chart: Chart, *, over: bool) -> float:
    if over or any(isinstance(panel.y, Rows) for panel in chart.panels):
        rows = max(len(panel.y.ticks) for panel in chart.panels)
        return max(1, rows) * (_TALL_ROW if over else _ROW)
    ends = [
        sum(bool(stroke.label) and not stroke.guide for stroke in panel.strokes)
        for panel in chart.panels
    ]
    least = _HEIGHT if len(chart.panels) < 2 else _HEIGHT_BESIDE
    return min(_TALLEST, max(least, (max(ends, default=0) + 1) * _LINE))


class _Plot(msgspec.Struct, frozen=True):
    """A panel to be laid out for several widths of what is between its axes."""

    panel: Panel
    frame: Frame
    plots: Sequence[float]
    measure: Measure

    def axes(self) -> Axes:
        # Guides first; those that stand out are last.
        points = sorted(self.panel.points, key=lambda point: _DEPTH.get(point.look, 0))
        strokes = sorted(
            self.panel.strokes,
            key=lambda stroke: (not stroke.guide, _DEPTH.get(stroke.look, 0)),
        )
        marks = [
            Mark(point, at, self._whisker(point))
            for point in points
            if (at := self._inside(point.x, point.y))
        ]
        trails = [Trail(stroke, tuple(self._pieces(stroke))) for stroke in strokes]
        y_ticks = self._upwards()
        room = self._room(marks, trails, y_ticks)
        lines = [trail for trail in trails if trail.pieces and not trail.stroke.guide]
        guides = [trail for trail in trails if trail.pieces and trail.stroke.guide]
        leaders = self._beside(
            [line for line in lines if line.pieces[-1][-1][0] >= _BESIDE], room
        )
        ends = [(line, line.pieces[-1][-1]) for line in lines if not line.label]
        self._label("end", [(line, around(end, _RADIUS)) for line, end in ends], room)
        first = sorted(marks, key=lambda mark: _RANK[mark.point.look])
        nearest = [(mark, around(mark.at, _radius(mark))) for mark in first]
        self._label("point", nearest, room)
        self._label(
            "guide", [(guide, along(guide.pieces[-1])) for guide in guides], room
        )
        return Axes(
            panel=self.panel,
            x_ticks=self._across(),
            y_ticks=y_ticks,
            trails=tuple(trails),
            marks=tuple(marks),
            leaders=leaders,
        )

    def _place(self, x: float, y: float) -> Place | None:
        """Return where *x* and *y* are, perhaps outside, if they have a place."""
        right, up = self.panel.x.place(x), self.panel.y.place(y)
        if right is None or up is None:
            return None
        return 100 * right, (1 - up) * self.frame.height

    def _inside(self, x: float, y: float) -> Place | None:
        """Return where a mark stands; one outside the axes is at their edge."""
        place = self._place(x, y)
        if place is None:
            return None
        across, down = place
        return min(100.0, max(0.0, across)), min(self.frame.height, max(0.0, down))

    def _whisker(self, point: Point) -> tuple[Place, Place] | None:
        if point.low is None or point.high is None:
            return None
        low, high = (
            self._inside(end, point.y)
            if isinstance(self.panel.y, Rows)
            else self._inside(point.x, end)
            for end in (point.low, point.high)
        )
        return (low, high) if low and high else None

    def _pieces(self, stroke: Stroke) -> Iterator[tuple[Place, ...]]:
        """Yield what of *stroke* is on the plot."""
        plot = Box(0, 0, 100, self.frame.height)
        piece: list[Place] = []
        last: Place | None = None
        for x, y in stroke.through:
            place = self._place(x, y)
            visible = plot.clip(last, place) if last and place else None
            if not visible or not piece or math.dist(piece[-1], visible[0]) > 1e-6:
                if len(piece) > 1:
                    yield tuple(piece)
                piece = [visible[0]] if visible else []
            if visible:
                piece.append(visible[1])
            last = place
        if len(piece) > 1:
            yield tuple(piece)

    def _across(self) -> tuple[TickMark, ...]:
        """Place the ticks of x; labels that would collide give way."""
        room = Room(self.plots, 2 * _LINE, start=math.inf, end=math.inf)
        ticks = []
        for tick, at in _by_weight(self.panel.x):
            label = cut(tick.label, _LONGEST_TICK, self.measure)
            spot = Spot(at * 100, _LINE, "middle", 0)
            place = room.place(self.measure(label) + 4, (spot,))
            level = place[1] if place else None
            ticks.append(TickMark(at * 100, label, level, tick.value))
        return tuple(sorted(ticks, key=lambda mark: mark.at))

    def _upwards(self) -> tuple[TickMark, ...]:
        """Place the ticks of y; those that would collide have no label."""
        longest = max(_LONGEST_TICK, self.frame.start - _TICK_GAP)
        if isinstance(self.panel.y, Rows):  # headings have room above the marks
            longest = _LONGEST_NAME if self.frame.over else self.plots[0]
        labelled: list[float] = []
        ticks = []
        for tick, at in _by_weight(self.panel.y):
            y = (1 - at) * self.frame.height
            level = None if any(abs(y - other) < _LINE - 2 for other in labelled) else 0
            labelled += [y] if level == 0 else []
            label = cut(tick.label, longest, self.measure)
            ticks.append(TickMark(y, label, level, tick.value))
        return tuple(sorted(ticks, key=lambda mark: mark.at))

    def _room(
        self,
        marks: Iterable[Mark],
        trails: Iterable[Trail],
        y_ticks: Iterable[TickMark],
    ) -> Room:
        """Return what is taken before there are labels."""
        lines: dict[bool, list[tuple[Place, Place]]] = {False: [], True: []}
        for trail in trails:
            for piece in trail.pieces:
                lines[trail.stroke.guide] += pairwise(piece)
        frame, strokes, guides = self.frame, lines[False], lines[True]
        room = Room(self.plots, frame.height, frame.start, frame.end, strokes, guides)
        for mark in marks:
            room.take_mark(mark.at, _radius(mark))
        for tick in y_ticks:
            if tick.level is not None:
                room.take(tick.spot(frame), self.measure(tick.label))
        return room

    def _beside(
        self, trails: Iterable[Trail], room: Room
    ) -> tuple[tuple[float, float], ...]:
        """Put the labels of strokes that end at the right beside the plot."""
        named = [trail for trail in trails if trail.stroke.label]
        most = int(room.height // _LINE) + 1
        first = sorted(named, key=lambda trail: _RANK[trail.stroke.look])[:most]
        ends = [trail.pieces[-1][-1][1] for trail in first]
        heights = space_out(ends, _LINE, 0, room.height)
        pairs = list(zip(ends, heights, strict=True))
        leaders = tuple(pair for pair in pairs if abs(pair[0] - pair[1]) > _NEAR)
        for trail, y in zip(first, heights, strict=True):
            spot = Spot(100, y + 4, "start", 13 if leaders else 9)
            text = cut(trail.stroke.label, _LONGEST_END, self.measure)
            trail.label = _label(trail.stroke, text, "end", spot)
            room.take(spot, self.measure(text))
        return leaders

    def _label(
        self,
        kind: Kind,
        candidates: Iterable[tuple[Mark | Trail, Sequence[Spot]]],
        room: Room,
    ) -> None:
        """Give those *candidates* a label for which one of their spots has room."""
        left = _MOST
        for item, spots in candidates:
            thing = item.point if isinstance(item, Mark) else item.stroke
            text = cut(thing.label, _LONGEST, self.measure)
            place = room.place(self.measure(text), spots) if text and left else None
            if place:
                item.label = _label(thing, text, kind, *place)
                left -= 1


def _label(
    thing: Point | Stroke, text: str, kind: Kind, spot: Spot, level: int = 0
) -> Label:
    whole = "" if text == thing.label else thing.label
    return Label(text, whole, thing.look, kind, spot, level)


def _by_weight(scale: Scale | Rows) -> Iterator[tuple[Tick, float]]:
    """Yield the ticks that are on the axis with their places, minor ones last."""
    for tick in sorted(scale.ticks, key=lambda tick: tick.minor):
        at = scale.place(tick.value)
        if at is not None and -1e-9 <= at <= 1 + 1e-9:
            yield tick, at


def _radius(mark: Mark) -> float:
    return _RADIUS_MINE if mark.point.look == "mine" else _RADIUS


def _sign(key: Key, chart: Chart) -> Sign:
    points = [p for panel in chart.panels for p in panel.points if p.look == key.look]
    strokes = [s for panel in chart.panels for s in panel.strokes if s.look == key.look]
    if key.dashed or key.look is None:
        return Sign(key, mark=False, stroke=key.dashed, guide=False)
    guide = bool(strokes) and all(s.guide for s in strokes)
    mark = bool(points) or not strokes
    return Sign(key, mark, bool(strokes) and not (guide and mark), guide and not mark)
