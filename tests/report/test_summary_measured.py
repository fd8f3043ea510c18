"""The page of what collectors measured: this machine, unlike conditions, failures."""

import random
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.errors import UsageError
from tests.store_factory import Machine, Run
from tests.summary_page import (
    FIT,
    PC,
    RATE,
    STEP,
    TRAINING,
    WALL,
    answers,
    known,
    measured,
    page,
    published,
    three_published,
)


def in_torch(runs: list[Run]) -> list[Run]:
    return [replace(run, framework="torch") for run in runs]


def test_this_machine_is_marked_and_answers(tmp_path):
    own = [
        run
        for name in TRAINING
        for run in measured([{WALL: 50.0}], "metal", workload=name, framework="torch")
    ]

    report = page(tmp_path, [*in_torch(three_published()), *own], here="me")

    (own_row,) = (row for row in report.sections["ranking"].rows if row.system.here)
    found = answers(report)["here"]
    assert own_row.system.chip == "M4 Max"
    assert (found.low, found.high) == pytest.approx((16.0, 16.0))
    assert found.facts["baseline"] == "M1"
    # The source says nothing of system and load: that bounds, and is no verdict.
    assert (found.bounded, found.facts["differs"]) == (True, ["source"])
    assert report.newest == "2026-03-04"


def test_a_mac_is_the_baseline_though_another_cpu_is_slower(tmp_path):
    slower = [replace(run, machine=PC) for run in published("M1", 2000.0)]
    macs = [run for run in three_published() if run.device == "cpu"]

    ranking = page(tmp_path, [*macs, *slower]).sections["ranking"]

    assert "Ryzen 9 9950X" in {row.system.chip for row in ranking.rows}
    assert (ranking.baseline.chip, ranking.baseline.device) == ("M1", "cpu")


def test_another_framework_here_gives_no_number_but_says_what_differs(tmp_path):
    own = measured([{RATE: 300.0}], "metal", framework="torch", compiler="eager")

    report = page(tmp_path, [*three_published(), *own], here="me")

    found = answers(report)["here"]
    assert found.low is found.high is None  # one figure with nothing that may lead
    assert found.facts["differs"] == ["compiler", "framework", "protocol"]
    assert found.facts["workloads"] == ["ResNet-50"]


def test_unlike_figures_meet_as_samples_per_second(tmp_path):
    own = measured([{RATE: 192.0}], "metal", framework="torch")

    report = page(tmp_path, [*three_published(), *own], here="me")

    (row,) = (row for row in report.sections["ranking"].rows if row.system.here)
    ratio = known(row.cells[0].ratio)
    assert ratio.value == pytest.approx(192.0 / (15360 / 800.0))
    assert row.mean is None
    assert row.covered == 1


def test_a_time_under_other_conditions_meets_as_a_rate_too(tmp_path):
    epoch = {"parameters": {"samples_total": 1000}, "batch_size": 64}
    own = measured([{"epoch_seconds": 10.0}], "metal", **epoch)

    report = page(tmp_path, [*three_published(), *own], here="me")

    (row,) = (row for row in report.sections["ranking"].rows if row.system.here)
    cell = row.cells[0]
    assert cell.quantity
    assert cell.quantity.value == pytest.approx(100.0)
    assert cell.quantity.unit == "img/s"
    assert cell.quantity.derived
    assert known(cell.ratio).differs == ("batch", "protocol")


def test_a_time_of_unknown_samples_compares_with_nothing_unlike(tmp_path):
    unknown: dict[str, Any] = {"parameters": {}}
    strangers = [replace(run, columns=unknown) for run in published("M1", 800.0, "cpu")]
    rest = [*published("M2", 400.0), *published("M3", 300.0)]
    own = measured([{RATE: 100.0}], "metal")

    report = page(tmp_path, [*strangers, *rest, *own], here="me", baseline="M1 · CPU")

    (row,) = (row for row in report.sections["ranking"].rows if row.system.here)
    assert row.cells[0].quantity
    assert row.cells[0].ratio is None


def test_systems_that_share_no_workload_among_all_have_no_means(tmp_path):
    pairs = {"M1": (0, 1, 2), "M2": (0, 1), "M3": (1, 2), "M4": (0, 2)}
    runs = [
        Run(workload=TRAINING[place], machine=Machine(chip), values={WALL: 100.0})
        for chip, places in pairs.items()
        for place in places
    ]

    ranking = page(tmp_path, runs, baseline="M1").sections["ranking"]

    assert ranking
    assert ranking.common == ()
    assert [row.mean for row in ranking.rows] == [None] * 4


def test_one_workload_is_enough_for_a_ranking_of_like_figures(tmp_path):
    runs = [
        Run(machine=Machine(chip), values={WALL: seconds})
        for chip, seconds in (("M1", 9.0), ("M2", 6.0), ("M3", 3.0))
    ]

    ranking = page(tmp_path, runs).sections["ranking"]

    assert ranking
    assert ranking.baseline.chip == "M1"
    assert [known(row.mean).value for row in ranking.rows] == pytest.approx([3, 1.5, 1])


def test_without_an_identity_nothing_is_here(tmp_path):
    own = measured([{RATE: 192.0}], "metal")

    report = page(tmp_path, [*three_published(), *own])

    assert "here" not in answers(report)
    assert not any(machine.here for machine in report.machines)


def test_a_gap_in_the_ranking_says_why(tmp_path):
    runs = [run for run in three_published() if run.workload != "lstm"]
    runs += [Run(workload="lstm", machine=Machine("M1"), values={WALL: 9.0})]
    runs += [Run(workload="lstm", machine=Machine("M1 Max"), values={WALL: 9.0})]
    runs += [Run(workload="lstm", machine=Machine("M2"), values={WALL: 9.0})]
    dash = {"status": "not-measured", "reason": "a dash"}
    runs += [Run("lstm", "metal", Machine("M1 Max"), values={WALL: None}, columns=dash)]

    ranking = page(tmp_path, runs).sections["ranking"]

    assert ranking
    (row,) = (row for row in ranking.rows if row.system.device == "metal")
    assert row.cells[-1].missing == "a dash"
    assert "lstm" not in ranking.common


def test_a_partly_measured_machine_does_not_shrink_the_common_workloads(tmp_path):
    own = measured([{WALL: 50.0}], "metal", framework="torch")

    runs = [*in_torch(three_published()), *own]
    ranking = page(tmp_path, runs, here="me").sections["ranking"]

    assert ranking
    assert set(ranking.common) == set(TRAINING)
    (row,) = (row for row in ranking.rows if row.system.here)
    assert row.mean is None
    assert known(row.cells[0].ratio).differs == ("source",)


def test_of_the_baseline_s_figures_the_one_that_most_others_have_is_compared(tmp_path):
    rare = replace(published("M1", 10.0)[0], columns={"batch_size": 32})

    report = page(tmp_path, [rare, *three_published()])

    cells = [cell for row in report.sections["ranking"].rows for cell in row.cells]
    assert {known(cell.ratio).differs for cell in cells} == {()}


def test_a_wrong_baseline_is_told_with_the_right_ones(tmp_path):
    with pytest.raises(UsageError, match="m1-cpu-tensorflow"):
        page(tmp_path, three_published(), baseline="M9")


def test_the_fastest_gpu_is_the_reference_where_the_favourite_is_missing(tmp_path):
    own = [
        *measured([{FIT: 2000.0, STEP: 0.1}], "cuda", machine=PC),
        *measured([{FIT: 3000.0, STEP: 0.1}], "cuda", machine=PC, workload="lstm"),
        *measured([{FIT: 100.0, STEP: 0.1}], "metal"),
        *measured([{FIT: 600.0, STEP: 0.1}], "metal", workload="lstm"),
    ]

    report = page(tmp_path, own)

    assert report.sections["distance"].reference.chip == "H200"
    found = answers(report)["distance"]
    assert (found.low, found.high) == pytest.approx((5.0, 20.0))
    assert found.facts["differs"] == []


def test_a_system_without_a_workload_leaves_its_place_empty(tmp_path):
    own = [
        *measured([{FIT: 2000.0}], "cuda", machine=PC),
        *measured([{FIT: 3000.0}], "cuda", machine=PC, workload="lstm"),
        *measured([{FIT: 100.0}], "metal"),
        *measured([{FIT: 600.0}], "cpu", workload="lstm"),
    ]

    distance = page(tmp_path, own).sections["distance"]

    assert distance
    there = [[cell.quantity is not None for cell in row.cells] for row in distance.rows]
    assert [system.device for system in distance.systems] == ["metal", "cpu"]
    assert there == [[False, True], [True, False]]


def test_a_matrix_product_is_a_value_and_nothing_else(tmp_path):
    size = {"parameters": {"size": 512, "batch_size": 1}, "batch_size": 1}
    runs = [
        run
        for device in ("cpu", "metal")
        for run in measured(
            [{"teraflops": 1.0, "step_seconds": 0.1, RATE: 10.0}],
            device,
            workload="matmul",
            **size,
        )
    ]

    report = page(tmp_path, runs)

    assert [report.sections["metal"], report.sections["ranking"]] == [None] * 2
    assert {(row.metric, row.size) for row in report.values} == {("teraflops", 512)}


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_storing_does_not_show(tmp_path, seed):
    runs = [*three_published(), *measured([{RATE: 10.0}, {RATE: 11.0}], "metal")]
    runs += [
        Run("resnet50", device, Machine("M3"), values={WALL: 70.0}, flags=[flag])
        for device, flag in product(("cpu", "metal"), [("outlier", WALL)])
    ]
    shuffled = random.Random(seed).sample(runs, len(runs))  # noqa: S311 (no secret)
    (tmp_path / "other").mkdir()

    one = page(tmp_path, runs, here="me")
    other = page(tmp_path / "other", shuffled, here="me")

    assert one == other


def test_a_trial_run_is_marked_where_it_stands_beside_others(tmp_path):
    own = measured([{RATE: 192.0}], "metal", tier="smoke")

    report = page(tmp_path, [*three_published(), *own], here="me")

    (row,) = (row for row in report.sections["ranking"].rows if row.system.here)
    assert known(row.cells[0].ratio).differs == ("protocol", "tier")
    assert [value.tier for value in report.values if value.system.here] == ["smoke"]


def test_the_row_of_a_system_keeps_to_one_metric(tmp_path):
    own = [
        *measured([{RATE: 96.0}], "metal", framework="torch", compiler="eager"),
        *measured([{WALL: 200.0}], "metal", framework="torch", compiler="graph"),
        *measured([{RATE: 99.0}], "metal", framework="torch", workload="lstm"),
    ]

    report = page(tmp_path, [*three_published(), *own], here="me")

    (row,) = (row for row in report.sections["ranking"].rows if row.system.here)
    shown = [cell.quantity.value for cell in row.cells if cell.quantity]
    assert shown == pytest.approx([96.0, 99.0])  # not what the script's time gives


def test_a_mean_has_its_range_and_a_row_that_may_not_lead_says_so(tmp_path):
    slow = [*published("M1", 800.0), *published("M2", 400.0), *published("M3", 100.0)]
    slow[-1] = replace(slow[-1], values={WALL: 1600.0})
    bare = [replace(run, columns={**run.columns, "label": "claimed"}) for run in slow]

    ranking = page(tmp_path, slow).sections["ranking"]
    (tmp_path / "claimed").mkdir()
    claimed = page(tmp_path / "claimed", bare).sections["ranking"]

    assert ranking
    assert claimed
    ends = {row.system.chip: row.spread or (1.0, 0.0) for row in ranking.rows}
    spread = {chip: high / low for chip, (low, high) in ends.items()}
    assert spread == pytest.approx({"M1": 1.0, "M2": 1.0, "M3": 16.0})
    assert {row.leads for row in ranking.rows} == {True}
    assert {row.leads for row in claimed.rows} == {False}
