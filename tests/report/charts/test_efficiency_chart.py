"""The chart of work per joule, and the table behind it on the page and in Markdown."""

import math

import pytest
from msgspec.structs import replace

from benchdb.report import html
from benchdb.report.charts import mpl
from benchdb.report.charts.spec import Chart
from benchdb.report.language import load
from benchdb.report.markdown.page import render as markdown
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import section_chart
from tests.page import parse
from tests.published_page import answer, published_report
from tests.report.power_runs import CARD, M1, M2, M4, PEAK, counted, read, rows
from tests.report.section_page import pages_of_one_store
from tests.store_factory import Machine
from tests.view_fixture import HOSTILE, empty

__all__ = ["pages_of_one_store", "published_report"]

EN = load("en")


@pytest.fixture(scope="module", name="found")
def three_systems(pages):
    card = read(CARD, 900.0, 300.0, PEAK, device="cuda", device_name="RTX 3090")
    text = replace(card, workload="distilbert")
    mac = read(M2, 30.0, 20.0, workload="distilbert")
    return pages.of([read(M1, 100.0, 20.0), *counted(M4, [3.0, 3.3]), card, text, mac])


def drawn(report: Report) -> Chart:
    chart = section_chart(EN, report, "efficiency")
    assert chart is not None
    return chart


def test_every_row_is_a_mark_with_its_run(found):
    chart = drawn(found)

    points = [point for panel in chart.panels for point in panel.points]
    shown = {(row.power.value, row.rate.value, row.rate.run) for row in rows(found)}

    assert {(p.x, p.y, p.run) for p in points} == shown
    assert len(points) == len(shown)


def test_each_unit_has_a_panel_and_all_have_the_same_axes(found):
    images, sequences = drawn(found).panels

    assert images.y.title == "Throughput in img/s"
    assert sequences.y.title == "Throughput in seq/s"
    assert images.x == sequences.x
    assert images.y.ticks == sequences.y.ticks


def test_marks_stand_within_the_axes(found):
    for panel in drawn(found).panels:
        for point in panel.points:
            assert panel.x.low <= point.x <= panel.x.high
            assert panel.y.ends[0] <= (point.low or point.y) <= panel.y.ends[1]


def test_along_a_guide_a_joule_does_the_same(found):
    strokes = [s for panel in drawn(found).panels for s in panel.strokes]

    assert strokes
    for stroke in strokes:
        (x0, y0), (x1, y1) = stroke.through
        assert stroke.guide
        assert math.isclose(y0 / x0, y1 / x1)
        assert stroke.label.startswith(EN.significant(y0 / x0, 1))


def test_what_is_not_like_the_reference_is_hollow(found):
    looks = {
        (point.look, point.hollow)
        for panel in drawn(found).panels
        for point in panel.points
    }
    keys = {(key.look, key.hollow) for key in drawn(found).keys}

    assert ("reference", False) in looks
    assert all(hollow for look, hollow in looks if look != "reference")
    assert keys == looks


def test_this_machine_stands_out(pages):
    mine = Machine(chip="Apple M4 Max", model="Mac16,5", ours="me")

    report = pages.of([*counted(mine, [3.0]), *counted(M1, [2.0, 2.2])], here="me")

    looks = {p.look for panel in drawn(report).panels for p in panel.points}
    assert looks == {"reference", "mine"}
    assert "this machine" in html.render(report, EN)


def test_fifty_systems_have_five_colours_and_the_rest_is_quiet(pages):
    machines = [Machine(chip=f"Chip {n}", model=None) for n in range(50)]

    report = pages.of([read(one, 100.0 + n, 20.0) for n, one in enumerate(machines)])

    chart = drawn(report)
    looks = [point.look for point in chart.panels[0].points]
    assert len(looks) == 50
    assert looks.count("quiet") == 44
    assert [key.text for key in chart.keys if key.look == "quiet"] == ["other systems"]


def test_a_single_figure_is_a_chart_too(pages):
    chart = drawn(pages.of([read(M1, 100.0, 20.0)]))

    (panel,) = chart.panels
    assert panel.x.low < panel.x.high
    assert panel.y.ends[0] < panel.y.ends[1]


def test_every_cell_of_the_table_leads_to_its_run(found):
    tree = parse(html.render(found, EN))
    ids = {element.attributes["id"] for element in tree.having("id")}

    table = tree.by_id("efficiency")
    links = [a for a in table.all("a") if a.attributes["href"].startswith("#run-")]

    assert len(links) == len(rows(found))
    assert {link.attributes["href"].removeprefix("#") for link in links} <= ids
    said = " ".join(link.text for link in links)
    assert all(EN.compact(row.per_joule) in said for row in rows(found))
    assert all(EN.compact(row.power) in said for row in rows(found))


def test_signs_on_the_page_lead_to_their_words(found):
    section = parse(html.render(found, EN)).by_id("efficiency")

    signs = {
        sign.attributes["href"] for sign in section.all("a", **{"class": "unlike-sign"})
    }

    assert signs
    for sign in signs:
        assert "power reading" in section.by_id(sign.removeprefix("#")).text


def test_without_any_power_the_page_says_how_to_read_it():
    section = parse(html.render(empty(), EN)).by_id("efficiency")

    assert "Nobody has read the power" in section.text
    assert "benchdb collect" in section.text
    assert section_chart(EN, empty(), "efficiency") is None


def test_markdown_has_the_same_rows_in_eight_columns_at_most(found):
    text = markdown(found, EN, {})

    part = text[text.index("## Throughput and power") :].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(rows(found))
    assert all(line.count("|") <= 9 for line in lines)
    assert "≠" in part


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_stay_names(pages, text):
    odd = Machine(chip=text or " ", model=text)

    report = pages.of([read(odd, 100.0, 20.0, device_name=text), read(M1, 9.0, 2.0)])

    page = html.render(report, EN)
    assert "<script>alert" not in page
    assert "\u202e" not in page + markdown(report, EN, {})


def test_a_formula_for_a_name_is_drawn_as_it_stands(pages):
    odd = read(Machine(chip="$\\frac{$"), 100.0, 20.0)

    report = pages.of([odd, read(M1, 9.0, 2.0)])

    assert b"<svg" in dict(mpl.images(report, EN))["efficiency"]


def test_immense_figures_are_no_stumbling_block(pages):
    report = pages.of([read(M1, 1e17, 1e-8), read(M2, 1e-14, 1e11)])

    assert len(rows(report)) == 2
    assert html.render(report, EN)


def test_published_figures_give_the_ratio_of_the_sources_and_bound_the_answer(report):
    found = {
        row.workload.name: row
        for group in report.sections["efficiency"].groups
        for row in group.rows
        if group.system.chip == "M1 Max"
    }

    assert found["mobilenetv2"].per_joule.value == pytest.approx(352 / 37)
    assert found["mobilenetv2"].ratio.value == pytest.approx(352 / 37 / (2001 / 340))
    assert found["resnet50"].ratio.value == pytest.approx(140 / 42 / (1100 / 360))
    told = answer(report, "watt")
    assert told.bounded
    assert (told.low, told.high) == pytest.approx((1.09, 1.62), abs=0.005)
    assert told.facts["differs"] == ["precision", "compiler", "power"]
