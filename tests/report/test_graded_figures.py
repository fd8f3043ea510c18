"""Grades beside figures: a gate that failed once keeps all of its session out."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.report import language
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.listed import Ground
from benchdb.report.view.report_view import Report
from benchdb.report.wording import grades as words
from benchdb.store import results
from benchdb.store.database import open_database, writing
from tests.in_process import benchdb
from tests.store_factory import Machine, Run, add
from tests.summary_page import MINE, RATE, TRAINING, measured, page

EN = language.load("en")
SLOWER = {"M2": 5000.0, "M3": 4000.0, "M1": 2000.0}
GATES = ("device", "parameter_count", "loss", "reference_loss")
PASSED = {name: {"status": "passed"} for name in GATES}
FAILED = {**PASSED, "reference_loss": {"status": "failed", "found": 9.0}}


def checks(gates: dict[str, Any]) -> dict[str, Any]:
    return {"gates": gates, "steady": {"drift_pct": 0.1, "steady": True}}


def three(speed: float, first: dict[str, Any] = PASSED, **facts: Any) -> list[Run]:
    """Return three processes of each training; of the first these are the gates."""
    runs = [
        run
        for name in TRAINING
        for run in measured(
            [{RATE: speed, "step_seconds": 1 / speed}] * 3,
            "metal",
            workload=name,
            tier="standard",
            **facts,
        )
    ]
    return [
        replace(
            run,
            columns={
                **run.columns,
                "checks": checks(first if run.columns["replicate"] == 0 else PASSED),
            },
        )
        for run in runs
    ]


def fast_and_slow(gates: dict[str, Any]) -> list[Run]:
    """Return an M4 Max with these gates, and three slower machines without fault."""
    slower = [
        run
        for chip, speed in SLOWER.items()
        for run in three(speed, machine=Machine(f"Apple {chip}", ours=chip))
    ]
    return [*three(14_000.0, gates, machine=MINE), *slower]


@pytest.fixture(name="report")
def _report(tmp_path: Path) -> Report:
    return page(tmp_path, fast_and_slow(FAILED))


def test_its_rows_stay_in_the_table_with_the_grade_and_what_failed(report):
    rows = {row.system.chip: row for row in report.values}
    fast, slow = rows["M4 Max"], rows["M2"]

    assert fast.quantity
    assert slow.quantity
    assert (fast.quantity.grade, fast.quantity.label, fast.quantity.n) == (
        *("X", "measured", 3),
    )
    assert fast.against == (Ground("gate-failed", "reference_loss"),)
    assert (slow.quantity.grade, slow.against) == ("C", ())
    assert len(report.values) == 4 * len(TRAINING)


def test_the_list_has_the_grade_of_each_run(tmp_path):
    database = tmp_path / "results.sqlite"
    with writing(open_database(str(database), create=True)) as connection:
        first, *_ = [add(connection, run) for run in fast_and_slow(FAILED)]
        results.renew(connection)

    shown = benchdb("list", "--runs", "--db", database)
    result = json.loads(benchdb("list", "--runs", "--json", "--db", database).out)

    title, *lines = shown.out.splitlines()
    at = title.index("grade")
    assert {line[at:].split()[0] for line in lines if first[:12] in line} == {"X"}
    assert {run["grade"] for run in result} == {"X", "C"}
    assert [run["grade"] for run in result].count("X") == 3 * len(TRAINING)
    assert {run["label"] for run in result} == {"measured"}


def quantities(*pairs: tuple[str, str]) -> tuple[Quantity, ...]:
    return tuple(Quantity(1.0, "s", "r", grade=g, label=name) for g, name in pairs)


def test_what_all_figures_share_is_said_once_and_beside_none():
    figures = quantities(("I", "transcribed"), ("I", "transcribed"))
    known = words.grades(figures)

    assert words.grades_text(EN, known) == "Grade of every figure: I (transcribed)."
    assert words.grade_mark(figures[0], known) == ""


def test_figures_of_several_grades_bear_the_letter_that_implies_the_label():
    figures = quantities(("I", "transcribed"), ("A", "measured"), ("C", "measured"))
    known = words.grades(figures)
    text = words.grades_text(EN, known)

    assert "A, C (measured, contributed); I (transcribed)" in text
    assert [words.grade_mark(figure, known) for figure in figures] == ["I", "A", "C"]
    assert {words.label_mark(EN, figure, known) for figure in figures} == {""}


def test_a_letter_that_implies_no_label_has_it_beside_it():
    figures = quantities(("I", "transcribed"), ("I", "claimed"))
    known = words.grades(figures)

    marks = [
        (words.grade_mark(figure, known), words.label_mark(EN, figure, known))
        for figure in figures
    ]
    assert marks == [("I", "transcribed"), ("I", "claimed")]
