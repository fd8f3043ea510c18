import pytest
from msgspec.structs import replace

from benchdb.report.geometry import (
    MARGIN,
    Span,
    bundles,
    dots,
    dumbbell,
    position,
    shade,
    ticks,
)
from benchdb.report.sections.metal import MetalGroup, MetalRow
from benchdb.report.view.atoms import Axis
from tests.page_fixture import report
from tests.view_fixture import LSTM, RESNET, metal, seconds

AXIS = Axis(10, 1000, (10, 100, 1000), "s")
MIDDLE = 50.0


def test_equal_factors_are_equal_distances():
    places = [position(value, AXIS) for value in (10, 100, 1000)]
    assert places == pytest.approx([MARGIN, MIDDLE, 100 - MARGIN])


@pytest.mark.parametrize(
    ("value", "place"),
    [(1, MARGIN), (1e9, 100 - MARGIN), (0, MARGIN), (-5, MARGIN)],
)
def test_a_value_off_the_axis_stands_at_its_edge(value: float, place: float):
    assert position(value, AXIS) == pytest.approx(place)


def test_an_axis_without_length_puts_everything_at_its_start():
    assert position(5, Axis(5, 5, (5,), "s")) == MARGIN
    assert position(5, Axis(0, 5, (5,), "s")) == MARGIN


def test_every_other_tick_gives_way_on_a_narrow_screen():
    assert [tick.minor for tick in ticks(AXIS)] == [False, True, False]


def test_a_row_with_both_sides_has_a_bar_between_them():
    row = metal().groups[0].rows[0]
    mark = dumbbell(row, metal().axis)
    assert mark.cpu is not None
    assert mark.metal is not None
    assert mark.bar == Span(mark.cpu, mark.metal)
    assert mark.metal < mark.cpu
    assert (mark.verdict, mark.doubtful) == ("faster", False)


def test_a_flagged_value_makes_the_stroke_doubtful():
    doubts = [dumbbell(r, metal().axis).doubtful for r in metal().groups[0].rows]
    assert doubts == [False, True, False, True]


def test_a_missing_side_leaves_a_single_mark():
    row = metal().groups[-1].rows[-1]
    mark = dumbbell(row, metal().axis)
    assert mark.cpu is not None
    assert (mark.metal, mark.bar) == (None, None)


def test_a_value_in_another_unit_has_no_place_on_the_axis():
    row = metal().groups[0].rows[0]
    mark = dumbbell(row, replace(AXIS, unit="img/s"))
    assert (mark.cpu, mark.metal, mark.bar, mark.whiskers) == (None, None, None, ())


def test_only_repeated_figures_have_whiskers():
    section = report().metal
    assert section is not None
    repeated, single = section.groups[0].rows[:2]
    assert len(dumbbell(repeated, section.axis).whiskers) == 2
    assert dumbbell(single, section.axis).whiskers == ()


def test_an_interval_of_a_single_run_is_not_drawn():
    row = metal().groups[0].rows[0]
    assert row.cpu is not None
    odd = replace(row, cpu=replace(row.cpu, n=1, low=1.0, high=3000.0))
    assert dumbbell(odd, metal().axis).whiskers == ()


def test_shares_of_a_reference_keep_the_shape_of_their_system():
    section = report().distance
    assert section is not None
    row = section.rows[0]
    marks = dots(row, section.axis)
    assert [dot.shape for dot in marks] == [0, 1]
    assert all(dot.unlike and dot.whisker is None for dot in marks)
    without = replace(row, cells=(replace(row.cells[0], share=None), row.cells[1]))
    assert [dot.shape for dot in dots(without, section.axis)] == [1]


@pytest.mark.parametrize(
    ("ratio", "step"),
    [
        *[(1, 0), (1.24, 0), (1.25, 1), (2, 2), (7.9, 3), (8, 4), (300, 4)],
        *[(0.81, 0), (0.8, -1), (0.5, -2), (0.25, -3), (0.1, -4)],
    ],
)
def test_shades_change_at_named_factors_in_both_directions(ratio: float, step: int):
    assert shade(ratio) == step


def test_lone_rows_of_one_chip_share_a_heading():
    rows = [
        MetalGroup(workload, 64, "epoch_seconds", (lone(chip),))
        for workload, chip in ((RESNET, "M1"), (LSTM, "M1"), (LSTM, "M1 Max"))
    ]
    section = replace(metal(), groups=(*metal().groups, *rows))
    assert [len(b.groups) for b in bundles(section)] == [1, 1, 1, 1, 1, 2, 1]


def lone(chip: str) -> MetalRow:
    cpu, fast = seconds(chip, LSTM, "cpu"), seconds(chip, LSTM, "metal")
    return MetalRow(chip, "torch", None, cpu, fast, None)


def test_the_tick_of_one_stays_where_room_is_short():
    axis = Axis(0.001, 10, (0.001, 0.01, 0.1, 1, 10), "share")

    assert [tick.value for tick in ticks(axis) if not tick.minor] == [0.01, 1]
