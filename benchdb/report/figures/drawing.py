"""Draw a chart of labelled rows on one logarithmic axis, as SVG."""

import math
from collections.abc import Callable

import msgspec

from benchdb.report.figures.fonts import fonts
from benchdb.report.figures.legend import KEYS, TITLE, Bar, Key, key_rows, legend, title
from benchdb.report.figures.sheet import (
    GRID,
    INK,
    MARGIN,
    QUIET,
    RULE,
    WIDTH,
    Mark,
    Sheet,
    blank,
    saved,
)

# Inches.
_COLUMN_GAP, _ROW, _HEADING, _TICKS = 0.24, 0.235, 0.33, 0.24


class Line(msgspec.Struct, frozen=True):
    """A row: its label, what stands on the axis, and a remark at the end."""

    label: str
    marks: tuple[Mark, ...] = ()
    bars: tuple[Bar, ...] = ()
    remark: str = ""
    colour: str = INK
    heading: bool = False


class Chart(msgspec.Struct, frozen=True):
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
    with fonts(code):
        figure = blank()
        keys = key_rows(Sheet(figure, 0, mirrored=mirrored), chart.keys)
        height = _height(chart, len(keys))
        figure.set_size_inches(WIDTH, height)
        _draw(Sheet(figure, height, mirrored=mirrored), chart, keys)
        return saved(figure, chart.title)


def _height(chart: Chart, key_rows: int) -> float:
    rows = sum(_HEADING if line.heading else _ROW for line in chart.lines)
    return 2 * MARGIN + TITLE + key_rows * KEYS + _TICKS + rows


class _Columns(msgspec.Struct, frozen=True):
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


def _draw(sheet: Sheet, chart: Chart, keys: list[list[Key]]) -> None:
    title(sheet, chart.title)
    top = MARGIN + TITLE
    for row in keys:
        legend(sheet, row, top + KEYS / 2 - 0.03)
        top += KEYS
    columns = _columns(sheet, chart)
    position = columns.place(chart)
    top += _TICKS
    _grid(sheet, chart, position, top)
    for line in chart.lines:
        step = _HEADING if line.heading else _ROW
        # A heading belongs to what follows, so it stands low in its row.
        _row(sheet, line, columns, position, top + step - _ROW / 2)
        top += step


def _columns(sheet: Sheet, chart: Chart) -> _Columns:
    plain = [line for line in chart.lines if not line.heading]
    labels = max((sheet.width(line.label) for line in plain), default=0)
    remarks = max((sheet.width(line.remark) for line in plain), default=0)
    start, end = (remarks, labels) if sheet.mirrored else (labels, remarks)
    left = MARGIN + start + _COLUMN_GAP
    right = max(left + 1, WIDTH - MARGIN - end - _COLUMN_GAP)
    if sheet.mirrored:
        return _Columns(WIDTH - MARGIN, left - _COLUMN_GAP, left, right)
    return _Columns(MARGIN, right + _COLUMN_GAP, left, right)


def _grid(
    sheet: Sheet, chart: Chart, position: Callable[[float], float], top: float
) -> None:
    foot = sheet.height - MARGIN
    for value, label in chart.ticks:
        x = position(value)
        strong = value == chart.unity
        sheet.stroke(
            (x, x), (top, foot), color=RULE if strong else GRID, linewidth=0.8, zorder=0
        )
        sheet.text(x, top - _TICKS / 2, label, ha="center", color=QUIET, fontsize=8)


def _row(
    sheet: Sheet,
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
