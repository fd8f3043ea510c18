"""The page of the published results: every headline recomputed from the figures."""

from collections.abc import Iterator
from math import prod
from pathlib import Path

import pytest

from benchdb.merge import import_or_raise
from benchdb.report.summary import summarise
from benchdb.report.view import Answer, MetalRow, RankRow, Ratio, Report
from benchdb.store.database import open_database, reading

PUBLISHED = Path(__file__).parents[1] / "published"

# Seconds of whole scripts, CPU then Metal, as the source prints them.
SECONDS = {
    "M1": {
        "resnet50": (2031.89, 579.18),
        "mobilenetv2": (646.19, 225.36),
        "distilbert": (2219.81, 651.91),
        "lstm": (63.29, 57.479),
        "mnist": (74.68, 506.47),
    },
    "M1 Pro": {
        "resnet50": (2860.95, 222.72),
        "mobilenetv2": (321.41, 83.39),
        "distilbert": (1243.79, 246.54),
        "lstm": (47.173, 65.49),
        "mnist": (91.80, 736.41),
    },
    "M1 Max": {
        "resnet50": (1141.11, 113.65),
        "mobilenetv2": (309.25, 53.277),
        "distilbert": (1224.96, 140.08),
        "lstm": (49.707, 48.321),
        "mnist": (86.43, 596.62),
    },
    "M1 Ultra": {
        "resnet50": (262.02, 59.910),
        "mobilenetv2": (804.18, 32.047),
        "distilbert": (928.57, 71.06),
        "lstm": (49.454, 38.451),
    },
}
FLAGGED = {
    ("M1 Ultra", "resnet50"),
    ("M1 Ultra", "mobilenetv2"),
    ("M1 Pro", "resnet50"),
}
FOUR = ("resnet50", "mobilenetv2", "distilbert", "lstm")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return page(tmp_path_factory.mktemp("store"), sorted(PUBLISHED.glob("*.jsonl")))


def page(folder: Path, files: list[Path], baseline: str | None = None) -> Report:
    engine = open_database(str(folder / "results.sqlite"), create=True)
    import_or_raise(engine, files)
    with reading(engine) as connection:
        return summarise(connection, baseline=baseline)


def answer(report: Report, kind: str) -> Answer:
    (found,) = (one for one in report.answers if one.kind == kind)
    return found


def script_rows(report: Report) -> Iterator[tuple[str, MetalRow]]:
    assert report.metal
    for group in report.metal.groups:
        if group.metric == "script_wall_seconds":
            yield from ((group.workload.name, row) for row in group.rows)


def rank_row(report: Report, chip: str, device: str) -> RankRow:
    assert report.ranking
    (found,) = (
        row
        for row in report.ranking.rows
        if (row.system.chip, row.system.device) == (chip, device)
    )
    return found


def geomean(values: list[float]) -> float:
    return float(prod(values) ** (1 / len(values)))


def known(ratio: Ratio | None) -> Ratio:
    assert ratio is not None
    return ratio


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
    groups = report.metal.groups

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
    assert (facts["even"], facts["hurts"]) == (["LSTM"], ["MNIST MLP"])
    assert facts["hurts_low"] == pytest.approx(min(losses))
    assert facts["hurts_high"] == pytest.approx(max(losses))
    assert facts["chips"] == 4


def test_epochs_of_one_chip_are_shown_but_lead_no_headline(report):
    epochs = [g for g in report.metal.groups if g.metric == "epoch_seconds"]

    batches = sorted((g.workload.name, g.batch_size) for g in epochs)
    best = max(row.ratio.value for g in epochs for row in g.rows)
    assert len(batches) == 10
    assert best == pytest.approx(436.72195410728455 / 17.130388975143433)
    assert answer(report, "metal").high < best


def test_the_ranking_starts_from_the_cpu_of_the_slowest_mac(report):
    ranking = report.ranking

    assert (ranking.baseline.chip, ranking.baseline.device) == ("M1", "cpu")
    assert [w.name for w in ranking.workloads] == [*FOUR, "mnist"]
    assert ranking.common == FOUR  # one system has no MNIST


@pytest.mark.parametrize("chip", SECONDS)
@pytest.mark.parametrize(("device", "place"), [("cpu", 0), ("metal", 1)])
def test_a_mean_is_that_of_four_ratios(report, chip, device, place):
    ratios = [SECONDS["M1"][w][0] / SECONDS[chip][w][place] for w in FOUR]

    assert known(rank_row(report, chip, device).mean).value == pytest.approx(
        geomean(ratios)
    )


def test_the_best_system_comes_first_and_unlike_ones_last(report):
    rows = report.ranking.rows
    means = [row.mean.value for row in rows if row.mean]

    assert means == sorted(means, reverse=True)
    assert (rows[0].system.chip, rows[0].system.device) == ("M1 Ultra", "metal")
    assert (rows[-1].system.chip, rows[-1].mean) == ("GeForce RTX 3090", None)


def test_swapped_columns_are_noted_on_the_mean_that_they_cannot_change(report):
    row = rank_row(report, "M1 Ultra", "cpu")

    notes = {note.key: note.code for note in report.notes}
    assert [notes[key] for key in known(row.mean).notes] == ["order-inverted"]


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
    assert found.facts["others"] == [
        ["M1 Max", pytest.approx(speed("M1 Max") / speed("M1"))],
        ["M1 Pro", pytest.approx(speed("M1 Pro") / speed("M1"))],
    ]
    assert found.facts["workloads"] == 4


def test_the_distance_to_the_gpu_is_shown_at_its_own_batch_sizes(report):
    rows = {(row.workload.name, row.batch_size): row for row in report.distance.rows}
    shares = {
        key: [cell.share.value for cell in row.cells] for key, row in rows.items()
    }

    assert [system.chip for system in report.distance.systems] == ["M1 Pro", "M1 Max"]
    assert shares == {
        ("resnet50", 128): pytest.approx([55.8 / 1100, 140 / 1100]),
        ("mobilenetv2", 128): pytest.approx([174.7 / 2001, 352 / 2001]),
        ("distilbert", 64): pytest.approx([65.9 / 1065, 120 / 1065]),
        ("bert-large", 16): pytest.approx([6.7 / 131, 19 / 131]),
    }


def test_unlike_conditions_leave_the_distance_without_a_number(report):
    found = answer(report, "distance")

    assert found.low is found.high is None
    assert found.facts == {
        "reference": "GeForce RTX 3090",
        "system": "M1 Max",
        "differs": ["precision", "compiler"],
        "workloads": 4,
    }


def test_a_source_s_own_machine_facts_are_not_lent_to_another_s(report):
    assert {system.model for system in report.distance.systems} == {None}


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


def test_every_note_that_a_figure_names_exists(report):
    used = {key for row in report.values if row.quantity for key in row.quantity.notes}

    assert used == {note.key for note in report.notes}


def test_every_run_is_in_the_table_with_its_place(report):
    runs = {row.run for row in report.values}

    assert len(runs) == sum(source.runs for source in report.sources)
    assert all(row.locator and row.source for row in report.values)


def test_the_digits_of_the_source_are_kept(report):
    printed = {row.quantity.printed for row in report.values if row.quantity}

    # One ends in a zero, one was printed with a comma, one as hours.
    assert {"91.80", "49.707", "4165.48", "188.27877402305603"} <= printed


def test_every_shown_figure_is_a_row_of_the_table(report):
    runs = {row.run for row in report.values}
    shown = [
        quantity.run
        for _, row in script_rows(report)
        for quantity in (row.cpu, row.metal)
        if quantity
    ]
    shown += [
        c.quantity.run for r in report.ranking.rows for c in r.cells if c.quantity
    ]

    assert set(shown) <= runs


def test_single_runs_have_no_interval_anywhere(report):
    quantities = [row.quantity for row in report.values if row.quantity]
    ratios = [cell.ratio for row in report.ranking.rows for cell in row.cells]

    assert all(q.n == 1 and q.low is None for q in quantities)
    assert all(ratio.low is None for ratio in ratios if ratio)


def test_the_order_of_import_does_not_show(report, tmp_path):
    files = sorted(PUBLISHED.glob("*.jsonl"), reverse=True)

    assert page(tmp_path, files) == report


@pytest.mark.parametrize(
    "name", ["M1 Max · Metal", "m1-max-metal-tensorflow", "m1 max metal tensorflow"]
)
def test_another_baseline_can_be_asked_for_by_name(tmp_path, name):
    found = page(tmp_path, sorted(PUBLISHED.glob("*.jsonl")), baseline=name)

    ratio = known(rank_row(found, "M1 Ultra", "metal").cells[0].ratio)
    assert ratio.value == pytest.approx(113.65 / 59.910)
