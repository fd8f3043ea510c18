"""A panel of a report's chart in characters: marks, intervals and steps on two axes."""

import math
import sys
from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter

from benchdb.report.charts.spec import Look, Panel, Point

_WIDTH, _HEIGHT = 80, 13  # characters, all of them
_LEAST = 20  # of the plot, however long its labels
# Of each look the mark on a terminal, elsewhere, and its colour.
_MARKS: dict[Look, tuple[str, str, str]] = {
    "faster": ("▲", "^", "blue"),
    "slower": ("▼", "v", "red"),
}
_POINT, _HOLLOW = ("●", "o", ""), ("○", ".", "")
_LINES = {"level": "─-", "step": "│|", "interval": "┊:", "axis": "│|", "floor": "─-"}


def show(panel: Panel) -> None:
    """Print *panel*, 80 columns wide; where no terminal is, in plain characters."""
    from rich.console import Console  # noqa: PLC0415  other output needs none of it
    from rich.text import Text  # noqa: PLC0415

    console = Console(width=_WIDTH, highlight=False, file=sys.stdout)
    plain = not console.is_terminal or "utf" not in console.encoding.lower()
    for line in drawn(panel, plain=plain):
        text = Text(no_wrap=True)
        for style, same in groupby(line, key=itemgetter(1)):
            text.append("".join(map(itemgetter(0), same)), style)
        text.rstrip()
        console.print(text)


def drawn(panel: Panel, *, plain: bool) -> Iterator[list[tuple[str, str]]]:
    """Yield the lines of *panel*: characters with their style."""
    grid = _Grid(panel, plain=plain)
    grid.strokes()
    ordered = sorted(panel.points, key=lambda point: point.look in _MARKS)
    for point in ordered:
        grid.interval(point)
    for point in ordered:
        grid.point(point)
    labels = {grid.row(tick.value): tick.label for tick in panel.y.ticks}
    yield [(f"{panel.y.title:>{grid.margin}}", "dim")]
    for number, row in enumerate(grid.cells):
        label = f"{labels.get(number, ''):>{grid.margin}} "
        yield [(label, "dim"), (grid.line("axis"), "dim"), *row]
    yield [
        (" " * (grid.margin + 1) + grid.line("floor") * (grid.width + 1), "dim"),
    ]
    yield [(grid.dates(), "dim")]


class _Grid:
    """The characters between the axes, the uppermost row first."""

    def __init__(self, panel: Panel, *, plain: bool) -> None:
        self.panel, self.plain = panel, plain
        names = [tick.label for tick in panel.y.ticks]
        self.margin = max(map(len, (*names, panel.y.title)))
        self.margin = min(self.margin, _WIDTH - _LEAST - 2)
        self.width, self.height = _WIDTH - self.margin - 2, _HEIGHT
        self.cells = [[(" ", "")] * self.width for _ in range(self.height)]

    def line(self, kind: str) -> str:
        """Return the character of a *kind* of line."""
        return _LINES[kind][self.plain]

    def row(self, value: float) -> int | None:
        """Return the row of *value*, counted from the top; None outside."""
        place = self.panel.y.place(value)
        if place is None or not 0 <= place <= 1:
            return None
        return round((1 - place) * (self.height - 1))

    def column(self, value: float) -> int:
        """Return the column of *value*, the nearest that there is."""
        place = self.panel.x.place(value) or 0.0
        return min(self.width - 1, max(0, round(place * (self.width - 1))))

    def strokes(self) -> None:
        """Draw the strokes, whose pieces run along one of the axes."""
        for stroke in self.panel.strokes:
            for (x, y), (to, other) in pairwise(stroke.through):
                first, last = sorted((self.row(y) or 0, self.row(other) or 0))
                if x == to:
                    for row in range(first, last + 1):
                        self._set(row, self.column(x), self.line("step"), "dim")
                else:
                    for column in range(self.column(x), self.column(to) + 1):
                        self._set(first, column, self.line("level"), "dim")

    def interval(self, point: Point) -> None:
        """Draw the interval of *point*, as far as it is within the axes."""
        if point.low is None or point.high is None:
            return
        ends = self.panel.y.ends
        low, high = (min(max(end, ends[0]), ends[1]) for end in (point.low, point.high))
        top, bottom = self.row(high), self.row(low)
        for row in range(top or 0, (bottom or 0) + 1):
            self._set(row, self.column(point.x), self.line("interval"), "dim")

    def point(self, point: Point) -> None:
        """Draw the mark of *point*."""
        row = self.row(point.y)
        if row is not None and math.isfinite(point.y):
            shape = _MARKS.get(point.look) or (_HOLLOW if point.hollow else _POINT)
            self._set(row, self.column(point.x), shape[self.plain], shape[2])

    def dates(self) -> str:
        """Return the labels of the axis below, as far as there is room for them."""
        line, end = " " * (_WIDTH + 1), 0
        for tick in self.panel.x.ticks:
            middle = self.margin + 2 + self.column(tick.value)
            start = min(middle - len(tick.label) // 2, _WIDTH - len(tick.label))
            if start >= end:
                line = line[:start] + tick.label + line[start + len(tick.label) :]
                end = start + len(tick.label) + 2
        return line.rstrip()

    def _set(self, row: int, column: int, character: str, style: str) -> None:
        self.cells[row][column] = (character, style)
