"""Is a result normal? Independent machines of one chip, and where mine stands."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import insert, select

from benchdb.report.charts.normal import chart
from benchdb.report.summary import summarise
from benchdb.report.wording.sections import section_title
from benchdb.store.tables import machine, machine_link
from tests.fleet_page import EN, RATES, fleet, normal, only, ran, standing
from tests.section_page import Pages, pages_of_one_store
from tests.store_factory import Machine, Run, add, new_store

__all__ = ["pages_of_one_store"]


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
        chart(found, EN),
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


def test_a_percentile_needs_twenty_machines(pages: Pages) -> None:
    rates = [100.0 + place for place in range(19)]

    assert standing(pages, 110.5, rates[:18]).below is None
    assert standing(pages, 110.5, rates).below == pytest.approx(11 / 20)


def test_six_strips_are_drawn_those_with_most_machines(pages: Pages) -> None:
    runs = [
        run
        for batch in range(1, 9)
        for run in fleet([100.0 + n for n in range(4 + batch)], batch_size=batch)
    ]
    found = normal(pages, runs)

    assert [strip.batch_size for strip in found.strips] == [8, 7, 6, 5, 4, 3]
    assert [strip.batch_size for strip in found.rest] == [2, 1]
