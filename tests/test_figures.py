"""Charts: the same bytes for the same report, safe and legible in every language."""

import re
import xml.etree.ElementTree as ET

import pytest
from msgspec.structs import replace

from benchdb.report import figures
from benchdb.report.figures import charts as figures_charts
from benchdb.report.figures import fonts
from benchdb.report.figures.drawing import Chart, Line, svg
from benchdb.report.figures.legend import Key
from benchdb.report.figures.sheet import Mark
from benchdb.report.language import Language, available, load
from benchdb.report.planes.builders import PLANES
from tests import view_fixture
from tests.view_fixture import HOSTILE, empty, hostile

EN = load("en")
REPORT = view_fixture.report()
NAMES = sorted(set(figures.FIGURES) - set(PLANES))  # those have tests of their own


def drawn(name: str, code: str = "en") -> bytes:
    image = figures.FIGURES[name](REPORT, load(code))
    assert image is not None
    return image


def chart(name: str) -> Chart:
    built = getattr(figures_charts, f"{name}_chart")(REPORT, EN)
    assert isinstance(built, Chart)
    return built


@pytest.mark.parametrize("name", NAMES)
def test_the_same_report_gives_the_same_bytes(name):
    assert drawn(name) == drawn(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_carries_no_date_and_asks_for_nothing(name):
    text = drawn(name).decode()

    assert "<dc:date>" not in text
    assert not re.search(r"(href|src)=\"http", text)
    assert ET.fromstring(text).tag.endswith("svg")  # noqa: S314  ours


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("code", available())
def test_every_language_has_its_charts(name, code, monkeypatch):
    monkeypatch.setattr(fonts, "MISSING_GLYPHS", "error")

    assert drawn(name, code).startswith(b"<?xml")


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_report_has_no_charts(name):
    assert figures.FIGURES[name](empty(), EN) is None


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_only_letters(text):
    images = [figures.FIGURES[name](hostile(text), EN) for name in NAMES]

    assert [b"<script" in (image or b"<script") for image in images] == [False] * 3
    assert max(len(image or b"") for image in images) < 400_000


def test_a_dumbbell_joins_the_two_sides_of_a_row():
    row = next(line for line in chart("metal").lines if line.label == "M1")

    assert [mark.x for mark in row.marks] == [2031.89, 579.18]
    assert [mark.hollow for mark in row.marks] == [True, False]
    assert (row.bars[0].start, row.bars[0].end) == (2031.89, 579.18)
    assert row.remark == "3.5× as fast"


def test_flagged_pairs_are_dashed_and_noted():
    rows = [line for line in chart("metal").lines if line.bars and line.bars[0].dashed]

    assert [row.remark[-3:] for row in rows] == ["(b)", "(a)", "(a)"]


def test_slower_differs_from_faster_in_shape_not_only_in_colour():
    marks = {
        line.remark: line.marks[-1].shape for line in chart("metal").lines if line.marks
    }

    assert marks["3.5× as fast"] == "circle"
    assert marks["6.8× as long"] == "diamond"


def test_a_missing_side_leaves_one_mark_and_a_word():
    row = next(ln for ln in chart("metal").lines if ln.remark == "not measured")

    assert len(row.marks) == 1
    assert row.bars == ()


def test_repeated_figures_show_their_interval():
    assert REPORT.metal is not None
    group = REPORT.metal.groups[0]
    first = group.rows[0]
    assert first.cpu is not None
    cpu = replace(first.cpu, n=5, low=1900.0, high=2100.0)
    rows = (replace(first, cpu=cpu), *group.rows[1:])
    section = replace(REPORT.metal, groups=(replace(group, rows=rows),))

    built = figures_charts.metal_chart(replace(REPORT, metal=section), EN)

    assert built is not None
    assert any(bar.thin for bar in built.lines[1].bars)
    assert not any(bar.thin for bar in built.lines[2].bars)


def test_the_ranking_shows_means_in_order_beside_single_workloads():
    lines = chart("ranking").lines
    means = [line.marks[-1].x for line in lines]

    assert means == sorted(means, reverse=True)
    assert len([mark for mark in lines[0].marks if mark.small]) == 4
    assert lines[0].remark == "13.7×"


def test_the_ranking_needs_two_means():
    assert REPORT.ranking is not None
    ranking = replace(REPORT.ranking, rows=REPORT.ranking.rows[:1])

    assert figures_charts.ranking_chart(replace(REPORT, ranking=ranking), EN) is None


def test_unlike_shares_are_hollow_and_the_key_says_so():
    built = chart("distance")

    assert [mark.hollow for mark in built.lines[0].marks] == [True, True, False]
    assert built.keys[-1].text == "hollow: not like for like"


def test_ticks_speak_the_language():
    ticks = figures_charts.distance_chart(REPORT, load("de"))

    assert ticks is not None
    assert ticks.ticks[0][1] == "5\u00a0%"


def test_other_units_leave_the_axis_to_seconds():
    assert REPORT.metal is not None
    axis = replace(REPORT.metal.axis, unit="img/s")
    report = replace(REPORT, metal=replace(REPORT.metal, axis=axis))

    built = figures_charts.metal_chart(report, EN)

    assert built is not None
    assert built.lines[1].marks == ()
    assert built.keys[-1].text == "more is better"


def test_long_names_leave_room_for_the_axis():
    report = hostile("x" * 79)

    built = figures_charts.metal_chart(report, EN)

    assert built is not None
    assert max(len(line.label) for line in built.lines if not line.heading) <= 30


def test_a_long_legend_breaks_into_rows():
    keys = tuple(
        Key(f"a rather long entry {n}", Mark(1, "circle", "#000000")) for n in range(9)
    )
    short = Chart("t", keys[:1], (Line("a"),), 1, 10, ((1, "1"),))

    few, many = (height(svg(c, "en")) for c in (short, replace(short, keys=keys)))

    assert many > few


def height(image: bytes) -> float:
    found = re.search(rb'height="([0-9.]+)pt"', image)
    assert found
    return float(found[1])


def test_right_to_left_charts_mirror_their_labels():
    arabic = Language("ar", "ar", "rtl", EN.locale, EN.catalogue)

    assert figures.metal(REPORT, arabic) != figures.metal(REPORT, EN)
    assert figures.distance(REPORT, arabic)


def test_without_a_font_for_the_language_letters_are_left_to_the_reader(monkeypatch):
    monkeypatch.setattr(fonts, "_FAMILIES", {"ko": ("No Such Font",)})

    image = figures.distance(REPORT, load("ko"))

    assert image is not None
    assert "배치 128" in image.decode()


def test_latin_text_is_outlines_of_the_bundled_font():
    assert b"<text" not in drawn("metal")
    assert b"DejaVuSans" in drawn("metal")
