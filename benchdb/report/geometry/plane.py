"""Where the marks of a chart on two axes stand, in per cent and pixels.

x is in per cent of the plot, y in pixels from its top, so that letters and marks keep
their size at any width. The same places are drawn on the page and beside Markdown.
"""

import math
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.report.geometry.frame import Frame, TickMark, across, frame, place, upwards
from benchdb.report.geometry.labels import Box, Place
from benchdb.report.geometry.lettering import Measure, width
from benchdb.report.geometry.naming import Label, named
from benchdb.report.planes import Key, Look, Panel, Plane, Point, Scale, Stroke

# The panels for which labels are placed, in pixels; the style sheet has these steps.
WIDTHS = (280.0, 350.0, 520.0, 720.0)
_NARROWEST = 60.0  # of a plot, however much its labels take
# What stands out is drawn last, above the others.
_ORDER: tuple[Look, ...] = ("quiet", "4", "3", "2", "1", "0", "reference", "mine")


class Mark(msgspec.Struct, frozen=True):
    """A point in its look; *whisker* are the ends of its interval, in pixels.

    *title* is its label where that is not on the plot in full.
    """

    at: Place
    look: Look
    hollow: bool
    whisker: tuple[float, float] | None
    title: str


class Trail(msgspec.Struct, frozen=True):
    """A stroke as it is seen: in pieces, where it leaves the plot and returns."""

    pieces: tuple[tuple[Place, ...], ...]
    look: Look
    guide: bool
    title: str


class Axes(msgspec.Struct, frozen=True):
    """One panel. *leaders* lead from the ends of strokes to labels that had to move."""

    panel: Panel
    x_ticks: tuple[TickMark, ...]
    y_ticks: tuple[TickMark, ...]
    trails: tuple[Trail, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    leaders: tuple[tuple[float, float], ...]


class Sign(msgspec.Struct, frozen=True):
    """An entry of the legend: a mark, a stroke or both; or the stroke of a *guide*."""

    key: Key
    mark: bool
    stroke: bool
    guide: bool


class Drawing(msgspec.Struct, frozen=True):
    """A chart with everything in its place."""

    frame: Frame
    panels: tuple[Axes, ...]
    signs: tuple[Sign, ...]


def lay_out(
    plane: Plane, widths: Sequence[float] = WIDTHS, measure: Measure = width
) -> Drawing:
    """Place all of *plane* for panels as wide as *widths*, the narrowest first."""
    shared = frame(plane, measure)
    plots = [max(_NARROWEST, w - shared.start - shared.end) for w in widths]
    panels = tuple(_axes(panel, shared, plots, measure) for panel in plane.panels)
    return Drawing(shared, panels, tuple(_sign(key, plane) for key in plane.keys))


def _axes(
    panel: Panel, shared: Frame, plots: Sequence[float], measure: Measure
) -> Axes:
    points = [(p, at) for p in panel.points if (at := _spot(p, panel, shared))]
    strokes = [(s, tuple(_pieces(s, panel, shared))) for s in panel.strokes]
    y_ticks = upwards(panel.y, shared, measure)
    names = named(points, strokes, y_ticks, (shared, plots, measure))
    marks = [
        _mark(point, at, panel.y, shared, title=title)
        for (point, at), title in zip(points, names.point_titles, strict=True)
    ]
    trails = [
        Trail(pieces, stroke.look, stroke.guide, title)
        for (stroke, pieces), title in zip(strokes, names.stroke_titles, strict=True)
    ]
    return Axes(
        panel=panel,
        x_ticks=across(panel.x, plots, measure),
        y_ticks=y_ticks,
        trails=tuple(sorted(trails, key=lambda t: (not t.guide, _weight(t.look)))),
        marks=tuple(sorted(marks, key=lambda mark: _weight(mark.look))),
        labels=names.labels,
        leaders=names.leaders,
    )


def _weight(look: Look) -> int:
    return _ORDER.index(look)


def _raw(x: float, y: float, panel: Panel, shared: Frame) -> Place | None:
    """Return where *x* and *y* are, perhaps outside the axes, if they have a place."""
    right, up = place(x, panel.x), place(y, panel.y)
    if right is None or up is None:
        return None
    return 100 * right, (1 - up) * shared.height


def _spot(point: Point, panel: Panel, shared: Frame) -> Place | None:
    """Return where a mark stands; one outside the axes is at their edge."""
    raw = _raw(point.x, point.y, panel, shared)
    if raw is None:
        return None
    return min(100.0, max(0.0, raw[0])), min(shared.height, max(0.0, raw[1]))


def _mark(point: Point, at: Place, scale: Scale, shared: Frame, *, title: str) -> Mark:
    ends = [
        (1 - _within(share)) * shared.height
        for end in (point.low, point.high)
        if end is not None and (share := place(end, scale)) is not None
    ]
    whisker = (ends[0], ends[1]) if len(ends) == 2 else None
    return Mark(at, point.look, point.hollow, whisker, title)


def _pieces(stroke: Stroke, panel: Panel, shared: Frame) -> Iterator[tuple[Place, ...]]:
    """Yield what of *stroke* is on the plot."""
    plot = Box(0, 0, 100, shared.height)
    piece: list[Place] = []
    last: Place | None = None
    for x, y in stroke.through:
        here = _raw(x, y, panel, shared)
        seen = plot.clip(last, here) if last and here else None
        if seen is None or not piece or not _same(piece[-1], seen[0]):
            if len(piece) > 1:
                yield tuple(piece)
            piece = [seen[0]] if seen else []
        if seen:
            piece.append(seen[1])
        last = here
    if len(piece) > 1:
        yield tuple(piece)


def _same(a: Place, b: Place) -> bool:
    return math.dist(a, b) < 1e-6


def _within(share: float) -> float:
    return min(1.0, max(0.0, share))


def outline(pieces: Sequence[Sequence[Place]]) -> str:
    """Return *pieces* as the outline of an SVG path."""
    return "".join(
        "M" + "L".join(f"{number(x)} {number(y, 1)}" for x, y in piece)
        for piece in pieces
    )


def whiskers(axes: Axes) -> tuple[tuple[Look, str], ...]:
    """Return the intervals of the marks of *axes*, as one outline for each look."""
    found: dict[Look, list[tuple[Place, ...]]] = {}
    for mark in axes.marks:
        if mark.whisker:
            ends = tuple((mark.at[0], y) for y in mark.whisker)
            found.setdefault(mark.look, []).append(ends)
    return tuple((look, outline(lines)) for look, lines in found.items())


def bundled(trails: Sequence[Trail]) -> tuple[Trail, ...]:
    """Return *trails* with neighbours of one look as one, where they have no title."""
    made: list[Trail] = []
    for trail in trails:
        kind = (trail.look, trail.guide, "")
        if made and kind == (
            made[-1].look,
            made[-1].guide,
            made[-1].title + trail.title,
        ):
            pieces = made[-1].pieces + trail.pieces
            made[-1] = replace(trail, pieces=pieces)
        else:
            made.append(trail)
    return tuple(trail for trail in made if trail.pieces)


def grid(axes: Axes, height: float) -> str:
    """Return the lines of all ticks of *axes* as the outline of an SVG path."""
    columns = (f"M{number(tick.at)} 0V{number(height, 1)}" for tick in axes.x_ticks)
    rows = (f"M0 {number(tick.at, 1)}H100" for tick in axes.y_ticks)
    return "".join((*columns, *rows))


def number(value: float, decimals: int = 2) -> str:
    """Return *value* as short as a page needs it."""
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _sign(key: Key, plane: Plane) -> Sign:
    points = [p for panel in plane.panels for p in panel.points if p.look == key.look]
    strokes = [s for panel in plane.panels for s in panel.strokes if s.look == key.look]
    guide = bool(strokes) and all(s.guide for s in strokes)
    mark = bool(points) or not strokes
    return Sign(key, mark, bool(strokes) and not (guide and mark), guide and not mark)
