"""Charts of rows: dumbbells of Metal, the ranking, shares of a reference."""

import pytest
from msgspec.structs import replace

from benchdb.report.charts.layout import lay_out
from benchdb.report.charts.spec import Chart, Point, Row, Rows, Stroke
from benchdb.report.charts.svg import strips
from benchdb.report.language import load
from benchdb.report.sections.metal import MetalGroup, MetalRow, MetalSection, words
from benchdb.report.view.atoms import Axis
from benchdb.report.wording.sections import section_chart
from tests import page_fixture, view_fixture
from tests.view_fixture import LSTM, RESNET, empty, hostile, seconds, with_sections

EN = load("en")
REPORT = view_fixture.report()
NAMES = ("metal", "ranking", "distance")


def chart(name: str) -> Chart:
    built = section_chart(EN, REPORT, name)
    assert built is not None
    return built


def of(section: MetalSection) -> Chart:
    built = section_chart(EN, with_sections(REPORT, metal=section), "metal")
    assert built is not None
    return built


def rows(found: Chart) -> dict[int, Row]:
    y = found.panels[0].y
    assert isinstance(y, Rows)
    return dict(enumerate(y.rows))


def on(found: Chart, place: int) -> tuple[list[Point], list[Stroke]]:
    """Return the marks and strokes of a row."""
    (panel,) = found.panels
    return (
        [point for point in panel.points if point.y == place],
        [s for s in panel.strokes if {y for _, y in s.through} == {place}],
    )


def place_of(found: Chart, remark: str) -> int:
    return next(n for n, row in rows(found).items() if row.remark == remark)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_report_has_no_charts(name):
    assert section_chart(EN, empty(), name) is None


def test_a_dumbbell_joins_the_two_sides_of_a_row():
    points, strokes = on(chart("metal"), 1)

    assert rows(chart("metal"))[1] == Row("M1", "3.5× as fast", "faster")
    assert [point.x for point in points] == [2031.89, 579.18]
    assert [point.hollow for point in points] == [True, False]
    assert [[x for x, _ in s.through] for s in strokes] == [[2031.89, 579.18]]


def test_every_mark_has_its_run():
    shown = [chart("metal"), chart("distance")]
    points = [point for one in shown for point in one.panels[0].points]

    assert all(point.run for point in points if point.look != "reference")


def test_flagged_pairs_are_dashed_and_noted():
    found = chart("metal")
    dashed = [s.through[0][1] for s in found.panels[0].strokes if s.dashed]

    assert [rows(found)[int(n)].remark[-3:] for n in dashed] == ["(b)", "(a)", "(a)"]


def test_slower_differs_from_faster_in_shape_not_only_in_colour():
    looks = [
        on(chart("metal"), place_of(chart("metal"), remark))[0][-1].look
        for remark in ("3.5× as fast", "6.8× as long")
    ]

    assert looks == ["faster", "slower"]


def test_a_missing_side_leaves_one_mark_and_a_word():
    points, strokes = on(chart("metal"), place_of(chart("metal"), "not measured"))

    assert [point.look for point in points] == ["cpu"]
    assert strokes == []


def test_only_repeated_figures_have_intervals():
    section = page_fixture.report().sections["metal"]
    assert section is not None
    repeated, single = on(of(section), 1)[0], on(of(section), 2)[0]

    assert all(point.low and point.high for point in repeated)
    assert not any(point.low or point.high for point in single)


def test_an_interval_of_a_single_run_is_not_drawn():
    group = REPORT.sections["metal"].groups[0]
    row = group.rows[0]
    assert row.cpu is not None
    odd = replace(row, cpu=replace(row.cpu, n=1, low=1.0, high=3000.0))
    section = replace(REPORT.sections["metal"], groups=(replace(group, rows=(odd,)),))

    assert [point.low for point in on(of(section), 1)[0]] == [None, None]


def test_other_units_leave_the_axis_to_seconds():
    built = of(
        replace(
            REPORT.sections["metal"],
            axis=replace(REPORT.sections["metal"].axis, unit="img/s"),
        )
    )

    assert (built.panels[0].points, built.panels[0].strokes) == ((), ())
    assert built.keys[-1].text == "more is better"


def test_lone_rows_of_one_chip_share_a_heading():
    lone = [
        MetalGroup(workload, 64, "epoch_seconds", (alone(chip),))
        for workload, chip in ((RESNET, "M1"), (LSTM, "M1"), (LSTM, "M1 Max"))
    ]
    section = replace(
        REPORT.sections["metal"], groups=(*REPORT.sections["metal"].groups, *lone)
    )

    assert [len(groups) for groups in words.bundles(section)] == [1, 1, 1, 1, 1, 2, 1]
    headings = [row.label for row in rows(of(section)).values() if row.heading]
    assert headings[-2:] == ["M1", "LSTM, batch 64"]


def alone(chip: str) -> MetalRow:
    cpu, fast = seconds(chip, LSTM, "cpu"), seconds(chip, LSTM, "metal")
    return MetalRow(chip, "torch", None, cpu, fast, None)


def test_the_ranking_shows_means_in_order_beside_single_workloads():
    found = chart("ranking")
    marks = [on(found, n)[0] for n in rows(found)]
    means = [row[-1].x for row in marks]

    assert means == sorted(means, reverse=True)
    assert [point.look for point in marks[0]] == ["quiet"] * 4 + ["1"]
    assert rows(found)[0].remark == "13.7×"


def test_the_ranking_needs_two_means():
    short = replace(
        REPORT.sections["ranking"], rows=REPORT.sections["ranking"].rows[:1]
    )

    assert section_chart(EN, with_sections(REPORT, ranking=short), "ranking") is None


def test_unlike_shares_are_hollow_and_the_key_says_so():
    found = chart("distance")

    points, _ = on(found, 0)
    assert [(p.look, p.hollow) for p in points] == [
        ("reference", False),
        ("0", True),
        ("1", True),
    ]
    assert found.keys[-1].text == "hollow: not like for like"


def test_shares_of_a_reference_keep_the_look_of_their_system():
    row = REPORT.sections["distance"].rows[0]
    less = replace(row, cells=(replace(row.cells[0], share=None), row.cells[1]))
    section = replace(REPORT.sections["distance"], rows=(less,))

    built = section_chart(EN, with_sections(REPORT, distance=section), "distance")

    assert built is not None
    assert [point.look for point in built.panels[0].points] == ["reference", "1"]


def test_ticks_speak_the_language():
    built = section_chart(load("de"), REPORT, "distance")

    assert built is not None
    assert built.panels[0].x.ticks[0].label == "5\u00a0%"


def test_every_other_tick_gives_way_but_never_that_of_one():
    axis = Axis(0.001, 10, (0.001, 0.01, 0.1, 1, 10), "share")
    section = replace(REPORT.sections["distance"], axis=axis)

    built = section_chart(EN, with_sections(REPORT, distance=section), "distance")

    assert built is not None
    ticks = built.panels[0].x.ticks
    assert [tick.value for tick in ticks if not tick.minor] == [0.01, 1]


def test_long_names_leave_room_for_the_axis():
    built = section_chart(EN, hostile("x" * 79), "metal")

    assert built is not None
    names = [row.label for row in rows(built).values() if not row.heading]
    assert max(map(len, names)) <= 30


def test_a_table_has_a_strip_for_each_row_but_none_for_headings():
    found = chart("metal")
    made = list(strips(lay_out(found)))

    assert len(made) == sum(not row.heading for row in rows(found).values())
    assert [mark.point.x for mark in made[0].marks] == [2031.89, 579.18]
    assert len(made[0].trails) == 1
