"""Charts beside a Markdown report: a specification drawn by matplotlib, as SVG.

The same report gives the same bytes. Text is drawn as outlines, and Latin letters come
from the font that matplotlib brings, so a chart looks alike on every machine. What
takes a second to import is imported when it is used.
"""

import io
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from typing import Any, Literal

from msgspec.structs import replace

from benchdb.report.charts.fonts import settings
from benchdb.report.charts.labels import Spot, cut
from benchdb.report.charts.layout import Axes, Frame, Label, Sign, TickMark, lay_out
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
)
from benchdb.report.language import Language
from benchdb.report.language.direction import LEFT_TO_RIGHT, POP, mixed_order
from benchdb.report.page_assets import asset

# Pixels of a page, where letters are as high.
_WIDTH, _MARGIN, _GAP, _DPI = 768.0, 15.0, 26.0, 96
_TITLE, _TICKS, _LINE, _BELOW = 38.0, 24.0, 19.0, 14.0
_REMARK = 12.0  # from a plot to what is said of a row
_PAD, _BETWEEN = 6.0, 22.0  # of the legend: after a sign, and between entries
_POINT = 72 / _DPI  # of a pixel
_POINTS, _TITLE_POINTS = 9.0, 12.0  # the size of letters
_COLUMNS = 2  # of panels; more would be too narrow for letters that cannot shrink
_MOST_ROWS = 60  # more would be no picture; the tables have everything
_LONGEST_KEY = 640.0  # nearly a row: what a mark means is not cut
_MARKERS = {
    "circle": ("o", 6.6),
    "dot": ("o", 4.2),
    "square": ("s", 6.6),
    "triangle": ("^", 6.6),
    "down": ("v", 6.6),
    "plus": ("P", 7.4),
    "diamond": ("D", 5.7),
    "star": ("*", 8.4),
}
_NOTHING = Sign(Key(None, ""), mark=False, stroke=False, guide=False)
Scheme = Literal["light", "dark"]
_scheme: ContextVar[Scheme] = ContextVar("scheme", default="light")
_RIGHT_TO_LEFT = "\u200f"  # the mark that says so


def image(chart: Chart, language: Language, scheme: Scheme = "light") -> bytes:
    """Return *chart* as an SVG file; right to left turns its words, never its axes."""
    drawn = _scheme.set(scheme)
    try:
        return _image(chart, language)
    finally:
        _scheme.reset(drawn)


def _image(chart: Chart, language: Language) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with settings(language.code, _style()):
        figure = Figure(figsize=(_WIDTH / _DPI, 1), dpi=_DPI)
        FigureCanvasAgg(figure)
        mirrored = language.direction == "rtl"
        shown = replace(chart, panels=tuple(map(_first_rows, chart.panels)))
        _Sheet(figure, mirrored=mirrored).draw(shown)
        stream = io.BytesIO()
        # No date and no version: they would change the bytes.
        about = {"Date": None, "Creator": "benchdb", "Title": chart.title}
        figure.savefig(stream, format="svg", metadata=about)
        return stream.getvalue()


def colours() -> Mapping[str, str]:
    """Return the colours of the scheme, by their names in ``tokens.css``."""
    return _colours(_scheme.get())


@cache
def _colours(scheme: Scheme) -> Mapping[str, str]:
    light, _, dark = asset("tokens.css").partition("@media")
    root = dark if scheme == "dark" else light
    return dict(re.findall(r"--([\w-]+): (#\w+)", root))


def _first_rows(panel: Panel) -> Panel:
    if not isinstance(panel.y, Rows):
        return panel
    return replace(
        panel,
        y=Rows(panel.y.rows[:_MOST_ROWS]),
        points=tuple(point for point in panel.points if point.y < _MOST_ROWS),
        strokes=tuple(s for s in panel.strokes if s.through[0][1] < _MOST_ROWS),
    )


class _Sheet:
    """A figure on which a chart is drawn; lengths are in pixels."""

    def __init__(self, figure: Any, *, mirrored: bool) -> None:
        self.figure = figure
        self.mirrored = mirrored
        self.height = 0.0
        self.measure = cache(self._measure)

    def draw(self, chart: Chart) -> None:
        count = min(_COLUMNS, len(chart.panels) or 1)
        wide = (_WIDTH - 2 * _MARGIN - _GAP * (count - 1)) / count
        layout = lay_out(chart, (wide,), self.measure)
        legend = self._legend(layout.signs) if chart.keys else None
        keys = legend.get_window_extent().height + _BELOW if legend else 0.0
        head = _MARGIN + _TITLE + keys
        above, below = _room(chart)
        pitch = above + layout.frame.height + below
        self.height = head + -(-len(chart.panels) // count) * pitch + _MARGIN
        self.figure.set_size_inches(_WIDTH / _DPI, self.height / _DPI)
        self._title(chart.title)
        if legend:
            edge = _WIDTH - _MARGIN if self.mirrored else _MARGIN
            corner = edge / _WIDTH, 1 - (_MARGIN + _TITLE) / self.height
            legend.set_bbox_to_anchor(corner, self.figure.transFigure)
        for n, axes in enumerate(layout.panels):
            left = _MARGIN + n % count * (wide + _GAP)
            top = head + n // count * pitch + above
            _Plot(self, axes, layout.frame, (left, top, wide), f"panel-{n}").draw()

    @property
    def side(self) -> Literal["left", "right"]:
        """Return the side on which reading begins."""
        return "right" if self.mirrored else "left"

    def _measure(self, text: str, **style: Any) -> float:
        """Return how wide *text* is."""
        artist = self.figure.text(0, 0, self.directed(text), **style)
        box = artist.get_window_extent(self.figure.canvas.get_renderer())
        artist.remove()
        return float(box.width)

    def cut(self, text: str, wide: float) -> str:
        """Return *text* to be written, cut where it is wider than *wide*."""
        return self.directed(cut(text, wide, self.measure))

    def directed(self, text: str) -> str:
        """Return *text* so that it runs from right to left where the chart does."""
        # Else a line that begins with a Latin name would run left to right.
        return f"{_RIGHT_TO_LEFT}{text}" if self.mirrored and text else text

    def ordered(self, text: str) -> str:
        """Return *text* for where all runs from left to right, as axes do."""
        return f"{LEFT_TO_RIGHT}{mixed_order(text)}{POP}" if self.mirrored else text

    def _title(self, words: str) -> None:
        """Write the title, smaller where it would not fit."""
        wide = self.measure(words, weight="bold", size=_TITLE_POINTS)
        size = _TITLE_POINTS * min(1.0, (_WIDTH - 2 * _MARGIN) / max(wide, 1.0))
        self.figure.suptitle(
            self.directed(words),
            x=1 - _MARGIN / _WIDTH if self.mirrored else _MARGIN / _WIDTH,
            y=1 - (_MARGIN + _TITLE / 2 - 4) / self.height,
            ha=self.side,
            va="center",
            size=size,
            weight="bold",
        )

    def _legend(self, signs: Sequence[Sign]) -> Any:
        """Add a legend in as many columns as fit."""
        handle = 26.0 if any(sign.stroke for sign in signs) else 16.0
        texts = [self.cut(sign.key.text, _LONGEST_KEY) for sign in signs]
        for count in range(len(signs), 0, -1):
            # By columns, as matplotlib fills them, from the side where reading begins.
            cells = range(-(-len(signs) // count) * count)
            order = sorted(cells, key=lambda n: n % count, reverse=self.mirrored)
            legend = self.figure.legend(
                [_handle(signs[n] if n < len(signs) else _NOTHING) for n in order],
                [texts[n] if n < len(signs) else "" for n in order],
                ncols=count,
                loc=f"upper {self.side}",
                markerfirst=not self.mirrored,
                handlelength=handle * _POINT / _POINTS,
            )
            if legend.get_window_extent().width <= _WIDTH - 2 * _MARGIN:
                break
            if count > 1:
                legend.remove()
        return legend


class _Plot:
    """A panel on a sheet: matplotlib's axes, with what the layout says about them.

    *area* is the left of the panel, the top of its plot and the panel's width. The
    *name* begins the ids of what is on it.
    """

    def __init__(
        self,
        sheet: _Sheet,
        axes: Axes,
        frame: Frame,
        area: tuple[float, float, float],
        name: str,
    ) -> None:
        from matplotlib.transforms import Affine2D  # noqa: PLC0415

        self.sheet, self.axes, self.frame, self.name = sheet, axes, frame, name
        self.rows = axes.panel.y.rows if isinstance(axes.panel.y, Rows) else ()
        self.start, self.end = frame.start, frame.end
        if self.rows and sheet.mirrored:
            self.start, self.end = self.end, self.start
        left, top, wide = area
        self.width = max(1.0, wide - self.start - self.end)
        self.plot = sheet.figure.add_axes(
            (
                (left + self.start) / _WIDTH,
                1 - (top + frame.height) / sheet.height,
                self.width / _WIDTH,
                frame.height / sheet.height,
            )
        )
        inverted = Affine2D().scale(1 / self.width, -1 / frame.height).translate(0, 1)
        self.pixels = inverted + self.plot.transAxes  # from the top left of the plot

    def draw(self) -> None:
        panel, plot = self.axes.panel, self.plot
        for set_scale, scale in (
            (plot.set_xscale, panel.x),
            (plot.set_yscale, panel.y),
        ):
            if isinstance(scale, Scale) and scale.log:
                set_scale("log", nonpositive="mask")
        plot.minorticks_off()
        top = _ticks_on_top(panel)
        plot.tick_params(axis="x", pad=(8 if top else 18) * _POINT)
        if top:
            plot.xaxis.tick_top()
        self._ticks("x", plot.xaxis, self.axes.x_ticks)
        self._ticks("y", plot.yaxis, self.axes.y_ticks)
        plot.set(xlim=panel.x.ends, ylim=panel.y.ends)  # ticks may have moved them
        self._titles()
        if self.rows:
            self._rows()
        for trail in self.axes.trails:
            self._stroke(trail.stroke)
        for n, mark in enumerate(self.axes.marks):
            self._mark(mark.point, f"{self.name}-mark-{n}", whisker=bool(mark.whisker))
        for label in self.axes.labels:
            self._label(label)
        beside = {"transform": self.pixels, "clip_on": False, "linewidth": 0.7}
        for ends in self.axes.leaders:
            x = self.width + 4, self.width + 11
            plot.plot(x, ends, color=colours()["edge"], **beside)

    def _ticks(self, letter: str, axis: Any, ticks: Sequence[TickMark]) -> None:
        over = letter == "y" and self.frame.over
        order = self.sheet.directed if self.rows else self.sheet.ordered
        shown = ["" if over or t.level is None else order(t.label) for t in ticks]
        axis.set_ticks([tick.value for tick in ticks], shown)
        for n, tick in enumerate(axis.get_major_ticks()):
            tick.gridline.set_gid(f"{self.name}-{letter}-{n}")
            # By baselines, as the lines of Arabic are twice as high as Latin ones.
            for label in (tick.label1, tick.label2):
                label.set_va("baseline" if letter == "x" else "center")
        for tick in ticks if over else ():
            self._spot(tick.spot(self.frame), tick.label, color=colours()["quiet"])

    def _titles(self) -> None:
        """Write the titles: that of y stands where its axis is, in every script."""
        panel, plot, cut = self.axes.panel, self.plot, self.sheet.cut
        wide = self.start + self.width + self.end
        if panel.title:
            height = (14 + _LINE * bool(panel.y.title)) / self.frame.height
            ends = {
                "left": -self.start / self.width,
                "right": 1 + self.end / self.width,
            }
            side = self.sheet.side
            title = cut(panel.title, wide)
            plot.set_title(title, loc=side, x=ends[side], y=1 + height, pad=0)
        plot.set_ylabel(cut(panel.y.title, wide), rotation=0, ha="left", va="baseline")
        plot.yaxis.set_label_coords(-self.start, -14, transform=self.pixels)
        plot.set_xlabel(cut(panel.x.title, wide), va="baseline")
        below = self.frame.height + _TICKS + 14
        plot.xaxis.set_label_coords(self.width / 2, below, transform=self.pixels)

    def _rows(self) -> None:
        """Dress the names of rows, which begin where reading does, and add remarks."""
        side, mirrored = self.sheet.side, self.sheet.mirrored
        pad = self.end if mirrored else self.start
        self.plot.tick_params(axis="y", labelcolor=colours()["ink"], pad=pad * _POINT)
        if mirrored:
            self.plot.yaxis.tick_right()
        pairs = zip(self.rows, self.plot.yaxis.get_major_ticks(), strict=True)
        for n, (row, tick) in enumerate(pairs):
            weight = "bold" if row.heading else "normal"
            for label in (tick.label1, tick.label2):
                label.set(ha=side, weight=weight)
            tick.gridline.set_visible(not row.heading)
            x = -_REMARK if mirrored else self.width + _REMARK
            y = (n + 0.5) * self.frame.height / len(self.rows)
            colour = LOOKS[row.look].ink if row.look else "ink"
            self._write(x, y, row.remark, ha=side, va="center", color=colours()[colour])

    def _stroke(self, stroke: Stroke) -> None:
        style = LOOKS[stroke.look]
        xs, ys = zip(*stroke.through, strict=True)
        width = {"quiet": 1.0, "mine": 2.0}.get(stroke.look, 1.5)
        self.plot.plot(
            xs,
            ys,
            color=colours()[style.colour],
            linewidth=0.9 if stroke.guide else width,
            linestyle=_dashes(guide=stroke.guide, dashed=stroke.dashed),
            zorder=1,
        )

    def _mark(self, point: Point, gid: str, *, whisker: bool) -> None:
        low, high = sorted(self.plot.get_xlim())
        bottom, top = sorted(self.plot.get_ylim())
        x, y = min(high, max(low, point.x)), min(top, max(bottom, point.y))
        if whisker:
            ends = (point.low, point.high)
            whisker_line = (ends, (y, y)) if self.rows else ((x, x), ends)
            colour = colours()[LOOKS[point.look].colour]
            self.plot.plot(*whisker_line, color=colour, linewidth=1.0, zorder=2)
        for style in _markers(point.look, hollow=point.hollow):
            (line,) = self.plot.plot(x, y, clip_on=False, zorder=3, **style)
        line.set_gid(gid)

    def _label(self, label: Label) -> None:
        style = LOOKS[label.look]
        colour = "ink"
        if label.kind == "guide" or label.look == "quiet":
            colour = "quiet"
        elif label.kind == "end" or label.look in ("mine", "reference"):
            colour = style.ink
        # Paper, so that no line runs through letters; never as high as a font says it
        # is: those of Arabic are twice as high as Latin letters.
        box = label.spot.box(self.sheet.measure(label.text), self.width)
        middle = (box.top + box.bottom) / 2
        self.plot.plot(
            (box.left, box.right),
            (middle, middle),
            transform=self.pixels,
            clip_on=False,
            color=colours()["paper"],
            linewidth=(box.bottom - box.top) * _POINT,
            alpha=0.85,
            zorder=2.4,
        )
        self._spot(label.spot, label.text, color=colours()[colour], zorder=2.5)

    def _spot(self, spot: Spot, text: str, **style: Any) -> None:
        """Write *text* at a spot of the layout."""
        side = {"start": "left", "middle": "center", "end": "right"}[spot.anchor]
        x = spot.x / 100 * self.width + spot.dx
        self._write(x, spot.y, self.sheet.ordered(text), ha=side, **style)

    def _write(self, x: float, y: float, text: str, **style: Any) -> None:
        directed = self.sheet.directed(text)
        self.plot.text(x, y, directed, transform=self.pixels, **style)


def _ticks_on_top(panel: Panel) -> bool:
    """Tell whether the ticks of x stand above: of rows, which may be many."""
    return isinstance(panel.y, Rows) and not panel.x.title


def _room(chart: Chart) -> tuple[float, float]:
    """Return the pixels that words take above and below every plot of *chart*."""
    titled = any(panel.title for panel in chart.panels)
    measured = any(panel.y.title for panel in chart.panels)
    titles = any(panel.x.title for panel in chart.panels)
    tops = any(map(_ticks_on_top, chart.panels))
    above = 8 + _LINE * (titled + measured) + _TICKS * tops
    return above, _TICKS * (not tops) + _LINE * titles + _BELOW


def _dashes(*, guide: bool, dashed: bool) -> Any:
    if guide:
        return (0, (1, 2.4))
    return (0, (3, 1.6)) if dashed else "solid"


def _markers(look: Look, *, hollow: bool) -> list[dict[str, Any]]:
    """Return how the mark of a look is drawn, from below."""
    style = LOOKS[look]
    marker, size = _MARKERS[style.shape]
    colour = colours()[style.colour]
    mark: dict[str, Any] = {
        "marker": marker,
        "markersize": size,
        "markeredgecolor": colour,
        "markerfacecolor": colours()["paper"] if hollow else colour,
        "markeredgewidth": 0.6 if style.shape in ("dot", "star") else 1.3,
        "linestyle": "none",
    }
    if style.shape != "star":
        return [mark]
    # This machine: it stands out by its ring as well.
    ring = {"markeredgecolor": colours()["mine-ink"], "markeredgewidth": 1.0}
    ring |= {"marker": "o", "markersize": 14, "markerfacecolor": colours()["mine"]}
    return [mark | ring, mark]


def _handle(sign: Sign) -> Any:
    """Return the artists of an entry of the legend, one upon the other."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    look = sign.key.look or "quiet"
    styles: list[dict[str, Any]] = [{"linestyle": "none"}]
    if sign.stroke:
        dashes = _dashes(guide=sign.guide, dashed=sign.key.dashed)
        styles.append({"color": colours()[LOOKS[look].colour], "linestyle": dashes})
    if sign.mark:
        styles += _markers(look, hollow=sign.key.hollow)
    return tuple(Line2D([], [], **style) for style in styles)


def _style() -> dict[str, Any]:
    """Return matplotlib's settings for the look of a page."""
    ink, quiet, paper, faint = map(colours().get, ("ink", "quiet", "paper", "faint"))
    tick = {"labelcolor": quiet, "major.size": 0, "major.pad": 6.75}
    spines = ("left", "right", "top", "bottom")
    return {
        "figure.facecolor": paper,
        "font.size": _POINTS,
        "text.color": ink,
        "axes.facecolor": "none",
        "axes.labelcolor": quiet,
        "axes.titlesize": _POINTS,
        "axes.titleweight": "bold",
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": faint,
        "grid.linewidth": 0.8,
        "lines.solid_capstyle": "butt",
        "lines.scale_dashes": True,
        "legend.labelcolor": quiet,
        "legend.frameon": False,
        "legend.borderpad": 0.0,
        "legend.borderaxespad": 0.0,
        "legend.labelspacing": 0.65,
        "legend.handletextpad": _PAD * _POINT / _POINTS,
        "legend.columnspacing": _BETWEEN * _POINT / _POINTS,
        **{f"axes.spines.{side}": False for side in spines},
        **{f"{axis}tick.{key}": value for axis in "xy" for key, value in tick.items()},
    }
