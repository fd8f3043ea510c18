"""What is said and drawn of machines of one chip, and of the one that is marked."""

from collections.abc import Sequence

import pytest

from benchdb.report.charts.normal import chart
from benchdb.report.html import render as html
from benchdb.report.language import load
from benchdb.report.markdown.page import render as markdown
from benchdb.report.sections import normal as words
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import (
    chart_alt,
    runs_text,
    section_lead,
    section_title,
)
from tests.fleet_page import EN, RATES, fleet, mine_among_others, only, ran
from tests.section_page import Pages, pages_of_one_store, section_of, to_rows
from tests.store_factory import Machine

__all__ = ["mine_among_others", "pages_of_one_store"]


def test_the_sentence_names_how_many_are_faster(report: Report) -> None:
    assert [
        words.standing(EN, strip) for strip in report.sections["normal"].strips
    ] == [
        "slower than 7 of 7 other machines",
        "even or unclear beside 4 other machines",
    ]
    assert section_title(EN, report, "normal") == (
        "This machine is slower than most with its chip in 1 of 2 comparisons"
    )
    assert "ResNet-50, batch 128: slower than 7 of 7 other machines" in section_lead(
        EN, report, "normal"
    )


@pytest.mark.parametrize(
    ("mine", "title"),
    [
        (70.0, "This machine is slower than most with its chip"),
        (100.0, "This machine is as fast as others with its chip"),
        (150.0, "This machine is faster than most with its chip"),
    ],
)
def test_the_heading_says_where_mine_stands(
    pages: Pages, mine: float, title: str
) -> None:
    found = pages.of([*fleet(), ran(mine, "me")], here="me")

    assert section_title(EN, found, "normal") == title


def test_my_flagged_figure_stands_nowhere(pages: Pages) -> None:
    mine = ran(70.0, "me", flags=[("outlier", None)])
    found = pages.of([*fleet(), mine], here="me")

    assert only(found.sections["normal"]).standing is None
    assert words.standing(EN, only(found.sections["normal"])) == "flagged, see the note"
    assert section_title(EN, found, "normal") == "Is my result normal?"


def test_a_machine_in_no_strip_is_told_so(pages: Pages) -> None:
    found = pages.of([*fleet(), ran(9.0, "me", workload="lstm")], here="me")

    assert section_title(EN, found, "normal") == "Is my result normal?"
    assert "has run nothing that four others" in section_lead(EN, found, "normal")


def test_without_a_mark_the_heading_says_how_far_machines_differ(pages: Pages) -> None:
    found = pages.of(fleet())

    assert section_title(EN, found, "normal") == (
        "Machines with the same chip differ by up to 1.2×"
    )
    equal = pages.of(fleet([100.0, 101.0, 101.5, 102.0, 104.9]))
    assert section_title(EN, equal, "normal") == (
        "Machines with the same chip are equally fast"
    )
    assert "this machine" not in chart_alt(EN, found, "normal").lower()


def test_my_strips_are_drawn_and_the_rest_is_in_the_table(pages: Pages) -> None:
    runs = [*fleet(RATES, workload="mobilenetv2"), *fleet(RATES[:5]), ran(99.0, "me")]
    found = pages.of(runs, here="me")

    assert [strip.workload.name for strip in found.sections["normal"].strips] == [
        "resnet50"
    ]
    assert [strip.workload.name for strip in found.sections["normal"].rest] == [
        "mobilenetv2"
    ]
    assert "1 more comparison is in the table only." in runs_text(EN, found, "normal")
    assert "MobileNetV2" in markdown(found, EN, {})


def test_every_mark_is_the_figure_of_its_run(report: Report) -> None:
    shown = chart(report, EN)

    assert shown is not None
    assert [(p.run, p.x, p.look == "mine") for p in shown.panels[0].points] == [
        (dot.quantity.run, dot.share, dot.mine)
        for strip in report.sections["normal"].strips
        for dot in strip.dots
    ]
    assert [tick.label for tick in shown.panels[0].y.ticks] == [
        "ResNet-50, batch 128",
        "MobileNetV2, batch 128",
    ]
    assert shown.panels[0].title == "M1 Max · Metal · PyTorch · fp32 · graph"
    assert 1.0 in [tick.value for tick in shown.panels[0].x.ticks]


def test_machines_all_alike_have_an_axis_that_shows_it(pages: Pages) -> None:
    shown = chart(pages.of(fleet([100.0] * 5)), EN)

    assert shown is not None
    assert shown.panels[0].x.low <= 0.8
    assert shown.panels[0].x.high >= 1.25


@pytest.mark.parametrize("rates", [(1e-9, 1.0, 2.0, 3.0, 1e9), (5.0,) * 5, RATES])
def test_any_spread_has_ticks_within_its_axis(
    pages: Pages, rates: Sequence[float]
) -> None:
    shown = chart(pages.of(fleet(rates)), EN)

    assert shown is not None
    x = shown.panels[0].x
    assert all(x.low <= point.x <= x.high for point in shown.panels[0].points)
    assert 2 <= len(x.ticks) <= 12
    assert all(x.low <= tick.value <= x.high for tick in x.ticks)


@pytest.mark.parametrize(
    "name", ["\u202eM9", "$\\frac{$ 1", "x" * 10_000 + "1", "東京 1"]
)
def test_any_name_makes_a_chart(pages: Pages, name: str) -> None:
    odd = Machine(name, "Apple", name, 64)
    found = pages.of(fleet(machine=odd, framework=name[:60]))

    assert chart(found, load("ar")) is not None
    assert "1.2×" in section_title(load("ar"), found, "normal")
    assert markdown(found, load("ar"), {})


def test_every_figure_of_the_table_leads_to_a_row_of_the_page(report: Report) -> None:
    page = html(report, EN)
    runs = to_rows(page, "normal")

    assert len(runs) == sum(
        len(strip.dots) for strip in report.sections["normal"].strips
    )
    assert len(section_of(page, "normal").all("mark")) == 2


def test_with_too_few_machines_the_page_says_what_is_missing(pages: Pages) -> None:
    page = html(pages.of(fleet(RATES[:4])), EN)

    assert "five machines with the same chip" in section_of(page, "normal").text
