"""The page of what others published: doubts, copies, older versions, sameness."""

import pytest
from msgspec.structs import replace

from benchdb.report import html
from benchdb.report.language import load
from benchdb.report.markdown import page as markdown
from benchdb.report.summary import summarise
from benchdb.report.view.page import Report
from tests.store_factory import Machine, Run, add, new_store
from tests.summary_page import FIT, WALL, answers, page, published

EN = load("en")
OLD, NEW = "a" * 64, "b" * 64
PEAK = {"stated": 300.0, "peak": 10.6, "chip": "M1 Max", "mode": "any"}


def pays(report: Report) -> set[str]:
    named = answers(report)["metal"].facts["pays"]
    assert isinstance(named, list)
    return set(named)


def test_a_finding_is_a_note_and_keeps_its_figure_out_of_the_headline(tmp_path):
    slow, fast = published("M1 Max", 400.0), published("M1 Max", 100.0, "metal")
    doubtful = replace(fast[0], findings=[("above-peak", WALL, PEAK)])

    plain = page(tmp_path, [*slow, *fast])
    (tmp_path / "other").mkdir()
    found = page(tmp_path / "other", [*slow, doubtful, *fast[1:]])

    four = {"ResNet-50", "MobileNetV2", "DistilBERT", "LSTM"}
    assert pays(plain) == four
    assert pays(found) == four - {"ResNet-50"}
    (note,) = found.notes
    assert (note.code, note.detail["peak"], note.detail["metric"]) == (
        "above-peak",
        10.6,
        WALL,
    )


def test_what_a_source_flags_itself_is_not_told_twice(tmp_path):
    run = Run(
        values={WALL: 9.0},
        flags=[("outlier", WALL)],
        findings=[("outlier", WALL, {"seconds": 9.0}), ("outlier", "", {})],
    )

    report = page(tmp_path, [run])

    assert [note.code for note in report.notes] == ["outlier"]


def test_processes_of_merged_machines_keep_their_own_memory(tmp_path):
    engine = new_store(tmp_path / "results.sqlite")
    with engine.begin() as connection:
        for ram in (16, 64):
            mac = Machine("M2", ram_gib=ram, ours="me")
            add(connection, Run(machine=mac, source=None, values={FIT: float(ram)}))
        report = summarise(connection)

    assert len(report.machines) == 1
    assert len({row.system.ram_bytes for row in report.values}) == 2


def test_what_a_source_gives_after_the_sign_stays_there(tmp_path):
    metric = "tokens_per_second"
    run = Run(
        "llama-bench/pp512",
        values={metric: 512.3},
        printed={metric: "512.30 ± 4.56"},
        uncertainties={metric: 4.56},
    )

    report = page(tmp_path, [run])

    (row,) = report.values
    assert row.quantity
    assert (row.quantity.low, row.quantity.uncertainty) == (None, "4.56")
    assert "512.30 ± 4.56\u00a0tokens/s".replace(" ", "\u00a0") in html.render(
        report, EN
    )


def test_how_a_tool_came_by_its_figure_is_told(tmp_path):
    metric = "command_wall_seconds"
    made = {metric: "median of 20 executions"}
    run = Run("hyperfine/sleep", values={metric: 0.1}, derived=made)

    shown = html.render(page(tmp_path, [run]), EN)

    assert "median of 20 executions" in shown


@pytest.mark.parametrize("value", [1e300, -1e300, 5e-324, 0.0])
def test_numbers_that_are_no_speeds_break_nothing(tmp_path, value):
    runs = [
        Run(device=device, machine=Machine(chip), values={WALL: value, FIT: value})
        for device in ("cpu", "metal")
        for chip in ("M1", "M2", "M3")
    ]

    report = page(tmp_path, runs)

    assert len(report.values) == len(runs)
    assert len(html.render(report, EN)) < 100_000
    assert markdown.render(report, EN, {})
