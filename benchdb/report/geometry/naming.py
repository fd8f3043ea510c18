"""Which labels stand where in a panel: ends of lines, marks and guides."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

import msgspec
from msgspec.structs import replace

from benchdb.report.geometry.frame import LONGEST_END, Frame, TickMark, tick_spot
from benchdb.report.geometry.labels import Place, Room, Spot, along, apart, around
from benchdb.report.geometry.lettering import Measure, cut
from benchdb.report.planes import Look, Point, Stroke

_LINE = 15.0  # between two labels, in pixels
_LONGEST = 170.0
_NEAR = 5.0  # pixels that a label may move before a line leads to it
_BESIDE = 97.0  # per cent: strokes that end here have their labels beside the plot
_MOST = 60  # labels of marks in a panel; more would be no picture
_RADIUS, _RADIUS_MINE = 6.0, 10.0
_FIRST: tuple[Look, ...] = ("mine", "reference", "0", "1", "2", "3", "4", "quiet")

Kind = Literal["point", "end", "guide"]
Pieces = tuple[tuple[Place, ...], ...]
Given = tuple[Frame, Sequence[float], Measure]  # the frame, widths of plots, letters


class Label(msgspec.Struct, frozen=True):
    """Words at a spot, on plots from the width *level* on.

    *whole* is set where *text* had to be cut.
    """

    text: str
    whole: str
    spot: Spot
    level: int
    look: Look
    kind: Kind


class Names(msgspec.Struct, frozen=True):
    """The labels of a panel. What has none in full has a title, in the order given.

    *leaders* lead from the ends of strokes to labels that had to move: from and to
    which height.
    """

    labels: tuple[Label, ...]
    leaders: tuple[tuple[float, float], ...]
    point_titles: tuple[str, ...]
    stroke_titles: tuple[str, ...]


def named(
    points: Sequence[tuple[Point, Place]],
    strokes: Sequence[tuple[Stroke, Pieces]],
    y_ticks: Sequence[TickMark],
    given: Given,
) -> Names:
    """Find places for the labels of a panel: first for those with least choice."""
    room = _room(points, strokes, y_ticks, given)
    measure = given[2]
    beside, leaders = _beside(strokes, room, measure)
    free = [n for n, (stroke, _) in enumerate(strokes) if not stroke.guide]
    inside = _placed(
        ((n, _inside(*strokes[n], measure)) for n in free if n not in beside), room
    )
    order = sorted(range(len(points)), key=lambda n: _FIRST.index(points[n][0].look))
    at_points = _placed(((n, _at_point(*points[n], measure)) for n in order), room)
    lines = [n for n, (stroke, _) in enumerate(strokes) if stroke.guide]
    guides = _placed(((n, _on_guide(*strokes[n], measure)) for n in lines), room)
    on_strokes = {**beside, **inside, **guides}
    return Names(
        labels=(*on_strokes.values(), *at_points.values()),
        leaders=leaders,
        point_titles=tuple(
            _title(point.label, at_points.get(n)) for n, (point, _) in enumerate(points)
        ),
        stroke_titles=tuple(
            _title(stroke.label, on_strokes.get(n))
            for n, (stroke, _) in enumerate(strokes)
        ),
    )


def _room(
    points: Sequence[tuple[Point, Place]],
    strokes: Sequence[tuple[Stroke, Pieces]],
    y_ticks: Sequence[TickMark],
    given: Given,
) -> Room:
    shared, plots, measure = given
    measured, guides = (
        [
            pair
            for stroke, pieces in strokes
            if stroke.guide == guide
            for piece in pieces
            for pair in pairwise(piece)
        ]
        for guide in (False, True)
    )
    room = Room(
        plots, shared.height, shared.start, shared.end, strokes=measured, guides=guides
    )
    for point, at in points:
        room.take_mark(at, _radius(point))
    for tick in y_ticks:
        if tick.level is not None:
            room.take(tick_spot(tick, shared), measure(tick.label))
    return room


def _beside(
    strokes: Sequence[tuple[Stroke, Pieces]], room: Room, measure: Measure
) -> tuple[dict[int, Label], tuple[tuple[float, float], ...]]:
    """Put the labels of strokes that end at the right beside the plot, in a column."""
    ends = {
        n: pieces[-1][-1][1]
        for n, (stroke, pieces) in enumerate(strokes)
        if stroke.label and not stroke.guide and pieces and pieces[-1][-1][0] >= _BESIDE
    }
    most = int(room.height // _LINE) + 1
    kept = sorted(ends, key=lambda n: (_FIRST.index(strokes[n][0].look), n))[:most]
    moved = apart([ends[n] for n in kept], _LINE, 0, room.height)
    leaders = tuple(
        (ends[n], y)
        for n, y in zip(kept, moved, strict=True)
        if abs(ends[n] - y) > _NEAR
    )
    labels = {}
    for n, y in zip(kept, moved, strict=True):
        spot = Spot(100, y + 4, "start", 13 if leaders else 9)
        labels[n] = _label(strokes[n][0], "end", measure, LONGEST_END).at(spot)
        room.take(spot, measure(labels[n].text))
    return labels, leaders


class _Wanted(msgspec.Struct, frozen=True):
    """A label that looks for its place, the best of *spots* first."""

    text: str
    whole: str
    wide: float
    look: Look
    kind: Kind
    spots: tuple[Spot, ...] = ()

    def at(self, spot: Spot, level: int = 0) -> Label:
        return Label(self.text, self.whole, spot, level, self.look, self.kind)


def _label(
    thing: Point | Stroke, kind: Kind, measure: Measure, longest: float = _LONGEST
) -> _Wanted:
    text = cut(thing.label, longest, measure)
    whole = "" if text == thing.label else thing.label
    return _Wanted(text, whole, measure(text), thing.look, kind)


def _inside(stroke: Stroke, pieces: Pieces, measure: Measure) -> _Wanted:
    spots = around(pieces[-1][-1], _RADIUS) if pieces else ()
    return replace(_label(stroke, "end", measure), spots=spots)


def _on_guide(stroke: Stroke, pieces: Pieces, measure: Measure) -> _Wanted:
    spots = along(pieces[-1]) if pieces else ()
    return replace(_label(stroke, "guide", measure), spots=spots)


def _at_point(point: Point, at: Place, measure: Measure) -> _Wanted:
    return replace(_label(point, "point", measure), spots=around(at, _radius(point)))


def _placed(wanted: Iterable[tuple[int, _Wanted]], room: Room) -> dict[int, Label]:
    """Place those of *wanted* that have words, and for which there is a place."""
    placed: dict[int, Label] = {}
    for n, label in wanted:
        if not label.text or len(placed) == _MOST:
            continue
        found = room.place(label.wide, label.spots)
        if found:
            placed[n] = label.at(*found)
    return placed


def _title(words: str, label: Label | None) -> str:
    return "" if label and label.level == 0 and not label.whole else words


def _radius(point: Point) -> float:
    return _RADIUS_MINE if point.look == "mine" else _RADIUS
