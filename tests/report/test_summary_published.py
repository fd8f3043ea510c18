"""The page of the published results: answers, order, counts, traces, determinism."""

import pytest

from tests.published_page import (
    TRANSCRIBED,
    answer,
    known,
    page,
    published_report,
    rank_row,
    script_rows,
)

__all__ = ["published_report"]


def test_a_cell_that_the_source_left_empty_says_so(report):
    rows = {(row.chip, name): row for name, row in script_rows(report)}

    row = rows["M1 Ultra", "mnist"]
    assert (row.metal, row.ratio) == (None, None)
    assert row.cpu is not None
    assert row.missing


def test_chips_stand_slowest_first_and_the_largest_gain_on_top(report):
    groups = report.sections["metal"].groups

    assert [row.chip for row in groups[0].rows] == [
        "M1",
        "M1 Pro",
        "M1 Max",
        "M1 Ultra",
    ]
    assert [group.workload.name for group in groups[:5]] == [
        "resnet50",
        "distilbert",
        "mobilenetv2",
        "lstm",
        "mnist",
    ]


def test_the_metal_headline_names_what_gains_and_what_loses(report):
    facts = answer(report, "metal").facts

    assert facts["pays"] == ["ResNet-50", "DistilBERT", "MobileNetV2"]
    assert (facts["even"], facts["hurts"]) == ([], ["MNIST MLP"])
    assert facts["unclear"] == ["LSTM"]  # one run each: only 1.4 as long is clear
    assert (facts["flagged"], facts["insufficient"]) == (3, 0)
    assert (facts["frameworks"], facts["single"]) == (["tensorflow"], True)
    assert facts["chips"] == 4


def test_epochs_of_one_chip_are_shown_but_lead_no_headline(report):
    epochs = [g for g in report.sections["metal"].groups if g.metric == "epoch_seconds"]

    best = max(row.ratio.value for g in epochs for row in g.rows)
    assert len({(g.workload.name, g.batch_size) for g in epochs}) == 10
    assert answer(report, "metal").high < best


def test_the_ranking_starts_from_the_cpu_of_the_slowest_mac(report):
    ranking = report.sections["ranking"]

    assert (ranking.baseline.chip, ranking.baseline.device) == ("M1", "cpu")
    *four, last = (workload.name for workload in ranking.workloads)
    assert ranking.common == (*four,)  # one system has no MNIST
    assert (four, last) == (["resnet50", "mobilenetv2", "distilbert", "lstm"], "mnist")


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


def test_unlike_conditions_bound_the_distance(report):
    found = answer(report, "distance")

    assert found.bounded
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


def test_a_source_s_own_machine_facts_are_not_lent_to_another_s(report):
    assert {system.model for system in report.sections["distance"].systems} == {None}


def test_the_page_counts_systems_and_sources(report):
    assert (report.systems_count, report.sources_count) == (12, 4)
    assert report.newest is None


def test_sources_are_numbered_as_they_appear_and_the_unused_come_last(report):
    slugs = [source.slug for source in report.sources]

    assert slugs == [
        "m1tensorbench",
        "pytorch-in-m1",
        "tf-metal-experiments",
        "needle-metal",
        "m1-vs-v100",
    ]
    assert [source.protocol_only for source in report.sources] == [*[False] * 4, True]


def test_notes_are_lettered_in_the_order_of_the_page(report):
    codes = [(note.key, note.code) for note in report.notes]

    assert codes[:3] == [
        ("a", "outlier"),
        ("b", "order-inverted"),
        ("c", "unlike-conditions"),
    ]
    assert [key for key, _ in codes] == sorted(key for key, _ in codes)


def test_every_run_is_in_the_table_with_its_place(report):
    runs = {row.run for row in report.values}

    assert len(runs) == sum(source.runs for source in report.sources)
    assert all(row.locator and row.source for row in report.values)


def test_the_digits_of_the_source_are_kept(report):
    printed = {row.quantity.printed for row in report.values if row.quantity}

    # One ends in a zero, one was printed with a comma, one as hours.
    assert {"91.80", "49.707", "4165.48", "188.27877402305603"} <= printed


def test_the_order_of_import_does_not_show(report, tmp_path):
    files = TRANSCRIBED[::-1]

    assert page(tmp_path, files) == report


@pytest.mark.parametrize(
    "name", ["M1 Max · Metal", "m1-max-metal-tensorflow", "m1 max metal tensorflow"]
)
def test_another_baseline_can_be_asked_for_by_name(tmp_path, name):
    found = page(tmp_path, TRANSCRIBED, baseline=name)

    ratio = known(rank_row(found, "M1 Ultra", "metal").cells[0].ratio)
    assert ratio.value == pytest.approx(113.65 / 59.910)
