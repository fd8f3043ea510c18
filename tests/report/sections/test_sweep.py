"""The sweep of matrix products: its lines, panels and peaks."""

from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.catalogue import Chip, Peak
from benchdb.exchange.packing import Series, pack
from benchdb.report.bounds import fitted
from benchdb.report.charts.spec import Scale
from benchdb.report.html import render as html
from benchdb.report.language import load
from benchdb.report.markdown.page import render as markdown
from benchdb.report.sections.sweep import highest, words
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import (
    chart_alt,
    runs_text,
    section_chart,
    section_lead,
    section_title,
)
from tests.report.section_page import Pages, pages_of_one_store, section_of, to_rows
from tests.report.sections.products_page import (
    EN,
    H200,
    MAC,
    SIZES,
    only,
    products,
    spaced,
    steady,
    sweep,
    three_precisions,
)
from tests.store_factory import Machine, Run

__all__ = ["pages_of_one_store", "three_precisions"]


def test_each_precision_has_a_panel_in_a_fixed_order(report: Report) -> None:
    assert [panel.precision for panel in report.sections["sweep"].panels] == [
        "fp32",
        "fp32",
        "bf16",
    ]


def test_what_would_lie_on_the_bottom_has_a_panel_of_its_own(report: Report) -> None:
    first, second, _ = report.sections["sweep"].panels

    assert [line.system.chip for line in first.lines] == ["H200", "M1 Max"]
    assert [line.system.device for line in second.lines] == ["cpu"]


def test_three_sizes_make_no_section(pages: Pages) -> None:
    assert pages.of(products(steady(1.0, SIZES[:3]))).sections["sweep"] is None


def test_a_peak_comes_from_the_catalogue_with_its_basis(report: Report) -> None:
    peak = report.sections["sweep"].panels[-1].lines[0].peak

    assert peak is not None
    assert (peak.chip, peak.teraflops, peak.largest) == ("H200", 989.0, False)
    assert words.basis_text(EN, peak) == "vendor's data sheet, dense, medium confidence"


def test_a_chip_with_several_variants_has_the_largest_ones_peak(report: Report) -> None:
    mac = report.sections["sweep"].panels[0].lines[1].peak

    assert mac is not None
    assert mac.largest
    assert spaced(words.peak_text(EN, mac)) == "M1 Max (largest variant): 10.6 TFLOPS"


def chip(flops: float, confidence: Any = "high") -> Chip:
    return Chip("X", "X 1", "gpu", "high", peaks={"fp32": Peak(flops, "?", confidence)})


def test_a_peak_of_low_confidence_is_none() -> None:
    assert highest([chip(1e12, "low")], "fp32") is None
    assert highest([chip(1e12), chip(2e12, "low")], "fp32") is None
    assert highest([chip(1e12)], "bf16") is None


def test_a_time_becomes_a_rate_and_says_that_it_is_derived(pages: Pages) -> None:
    seconds = {size: 2 * size**3 / 5e12 for size in SIZES}
    line = only(sweep(pages, products(seconds, metric="operation_seconds")))

    assert [one.quantity.value for one in line.points] == pytest.approx([5.0] * 4)
    assert all(one.quantity.derived for one in line.points)


def test_a_time_of_several_products_at_once_tells_no_rate(pages: Pages) -> None:
    runs = products(steady(1.0), metric="operation_seconds", batch_size=8)

    assert pages.of(runs).sections["sweep"] is None


def test_processes_of_a_cell_are_one_point_with_an_interval(pages: Pages) -> None:
    runs = [
        *products({**steady(50.0), 512: 48.0}, replicate=0),
        *products({512: 52.0}, replicate=1),
    ]
    point = only(sweep(pages, runs)).points[0].quantity

    assert point.n == 2
    assert point.low is not None
    assert point.high is not None
    assert point.low < 48
    assert point.high > 52


def test_the_newest_campaign_counts(pages: Pages) -> None:
    later: dict[str, Any] = {"campaign": "d", "started": "2026-04-04T05:06:07Z"}
    runs = [*products(steady(40.0)), *products({512: 44.0}, **later)]
    line = only(sweep(pages, runs))

    assert [one.quantity.value for one in line.points] == [44.0, 40.0, 40.0, 40.0]


def test_trial_runs_are_on_no_line(pages: Pages) -> None:
    assert pages.of(products(steady(40.0), tier="smoke")).sections["sweep"] is None


def test_a_panel_has_the_five_lines_with_most_sizes(pages: Pages) -> None:
    runs = [
        run
        for number in range(7)
        for run in products(
            steady(10.0 + number, SIZES[: 4 if number else 1]),
            replace(H200, gpu=f"NVIDIA Test {number}00", ours=f"m{number}"),
        )
    ]
    found = sweep(pages, runs)

    assert [line.system.chip for line in found.panels[0].lines] == [
        f"Test {number}00" for number in (6, 5, 4, 3, 2)
    ]
    assert {line.system.chip for line in found.rest} == {"Test 000", "Test 100"}


def test_the_chart_has_linear_rates_from_zero_and_sizes_in_doublings(
    report: Report,
) -> None:
    shown = section_chart(EN, report, "sweep")

    assert shown is not None
    scales = [(p.x, p.y) for p in shown.panels]
    assert all(isinstance(y, Scale) and not y.log and y.low == 0 for _, y in scales)
    assert all(x.log for x, _ in scales)
    assert {(p.x.low, p.x.high) for p in shown.panels} == {(512.0, 4096.0)}
    assert [t.label for t in shown.panels[0].x.ticks] == [
        "512",
        "1,024",
        "2,048",
        "4,096",
    ]
    top = shown.panels[0]
    assert max(p.y for p in top.points) <= top.y.ends[1]


def test_every_mark_is_the_figure_of_its_run(report: Report) -> None:
    shown, found = section_chart(EN, report, "sweep"), report.sections["sweep"]

    assert shown is not None
    assert found is not None
    assert {(p.run, p.x, p.y) for panel in shown.panels for p in panel.points} == {
        (one.quantity.run, one.size, one.quantity.value)
        for line in found.drawn
        for one in line.points
    }


def test_a_line_alone_is_a_named_mark(pages: Pages) -> None:
    runs = [*products(steady(10.0)), *products({2048: 9.0}, MAC, "metal")]
    shown = section_chart(EN, pages.of(runs), "sweep")

    assert shown is not None
    assert [p.label for p in shown.panels[0].points if p.label] == ["M1 Max · Metal"]
    assert [s.label for s in shown.panels[0].strokes if not s.guide] == ["H200 · CUDA"]


def test_my_machine_stands_out(pages: Pages) -> None:
    runs = [*products(steady(10.0)), *products(steady(9.0), MAC, "metal")]
    shown = section_chart(EN, pages.of(runs, here="mac"), "sweep")

    assert shown is not None
    assert [s.look for s in shown.panels[0].strokes if not s.guide] == ["0", "mine"]


@pytest.mark.parametrize("size", [0, -4, True, "4096", None, 10**30, 4096.0])
def test_what_is_no_size_is_left_out(pages: Pages, size: object) -> None:
    runs = [*products(steady(1.0)), *products({7: 1.0}, more={"size": size})]

    assert [one.size for one in only(sweep(pages, runs)).points] == list(SIZES)


@pytest.mark.parametrize("rate", [0.0, -1.0, 1e300, 1e-300, None])
def test_what_is_no_rate_is_left_out(pages: Pages, rate: float | None) -> None:
    line = only(sweep(pages, [*products(steady(1.0)), *products({64: rate})]))

    assert [one.size for one in line.points] == list(SIZES)


def test_a_precision_with_few_sizes_is_in_the_table_only(report: Report) -> None:
    (line,) = report.sections["sweep"].rest

    assert (line.precision, [one.size for one in line.points]) == ("tf32", [4096])
    assert "1 more line, slower or with few sizes" in runs_text(EN, report, "sweep")


def test_a_processor_has_no_peak_and_words_say_so(report: Report) -> None:
    assert "No peak is known of: Xeon · CPU (fp32)." in runs_text(EN, report, "sweep")


def test_a_peak_far_above_is_said_and_not_drawn(pages: Pages) -> None:
    found = pages.of(products(steady(2.0)))
    shown = section_chart(EN, found, "sweep")

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
    shown = section_chart(EN, found, "sweep")

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

    assert section_chart(load("ar"), found, "sweep") is not None
    assert "TFLOPS" in markdown(found, load("ar"), {})


def test_every_figure_of_the_table_leads_to_a_row_of_the_page(report: Report) -> None:
    runs = to_rows(html(report, EN), "sweep")

    shown = fitted(report).sections["sweep"]
    assert len(runs) == sum(len(line.points) for line in shown.lines)


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
    ] == ["H200 · CUDA", "M1 Max · Metal · kernel of Needle"]
    panels = [
        words.panel_title(EN, found.sections["sweep"], one)
        for one in found.sections["sweep"].panels
    ]
    assert panels == ["fp32", "fp32, lower rates"]
