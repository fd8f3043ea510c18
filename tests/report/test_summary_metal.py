"""Does Metal help? The section and its headline, of what collectors measured."""

import pytest

from tests.store_factory import Machine, Run
from tests.summary_page import STEP, WALL, answers, known, measured, page, published


def test_two_systems_are_no_ranking(tmp_path):
    runs = [*published("M1", 800.0), *published("M1 Max", 400.0)]

    assert page(tmp_path, runs).sections["ranking"] is None


def test_a_pair_of_repeats_has_an_interval_and_a_verdict(tmp_path):
    runs = [
        *measured([{"step_seconds": s} for s in (1.0, 1.01, 0.99)]),
        *measured([{"step_seconds": s} for s in (0.25, 0.251, 0.249)], "metal"),
    ]

    metal = page(tmp_path, runs).sections["metal"]

    assert metal
    row = metal.groups[0].rows[0]
    ratio = known(row.ratio)
    assert ratio.low is not None
    assert ratio.high is not None
    assert ratio.low < ratio.value < ratio.high
    assert ratio.value == pytest.approx(4.0, rel=0.001)
    assert ratio.verdict == "faster"
    assert row.cpu
    assert (row.cpu.n, row.cpu.unit) == (3, "s")
    assert row.cpu.low is not None


def test_noise_as_large_as_the_difference_is_unclear(tmp_path):
    runs = [
        *measured([{"step_seconds": s} for s in (1.0, 1.3, 0.8)]),
        *measured([{"step_seconds": s} for s in (0.95, 1.2, 0.7)], "metal"),
    ]

    metal = page(tmp_path, runs).sections["metal"]

    assert metal
    assert known(metal.groups[0].rows[0].ratio).verdict == "unclear"


@pytest.mark.parametrize(
    ("seconds", "verdict"), [(103.0, "unclear"), (130.0, "unclear"), (150.0, "faster")]
)
def test_single_runs_within_what_such_work_has_shown_are_unclear(
    tmp_path, seconds, verdict
):
    runs = [Run(values={WALL: seconds}), Run(device="metal", values={WALL: 100.0})]

    metal = page(tmp_path, runs).sections["metal"]

    assert metal
    assert known(metal.groups[0].rows[0].ratio).verdict == verdict


@pytest.mark.parametrize(
    ("framework", "whole", "shown"),
    [
        ("torch", 90.0, WALL),
        # It ran a step of its own where the sources ran model.fit.
        ("tensorflow", 90.0, STEP),
        ("torch", None, STEP),  # it was shortened
    ],
)
def test_a_whole_script_joins_the_published_ones_if_it_did_their_work(
    tmp_path, framework, whole, shown
):
    both = [
        Run(machine=Machine(), device=device, values={WALL: seconds})
        for device, seconds in (("cpu", 800.0), ("metal", 200.0))
    ]
    own = [
        *measured([{WALL: whole, STEP: 0.3}], framework=framework),
        *measured([{WALL: 30.0, STEP: 0.1}], "metal", framework=framework),
    ]

    metal = page(tmp_path, [*both, *own]).sections["metal"]

    rows = {row.chip: (g.metric, row) for g in metal.groups for row in g.rows}
    assert {chip: metric for chip, (metric, _) in rows.items()} == {
        "M1": WALL,
        "M4 Max": shown,
    }
    assert known(rows["M4 Max"][1].ratio).value == pytest.approx(3.0)


def test_a_side_that_failed_says_why(tmp_path):
    crash = {"status": "failed", "reason": "killed by SIGSEGV", "compiler": None}
    runs = [
        *measured([{"step_seconds": 0.5}]),
        *measured([{}], "metal", **crash),
        *measured([{"step_seconds": 0.5}], workload="lstm"),
        *measured([{"step_seconds": 0.1}], "metal", workload="lstm"),
    ]

    metal = page(tmp_path, runs).sections["metal"]

    assert metal
    rows = {group.workload.name: group.rows[0] for group in metal.groups}
    assert rows["resnet50"].missing == "killed by SIGSEGV"
    assert rows["resnet50"].ratio is None
    assert known(rows["lstm"].ratio).value == pytest.approx(5.0)


def test_one_chip_alone_may_still_answer_for_metal(tmp_path):
    runs = [
        *measured([{"step_seconds": 0.5}]),
        *measured([{"step_seconds": 0.1}], "metal"),
    ]

    found = answers(page(tmp_path, runs))["metal"]

    assert (found.low, found.high) == pytest.approx((5.0, 5.0))
    assert found.facts["chips"] == 1


def test_a_flagged_pair_keeps_its_ratio_but_leads_nothing(tmp_path):
    runs = [
        Run(values={WALL: 500.0}, flags=[("outlier", WALL)]),
        Run(device="metal", values={WALL: 10.0}),
    ]

    report = page(tmp_path, runs)

    assert known(
        report.sections["metal"].groups[0].rows[0].ratio
    ).value == pytest.approx(50)
    found = answers(report)["metal"]
    assert (found.low, found.facts["flagged"]) == (None, 1)


def test_a_flag_about_power_leaves_the_time_unmarked(tmp_path):
    runs = [
        Run(
            values={WALL: 500.0, "peak_power_watts": 30.0},
            flags=[("power-scope-unknown", "peak_power_watts")],
        ),
        Run(device="metal", values={WALL: 10.0}),
    ]

    report = page(tmp_path, runs)

    noted = {row.metric: row.quantity.notes for row in report.values if row.quantity}
    assert noted[WALL] == ()
    assert noted["peak_power_watts"] == ("a",)
    assert answers(report)["metal"].low == pytest.approx(50)
