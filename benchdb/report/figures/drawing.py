"""Draw a chart of labelled rows on one logarithmic axis, as SVG.

The same chart gives the same bytes. Text is drawn as outlines, and Latin letters
come from the font that matplotlib brings, so a chart looks alike on every machine.
"""

import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from benchdb.report.figures.fonts import fonts

Shape = Literal["circle", "square", "triangle", "diamond", "down"]
_MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "down": "v"}

PAPER, INK, QUIET, RULE, GRID = "#fdfdfc", "#16191d", "#59626c", "#aeb4bb", "#e4e7ea"

_RIGHT_TO_LEFT = "\u200f"  # the mark that says so

# Inches, from the top left.
_WIDTH, _MARGIN, _COLUMN_GAP = 8.0, 0.16, 0.24
_ROW, _HEADING, _TITLE, _KEYS, _TICKS = 0.235, 0.33, 0.4, 0.28, 0.24
_POINTS, _TITLE_POINTS = 9.0, 12.0


@dataclass(frozen=True)
class Mark:
    """A point at *x*; a hollow one shows the paper through."""

    x: float
    shape: Shape
    colour: str
    hollow: bool = False
    small: bool = False


@dataclass(frozen=True)
class Bar:
    """A stroke between two values; dashed where a value is flagged."""

    start: float
    end: float
    colour: str
    dashed: bool = False
    thin: bool = False


@dataclass(frozen=True)
class Line:
    """A row: its label, what stands on the axis, and a remark at the end."""

    label: str
    marks: tuple[Mark, ...] = ()
    bars: tuple[Bar, ...] = ()
    remark: str = ""
    colour: str = INK
    heading: bool = False


@dataclass(frozen=True)
class Key:
    """One entry of the legend: a mark, a stroke or nothing, and what it means."""

    text: str
    mark: Mark | None = None
    bar: Bar | None = None


@dataclass(frozen=True)
class Chart:
    """Rows on a logarithmic axis from *low* to *high*, with labelled *ticks*."""

    title: str
    keys: tuple[Key, ...]
    lines: tuple[Line, ...]
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    unity: float | None = None  # where a stronger grid line stands


def svg(chart: Chart, code: str, *, mirrored: bool = False) -> bytes:
    """Return *chart* as an SVG file; *mirrored* puts the labels on the right."""
    # Imported here: matplotlib takes a second that other commands do not have.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with fonts(code):
        figure = Figure(facecolor=PAPER)
        FigureCanvasAgg(figure)  # measures text
        keys = _key_rows(_Sheet(figure, 0, mirrored=mirrored), chart)
        height = _height(chart, len(keys))
        figure.set_size_inches(_WIDTH, height)
        _draw(_Sheet(figure, height, mirrored=mirrored), chart, keys)
        stream = io.BytesIO()
        # No date and no version: they would change the bytes.
        metadata = {"Date": None, "Creator": "benchdb", "Title": chart.title}
        figure.savefig(stream, format="svg", metadata=metadata)
    return stream.getvalue()


def _height(chart: Chart, key_rows: int) -> float:
    rows = sum(_HEADING if line.heading else _ROW for line in chart.lines)
    return 2 * _MARGIN + _TITLE + key_rows * _KEYS + _TICKS + rows


@dataclass(frozen=True)
class _Sheet:
    """Paper on which artists are placed in inches from the top left."""

    figure: Any
    height: float
    mirrored: bool

    def text(self, x: float, y: float, text: str, **style: Any) -> None:
        style = {"fontsize": _POINTS, "va": "center", "color": INK} | style
        inches = self.figure.dpi_scale_trans
        said = self._directed(text)
        self.figure.text(x, self.height - y, said, transform=inches, **style)

    def width(self, text: str, **style: Any) -> float:
        style = {"fontsize": _POINTS} | style
        artist = self.figure.text(0, 0, self._directed(text), **style)
        box = artist.get_window_extent(self.figure.canvas.get_renderer())
        artist.remove()
        return float(box.width / self.figure.dpi)

    def _directed(self, text: str) -> str:
        # Else a line that begins with a Latin name would run left to right.
        return f"{_RIGHT_TO_LEFT}{text}" if self.mirrored and text else text

    def stroke(
        self, xs: tuple[float, float], ys: tuple[float, float], **style: Any
    ) -> None:
        self._line(xs, ys, **{"solid_capstyle": "butt"} | style)

    def mark(self, x: float, y: float, mark: Mark) -> None:
        size = 4.2 if mark.small else 6.6
        self._line(
            (x,),
            (y,),
            marker=_MARKERS[mark.shape],
            markersize=size * (0.86 if mark.shape == "diamond" else 1),
            markeredgewidth=0.6 if mark.small else 1.3,
            markeredgecolor=mark.colour,
            markerfacecolor=PAPER if mark.hollow else mark.colour,
            linestyle="none",
        )

    def _line(self, xs: tuple[float, ...], ys: tuple[float, ...], **style: Any) -> None:
        from matplotlib.lines import Line2D  # noqa: PLC0415

        inches = self.figure.dpi_scale_trans
        places = [self.height - y for y in ys]
        self.figure.add_artist(Line2D(xs, places, transform=inches, **style))


@dataclass(frozen=True)
class _Columns:
    """Where labels and remarks start or end, and where the axis lies, in inches."""

    label: float
    remark: float
    left: float
    right: float

    def place(self, chart: Chart) -> Callable[[float], float]:
        span = math.log(chart.high / chart.low)

        def position(value: float) -> float:
            share = math.log(value / chart.low) / span
            return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)

        return position


def _draw(sheet: _Sheet, chart: Chart, keys: list[list[Key]]) -> None:
    _title(sheet, chart.title)
    top = _MARGIN + _TITLE
    for row in keys:
        _legend(sheet, row, top + _KEYS / 2 - 0.03)
        top += _KEYS
    columns = _columns(sheet, chart)
    position = columns.place(chart)
    top += _TICKS
    _grid(sheet, chart, position, top)
    for line in chart.lines:
        step = _HEADING if line.heading else _ROW
        # A heading belongs to what follows, so it stands low in its row.
        _row(sheet, line, columns, position, top + step - _ROW / 2)
        top += step


def _title(sheet: _Sheet, title: str) -> None:
    edge, side = (_WIDTH - _MARGIN, "right") if sheet.mirrored else (_MARGIN, "left")
    wide = sheet.width(title, weight="bold", fontsize=_TITLE_POINTS)
    size = _TITLE_POINTS * min(1.0, (_WIDTH - 2 * _MARGIN) / wide)
    y = _MARGIN + _TITLE / 2 - 0.04
    sheet.text(edge, y, title, ha=side, weight="bold", fontsize=size)


def _columns(sheet: _Sheet, chart: Chart) -> _Columns:
    plain = [line for line in chart.lines if not line.heading]
    labels = max((sheet.width(line.label) for line in plain), default=0)
    remarks = max((sheet.width(line.remark) for line in plain), default=0)
    start, end = (remarks, labels) if sheet.mirrored else (labels, remarks)
    left = _MARGIN + start + _COLUMN_GAP
    right = max(left + 1, _WIDTH - _MARGIN - end - _COLUMN_GAP)
    if sheet.mirrored:
        return _Columns(_WIDTH - _MARGIN, left - _COLUMN_GAP, left, right)
    return _Columns(_MARGIN, right + _COLUMN_GAP, left, right)


def _key_rows(sheet: _Sheet, chart: Chart) -> list[list[Key]]:
    """Break the legend into rows that fit."""
    rows: list[list[Key]] = [[]]
    used = _MARGIN
    for key in chart.keys:
        wide = _key_width(sheet, key)
        if rows[-1] and used + wide > _WIDTH - _MARGIN:
            rows.append([])
            used = _MARGIN
        rows[-1].append(key)
        used += wide
    return rows


def _key_width(sheet: _Sheet, key: Key) -> float:
    sign = 0.38 if key.bar else 0.18 if key.mark else 0.0
    return sign + sheet.width(key.text) + 0.26


def _legend(sheet: _Sheet, keys: list[Key], y: float) -> None:
    x = _MARGIN
    if sheet.mirrored:
        x = _WIDTH - _MARGIN + 0.26 - sum(_key_width(sheet, key) for key in keys)
        keys = keys[::-1]
    for key in keys:
        place = x
        if key.bar:
            dash = (0, (3, 1.6)) if key.bar.dashed else "solid"
            sheet.stroke((x, x + 0.3), (y, y), color=key.bar.colour, linestyle=dash)
            place += 0.38
        if key.mark:
            sheet.mark(x + 0.06, y, key.mark)
            place += 0.18
        sheet.text(place, y, key.text, color=QUIET)
        x += _key_width(sheet, key)


def _grid(
    sheet: _Sheet, chart: Chart, position: Callable[[float], float], top: float
) -> None:
    foot = sheet.height - _MARGIN
    for value, label in chart.ticks:
        x = position(value)
        strong = value == chart.unity
        sheet.stroke(
            (x, x), (top, foot), color=RULE if strong else GRID, linewidth=0.8, zorder=0
        )
        sheet.text(x, top - _TICKS / 2, label, ha="center", color=QUIET, fontsize=8)


def _row(
    sheet: _Sheet,
    line: Line,
    columns: _Columns,
    position: Callable[[float], float],
    y: float,
) -> None:
    near = "right" if sheet.mirrored else "left"
    weight = "bold" if line.heading else "normal"
    sheet.text(columns.label, y, line.label, ha=near, weight=weight)
    sheet.text(columns.remark, y, line.remark, ha=near, color=line.colour)
    for bar in line.bars:
        sheet.stroke(
            (position(bar.start), position(bar.end)),
            (y, y),
            color=bar.colour,
            linewidth=0.9 if bar.thin else 1.8,
            linestyle=(0, (2.2, 1.2)) if bar.dashed else "solid",
            zorder=1,
        )
    for mark in line.marks:
        sheet.mark(position(mark.x), y, mark)
