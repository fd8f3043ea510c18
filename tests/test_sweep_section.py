"""The sweep of matrix products: its lines, panels and peaks."""

from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.chips import Chip, Peak
from benchdb.report.charts.spec import Scale
from benchdb.report.charts.sweep import chart
from benchdb.report.sections.sweep import words
from benchdb.report.sections.sweep.data import highest
from benchdb.report.view.page import Report
from tests.products_page import (
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
from tests.section_page import Pages, pages_of_one_store

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
    shown = chart(report, EN)

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
    shown, found = chart(report, EN), report.sections["sweep"]

    assert shown is not None
    assert found is not None
    assert {(p.run, p.x, p.y) for panel in shown.panels for p in panel.points} == {
        (one.quantity.run, one.size, one.quantity.value)
        for line in found.drawn
        for one in line.points
    }


def test_a_line_alone_is_a_named_mark(pages: Pages) -> None:
    runs = [*products(steady(10.0)), *products({2048: 9.0}, MAC, "metal")]
    shown = chart(pages.of(runs), EN)

    assert shown is not None
    assert [p.label for p in shown.panels[0].points if p.label] == ["M1 Max · Metal"]
    assert [s.label for s in shown.panels[0].strokes if not s.guide] == ["H200 · CUDA"]


def test_my_machine_stands_out(pages: Pages) -> None:
    runs = [*products(steady(10.0)), *products(steady(9.0), MAC, "metal")]
    shown = chart(pages.of(runs, here="mac"), EN)

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
