"""Batch size: what a larger batch changes, on each system."""

import pytest
from msgspec.structs import replace

from benchdb.report import html
from benchdb.report.charts import batches
from benchdb.report.language import load
from benchdb.report.sections.batches import words
from benchdb.report.view.atoms import Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import chart_alt, runs_text, section_lead
from tests.batch_runs import known, lines, ratios, runs
from tests.published_page import TRANSCRIBED
from tests.published_page import page as published_page
from tests.section_page import section_of, to_rows
from tests.store_factory import Machine
from tests.summary_page import page
from tests.view_fixture import HOSTILE, empty

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
    plane = batches.chart(published, EN)

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
    plane = batches.chart(published, EN)

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

    plane = batches.chart(report, EN)

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
    assert batches.chart(empty(), EN) is None
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
