"""Results of the same work on machines of one kind: a dot each, and the median."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import insert, select

from benchdb.report.bins import Bins
from benchdb.report.summary import gather
from benchdb.site import normal
from benchdb.site.normal_strip import Strip
from benchdb.store.tables import machine, machine_link
from tests.store_factory import Machine, Run, add, new_store

Pages = Callable[..., list[Strip]]
MAX = Machine("Apple M1 Max", "Apple", "Mac Studio", 64)
RATES = (95.0, 98.0, 100.0, 101.0, 102.0, 104.0, 110.0)


@pytest.fixture(scope="module", name="of")
def strips_of(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """Give the strips of any runs in the same empty database."""
    engine = new_store(tmp_path_factory.mktemp("store") / "results.sqlite")

    def of(runs: Iterable[Run], here: str | None = None) -> list[Strip]:
        with engine.connect() as connection:
            for run in runs:
                add(connection, run)
            strips = normal.strips(gather(connection, here=here), Bins(connection))
            connection.rollback()
        return strips

    return of


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


def only(strips: Sequence[Strip]) -> Strip:
    (strip,) = strips
    return strip


def test_five_machines_make_a_strip_around_their_median(of: Pages) -> None:
    strip = only(of(fleet(RATES[:5])))

    assert (strip.machines, strip.median.value) == (5, 100.0)
    assert [dot.share for dot in strip.dots] == pytest.approx(
        [0.95, 0.98, 1, 1.01, 1.02]
    )
    assert (strip.slowest.value, strip.fastest.value) == (95.0, 102.0)


def test_what_nobody_repeated_on_a_chip_has_a_strip_only_if_it_is_mine(
    of: Pages,
) -> None:
    fewer = ran(90.0, "s", machine=replace(MAX, gpu_cores=24))
    runs = [*fleet(RATES[:2]), fewer, ran(50.0, "me", workload="mnist")]

    def works(here: str | None = None) -> set[tuple[str, int | None]]:
        return {(it.workload.name, it.gpu_cores) for it in of(runs, here=here)}

    assert works() == {("resnet50", None), ("resnet50", 24)}
    assert works("me") == {*works(), ("mnist", None)}


def test_between_two_machines_the_median_is_derived(of: Pages) -> None:
    strip = only(of(fleet(RATES[:6])))

    assert (strip.median.value, strip.median.derived) == (100.5, True)


def test_a_shorter_time_is_the_faster_machine(of: Pages) -> None:
    runs = fleet([50.0, 40.0, 45.0, 60.0, 42.0], metric="script_wall_seconds")
    strip = only(of(runs))

    assert (strip.slowest.value, strip.fastest.value) == (60.0, 40.0)
    assert strip.median.value == 45.0
    assert strip.dots[0].share == pytest.approx(0.75)


def test_sources_that_describe_machines_alike_tell_of_several(of: Pages) -> None:
    runs = [ran(rate, None, source=f"paper {rate}") for rate in RATES[:5]]

    assert only(of(runs)).machines == 5


def test_several_figures_of_the_same_work_are_one_strip(of: Pages) -> None:
    both = ("samples_per_second", "fit_samples_per_second")
    runs = [
        replace(run, values=dict.fromkeys(both, RATES[place]))
        for place, run in enumerate(fleet(RATES[:5]))
    ]

    assert only(of(runs)).metric == "samples_per_second"


@pytest.mark.parametrize("name", ["Intel(R) Xeon(R) Processor", "Core i7", "unknown"])
def test_a_family_of_chips_is_no_chip(of: Pages, name: str) -> None:
    runs = fleet(RATES, device="cpu", machine=Machine(name, "Intel"))

    assert of(runs) == []


def test_a_machine_counts_once_with_all_its_campaigns(of: Pages) -> None:
    later = {"campaign": "d", "started": "2026-04-04T05:06:07Z"}
    strip = only(of([*fleet(RATES[:5]), ran(90.0, "m1", **later)]))

    assert strip.machines == 5
    slowest = min(strip.dots, key=lambda dot: dot.quantity.value).quantity
    assert slowest.value == pytest.approx(93.9149)
    assert slowest.sessions == 2


def test_machines_merged_by_hand_count_once(tmp_path: Path) -> None:
    with new_store(tmp_path / "results.sqlite").begin() as connection:
        for run in fleet(RATES[:5]):
            add(connection, run)
        first, second, *_ = sorted(connection.scalars(select(machine.c.digest)))
        link = [{"machine": item, "same_as": first} for item in (first, second)]
        connection.execute(insert(machine_link), link)
        strip = only(normal.strips(gather(connection), Bins(connection)))

    assert strip.machines == 4


def test_unlike_conditions_are_another_strip(of: Pages) -> None:
    strips = of([*fleet(RATES[:5]), *fleet(RATES[:4], precision="bf16")])

    assert {(it.precision, it.machines) for it in strips} == {("fp32", 5), ("bf16", 4)}


def test_a_flagged_figure_counts_in_no_median(of: Pages) -> None:
    flagged = ran(900.0, "x", flags=[("outlier", "samples_per_second")])
    strip = only(of([*fleet(RATES[:5]), flagged]))

    assert (strip.results, strip.median.value) == (5, 100.0)
    assert [dot.share for dot in strip.dots if dot.quantity.notes] == [9.0]


def test_mine_is_marked_among_others(of: Pages) -> None:
    strip = only(of([*fleet(RATES[:5]), ran(70.0, "me")], here="me"))

    assert strip.mine is not None
    assert strip.mine.quantity.value == 70.0
    assert strip.dots[0] is strip.mine
