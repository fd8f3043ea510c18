"""Charts on two axes, as plain data in a language: what stands where, in its words.

One specification, two renderers: ``reports/templates/parts/plane.j2`` for a page, where
``geometry.plane`` says the places, and ``figures.plane`` for the SVG beside Markdown.
"""

from typing import Literal

import msgspec

# What a mark or a stroke means; each has a colour and a shape or dash of its own in
# both renderers, light and dark. Series 0 to 4 tell systems or workloads apart.
Look = Literal["0", "1", "2", "3", "4", "reference", "mine", "quiet"]


class Tick(msgspec.Struct, frozen=True):
    """A place on an axis with its label; *minor* ones give way where room is short."""

    value: float
    label: str
    minor: bool = False


class Scale(msgspec.Struct, frozen=True):
    """An axis from *low* to *high*, with the title that names quantity and unit.

    On a logarithmic one both are above 0, and equal distance is equal factor. The
    ticks of a *named* one (y only, linear) are names of rows, not amounts.
    """

    low: float
    high: float
    ticks: tuple[Tick, ...]
    title: str
    log: bool = True
    named: bool = False


class Point(msgspec.Struct, frozen=True):
    """A mark; *low* and *high* bound an interval of *y*, *hollow* is not like for like.

    *run* is the digest of the run whose figure it shows.
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

    A *guide* is no measurement: a peak, equal efficiency, perfect scaling.
    """

    through: tuple[tuple[float, float], ...]
    look: Look
    label: str = ""
    guide: bool = False


class Panel(msgspec.Struct, frozen=True):
    """One pair of axes with what stands on them, under a *title* that may be empty."""

    title: str
    x: Scale
    y: Scale
    points: tuple[Point, ...]
    strokes: tuple[Stroke, ...] = ()


class Key(msgspec.Struct, frozen=True):
    """One entry of the legend: what a look means; *hollow* as its points are."""

    look: Look
    text: str
    hollow: bool = False


class Plane(msgspec.Struct, frozen=True):
    """A chart: a short *name* that ids are made of, and what it shows in words.

    *alt* tells the finding with its numbers, to whoever does not see the chart. All
    panels stand side by side where there is room, with axes of equal range.
    """

    name: str
    title: str
    alt: str
    panels: tuple[Panel, ...]
    keys: tuple[Key, ...] = ()
