"""The page of what others published: doubts, copies, older versions, sameness."""

from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.report import html
from benchdb.report.language import load
from benchdb.report.markdown import page as markdown
from benchdb.report.summary import summarise
from benchdb.report.view.page import Report
from benchdb.store.machines import merge
from benchdb.store.tables import machine
from tests.store_factory import Machine, Run, add, new_store
from tests.summary_page import FIT, WALL, answers, page, published, three_published

EN = load("en")
OLD, NEW = "a" * 64, "b" * 64
PEAK = {"stated": 300.0, "peak": 10.6, "chip": "M1 Max", "mode": "any"}


def told(run: Run, slug: str, **facts: Any) -> Run:
    """Return the same run as the source *slug* tells it."""
    return replace(run, source=slug, told=facts)


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


@pytest.mark.parametrize(
    ("code", "metric", "facts"),
    [
        (
            "impossible-os",
            "",
            {"chip": "M1 Max", "os_version": "11.0", "first": "12.0"},
        ),
        (
            "slower-in-larger-batches",
            WALL,
            {"batch_size": 128, "smaller_batch_size": 64, "peers": 1},
        ),
    ],
)
def test_a_doubt_that_may_be_none_about_the_speed_stands_in_the_table_alone(
    tmp_path, code, metric, facts
):
    runs = [
        replace(run, findings=[(code, metric, facts)])
        for run in (*published("M1 Max", 400.0), *published("M1 Max", 100.0, "metal"))
    ]

    report = page(tmp_path, runs)

    assert answers(report)["metal"].low == pytest.approx(4.0)
    assert {note.code for note in report.notes} == {code}
    assert all(row.quantity.notes for row in report.values if row.quantity)


def test_an_older_version_counts_until_its_owner_decides_otherwise(tmp_path):
    newer = [
        told(run, "blog", document_sha256=NEW, supersedes=[OLD])
        for run in three_published()
    ]
    older = [
        told(replace(run, values={WALL: 9.0}), "blog", title="Old", document_sha256=OLD)
        for run in published("M9", 9.0, "metal")
    ]

    report = page(tmp_path, [*newer, *older])

    assert "M9" in {row.system.chip for row in report.sections["ranking"].rows}
    assert "M9" in {row.chip for row in report.machines}
    assert report.notes == ()
    assert {one.title: (one.runs, one.left_out) for one in report.sources} == {
        "Blog": (12, 0),
        "Old": (4, 0),
    }


def test_figures_told_twice_count_where_they_were_told_first(tmp_path):
    first = [
        replace(told(run, "first", published="2023-01-01"), figures=(run.workload, 4))
        for run in published("M1", 800.0)
    ]
    echo = [
        replace(told(run, "echo", published="2024-01-01"), figures=(run.workload, 4))
        for run in published("M1", 800.0)
    ]
    own = told(Run(workload="lstm", device="metal", values={WALL: 7.0}), "echo")

    report = page(tmp_path, [*first, *echo, replace(own, told=echo[0].told)])

    assert {note.code for note in report.notes} == {"same-figures"}
    assert report.notes[0].detail == {"original": "First (first)"}
    assert len(report.notes[0].runs) == 4
    assert sum(row.runs for row in report.machines) == 5
    assert {one.slug: one.left_out for one in report.sources} == {"first": 0, "echo": 4}
    # The echo's own figure pairs with nothing: its CPU side is the original's.
    assert report.sections["metal"] is None


def test_machines_merged_by_hand_are_one(tmp_path):
    engine = new_store(tmp_path / "results.sqlite")
    terse = Machine("M1 Max", model=None, ram_gib=None)
    with engine.begin() as connection:
        add(connection, Run(machine=Machine("M1 Max"), values={WALL: 9.0}))
        add(connection, Run(machine=terse, device="metal", values={WALL: 3.0}))
        apart = summarise(connection)
        merge(connection, *connection.scalars(machine.select()))
        together = summarise(connection)

    assert [len(apart.machines), apart.sections["metal"]] == [2, None]
    (row,) = together.machines
    assert (row.model, row.runs) == ("MacBook", 2)
    assert together.sections["metal"]
    assert together.sections["metal"].groups[0].rows[0].ratio


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
