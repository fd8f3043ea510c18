"""Where labels stand: clear of each other at every width, as near as there is room."""

from itertools import pairwise

import pytest

from benchdb.report.charts.labels import (
    Box,
    Room,
    Spot,
    along,
    around,
    cut,
    space_out,
    width,
)
from benchdb.report.charts.layout import lay_out
from benchdb.report.charts.spec import (
    Chart,
    Panel,
    Point,
    Scale,
    Stroke,
    Tick,
    doublings,
    spread_out,
)
from benchdb.report.charts.svg import number
from benchdb.report.language import load
from tests.report.charts.charts_fixture import KINDS, slopes, strips

LOG = Scale(1, 100, (Tick(1, "1"), Tick(10, "10"), Tick(100, "100")), "x")
NARROW, WIDE = 200.0, 600.0


def single_chart(*points: Point, strokes: tuple[Stroke, ...] = ()) -> Chart:
    return Chart("one", "One", "One", (Panel("", LOG, LOG, points, strokes),))


def test_labels_move_apart_as_little_as_possible():
    assert space_out([50, 52, 200], 15, 0, 300) == (43.5, 58.5, 200)


def test_labels_that_are_apart_stay_where_they_are():
    assert space_out([10, 90, 40], 15, 0, 300) == (10, 90, 40)


def test_labels_keep_their_order_and_stay_inside():
    moved = space_out([299, 298, 300, 300], 15, 0, 300)
    assert moved == (270, 255, 285, 300)


def test_labels_without_enough_room_begin_at_the_top():
    moved = space_out([5] * 10, 15, 0, 60)
    assert moved[0] == 0
    assert {b - a for a, b in pairwise(moved)} == {15}


def test_a_long_name_ends_in_an_ellipsis_and_closes_its_isolates():
    name = "\u2066M1 Max with a very long name\u2069"
    short = cut(name, 80)
    assert short.endswith("…\u2069")
    assert width(short) <= 80
    assert cut(name, 1000) == name


def test_wide_letters_count_as_wide_and_controls_as_nothing():
    assert width("画像") > 1.5 * width("ab")
    assert width("\u2066ab\u2069") == width("ab")


def test_a_label_goes_to_the_other_side_of_its_mark_where_one_is_taken():
    room = Room((NARROW, WIDE), 200, start=0, end=0)
    room.take_mark((50, 100), 6)
    first = room.place(40, around((50, 100), 6))
    second = room.place(40, around((50, 100), 6))
    assert first is not None
    assert second is not None
    assert (first[0].anchor, second[0].anchor) == ("start", "end")


def test_a_label_without_room_on_a_narrow_plot_waits_for_a_wider_one():
    room = Room((NARROW, WIDE), 14, start=0, end=0)
    room.take_mark((50, 7), 6)
    pair = room.place(150, around((50, 7), 6))
    assert pair is not None
    assert pair[1] == 1


def test_a_label_without_room_anywhere_is_not_placed():
    room = Room((NARROW, WIDE), 14, start=0, end=0)
    assert room.place(700, around((50, 7), 6)) is None


def test_a_label_would_rather_not_stand_on_a_line():
    line = ((50.0, 100.0), (100.0, 100.0))
    room = Room((WIDE,), 200, start=0, end=0, strokes=(line,))
    pair = room.place(40, around((50, 100), 6))
    assert pair is not None
    assert pair[0].anchor == "end"


def test_the_name_of_a_guide_stands_above_its_end():
    first = along(((0.0, 200.0), (100.0, 20.0)))[0]
    assert first == Spot(100.0, 15.0, "end", -3)


def test_strokes_end_where_the_plot_ends():
    plot = Box(0, 0, 100, 300)
    assert plot.clip((-50, 150), (150, 150)) == ((0, 150), (100, 150))
    assert plot.clip((0, 400), (100, 500)) is None
    assert plot.clip((40, -9), (40, 400)) == ((40, 0), (40, 300))


def test_a_stroke_that_leaves_the_axes_comes_back_in_a_second_piece():
    stroke = Stroke(((1, 10), (10, 1000), (20, 1000), (100, 10)), "0")
    (trail,) = lay_out(single_chart(strokes=(stroke,))).panels[0].trails
    assert len(trail.pieces) == 2
    assert all(0 <= y <= 320 for piece in trail.pieces for _, y in piece)


def test_a_stroke_is_cut_where_a_value_has_no_place():
    stroke = Stroke(((1, 1), (2, 2), (3, 0), (4, 4), (5, 5)), "0")
    (trail,) = lay_out(single_chart(strokes=(stroke,))).panels[0].trails
    assert [len(piece) for piece in trail.pieces] == [2, 2]


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_what_no_logarithm_has_stands_nowhere(value: float):
    assert LOG.place(value) is None


@pytest.mark.parametrize(
    "scale",
    [
        Scale(3, 3, (), ""),
        Scale(3, 3, (), "", log=False),
        Scale(3, float("inf"), (), "", log=False),
    ],
)
def test_an_axis_whose_ends_make_no_sense_is_around_its_start(scale: Scale):
    assert scale.place(3) == pytest.approx(0.5)
    assert (scale.place(2.5) or 0) < 0.5


def test_a_mark_outside_the_axes_stands_at_their_edge():
    (mark,) = lay_out(single_chart(Point(1000, 0.5, "0"))).panels[0].marks
    assert mark.at == (100.0, 320.0)


def test_minor_ticks_give_way_where_they_would_touch_others():
    ticks = tuple(
        Tick(value, f"{value} watts", minor=value in (50, 200))
        for value in (20, 50, 100, 200, 500)
    )
    panel = Panel("", Scale(20, 500, ticks, "x"), LOG, ())
    (axes,) = lay_out(Chart("one", "One", "One", (panel,))).panels
    levels = {tick.label: tick.level for tick in axes.x_ticks}
    assert levels["20 watts"] == levels["100 watts"] == levels["500 watts"] == 0
    assert levels["50 watts"]
    assert levels["200 watts"]


def test_the_names_of_lines_stand_beside_the_plot_without_touching():
    (axes,) = lay_out(slopes()).panels
    ends = sorted(label.spot.y for label in axes.labels if label.kind == "end")
    assert len(ends) == 5
    assert min(b - a for a, b in pairwise(ends)) >= 15
    assert axes.leaders


def test_long_names_of_rows_stand_above_them():
    drawing = lay_out(strips())
    assert drawing.frame.over
    assert drawing.frame.start < 60


def test_what_stands_out_is_drawn_last():
    (axes,) = lay_out(strips()).panels
    assert axes.marks[-1].point.look == "mine"


def test_the_legend_tells_marks_from_lines():
    signs = lay_out(KINDS["scaling"]).signs
    assert [(s.mark, s.stroke, s.guide) for s in signs] == [
        (True, False, False),
        (False, True, True),
    ]


def test_numbers_are_as_short_as_they_can_be():
    assert [number(n) for n in (12.0, 0.333, -0.001, 99.999)] == [
        "12",
        "0.33",
        "0",
        "100",
    ]


EN = load("en")


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (1.0, 1.0, (1, 2)),
        (0.77, 1.5, (0.5, 1, 2)),
        (2.3, 25.5, (2, 4, 8, 16, 32)),
        (1.0, 1000.0, (1, 4, 16, 64, 256, 1024)),
    ],
)
def test_an_axis_of_factors_counts_in_doublings(low, high, ticks):
    assert doublings(low, high) == ticks


def test_extreme_factors_have_few_ticks():
    ticks = doublings(1e-60, 1e60)

    assert len(ticks) <= 7
    assert (ticks[0] <= 1e-60, ticks[-1] >= 1e60) == (True, True)


def test_batch_sizes_beside_each_other_share_a_tick():
    assert spread_out([4, 64]) == (4, 64)
    assert spread_out([30, 31, 32, 33, 512]) == (30, 512)
    assert spread_out([16, 16]) == (16,)
