"""What is said of the sweep of matrix products: headings, remarks, tables."""

import pytest
from msgspec.structs import replace

from benchdb.exchange.packing import Series, pack
from benchdb.report.charts.sweep import chart
from benchdb.report.html import render as html
from benchdb.report.language import load
from benchdb.report.markdown.page import render as markdown
from benchdb.report.sections.sweep import words
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import (
    chart_alt,
    runs_text,
    section_lead,
    section_title,
)
from tests.products_page import (
    EN,
    MAC,
    SIZES,
    only,
    products,
    spaced,
    steady,
    sweep,
    three_precisions,
)
from tests.section_page import Pages, pages_of_one_store, section_of, to_rows
from tests.store_factory import Machine, Run

__all__ = ["pages_of_one_store", "three_precisions"]


def test_a_precision_with_few_sizes_is_in_the_table_only(report: Report) -> None:
    (line,) = report.sections["sweep"].rest

    assert (line.precision, [one.size for one in line.points]) == ("tf32", [4096])
    assert "1 more line, slower or with few sizes" in runs_text(EN, report, "sweep")


def test_a_processor_has_no_peak_and_words_say_so(report: Report) -> None:
    assert "No peak is known of: Xeon · CPU (fp32)." in runs_text(EN, report, "sweep")


def test_a_peak_far_above_is_said_and_not_drawn(pages: Pages) -> None:
    found = pages.of(products(steady(2.0)))
    shown = chart(found, EN)

    assert shown is not None
    assert not any(stroke.guide for stroke in shown.panels[0].strokes)
    assert "Too far above these figures to be drawn: H200: 66.9 TFLOPS." in spaced(
        runs_text(EN, found, "sweep")
    )


def test_the_heading_says_the_share_of_the_peak(report: Report) -> None:
    assert section_title(EN, report, "sweep") == (
        "In matrix products, H200 · CUDA reaches 66% of its bf16 peak"
    )


def test_a_share_of_an_uncertain_peak_is_no_heading(pages: Pages) -> None:
    found = pages.of(products(steady(9.0), MAC, "metal"))

    assert spaced(section_title(EN, found, "sweep")) == (
        "In matrix products, M1 Max · Metal reaches 9.00 TFLOPS in fp32"
    )


def test_a_flagged_value_never_leads(pages: Pages) -> None:
    flags = [("outlier", "teraflops")]
    runs = [*products(steady(40.0)), *products({8192: 60.0}, flags=flags)]
    found = pages.of(runs)
    shown = chart(found, EN)

    assert "60%" in section_title(EN, found, "sweep")
    assert shown is not None
    assert [p.hollow for p in shown.panels[0].points] == [False] * 4 + [True]


def test_a_value_above_the_peak_is_hollow_and_never_leads(pages: Pages) -> None:
    found = pages.of(products({**steady(50.0), 8192: 70.0}))
    line = only(found.sections["sweep"]) if found.sections["sweep"] else None

    assert line is not None
    assert [one.above for one in line.points] == [False] * 4 + [True]
    assert "75%" in section_title(EN, found, "sweep")
    assert "above the peak" in runs_text(EN, found, "sweep")


def test_all_values_doubtful_leave_a_plain_heading(pages: Pages) -> None:
    found = pages.of(products(steady(70.0)))

    assert section_title(EN, found, "sweep") == "Matrix products by size"


def test_lines_of_other_conditions_are_unlike_and_lead_nothing(pages: Pages) -> None:
    runs = [
        *products(steady(10.0, (*SIZES, 8192))),
        *products(steady(40.0), framework="tensorflow", compiler="graph"),
    ]
    found = pages.of(runs)

    assert found.sections["sweep"].unlike == (("compiler", "framework"),)
    assert [bool(line.differs) for line in found.sections["sweep"].lines] == [
        True,
        False,
    ]
    assert "10.0 TFLOPS" in spaced(chart_alt(EN, found, "sweep"))
    assert "15%" in section_title(EN, found, "sweep")
    assert "≠ H200 · CUDA · TensorFlow" in markdown(found, EN, {})


def test_threads_tell_lines_of_a_processor_apart(pages: Pages) -> None:
    runs = [
        *products(steady(0.2), device="cpu", more={"threads": 2}),
        *products(steady(0.8), device="cpu", more={"threads": 8}),
    ]
    found = sweep(pages, runs)

    assert [words.name(EN, found, line) for line in found.lines] == [
        "Xeon · CPU · 8 threads",
        "Xeon · CPU · 2 threads",
    ]


def test_sizes_under_unlike_conditions_stand_on_lines_of_their_own(
    pages: Pages,
) -> None:
    def line(rate: float, version: str, tier: str, **more: int) -> list[Run]:
        runs = products(steady(rate), tier=tier, more=more)
        return [replace(run, version=version) for run in runs]

    usual = line(10.0, "2.13", "standard")
    older = line(5.0, "1.13", "standard")[:2]
    quick, unknown = line(80.0, "2.13", "quick"), line(8.0, "2.13", "standard", blorb=7)
    found = sweep(pages, [*usual, *older, *quick, *unknown])

    lines = [(len(line.points), line.differs) for line in found.lines]
    named = [words.name(EN, found, line).split(" · ")[2:] for line in found.lines]
    assert list(zip(lines, named, strict=True)) == [
        ((4, ()), ["framework version 2.13", "quick"]),
        ((4, ("tier",)), ["framework version 2.13", "standard"]),
        ((4, ("tier", "work")), ["blorb 7", "framework version 2.13", "standard"]),
        ((2, ("tier", "version")), ["framework version 1.13", "standard"]),
    ]


def test_the_alternative_text_tells_where_lines_begin_and_end(report: Report) -> None:
    said = spaced(chart_alt(EN, report, "sweep"))

    assert "H200 · CUDA, bf16: from 90.0 TFLOPS at M = 512 to 650 TFLOPS" in said


def test_the_tables_have_every_figure_and_every_peak(report: Report) -> None:
    said = spaced(markdown(report, EN, {}))

    for figure in ("8.00 TFLOPS", "650 TFLOPS", "340 TFLOPS", "0.200 TFLOPS"):
        assert figure in said
    assert "16,896 ALUs × 2 FLOP × 1,980 MHz" in said


@pytest.mark.parametrize("name", ["\u202egnp", "$\\frac{$", "x" * 10_000, "東京 1"])
def test_any_name_makes_a_chart(pages: Pages, name: str) -> None:
    odd = Machine(name, "Apple", name, 64, ours="odd")
    found = pages.of(products(steady(1.0), odd, "metal", precision=name[:50]))

    assert chart(found, load("ar")) is not None
    assert "TFLOPS" in markdown(found, load("ar"), {})


def test_every_figure_of_the_table_leads_to_a_row_of_the_page(report: Report) -> None:
    runs = to_rows(html(report, EN), "sweep")

    assert len(runs) == sum(len(line.points) for line in report.sections["sweep"].lines)


def test_without_sizes_the_page_says_how_to_measure_them(pages: Pages) -> None:
    page = html(pages.of([Run(values={"script_wall_seconds": 9.0})]), EN)

    assert "benchdb collect matmul" in section_of(page, "sweep").text


def test_the_share_is_of_the_peak_at_the_clock_that_was_held(pages: Pages) -> None:
    """660 TFLOPS are 67 % of the peak, but the power limit left 1.50 of 1.83 GHz."""
    during = {"sm_clock_mhz_median": 1500, "power_capped_fraction": 1.0}
    found = pages.of(
        products(steady(660.0), precision="bf16", checks={"during": during})
    )

    assert section_title(EN, found, "sweep") == (
        "In matrix products, H200 · CUDA reaches 81% of its bf16 peak at the clock "
        "that it held"
    )
    assert spaced(section_lead(EN, found, "sweep")).startswith(
        "At M = 512 it held 1.50 of the 1.83 GHz that the peak is of; of the full peak "
        "its rate is 67%. Its power limit held it back 100% of the time. "
    )


def test_the_power_limit_is_told_where_it_is_stored(pages: Pages) -> None:
    during = {"sm_clock_mhz_median": 1500, "power_capped_fraction": 0.5}
    found = pages.of(
        products(
            steady(660.0),
            precision="bf16",
            checks={"during": during},
            devices=[{"name": "H200", "power_limit_watts": 700}],
        )
    )

    assert "Its power limit of 700 W held it back 50% of the time. " in spaced(
        section_lead(EN, found, "sweep")
    )


@pytest.mark.parametrize(
    ("series", "said"),
    [
        (Series("warmup", 1, (2e-9, *(3.5791394e-7,) * 10)), "750 TFLOPS: 76% of the"),
        (Series("warmup", 1, (3.5791394e-7,) * 9), ""),  # too few
        (Series("warmup", 2, (3.5791394e-7,) * 10), ""),
        (Series("measure", 1, (3.5791394e-7,) * 10), ""),
        (Series("warmup", 1, (4.1e-7,) * 10), ""),  # no faster than the others
        (Series("warmup", 1, (1e-9,) * 10), ""),  # above the peak
    ],
)
def test_a_burst_is_told_beside_what_was_held(pages: Pages, series, said) -> None:
    during = {"sm_clock_mhz_median": 1500, "power_capped_fraction": 1.0}
    runs = products(
        steady(660.0),
        precision="bf16",
        checks={"during": during},
        packed=pack((series,)),
    )
    lead = spaced(section_lead(EN, pages.of(runs), "sweep"))

    assert ("Its first products" in lead) == bool(said)
    assert said in lead


@pytest.mark.parametrize(
    "during",
    [
        {},
        {"sm_clock_mhz_median": 1980},
        {"sm_clock_mhz_median": True},
        {"sm_clock_mhz_median": "1500"},
        {"sm_clock_mhz_median": -5},
    ],
)
def test_without_a_lower_clock_the_share_is_of_the_peak(pages, during) -> None:
    found = pages.of(
        products(steady(660.0), precision="bf16", checks={"during": during})
    )

    assert section_title(EN, found, "sweep") == (
        "In matrix products, H200 · CUDA reaches 67% of its bf16 peak"
    )


def test_a_rate_without_evidence_heads_nothing(pages: Pages) -> None:
    runs = [replace(run, sampled=False) for run in products(steady(50.0))]

    assert section_title(EN, pages.of(runs), "sweep") == "Matrix products by size"


def test_a_kernel_of_its_author_is_named_and_no_slow_system(pages: Pages) -> None:
    own = products(steady(0.09), MAC, "metal", framework="needle", compiler="none")
    found = pages.of([*products(steady(50.0)), *own])

    assert [
        words.name(EN, found.sections["sweep"], line)
        for line in found.sections["sweep"].lines
    ] == [
        "H200 · CUDA",
        "M1 Max · Metal · kernel of Needle",
    ]
    panels = [
        words.panel_title(EN, found.sections["sweep"], one)
        for one in found.sections["sweep"].panels
    ]
    assert panels == ["fp32", "fp32, lower rates"]
