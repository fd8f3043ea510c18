"""One pair of axes of a chart as SVG: grid, strokes, marks and labels."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.report.figures.legend import Bar, dash
from benchdb.report.figures.sheet import (
    BLUE,
    BLUE_TEXT,
    GREEN,
    GREY,
    GRID,
    INK,
    OLIVE,
    ORANGE,
    ORANGE_TEXT,
    PAPER,
    PURPLE,
    QUIET,
    Mark,
    Shape,
    Sheet,
)
from benchdb.report.geometry.frame import Frame, tick_spot
from benchdb.report.geometry.labels import Place, Spot
from benchdb.report.geometry.lettering import cut
from benchdb.report.geometry.naming import Label
from benchdb.report.geometry.plane import Axes, Trail
from benchdb.report.language.direction import LEFT_TO_RIGHT, POP, mixed_order
from benchdb.report.planes import Look, Plane

LOOKS: Mapping[Look, tuple[Shape, str]] = {
    "0": ("circle", GREEN),
    "1": ("square", BLUE),
    "2": ("triangle", ORANGE),
    "3": ("down", OLIVE),
    "4": ("plus", GREY),
    "quiet": ("circle", GREY),
    "reference": ("diamond", PURPLE),
    "mine": ("star", INK),
}
_WORDS: Mapping[Look, str] = {"1": BLUE_TEXT, "2": ORANGE_TEXT, "quiet": QUIET}

PX = 1 / 96  # inches; places are in the pixels of a page, where letters are as high
_LINE, _TICKS, _GAP = 19.0, 24.0, 14.0  # a title, the ticks of x, below a panel


class Plot(msgspec.Struct, frozen=True):
    """A panel on the sheet: *area* is its left, top and width, in pixels.

    Its *name* begins the ids of what is on it.
    """

    sheet: Sheet
    frame: Frame
    area: tuple[float, float, float]
    name: str

    @property
    def width(self) -> float:
        """How wide it is between its axes."""
        return self.area[2] - self.frame.start - self.frame.end

    def at(self, place: Place) -> tuple[float, float]:
        """Return *place* in inches on the sheet."""
        x = self.area[0] + self.frame.start + place[0] / 100 * self.width
        return x * PX, (self.area[1] + place[1]) * PX

    def write(self, spot: Spot, text: str, **style: Any) -> None:
        """Write *text* with its baseline at *spot*."""
        x, y = self.at((spot.x, spot.y))
        side = {"start": "left", "middle": "center", "end": "right"}[spot.anchor]
        style = {"color": INK, "ha": side, "va": "baseline"} | style
        self.sheet.text(x + spot.dx * PX, y, text, **style)

    def stroke(self, path: tuple[Place, ...], **style: Any) -> None:
        """Draw a line through the places of *path*."""
        xs, ys = zip(*map(self.at, path), strict=True)
        self.sheet.stroke(xs, ys, **style)

    def letter(self, spot: Spot, text: str, **style: Any) -> None:
        """Write *text* where all runs from left to right, as axes do."""
        if self.sheet.mirrored:
            text = f"{LEFT_TO_RIGHT}{mixed_order(text)}{POP}"
        self.write(spot, text, **style)

    def fitting(self, text: str) -> str:
        """Return *text*, cut where it is wider than the panel."""
        return cut(text, self.area[2], lambda words: self.sheet.width(words) / PX)


def room_around(plane: Plane) -> tuple[float, float]:
    """Return the pixels that words take above and below every plot of *plane*."""
    titled = any(panel.title for panel in plane.panels)
    measured = any(panel.y.title for panel in plane.panels)
    below = any(panel.x.title for panel in plane.panels)
    return 8 + _LINE * (titled + measured), _TICKS + _LINE * below + _GAP


def draw(plot: Plot, axes: Axes) -> None:
    """Draw *axes*; the area of *plot* begins with the titles above them."""
    above = 8 + _LINE * (bool(axes.panel.title) + bool(axes.panel.y.title))
    _titles(plot, axes)
    left, top, wide = plot.area
    inner = Plot(plot.sheet, plot.frame, (left, top + above, wide), plot.name)
    _grid(inner, axes)
    for trail in axes.trails:
        _trail(inner, trail)
    for n, mark in enumerate(axes.marks):
        x, y = inner.at(mark.at)
        shape, colour = LOOKS[mark.look]
        if mark.whisker:
            ends = tuple((mark.at[0], end) for end in mark.whisker)
            inner.stroke(ends, color=colour, linewidth=1.0, zorder=2)
        drawn = Mark(0, shape, colour, mark.hollow, small=mark.look == "quiet")
        plot.sheet.mark(x, y, drawn, gid=f"{plot.name}-mark-{n}", zorder=3)
    for start, end in axes.leaders:
        (x, first), (_, last) = inner.at((100, start)), inner.at((100, end))
        xs = (x + 4 * PX, x + 11 * PX)
        plot.sheet.stroke(xs, (first, last), color=GREY, linewidth=0.7)
    for label in axes.labels:
        _label(inner, label)


def _titles(plot: Plot, axes: Axes) -> None:
    y = 0.0
    start = Spot(0, 0, "start", -plot.frame.start)
    end = Spot(100, 0, "end", plot.frame.end)
    if axes.panel.title:
        y += _LINE
        side = end if plot.sheet.mirrored else start
        words = plot.fitting(axes.panel.title)
        plot.write(replace(side, y=y - 6), words, weight="bold")
    if axes.panel.y.title:  # where its axis is, in every script
        y += _LINE
        words = plot.fitting(axes.panel.y.title)
        plot.write(replace(start, y=y - 6), words, color=QUIET)
    if axes.panel.x.title:
        spot = Spot(50, y + 8 + plot.frame.height + _TICKS + 14, "middle", 0)
        plot.write(spot, plot.fitting(axes.panel.x.title), color=QUIET)


def _grid(plot: Plot, axes: Axes) -> None:
    style = {"color": GRID, "linewidth": 0.8, "zorder": 0}
    for n, tick in enumerate(axes.x_ticks):
        path = ((tick.at, 0.0), (tick.at, plot.frame.height))
        plot.stroke(path, gid=f"{plot.name}-x-{n}", **style)
        if tick.level is not None:
            spot = Spot(tick.at, plot.frame.height + 18, "middle", 0)
            plot.letter(spot, tick.label, color=QUIET)
    for n, tick in enumerate(axes.y_ticks):
        plot.stroke(((0, tick.at), (100, tick.at)), gid=f"{plot.name}-y-{n}", **style)
        if tick.level is not None:
            plot.letter(tick_spot(tick, plot.frame), tick.label, color=QUIET)


def _trail(plot: Plot, trail: Trail) -> None:
    width = {"quiet": 1.0, "mine": 2.0}.get(trail.look, 1.5)
    colour = LOOKS[trail.look][1]
    for piece in trail.pieces:
        plot.stroke(
            piece,
            color=colour,
            linewidth=0.9 if trail.guide else width,
            linestyle=dash(Bar(0, 0, colour, dotted=trail.guide)),
            zorder=1,
        )


def _label(plot: Plot, label: Label) -> None:
    named = label.kind == "end" or label.look in ("mine", "reference")
    colour = INK
    if label.kind == "guide" or label.look == "quiet":
        colour = QUIET
    elif named:
        colour = _WORDS.get(label.look, LOOKS[label.look][1])
    _paper(plot, label)
    plot.letter(label.spot, label.text, color=colour, zorder=2.5)


def _paper(plot: Plot, label: Label) -> None:
    """Keep lines from running through letters; never as high as a font says it is.

    Lines of Arabic are twice as high as Latin letters: they would hide their
    neighbours.
    """
    box = label.spot.box(plot.sheet.width(label.text) / PX, plot.width)
    y = (box.top + box.bottom) / 2
    ends = ((box.left / plot.width * 100, y), (box.right / plot.width * 100, y))
    high = (box.bottom - box.top) * PX * 72  # points
    plot.stroke(ends, color=PAPER, linewidth=high, alpha=0.85, zorder=2.4)
