"""Charts as plain data in a language: what stands where, in its words.

One specification, two renderers: ``reports/templates/parts/chart.j2`` for a page, where
``layout`` gives the places, and ``mpl`` for the SVG beside Markdown.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from benchdb.report.language import Language
from benchdb.report.view.atoms import Quantity, Ratio

# What a mark or a line means. Series 0 to 4 tell systems or workloads apart.
Look = (
    Literal["0", "1", "2", "3", "4", "reference", "mine", "quiet"]
    | Literal["cpu", "faster", "slower", "even"]
)
Shape = Literal[
    "circle", "dot", "square", "triangle", "down", "plus", "diamond", "star"
]
_MOST_TICKS = 7  # of an axis that counts in doublings
_PLACES = 3  # decimals that an eighth takes
_LONGEST = 30  # characters of a label that leave room for the axis


class Style(msgspec.Struct, frozen=True):
    """How a look is drawn: its shape, and the variables of ``tokens.css`` it uses."""

    shape: Shape
    colour: str
    words: str = ""  # of the same colour, darker, for letters

    @property
    def ink(self) -> str:
        """Return the variable that letters use."""
        return self.words or self.colour


# In both renderers. No information hangs on colour alone: shapes, hollow marks, dashes
# and words say the same. In the order in which labels get their places.
LOOKS: Mapping[Look, Style] = {
    "mine": Style("star", "ink"),
    "reference": Style("diamond", "rival"),
    "0": Style("circle", "third"),
    "1": Style("square", "gain", "gain-ink"),
    "2": Style("triangle", "loss", "loss-ink"),
    "3": Style("down", "mine-ink"),
    "4": Style("plus", "edge", "quiet"),
    "cpu": Style("circle", "edge", "quiet"),
    "faster": Style("circle", "gain", "gain-ink"),
    "slower": Style("diamond", "loss", "loss-ink"),
    "even": Style("circle", "edge", "quiet"),
    "quiet": Style("dot", "edge", "quiet"),
}
SERIES: tuple[Look, ...] = ("0", "1", "2", "3", "4")


class Tick(msgspec.Struct, frozen=True):
    """A place on an axis with its label; *minor* ones give way where room is short."""

    value: float
    label: str
    minor: bool = False


class Scale(msgspec.Struct, frozen=True):
    """An axis from *low* to *high*, with the title that names quantity and unit.

    On a logarithmic one both are above 0, and equal distance is equal factor.
    """

    low: float
    high: float
    ticks: tuple[Tick, ...]
    title: str
    log: bool = True

    @property
    def ends(self) -> tuple[float, float]:
        """Return *low* and *high*, or ends around *low* where those make no sense."""
        low, high = self.low, self.high
        if math.isfinite(high - low) and low < high and (low > 0 or not self.log):
            return low, high
        middle = low if math.isfinite(low) and (low > 0 or not self.log) else 1.0
        return (middle / 2, middle * 2) if self.log else (middle - 1, middle + 1)

    def place(self, value: float) -> float | None:
        """Return where *value* stands between the ends, which are 0 and 1.

        Outside it is less or more; what no logarithm has, or no number, has no place.
        """
        if not math.isfinite(value) or (self.log and value <= 0):
            return None
        ends = self.ends
        if self.log:
            value, ends = math.log(value), (math.log(ends[0]), math.log(ends[1]))
        return (value - ends[0]) / (ends[1] - ends[0])


class Row(msgspec.Struct, frozen=True):
    """A named row of marks, or a *heading* above some; a *remark* is at its end."""

    label: str
    remark: str = ""
    look: Look | None = None  # of the remark
    heading: bool = False


class Rows(msgspec.Struct, frozen=True):
    """A y axis of things instead of amounts: its values count *rows* from the top."""

    rows: tuple[Row, ...]
    title: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """Return the values at the lower and the upper end."""
        return len(self.rows) - 0.5, -0.5

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Return the rows with their values."""
        return tuple(Tick(n, row.label) for n, row in enumerate(self.rows))

    def place(self, value: float) -> float | None:
        """Return where *value* stands: 0 is the lower end, 1 the upper."""
        return 1 - (value + 0.5) / max(1, len(self.rows))


class Point(msgspec.Struct, frozen=True):
    """A mark; *hollow* is not like for like, or the plainer of two.

    *low* and *high* bound an interval of what is measured: of *y*, or of *x* where y
    has rows. *run* is the digest of the run whose figure it shows.
    """

    x: float
    y: float
    look: Look
    label: str = ""
    run: str | None = None
    low: float | None = None
    high: float | None = None
    hollow: bool = False


class Stroke(msgspec.Struct, frozen=True):
    """A line through *through*, in order of x; *label* stands at its right end.

    A *guide* is no measurement: a peak, equal efficiency, perfect scaling. *dashed* is
    in doubt.
    """

    through: tuple[tuple[float, float], ...]
    look: Look
    label: str = ""
    guide: bool = False
    dashed: bool = False


class Panel(msgspec.Struct, frozen=True):
    """One pair of axes with what stands on them, under a *title* that may be empty."""

    title: str
    x: Scale
    y: Scale | Rows
    points: tuple[Point, ...]
    strokes: tuple[Stroke, ...] = ()


class Key(msgspec.Struct, frozen=True):
    """One entry of the legend: what a look means; *hollow* as its points are.

    Without a look it is only a sentence; a *dashed* one shows a line.
    """

    look: Look | None
    text: str
    hollow: bool = False
    dashed: bool = False


class Chart(msgspec.Struct, frozen=True):
    """A short *name* that ids are made of, and what the chart shows in words.

    *alt* tells the finding with its numbers, to whoever does not see the chart. All
    panels stand side by side where there is room, with axes of equal range.
    """

    name: str
    title: str
    alt: str
    panels: tuple[Panel, ...]
    keys: tuple[Key, ...] = ()


def mark(
    x: float,
    y: float,
    look: Look,
    quantity: Quantity,
    ratio: Quantity | Ratio | None = None,
    **more: Any,
) -> Point:
    """Return the mark of *quantity*, with its interval or that of the *ratio* to it.

    What was measured once has none.
    """
    ends = (ratio or quantity).interval if quantity.n > 1 else None
    low, high = (ends.low, ends.high) if ends and not ends.wide else (None, None)
    return Point(x, y, look, run=quantity.run, low=low, high=high, **more)


def log_scale(
    ticks: Sequence[float], label: Callable[[float], str], title: str = ""
) -> Scale:
    """Return a logarithmic axis of *ticks*, every other minor but never that of 1."""
    first = list(ticks).index(1) if 1 in ticks else 0
    marks = (
        Tick(value, label(value), minor=(n - first) % 2 == 1)
        for n, value in enumerate(ticks)
    )
    return Scale(ticks[0], ticks[-1], tuple(marks), title)


def doublings(low: float, high: float) -> tuple[float, ...]:
    """Return powers of two around *low* … *high*, both above 0; at least two.

    The first is at most *low* and the last at least *high*; where there would be too
    many, each is the same power of two times the one before.
    """
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(high))
    last = max(last, first + 1)
    stride = math.ceil((last - first) / (_MOST_TICKS - 1))
    count = math.ceil((last - first) / stride)
    return tuple(2.0 ** (first + stride * step) for step in range(count + 1))


def spread_out(values: Iterable[int]) -> tuple[int, ...]:
    """Return those of *values* that have room beside each other on a logarithmic axis.

    The ends are always among them.
    """
    ordered = sorted(set(values))
    low, high = ordered[0], ordered[-1]
    least = (high / low) ** (1 / _MOST_TICKS)
    kept = [low]
    for value in ordered[1:-1]:
        if value >= kept[-1] * least and value * least <= high:
            kept.append(value)
    return (*kept, high) if high > low else (low,)


def decimals_of(value: float) -> int:
    """Return how many decimals write *value* without loss, 3 at most."""
    return next((n for n in range(3) if math.isclose(value, round(value, n))), 3)


def noted(language: Language, text: str, ratio: Ratio) -> str:
    """Return *text* with the letters of the notes on *ratio*."""
    return f"{text} ({language.comma.join(ratio.notes)})" if ratio.notes else text


def short(language: Language, name: str) -> str:
    """Return as much of a *name* as leaves room for the axis."""
    cut = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"
    return language.isolate(cut)
