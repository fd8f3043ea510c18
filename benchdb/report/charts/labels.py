"""Labels that keep clear of marks and of each other, at every width of a plot.

Marks stand at percentages, labels are as wide as their letters: what fits at one
width may not at another. A label that has no place on a narrow plot is left out
there; from which width on it fits is its level. A page is set in any font: the widths
of letters are estimates, a little generous.
"""

import math
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import msgspec

Anchor = Literal["start", "middle", "end"]
Place = tuple[float, float]  # per cent from the left, pixels from the top
Measure = Callable[[str], float]  # how wide a text is, in pixels

EM = 12.0  # the size of labels, in pixels; the style sheet says the same

_ASCENT, _DESCENT = 10.0, 3.0  # of a label around its baseline, in pixels
_AIR = 2.0  # between two labels
_OVERHANG = 7.0  # how far a label may rise above a plot
_NARROW = frozenset("ijltfrI.,:;'!|()[]{} ·/-\u00a0\u202f\u2009")
_BROAD = frozenset("mwMW@%&—…≠")
_WIDTHLESS = {"Mn", "Me", "Cf", "Cc"}
_OPENS, _CLOSES = {"\u2066", "\u2067", "\u2068"}, "\u2069"


class Box(msgspec.Struct, frozen=True):
    """A rectangle; its top is the smaller number."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Tell whether both have a place in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def clip(self, start: Place, end: Place) -> tuple[Place, Place] | None:
        """Return the part of the stroke from *start* to *end* that is inside."""
        (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
        first, last = 0.0, 1.0
        bounds = (
            (-dx, x - self.left),
            (dx, self.right - x),
            (-dy, y - self.top),
            (dy, self.bottom - y),
        )
        for step, room in bounds:
            if step == 0:
                if room < 0:
                    return None
            elif step < 0:
                first = max(first, room / step)
            else:
                last = min(last, room / step)
        if first > last:
            return None
        return (x + first * dx, y + first * dy), (x + last * dx, y + last * dy)


class Spot(msgspec.Struct, frozen=True):
    """Where a label may stand: its anchor, *dx* pixels beside *x* per cent.

    *y* is its baseline.
    """

    x: float
    y: float
    anchor: Anchor
    dx: float

    def box(self, wide: float, plot: float) -> Box:
        """Return what a label *wide* pixels takes of a plot of that many pixels."""
        at = self.x / 100 * plot + self.dx
        left = at - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor]
        return Box(left, self.y - _ASCENT, left + wide, self.y + _DESCENT)


class Room(msgspec.Struct):
    """What is taken of a plot so far, at each of its *widths* in pixels.

    Labels may reach *start* pixels beyond its left side and *end* beyond its right.
    *strokes* may be crossed where there is no better place, *guides* a little sooner.
    """

    widths: Sequence[float]
    height: float
    start: float
    end: float
    strokes: Sequence[tuple[Place, Place]] = ()
    guides: Sequence[tuple[Place, Place]] = ()
    taken: list[list[Box]] = []

    def __post_init__(self) -> None:
        self.taken = [[] for _ in self.widths]

    def take_mark(self, place: Place, radius: float) -> None:
        """Keep labels off a mark."""
        x, y = place
        for plot, boxes in zip(self.widths, self.taken, strict=True):
            at = x / 100 * plot
            boxes.append(Box(at - radius, y - radius, at + radius, y + radius))

    def take(self, spot: Spot, wide: float, level: int = 0) -> None:
        """Keep other labels off this one, on plots as wide as it is shown on."""
        for plot, boxes in list(zip(self.widths, self.taken, strict=True))[level:]:
            box = spot.box(wide, plot)
            boxes.append(
                Box(box.left - _AIR, box.top, box.right + _AIR, box.bottom + _AIR)
            )

    def place(self, wide: float, spots: Sequence[Spot]) -> tuple[Spot, int] | None:
        """Take the best of *spots*; return it and the first width at which it is free.

        The best fits the narrowest plot; then it is early and crosses few strokes.
        """
        best, cost = None, (len(self.widths), 0.0)
        for rank, spot in enumerate(spots):
            level = self._level(spot, wide)
            if level < len(self.widths) and level <= cost[0]:
                new = (level, rank + self._crossings(spot, wide))
                if best is None or new < cost:
                    best, cost = spot, new
        if best is None:
            return None
        self.take(best, wide, cost[0])
        return best, cost[0]

    def _level(self, spot: Spot, wide: float) -> int:
        """Return the first width from which on the spot is free."""
        for level in range(len(self.widths), 0, -1):
            plot = self.widths[level - 1]
            box = spot.box(wide, plot)
            inside = (
                box.left >= -self.start
                and box.right <= plot + self.end
                and box.top >= -_OVERHANG
                and box.bottom <= self.height + _DESCENT
            )
            if not inside or any(map(box.meets, self.taken[level - 1])):
                return level
        return 0

    def _crossings(self, spot: Spot, wide: float) -> float:
        """Return as how many places further back the strokes beneath count."""
        total = 0.0
        for plot in (self.widths[0], self.widths[-1]):
            box = spot.box(wide, plot)
            for strokes, weight in ((self.strokes, 4.0), (self.guides, 0.8)):
                for (x, y), (to_x, to_y) in strokes:
                    ends = (x / 100 * plot, y), (to_x / 100 * plot, to_y)
                    total += weight * (box.clip(*ends) is not None)
        return total


def around(place: Place, radius: float) -> tuple[Spot, ...]:
    """Return where the label of a mark may stand, the best place first."""
    x, y = place
    beside, near = radius + 3.0, radius - 1.0
    level, above, below = y + 4, y - radius - 2, y + radius + 10
    start, end, middle = ("start", 1), ("end", -1), ("middle", 0)
    places: tuple[tuple[float, float, tuple[tuple[Any, int], ...]], ...] = (
        (level, beside, (start, end)),
        *((height, near, (start,)) for height in (above, below)),
        *((height, near, (end,)) for height in (above, below)),
        *((height, 0, (middle,)) for height in (above - 2, below + 2)),
        *((level + shift, beside, (start, end)) for shift in (-7, 7, -15, 15)),
        *((height, near, (start, end)) for height in (above - 10, below + 10)),
    )
    return tuple(
        Spot(x, height, anchor, way * dx)
        for height, dx, sides in places
        for anchor, way in sides
    )


def along(path: Sequence[Place]) -> tuple[Spot, ...]:
    """Return where the label of a guide may stand: near its end first, off the line."""
    spots: list[Spot] = []
    for share in (1.0, 0.86, 0.72, 0.58, 0.44, 0.3, 0.16):
        (x, y), rising = _on(path, share)
        over, under = y - 5, y + 13
        if rising:
            spots += (Spot(x, over, "end", -3), Spot(x, under, "start", 3))
        else:
            spots += (Spot(x, over, "start", 3), Spot(x, under, "end", -3))
            spots += (Spot(x, over, "end", -3), Spot(x, under, "start", 3))
    return tuple(spots)


def space_out(
    wanted: Sequence[float], step: float, low: float, high: float
) -> tuple[float, ...]:
    """Move *wanted* as little as possible until all are *step* apart, in their order.

    They stay between *low* and *high* where there is room for that.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    # Without their distances they need only not decrease: pool those that would.
    pools: list[tuple[float, int]] = []
    for rank, index in enumerate(order):
        pools.append((wanted[index] - rank * step, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (b, m), (a, n) = pools.pop(), pools.pop()
            pools.append(((a * n + b * m) / (n + m), n + m))
    level = [mean for mean, count in pools for _ in range(count)]
    top = max(low, high - (len(wanted) - 1) * step)
    moved = [min(top, max(low, y)) + rank * step for rank, y in enumerate(level)]
    return tuple(y for _, y in sorted(zip(order, moved, strict=True)))


def _on(path: Sequence[Place], share: float) -> tuple[Place, bool]:
    """Return the place at this *share* of *path*, and whether it rises there."""
    lengths = [math.dist(a, b) for a, b in pairwise(path)]
    left = share * sum(lengths)
    for (start, end), length in zip(pairwise(path), lengths, strict=True):
        if left <= length or end is path[-1]:
            part = min(1.0, left / length) if length else 0.0
            x = start[0] + part * (end[0] - start[0])
            y = start[1] + part * (end[1] - start[1])
            return (x, y), end[1] <= start[1]
        left -= length
    return path[-1], True


def width(text: str) -> float:
    """Return about how wide *text* is, in pixels."""
    return EM * sum(map(_advance, text))


def cut(text: str, limit: float, measure: Measure = width) -> str:
    """Return *text*, ended early with an ellipsis where it is wider than *limit*."""
    if measure(text) <= limit:
        return text
    short, long = 0, len(text)
    while short + 1 < long:
        middle = (short + long) // 2
        if measure(f"{text[:middle]}…") <= limit:
            short = middle
        else:
            long = middle
    kept = text[:short].rstrip()
    still_open = sum(map(kept.count, _OPENS)) - kept.count(_CLOSES)
    return f"{kept}…{_CLOSES * still_open}"


@lru_cache(maxsize=4096)
def _advance(character: str) -> float:
    """Return the width of *character*, in ems."""
    if unicodedata.category(character) in _WIDTHLESS:
        return 0.0
    if unicodedata.east_asian_width(character) in {"W", "F"}:
        return 1.0
    if character in _NARROW or character in _BROAD:
        return 0.36 if character in _NARROW else 0.95
    if character.isdigit() or character.islower():
        return 0.6 if character.isdigit() else 0.58
    return 0.69 if character.isupper() else 0.75
