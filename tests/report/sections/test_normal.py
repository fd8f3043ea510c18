"""Is a result normal? Independent machines of one chip, and where mine stands."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import insert, select

from benchdb.report.html import render as html
from benchdb.report.language import load
from benchdb.report.markdown.page import render as markdown
from benchdb.site.normal import Normal, Standing, Strip, words
from benchdb.report.summary import summarise
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import (
    chart_alt,
    runs_text,
    section_chart,
    section_lead,
    section_title,
)
from benchdb.store.tables import machine, machine_link
from tests.report.section_page import Pages, pages_of_one_store, section_of, to_rows
from tests.store_factory import Machine, Run, add, new_store

__all__ = ["pages_of_one_store"]


MAX = Machine("Apple M1 Max", "Apple", "Mac Studio", 64)
RATES = (95.0, 98.0, 100.0, 101.0, 102.0, 104.0, 110.0)
EN = load("en")


def ran(rate: float, ours: str | None, **facts: Any) -> Run:
    """Return a run on the machine with this id, or published by *source*."""
    metric = facts.pop("metric", "samples_per_second")
    columns = {"campaign": "c", "started": "2026-03-04T05:06:07Z"}
    return Run(
        workload=facts.pop("workload", "resnet50"),
        device=facts.pop("device", "metal"),
        machine=replace(facts.pop("machine", MAX), ours=ours),
        framework=facts.pop("framework", "torch"),
        source=facts.pop("source", None),
        flags=facts.pop("flags", ()),
        values={metric: rate},
        columns={**columns, **facts},
    )


def fleet(rates: Sequence[float] = RATES, **facts: Any) -> list[Run]:
    return [ran(rate, f"m{place}", **facts) for place, rate in enumerate(rates)]


def normal(pages: Pages, runs: Iterable[Run], **wishes: Any) -> Normal:
    found: Normal | None = pages.of(runs, **wishes).sections["normal"]
    assert found is not None
    return found


def only(found: Normal) -> Strip:
    (strip,) = (*found.strips, *found.rest)
    return strip


def standing(pages: Pages, mine: float, rates: Sequence[float] = RATES) -> Standing:
    runs = [*fleet(rates), ran(mine, "me")]
    found = only(normal(pages, runs, here="me")).standing
    assert found is not None
    return found


@pytest.fixture(scope="module", name="report")
def mine_among_others(pages: Pages) -> Report:
    slow = ran(70.0, "me")
    more = fleet([200.0, 201.0, 202.0, 203.0], workload="mobilenetv2")
    return pages.of(
        [*fleet(), slow, *more, ran(202.0, "me", workload="mobilenetv2")], here="me"
    )


def test_four_machines_are_too_few(pages: Pages) -> None:
    assert pages.of(fleet(RATES[:4])).sections["normal"] is None


def test_five_machines_make_a_strip_around_their_median(pages: Pages) -> None:
    strip = only(normal(pages, fleet(RATES[:5])))

    assert (strip.machines, strip.median.value) == (5, 100.0)
    assert [dot.share for dot in strip.dots] == pytest.approx(
        [0.95, 0.98, 1, 1.01, 1.02]
    )
    assert (strip.slowest.value, strip.fastest.value) == (95.0, 102.0)


def test_between_two_machines_the_median_is_derived(pages: Pages) -> None:
    strip = only(normal(pages, fleet(RATES[:6])))

    assert (strip.median.value, strip.median.derived) == (100.5, True)


def test_a_shorter_time_is_the_faster_machine(pages: Pages) -> None:
    runs = fleet([50.0, 40.0, 45.0, 60.0, 42.0], metric="script_wall_seconds")
    strip = only(normal(pages, runs))

    assert (strip.slowest.value, strip.fastest.value) == (60.0, 40.0)
    assert strip.median.value == 45.0
    assert strip.dots[0].share == pytest.approx(0.75)


def test_a_machine_counts_once_with_all_its_campaigns(pages: Pages) -> None:
    later = {"campaign": "d", "started": "2026-04-04T05:06:07Z"}
    strip = only(normal(pages, [*fleet(RATES[:5]), ran(90.0, "m1", **later)]))

    assert strip.machines == 5
    slowest = min(strip.dots, key=lambda dot: dot.quantity.value).quantity
    assert slowest.value == pytest.approx(93.9149)
    assert slowest.sessions == 2
    assert (
        pages.of([*fleet(RATES[:4]), ran(90.0, "m1", **later)]).sections["normal"]
        is None
    )


def test_sources_that_describe_machines_alike_tell_of_several(pages: Pages) -> None:
    runs = [ran(rate, None, source=f"paper {rate}") for rate in RATES[:5]]

    assert only(normal(pages, runs)).machines == 5


def test_a_source_that_repeats_anothers_figures_counts_once(pages: Pages) -> None:
    workloads = ("resnet50", "mobilenetv2", "distilbert")
    told = {"a": 95.5, "b": 98.1, "c": 99.2, "d": 97.3, "copy of a": 95.5}
    runs = [
        replace(
            ran(rate, None, source=source, workload=workload),
            figures=(f"{workload} {rate}", 6),
        )
        for source, rate in told.items()
        for workload in workloads
    ]

    assert pages.of(runs).sections["normal"] is None
    assert only_machines(pages, [*runs, *others(workloads)]) == {5}


def others(workloads: Iterable[str]) -> list[Run]:
    return [ran(101.7, "m", workload=workload) for workload in workloads]


def only_machines(pages: Pages, runs: Iterable[Run]) -> set[int]:
    return {strip.machines for strip in normal(pages, runs).strips}


def test_machines_merged_by_hand_count_once(tmp_path: Path) -> None:
    with new_store(tmp_path / "results.sqlite").begin() as connection:
        for run in fleet(RATES[:5]):
            add(connection, run)
        before = summarise(connection).sections["normal"]
        first, second, *_ = sorted(connection.scalars(select(machine.c.digest)))
        link = [{"machine": one, "same_as": first} for one in (first, second)]
        connection.execute(insert(machine_link), link)
        after = summarise(connection).sections["normal"]

    assert before is not None
    assert after is None


def test_unlike_conditions_are_another_strip(pages: Pages) -> None:
    runs = [*fleet(RATES[:5]), *fleet(RATES[:4], precision="bf16")]
    strip = only(normal(pages, runs))

    assert (strip.precision, strip.machines) == ("fp32", 5)


def test_several_figures_of_the_same_work_are_one_strip(pages: Pages) -> None:
    both = ("samples_per_second", "fit_samples_per_second")
    runs = [
        replace(run, values=dict.fromkeys(both, RATES[place]))
        for place, run in enumerate(fleet(RATES[:5]))
    ]

    assert only(normal(pages, runs)).metric == "samples_per_second"


@pytest.mark.parametrize("name", ["Intel(R) Xeon(R) Processor", "Core i7", "unknown"])
def test_a_family_of_chips_is_no_chip(pages: Pages, name: str) -> None:
    runs = fleet(RATES, device="cpu", machine=Machine(name, "Intel"))

    assert pages.of(runs).sections["normal"] is None


def test_a_flagged_figure_is_hollow_and_counts_in_no_median(pages: Pages) -> None:
    runs = [
        *fleet(RATES[:5]),
        ran(900.0, "x", flags=[("outlier", "samples_per_second")]),
    ]
    found = pages.of(runs)
    strip, shown = (
        only(found.sections["normal"]) if found.sections["normal"] else None,
        section_chart(EN, found, "normal"),
    )

    assert strip is not None
    assert (strip.machines, strip.median.value, strip.fastest.value) == (
        5,
        100.0,
        102.0,
    )
    assert shown is not None
    assert [point.hollow for point in shown.panels[0].points] == [False] * 5 + [True]
    assert "1.07×" in section_title(EN, found, "normal")


def test_flagged_figures_do_not_make_five(pages: Pages) -> None:
    flags = [("outlier", "samples_per_second")]

    assert (
        pages.of([*fleet(RATES[:4]), ran(90.0, "x", flags=flags)]).sections["normal"]
        is None
    )


def test_mine_is_counted_against_the_others(pages: Pages) -> None:
    found = standing(pages, 70.0)

    assert (found.others, found.faster, found.slower, found.even) == (7, 7, 0, 0)


def test_small_differences_of_single_runs_are_none(pages: Pages) -> None:
    found = standing(pages, 100.0)

    assert (found.faster, found.slower, found.even) == (1, 1, 5)


def test_a_percentile_needs_ten_results(pages: Pages) -> None:
    rates = [100.0 + place for place in range(9)]

    assert standing(pages, 104.5, rates[:8]).below is None
    assert standing(pages, 104.5, rates).below == pytest.approx(5 / 10)


def test_six_strips_are_drawn_those_with_most_machines(pages: Pages) -> None:
    runs = [
        run
        for batch in range(1, 9)
        for run in fleet([100.0 + n for n in range(4 + batch)], batch_size=batch)
    ]
    found = normal(pages, runs)

    assert [strip.batch_size for strip in found.strips] == [8, 7, 6, 5, 4, 3]
    assert [strip.batch_size for strip in found.rest] == [2, 1]


def test_the_sentence_names_how_many_are_faster(report: Report) -> None:
    assert [
        words.standing(EN, strip) for strip in report.sections["normal"].strips
    ] == [
        "slower than 7 of 7 other results",
        "even or unclear beside 4 other results",
    ]
    assert section_title(EN, report, "normal") == (
        "This machine is slower than most with its chip in 1 of 2 comparisons"
    )
    assert section_lead(EN, report, "normal").endswith(
        "ResNet-50, batch 128, M1 Max · 64\u00a0GB · Metal · PyTorch: half of the "
        "results lie within 0.97–1.02× the median, all within 0.70–1.09× "
        "(machines: 8). This machine: slower than 7 of 7 other results."
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
    assert "has run nothing of which there are four results of others" in section_lead(
        EN, found, "normal"
    )


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
    shown = section_chart(EN, report, "normal")

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
    assert (
        shown.panels[0].title == "M1 Max · 64\u00a0GB · Metal · PyTorch · fp32 · graph"
    )
    assert 1.0 in [tick.value for tick in shown.panels[0].x.ticks]


def test_machines_all_alike_have_an_axis_that_shows_it(pages: Pages) -> None:
    shown = section_chart(EN, pages.of(fleet([100.0] * 5)), "normal")

    assert shown is not None
    assert shown.panels[0].x.low <= 0.8
    assert shown.panels[0].x.high >= 1.25


@pytest.mark.parametrize("rates", [(1e-9, 1.0, 2.0, 3.0, 1e9), (5.0,) * 5, RATES])
def test_any_spread_has_ticks_within_its_axis(
    pages: Pages, rates: Sequence[float]
) -> None:
    shown = section_chart(EN, pages.of(fleet(rates)), "normal")

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

    assert section_chart(load("ar"), found, "normal") is not None
    assert "1.2×" in section_title(load("ar"), found, "normal")
    assert markdown(found, load("ar"), {})


def test_every_figure_of_the_table_leads_to_a_row_of_the_page(report: Report) -> None:
    page = html(report, EN)
    runs = to_rows(page, "normal")

    assert runs == [
        f"run-{quantity.run[:12]}"
        for strip in report.sections["normal"].strips
        if strip.mine
        for quantity in (strip.slowest, strip.fastest, strip.mine.quantity)
    ]
    assert len(section_of(page, "normal").all("mark")) == 2


def test_with_too_few_machines_the_page_says_what_is_missing(pages: Pages) -> None:
    page = html(pages.of(fleet(RATES[:4])), EN)

    assert "five results from two or more machines" in section_of(page, "normal").text


STRANGERS = {
    "workload": "llm-decode",
    "metric": "tokens_per_second",
    "framework": "llama.cpp",
    "precision": None,
    "compiler": None,
    "batch_size": None,
    "setting": "localscore",
}
LLAMA = {"model": "Llama 3.1 8B", "quantization": "Q4_K_M"}


def told(
    rates: Iterable[float], mac: Machine = MAX, source: str = "forum", **facts: Any
) -> list[Run]:
    """Return what strangers told one source, which does not say who they are."""
    work = {**STRANGERS, "parameters": LLAMA, **facts}
    return [
        ran(rate, None, source=source, machine=mac, campaign=None, started=None, **work)
        for rate in rates
    ]


def mac(cores: int, ram: int) -> Machine:
    return replace(MAX, gpu_cores=cores, ram_gib=ram)


def test_results_of_strangers_are_counted_and_machines_are_at_least_some(
    pages: Pages,
) -> None:
    runs = [
        *told([30.0, 31.0, 32.0, 33.0], mac(32, 64)),
        *told([34.0], mac(32, 32)),
    ]
    strip = only(normal(pages, runs))

    assert (strip.results, strip.machines, strip.at_least) == (5, 2, True)
    assert (strip.gpu_cores, strip.memory) == (32, (32, 64))
    assert words.machines(EN, strip) == "≥ 2"
    assert strip.median.value == 32.0
    assert strip.middle == pytest.approx((31 / 32, 33 / 32))
    assert words.place(EN, strip) == (
        "M1 Max · 32 GPU cores · 32–64\u00a0GB · Metal · llama.cpp · localscore"
    )
    assert words.work(EN, strip) == "LLM decode · Llama 3.1 8B · Q4_K_M"


def test_many_results_of_what_may_be_one_machine_say_nothing(pages: Pages) -> None:
    assert pages.of(told(RATES, mac(32, 64))).sections["normal"] is None


def test_two_sources_are_two_machines_and_two_documents_of_one_are_not(
    pages: Pages,
) -> None:
    first = told([30.0, 31.0, 32.0], mac(32, 64))
    second = told([33.0, 34.0], mac(32, 64), source="blog")
    again = [
        replace(run, source="forum", told={"document_sha256": "b" * 64})
        for run in second
    ]

    assert only(normal(pages, [*first, *second])).machines == 2
    assert pages.of([*first, *again]).sections["normal"] is None


def test_a_bin_has_one_number_of_cores_and_one_memory_where_enough_have_it(
    pages: Pages,
) -> None:
    def of_two(cores: int, ram: int) -> list[Run]:
        some = mac(cores, ram)
        return [*told([30, 31, 32], some), *told([33, 34], some, "blog")]

    strips = normal(pages, [*of_two(32, 64), *of_two(32, 32), *of_two(24, 32)])
    bins = [(s.gpu_cores, s.memory) for s in (*strips.strips, *strips.rest)]

    assert sorted(bins) == [(24, (32, 32)), (32, (32, 32)), (32, (64, 64))]


@pytest.mark.parametrize(
    "other",
    [
        {"setting": "llama-bench"},
        {"parameters": {**LLAMA, "quantization": "Q8_0"}},
        {"parameters": {**LLAMA, "generated_tokens": 128}},
        {"framework": "mlx"},
        {"workload": "llm-prefill"},
    ],
)
def test_unlike_models_weights_and_protocols_share_no_strip(
    pages: Pages, other: dict[str, Any]
) -> None:
    four = [*told(RATES[:3], mac(32, 64)), *told([99.0], mac(32, 32))]

    assert (
        pages.of([*four, *told([98.0], mac(32, 64), **other)]).sections["normal"]
        is None
    )


def test_versions_of_strangers_may_differ_and_are_named(pages: Pages) -> None:
    runs = [*told(RATES[:4], mac(32, 64)), *told([99.0], mac(32, 32))]
    builds = [replace(run, version=f"{place}.1") for place, run in enumerate(runs)]
    found = pages.of(builds)

    assert only(found.sections["normal"]).differs == ("version",)
    assert "Figures beside each other differ in: framework version." in runs_text(
        EN, found, "normal"
    )


def test_my_measurement_stands_among_results_of_strangers(pages: Pages) -> None:
    rates = [30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0]
    others = told(rates, mac(32, 64))
    mine = ran(36.5, "me", machine=mac(32, 64), parameters=LLAMA, **STRANGERS)
    strip = only(normal(pages, [*others, mine], here="me"))

    assert strip.standing is not None
    assert strip.standing.below == pytest.approx(7 / 10)
    assert (strip.results, strip.machines) == (10, 2)
    assert "70% of all are slower" in words.standing(EN, strip)
