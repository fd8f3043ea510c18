"""The page of the published results: every headline recomputed from the figures."""

import pytest

from tests.published_page import (
    FLAGGED,
    FOUR,
    SECONDS,
    answer,
    geomean,
    known,
    published_report,
    rank_row,
    script_rows,
)

__all__ = ["published_report"]


def test_every_script_ratio_follows_from_its_two_times(report):
    found = {(row.chip, name): row for name, row in script_rows(report)}

    for chip, times in SECONDS.items():
        for name, (cpu, metal) in times.items():
            ratio = known(found[chip, name].ratio)
            assert ratio.value == pytest.approx(cpu / metal)
            assert bool(ratio.notes) == ((chip, name) in FLAGGED)


def test_resnet_on_the_m1_max_is_ten_times_as_fast_with_metal(report):
    rows = {(row.chip, name): row for name, row in script_rows(report)}

    ratio = known(rows["M1 Max", "resnet50"].ratio)
    assert round(ratio.value, 2) == 10.04
    assert (ratio.verdict, ratio.low, ratio.differs) == ("faster", None, ())


def test_a_cell_that_the_source_left_empty_says_so(report):
    rows = {(row.chip, name): row for name, row in script_rows(report)}

    row = rows["M1 Ultra", "mnist"]
    assert (row.metal, row.ratio) == (None, None)
    assert row.cpu is not None
    assert row.missing


def test_chips_stand_slowest_first_and_the_largest_gain_on_top(report):
    groups = report.sections["metal"].groups

    assert [row.chip for row in groups[0].rows] == list(SECONDS)
    assert [group.workload.name for group in groups[:5]] == [
        "resnet50",
        "distilbert",
        "mobilenetv2",
        "lstm",
        "mnist",
    ]


def test_the_metal_headline_is_the_range_of_unflagged_gains(report):
    gains = [
        cpu / metal
        for chip, times in SECONDS.items()
        for name, (cpu, metal) in times.items()
        if name in FOUR[:3] and (chip, name) not in FLAGGED
    ]

    found = answer(report, "metal")

    assert (found.low, found.high) == pytest.approx((min(gains), max(gains)))
    assert (round(min(gains), 1), round(max(gains), 1)) == (2.9, 13.1)


def test_the_metal_headline_names_what_gains_and_what_loses(report):
    losses = [
        metal / cpu
        for cpu, metal in (
            SECONDS[c]["mnist"] for c in SECONDS if "mnist" in SECONDS[c]
        )
    ]

    facts = answer(report, "metal").facts

    assert facts["pays"] == ["ResNet-50", "DistilBERT", "MobileNetV2"]
    assert (facts["even"], facts["hurts"]) == ([], ["MNIST MLP"])
    assert facts["unclear"] == ["LSTM"]  # one run each: only 1.4 as long is clear
    assert facts["ranges"] == {"LSTM": pytest.approx([0.7203, 1.2862], abs=1e-4)}
    assert (facts["flagged"], facts["insufficient"]) == (3, 0)
    assert (facts["frameworks"], facts["single"]) == (["tensorflow"], True)
    assert facts["hurts_low"] == pytest.approx(min(losses))
    assert facts["hurts_high"] == pytest.approx(max(losses))
    assert facts["chips"] == 4


def test_epochs_of_one_chip_are_shown_but_lead_no_headline(report):
    epochs = [g for g in report.sections["metal"].groups if g.metric == "epoch_seconds"]

    batches = sorted((g.workload.name, g.batch_size) for g in epochs)
    best = max(row.ratio.value for g in epochs for row in g.rows)
    assert len(batches) == 10
    assert best == pytest.approx(436.72195410728455 / 17.130388975143433)
    assert answer(report, "metal").high < best


def test_the_ranking_starts_from_the_cpu_of_the_slowest_mac(report):
    ranking = report.sections["ranking"]

    assert (ranking.baseline.chip, ranking.baseline.device) == ("M1", "cpu")
    assert [w.name for w in ranking.workloads] == [*FOUR, "mnist"]
    assert ranking.common == FOUR  # one system has no MNIST


@pytest.mark.parametrize(
    ("chip", "device", "place"),
    [
        (chip, device, place)
        for chip in SECONDS
        for place, device in enumerate(("cpu", "metal"))
        if (chip, device) != ("M1 Ultra", "cpu")  # two of its figures are swapped
    ],
)
def test_a_mean_is_that_of_four_ratios(report, chip, device, place):
    ratios = [SECONDS["M1"][w][0] / SECONDS[chip][w][place] for w in FOUR]

    assert known(rank_row(report, chip, device).mean).value == pytest.approx(
        geomean(ratios)
    )


def test_the_best_system_comes_first_and_unlike_ones_last(report):
    rows = report.sections["ranking"].rows
    means = [row.mean.value for row in rows if row.mean]

    assert means == sorted(means, reverse=True)
    assert (rows[0].system.chip, rows[0].system.device) == ("M1 Ultra", "metal")
    unlike = [row.system.chip for row in rows if row.mean is None]
    assert unlike == ["GeForce RTX 3090", "M1 Ultra"]


def test_swapped_columns_are_noted_and_enter_no_mean(report):
    row = rank_row(report, "M1 Ultra", "cpu")

    notes = {note.key: note.code for note in report.notes}
    shown = [cell.quantity for cell in row.cells if cell.quantity]
    noted = [quantity for quantity in shown if quantity.notes]
    assert {notes[key] for one in noted for key in one.notes} == {"order-inverted"}
    assert {one.grade for one in noted} == {"X"}
    assert row.mean is None


def test_unlike_figures_are_named_in_the_ranking(report):
    row = rank_row(report, "GeForce RTX 3090", "cuda")

    ratio = known(row.cells[0].ratio)
    assert ratio.differs == ("precision", "compiler", "protocol")
    assert ratio.value == pytest.approx(1100 / (15360 / 2031.89))
    assert row.covered == 3


def test_the_mac_headline_compares_macs_with_metal(report):
    def speed(chip: str) -> float:
        return geomean([1 / SECONDS[chip][workload][1] for workload in FOUR])

    found = answer(report, "mac")

    assert found.low == found.high == pytest.approx(speed("M1 Ultra") / speed("M1"))
    assert round(speed("M1 Ultra") / speed("M1"), 1) == 5.5
    assert (found.facts["best"], found.facts["baseline"]) == ("M1 Ultra", "M1")
    assert found.facts["mean"] == found.low
    assert found.facts["spread"] == range_of("M1 Ultra")
    assert found.facts["others"] == [
        ["M1 Max", pytest.approx(speed("M1 Max") / speed("M1")), *range_of("M1 Max")],
        ["M1 Pro", None, *range_of("M1 Pro")],  # slower than the M1 in LSTM
    ]
    assert found.facts["workloads"] == 4


def range_of(chip: str) -> list[object]:
    """Return the least and the greatest gain of a Mac's GPU over the M1's."""
    gains = [SECONDS["M1"][name][1] / SECONDS[chip][name][1] for name in FOUR]
    return [pytest.approx(min(gains)), pytest.approx(max(gains))]


def test_the_distance_to_the_gpu_is_shown_at_its_own_batch_sizes(report):
    rows = {
        (row.workload.name, row.batch_size): row
        for row in report.sections["distance"].rows
    }
    shares = {
        key: [cell.share.value for cell in row.cells] for key, row in rows.items()
    }

    assert [system.chip for system in report.sections["distance"].systems] == [
        "M1 Pro",
        "M1 Max",
    ]
    assert shares == {
        ("resnet50", 128): pytest.approx([55.8 / 1100, 140 / 1100]),
        ("mobilenetv2", 128): pytest.approx([174.7 / 2001, 352 / 2001]),
        ("distilbert", 64): pytest.approx([65.9 / 1065, 120 / 1065]),
        ("bert-large", 16): pytest.approx([6.7 / 131, 19 / 131]),
    }


def test_unlike_conditions_bound_the_distance(report):
    found = answer(report, "distance")

    assert found.bounded
    assert (found.low, found.high) == pytest.approx((2001 / 352, 1065 / 120))
    assert found.facts == {
        "reference": "GeForce RTX 3090",
        "reference_with": ["fp16-mixed", "xla"],
        "reference_limit": 400.0,
        "system": "M1 Max",
        "system_with": ["fp32", "graph"],
        "differs": ["precision", "compiler"],
        "workloads": 4,
        "flagged": 0,
        "insufficient": 0,
        "single": True,
        "published": True,
    }


def test_power_that_was_read_in_unlike_ways_bounds_the_efficiency(report):
    found = answer(report, "watt")

    assert found.bounded
    assert (found.low, found.high) == pytest.approx(
        (140 / 42 / (1100 / 360), 352 / 37 / (2001 / 340))
    )
    assert (found.facts["reference"], found.facts["system"]) == (
        "GeForce RTX 3090",
        "M1 Max",
    )
    assert found.facts["differs"] == ["precision", "compiler", "power"]
