"""What is said of a rerun: the figures first, then all that was not the same."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.cli.reproduction import lines
from benchdb.compare.reproduced import Judgement, judge
from benchdb.store.database import open_database
from tests.compared import M1_TOO, M2, campaign, stored
from tests.store_factory import Run

PROGRAM = {"collector": "with_torch", "collector_version": "1", "seed": 0}
OLD = PROGRAM | {"collector_sha256": "a" * 64}


def seeded(runs: list[Run]) -> list[Run]:
    """Return *runs* with the seeds of their processes: that of the campaign, and on."""
    return [
        replace(run, columns={**run.columns, "seed": run.columns["seed"] + number})
        for number, run in enumerate(runs)
    ]


def judgement(tmp_path: Path, speed: float, **facts: Any) -> tuple[Judgement, str]:
    """Return what is said of a rerun with *speed*, and the line that says it."""
    columns = OLD | {"mine": True} | facts.pop("columns", {})
    first = seeded(campaign("first", 100.0, columns=OLD))
    again = seeded(campaign("again", speed, day=2, columns=columns, **facts))
    path = tmp_path / "r.sqlite"
    original, *_ = stored(path, [*first, *again])
    result = judge(open_database(str(path)), original, "again")
    assert result is not None
    return result, next(lines(result, original))


@pytest.mark.parametrize(
    ("speed", "facts", "line"),
    [
        (100.4, {}, "reproduced within 0.4 %, with the same seed"),
        (
            100.4,
            {"columns": {"seed": 9}},
            "reproduced within 0.4 %, with another seed",
        ),
        (
            99.0,
            {"machine": M1_TOO},
            "reproduced within 1.1 % on another machine, with the same seed",
        ),
        (
            99.0,
            {"machine": M1_TOO, "columns": {"seed": 9}},
            "replicated within 1.1 % on another machine, with another seed",
        ),
        (
            100.0,
            {"version": "2.6.0"},
            "reproduced within 0.0 %, with the same seed; conditions differ: framework",
        ),
        (
            100.0,
            {"columns": {"collector_sha256": "b" * 64}},
            "reproduced within 0.0 %, with the same seed; conditions differ: collector "
            "program",
        ),
        (90.0, {}, "differs: slower by 10.0 % (5.5 to 14.3 %)"),
        (
            111.0,
            {"version": "2.6.0"},
            "differs: faster by 11.0 % (5.7 to 16.5 %); conditions differ: framework",
        ),
        (
            100.0,
            {"machine": M2},
            "conditions differ: accelerator; faster by 0.0 %, 95 % interval 0.95–1.05×",
        ),
        (
            100.0,
            {"columns": {"precision": "bf16"}},
            "conditions differ: precision; faster by 0.0 %, 95 % interval 0.95–1.05×",
        ),
        (
            100.0,
            {"columns": {"conditions_before": {"load_1m": 9, "cpu_count_usable": 8}}},
            "unclear: faster by 0.0 %, 95 % interval 0.95–1.05×; more other work ran "
            "beside one of them; conditions differ: load",
        ),
    ],
)
def test_the_answer_is_a_line(speed, facts, line, tmp_path):
    assert judgement(tmp_path, speed, **facts)[1] == line


def test_each_condition_that_differs_has_a_line_with_both(tmp_path):
    columns = {"collector_sha256": "b" * 64}

    result, _ = judgement(tmp_path, 100.0, version="2.6.0", columns=columns)

    assert [*lines(result, "f" * 64)][1:] == [
        "  run ffffffffffff  100 img/s, n = 3",
        "  this time         100 img/s, n = 3",
        "  framework: torch 2.5.0 → torch 2.6.0",
        "  collector program: aaaaaaaaaaaa → bbbbbbbbbbbb",
    ]


def test_processes_that_failed_are_said_whatever_the_others_did(tmp_path):
    failed = {"gates": {"loss": {"status": "failed"}}}
    first = campaign("first", 100.0, columns=OLD)
    good = campaign("again", 100.0, day=2, columns=OLD | {"mine": True})
    bad = campaign(
        *("again", 100.0),
        shares=(1.0,),
        day=2,
        columns=OLD | {"mine": True, "replicate": 3, "checks": failed},
    )
    path = tmp_path / "r.sqlite"
    original, *_ = stored(path, [*first, *good, *bad])

    result = judge(open_database(str(path)), original, "again")

    assert result is not None
    assert next(lines(result, original)) == (
        "not reproduced: process 4 failed the gate loss"
    )


def test_how_far_either_is_trusted_is_no_condition_of_its_measurement(tmp_path):
    gates = ("device", "parameter_count", "loss")
    passed = {name: {"status": "passed"} for name in gates}

    result, line = judgement(tmp_path, 100.0, columns={"checks": {"gates": passed}})

    assert line == "reproduced within 0.0 %, with the same seed"
    assert result.conditions == ()


def test_a_campaign_without_a_run_yet_is_not_judged(tmp_path):
    original, *_ = stored(tmp_path / "r.sqlite", campaign("first", 100.0))

    engine = open_database(str(tmp_path / "r.sqlite"))

    assert judge(engine, original, "again") is None
