"""Batch size: what a larger batch changes, on each system."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.report import html
from benchdb.report.language import load
from benchdb.report.sections.batches import Batches, Line, words
from benchdb.report.view.atoms import Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import (
    chart_alt,
    runs_text,
    section_chart,
    section_lead,
)
from tests.published_page import TRANSCRIBED
from tests.published_page import page as published_page
from tests.report.section_page import section_of, to_rows
from tests.store_factory import Machine, Run
from tests.summary_page import RATE, measured, page
from tests.view_fixture import HOSTILE, empty, with_sections

H200 = Machine("Xeon", "Intel", None, 256, gpu="NVIDIA H200")


def runs(
    rates: Mapping[int | None, float],
    device: str = "cuda",
    machine: Machine = H200,
    workload: str = "resnet50",
    **facts: Any,
) -> list[Run]:
    """Return one run for each batch size, of so many samples per second."""
    run = Run(workload=workload, device=device, machine=machine)
    return [
        replace(run, values={RATE: rate}, columns={"batch_size": size, **facts})
        for size, rate in rates.items()
    ]


def known(report: Report) -> Batches:
    section: Batches = report.sections["batches"]
    return section


def lines(report: Report, *, paired: bool) -> dict[str, Line]:
    section = report.sections["batches"]
    every = section.lines(paired=paired) if section else ()
    return {line.workload.title: line for _, line in every}


def ratios(line: Line) -> dict[int, float]:
    return {level.batch_size: level.ratio.value for level in line.levels}


EN = load("en")
# Of MobileNetV2: which side of the ratio changed.
SIDES = "With larger batches, Metal trains 2.6× as fast and the CPU 0.51×"
# Seconds of an epoch on the CPU and with Metal, at batch 4 and 64, as published.
EPOCHS = {
    "MobileNetV2": ((223.114, 436.722), (45.1053, 17.1304)),
    "EfficientNet-B0": ((256.457, 497.738), (75.5186, 25.9332)),
    "ResNet-18": ((42.0526, 63.9026), (18.6082, 10.4345)),
    "VGG16": ((188.279, 217.384), (36.2760, 35.6578)),
    "AlexNet": ((35.9979, 18.0455), (10.7136, 4.97237)),
}


@pytest.fixture(scope="module", name="published")
def published_report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return published_page(tmp_path_factory.mktemp("store"), TRANSCRIBED)


@pytest.mark.parametrize("title", EPOCHS)
def test_published_pairs_give_the_ratios_of_their_seconds(published, title):
    cpu, metal = EPOCHS[title]
    line = lines(published, paired=True)[title]

    assert ratios(line) == pytest.approx(
        {4: cpu[0] / metal[0], 64: cpu[1] / metal[1]}, rel=1e-4
    )
    change = (cpu[1] / metal[1]) / (cpu[0] / metal[0])
    assert line.change.value == pytest.approx(change, rel=1e-4)
    assert line.strong == (change > 2.5)


def test_what_ran_in_one_way_stands_against_its_smallest_batch(published):
    own = lines(published, paired=False)

    assert ratios(own["BERT-Large"]) == pytest.approx({16: 1, 64: 193 / 131})
    assert all(level.cpu is None for level in own["BERT-Large"].levels)


def test_each_system_has_a_panel_pairs_first(published):
    plane = section_chart(EN, published, "batches")

    assert plane
    assert [(panel.title, panel.y.title) for panel in plane.panels] == [
        ("M1 Max · Metal · PyTorch", "Metal against CPU"),
        ("GeForce RTX 3090 · CUDA · TensorFlow", "against the smallest batch"),
        ("M1 Pro · Metal · TensorFlow", "against the smallest batch"),
    ]
    first, second, third = plane.panels
    assert [tick.label for tick in first.x.ticks] == ["4", "64"]
    assert (second.x.low, second.y.ends) == (third.x.low, third.y.ends)


def test_only_lines_that_change_much_stand_out(published):
    plane = section_chart(EN, published, "batches")

    assert plane
    looks = {stroke.label: stroke.look for stroke in plane.panels[0].strokes}
    assert [name for name, look in looks.items() if look == "0"] == [
        *("MobileNetV2", "EfficientNet-B0", "ResNet-18")
    ]
    assert plane.keys[0].text == "changes by more than 2.5×"


def test_the_alternative_text_tells_the_finding_with_its_numbers(published):
    said = chart_alt(EN, published, "batches")

    assert said.startswith(
        "With larger batches, Metal trains 1.02–2.9× as fast and the CPU 0.51–1.99×. "
        "M1 Max · Metal"
    )
    assert "MobileNetV2 from 4.9× at batch 4 to 25.5× at batch 64; " in said
    assert "BERT-Large 1.5× at batch 64; " in said
    assert runs_text(EN, published, "batches").startswith("One run per figure (n = 1)")


def test_the_lead_says_which_side_of_the_strongest_line_changed(published):
    assert section_lead(EN, published, "batches").endswith(
        "The ratio grows most for EfficientNet-B0 (M1 Max · Metal · PyTorch), by 5.7× "
        "from batch 4 to 64: Metal trains 2.9× as fast there, the CPU 0.52×."
    )


def test_every_figure_of_the_table_leads_to_its_run(published):
    levels = [
        level
        for one in known(published).systems
        for line in one.lines
        for level in line.levels
    ]
    figures = [q for level in levels for q in (level.quantity, level.cpu) if q]

    linked = to_rows(html.render(published, EN), "batches")

    assert sorted(linked) == sorted(f"run-{figure.run[:12]}" for figure in figures)


def test_markdown_has_a_row_for_each_batch_size(published):
    (table,) = words.tables(EN, known(published))

    assert table.rows[0] == (
        "M1 Max · Metal · PyTorch",
        "MobileNetV2",
        "4",
        "45.1\u00a0s",
        "223\u00a0s",
        "4.9×",
    )
    assert len(table.head) == len(table.rows[0]) <= 8


def test_at_most_four_systems_are_in_the_chart(tmp_path):
    macs = [Machine(f"M{number} Max") for number in range(1, 7)]
    report = page(
        tmp_path,
        [run for mac in macs for run in runs({4: 9.0, 64: 99.0}, "metal", mac)],
    )

    plane = section_chart(EN, report, "batches")

    assert plane
    assert len(plane.panels) == 4
    assert len(known(report).systems) == 6
    assert "M5 Max · Metal and M6 Max · Metal" in runs_text(EN, report, "batches")


@pytest.mark.parametrize(
    ("gains", "title"),
    [
        ([(3.0, "faster"), (1.2, "faster")], SIDES),
        ([(0.4, "slower"), (0.5, "slower")], SIDES),
        ([(3.0, "faster"), (0.4, "slower")], "Batch size"),
        ([(1.0, "even"), (1.01, "unclear")], "Batch size"),
        ([(3.0, "faster")], "Batch size"),
    ],
)
def test_the_heading_says_what_all_clear_lines_say(published, gains, title):
    one = known(published).systems[0]
    changed = tuple(
        replace(one.lines[0], change=Ratio(gain, verdict)) for gain, verdict in gains
    )
    section = replace(known(published), systems=(replace(one, lines=changed),))

    assert words.title(EN, section) == title


def test_an_empty_section_says_how_to_fill_it(tmp_path):
    report = page(tmp_path, runs({64: 100.0}))

    assert report.sections["batches"] is None
    assert (
        "benchdb collect --batch-size 16"
        in section_of(html.render(report, EN), "batches").text
    )
    assert section_chart(EN, empty(), "batches") is None
    assert section_lead(EN, empty(), "batches") == ""
    assert runs_text(EN, empty(), "batches") == ""


def test_hostile_names_stay_text(tmp_path):
    machines = [
        Machine(name or "nameless", "x") for name in (*HOSTILE[:3], *HOSTILE[-3:])
    ]
    found = [run for one in machines for run in runs({1: 1e-9, 2: 1e17}, "rocm", one)]

    shown = section_of(html.render(page(tmp_path, found), EN), "batches")

    assert not shown.all("script")
    assert not shown.all("img")
    assert "x" * 100 not in shown.text
    for element in shown.walk():
        assert "x" * 100 not in str(element.attributes)


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
    plane = section_chart(EN, mixed, "batches")

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

    plane = section_chart(EN, page(tmp_path, found), "batches")

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
    plane = section_chart(EN, with_sections(mixed, batches=section), "batches")

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
