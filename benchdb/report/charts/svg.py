"""What ``reports/templates/parts/chart.j2`` needs to draw a chart as inline SVG.

Charts have percentage x and pixel y and no viewBox, so text keeps its size at any
width.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from benchdb.report.charts.labels import Place
from benchdb.report.charts.layout import Axes, Layout, Mark, Trail
from benchdb.report.charts.spec import LOOKS, Look, Rows

# Outlines around the middle of a mark.
_SHAPES = {
    "circle": '<circle id="{}" r="5.3"/>',
    "dot": '<circle id="{}" r="3.6"/>',
    "square": '<path id="{}" d="M-4.8-4.8H4.8V4.8H-4.8z"/>',
    "triangle": '<path id="{}" d="M0-6.2 6 4.8-6 4.8z"/>',
    "down": '<path id="{}" d="M0 6.2 6-4.8-6-4.8z"/>',
    "plus": '<path id="{}" d="M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2z"/>',
    "diamond": '<path id="{}" d="M0-6.6 6.6 0 0 6.6-6.6 0z"/>',
    "star": '<g id="{}"><circle class="ring" r="9.5"/><path d="M0-7 1.7-2.3 6.7-2.2 '
    '2.7.9 4.1 5.7 0 2.8-4.1 5.7-2.7.9-6.7-2.2-1.7-2.3z"/></g>',
}


class Strip(msgspec.Struct, frozen=True):
    """What stands on one row of a chart, for a cell of a table."""

    trails: tuple[Trail, ...]
    marks: tuple[Mark, ...]


def shapes() -> str:
    """Return the shape of every look, to be used by its id."""
    pairs = ((_SHAPES[style.shape], look) for look, style in LOOKS.items())
    return "".join(shape.format(f"mark-{look}") for shape, look in pairs)


def rules() -> str:
    """Return the style of every look: its colour, and that of its words."""
    looks: dict[tuple[str, str], list[str]] = defaultdict(list)
    for look, style in LOOKS.items():
        looks[style.colour, style.ink] += f".look-{look}", f'[href="#mark-{look}"]'
    return "".join(
        f"{','.join(names)}{{--look:var(--{colour});--words:var(--{ink})}}"
        for (colour, ink), names in looks.items()
    )


def strips(layout: Layout) -> Iterator[Strip]:
    """Yield the rows of a chart of one panel, in their order; no headings."""
    (axes,) = layout.panels
    rows = axes.panel.y.rows if isinstance(axes.panel.y, Rows) else ()
    marks, trails = defaultdict(list), defaultdict(list)
    for mark in axes.marks:
        marks[mark.point.y].append(mark)
    for trail in axes.trails:
        if not trail.stroke.guide:
            trails[trail.stroke.through[0][1]].append(trail)
    for n, row in enumerate(rows):
        if not row.heading:
            yield Strip(tuple(trails[n]), tuple(marks[n]))


def outline(pieces: Iterable[Sequence[Place]]) -> str:
    """Return *pieces* as the outline of an SVG path."""
    return "".join(
        "M" + "L".join(f"{number(x)} {number(y, 1)}" for x, y in piece)
        for piece in pieces
    )


def whiskers(axes: Axes) -> tuple[tuple[Look, str], ...]:
    """Return the intervals of the marks of *axes*, as one outline for each look."""
    lines: dict[Look, list[tuple[Place, Place]]] = defaultdict(list)
    for mark in axes.marks:
        if mark.whisker:
            lines[mark.point.look].append(mark.whisker)
    return tuple((look, outline(ends)) for look, ends in lines.items())


def bundled(trails: Sequence[Trail]) -> Iterator[tuple[Trail, str]]:
    """Yield neighbours of one kind as one, with their outline."""
    visible = [trail for trail in trails if trail.pieces]
    for _, same in groupby(
        visible,
        lambda t: (t.stroke.look, t.stroke.guide, t.stroke.dashed, t.title),
    ):
        bundle = list(same)
        yield bundle[0], outline(piece for trail in bundle for piece in trail.pieces)


def grid(axes: Axes, height: float) -> str:
    """Return the lines of all ticks of *axes* as the outline of an SVG path."""
    columns = (f"M{number(tick.at)} 0V{number(height, 1)}" for tick in axes.x_ticks)
    rows = (f"M0 {number(tick.at, 1)}H100" for tick in axes.y_ticks)
    return "".join((*columns, *rows))


def number(value: float, decimals: int = 2) -> str:
    """Return *value* as short as a page needs it."""
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
