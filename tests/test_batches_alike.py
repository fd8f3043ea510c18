"""Which runs at several batch sizes meet on a line, and which lines stand out."""

from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.report.charts import batches
from benchdb.report.language import load
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import runs_text
from tests.batch_runs import known, lines, ratios, runs
from tests.store_factory import Machine, Run
from tests.summary_page import RATE, measured, page
from tests.view_fixture import with_sections

EN = load("en")


def pair(cpu: float, metal: float, **facts: Any) -> list[Run]:
    """Return both devices of one Mac at batch 4 and 64, the larger so much faster."""
    return [
        *runs({4: 10.0, 64: 10.0 * cpu}, "cpu", Machine(), **facts),
        *runs({4: 30.0, 64: 30.0 * metal}, "metal", Machine(), **facts),
    ]


@pytest.fixture(scope="module", name="mixed")
def one_workload_for_each_case(tmp_path_factory: pytest.TempPathFactory) -> Report:
    frozen = {"batch_size": 64, "trainable": "last"}
    own: list[dict[str, float | None]] = [{RATE: r} for r in (99.0, 100.0, 101.0)]
    more: list[dict[str, float | None]] = [{RATE: r} for r in (396.0, 400.0, 404.0)]
    stranger = runs({4: 90.0, 64: 80.0}, "cpu", Machine(), "alexnet")
    flagged, *good = runs({4: 10.0, 64: 90.0}, workload="vgg16")
    one = [
        *runs({8: 100.0, 64: 400.0, 512: 90.0}, workload="lstm"),
        *runs({None: 100.0, 64: 400.0}, workload="mnist"),
        *runs({4: 100.0}, workload="mobilenetv2"),
        *runs({64: 400.0}, workload="mobilenetv2", precision="fp16"),
        *runs({4: 100.0}, workload="resnet18"),
        *runs({64: 400.0}, workload="resnet18", parameters=frozen),
        *[replace(flagged, flags=[("outlier", RATE)]), *good],
        *runs({4: 100.0, 64: 210.0}),
        *runs({4: 200.0, 32: 300.0, 64: 330.0}, precision="bf16"),
    ]
    two = [
        *measured(own, "metal", workload="distilbert", batch_size=4),
        *measured(more, "metal", workload="distilbert", batch_size=64),
        *[replace(run, source="another paper") for run in stranger],
        *runs({4: 90.0, 64: 80.0}, "metal", Machine(), "alexnet"),
        *pair(1.0, 1.0, workload="bert-large"),
        *runs({4: 50.0, 64: 60.0}, "cpu", Machine(), "mnist-cnn"),
        *runs({4: 60.0, 256: 90.0}, "metal", Machine(), "mnist-cnn"),
    ]
    return page(tmp_path_factory.mktemp("store"), [*one, *two])


def test_a_rise_and_a_fall_is_a_large_change(mixed):
    line = lines(mixed, paired=False)["LSTM"]

    assert list(ratios(line).values()) == pytest.approx([1, 4, 0.9])
    assert line.strong
    assert line.change.value == pytest.approx(0.9)


@pytest.mark.parametrize(
    "title",
    [
        pytest.param("MNIST MLP", id="an-unknown-batch-size"),
        pytest.param("MobileNetV2", id="another-precision"),
        pytest.param("ResNet-18", id="another-choice"),
    ],
)
def test_no_line_without_two_like_batch_sizes(mixed, title):
    assert title in {row.workload.title for row in mixed.values}
    assert title not in lines(mixed, paired=False)


def test_a_flagged_line_is_shown_but_never_stands_out(mixed):
    line = lines(mixed, paired=False)["VGG16"]

    assert line.flagged
    assert ratios(line)[64] == pytest.approx(9)
    assert not line.strong


def test_of_several_precisions_the_chart_has_the_plainest_and_the_table_all(mixed):
    system = next(one for one in known(mixed).systems if one.system.chip == "H200")

    found = {line.apart: line.quiet for line in system.lines if line.apart}
    assert found == {("fp32",): False, ("bf16",): True}
    assert "1 more line stands in the table only." in runs_text(EN, mixed, "batches")


def test_the_chart_names_the_precision_at_the_line_that_needs_it(mixed):
    plane = batches.chart(mixed, EN)

    assert plane
    labels = {stroke.label for panel in plane.panels for stroke in panel.strokes}
    assert {"ResNet-50 · fp32", "VGG16"} <= labels
    assert "ResNet-50 · fp32 2.1× at batch 64" in plane.alt


def test_a_precision_of_all_lines_stands_once_above_them(tmp_path):
    found = [
        run
        for workload in ("resnet50", "vgg16")
        for precision in ("fp32", "bf16")
        for run in runs({4: 9.0, 64: 99.0}, workload=workload, precision=precision)
    ]

    plane = batches.chart(page(tmp_path, found), EN)

    assert plane
    (panel,) = plane.panels
    assert panel.title == "H200 · CUDA · fp32"
    assert [stroke.label for stroke in panel.strokes] == ["ResNet-50", "VGG16"]
    assert "H200 · CUDA · fp32: ResNet-50 11.0× at batch 64; VGG16 11.0×" in plane.alt


def test_repeats_give_an_interval_on_the_chart_and_in_words(mixed):
    line = lines(mixed, paired=False)["DistilBERT"]
    last = line.levels[-1].ratio
    systems = tuple(replace(one, charted=True) for one in known(mixed).systems)
    section = replace(known(mixed), systems=systems)
    plane = batches.chart(with_sections(mixed, batches=section), EN)

    assert plane
    points = {point.run: point for panel in plane.panels for point in panel.points}
    assert last.low
    assert last.low < 4 < (last.high or 0)
    assert points[line.levels[-1].quantity.run].low == last.low


def test_the_cpu_of_another_paper_is_another_machine(mixed):
    assert "AlexNet" in lines(mixed, paired=False)
    assert "AlexNet" not in lines(mixed, paired=True)


def test_both_must_have_run_at_two_batch_sizes(mixed):
    assert "MNIST CNN" not in lines(mixed, paired=True)
    assert sum(
        line.workload.name == "mnist-cnn"
        for one in known(mixed).systems
        for line in one.lines
    ) == len(("cpu", "metal"))
