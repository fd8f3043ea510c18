"""Grades of stored runs: which runs are one cell, and what each of them found."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict
from sqlalchemy import Connection, create_engine, insert

from benchdb.exchange.packing import Series, pack
from benchdb.store import tables
from benchdb.store.run_grades import grade_of, processes_of
from tests.in_process import benchdb
from tests.store_factory import Machine, Run, add, new_store

COMMITTED = Path(__file__).parents[2] / "results.sqlite"
CHECKS: dict[str, Any] = {
    "gates": {
        name: {"status": "passed"} for name in ("device", "parameter_count", "loss")
    },
    "steady": {"drift_pct": 0.1, "steady": True},
    "during": {"thermal_pressure_max": "nominal"},
}
QUIET = {"load_1m": 0.5, "cpu_count_usable": 10}
LOADED = {"load_1m": 9.0, "cpu_count_usable": 10}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with new_store(tmp_path / "grades.sqlite").begin() as connection:
        yield connection


def measured(replicate: int, *, seconds: float | None = 0.1, **columns: Any) -> Run:
    """Return a process of a campaign, begun *replicate* minutes into it."""
    usual = {
        "campaign": "monday",
        "tier": "standard",
        "replicate": replicate,
        "started": f"2026-03-02T10:{replicate:02}:00+00:00",
        "ended": f"2026-03-02T10:{replicate:02}:50+00:00",
        "checks": CHECKS,
        "conditions_before": QUIET,
    }
    return Run(
        device="metal",
        machine=Machine(ours="0011223344556677"),
        source=None,
        sampled=False,
        values={} if seconds is None else {"step_seconds": seconds},
        columns=usual | columns,
    )


def five(connection: Connection, **columns: Any) -> list[str]:
    return [add(connection, measured(turn, **columns)) for turn in range(5)]


def letter(connection: Connection, digest: str) -> str | None:
    grade = grade_of(connection, digest)
    return grade.letter if grade else None


def test_the_processes_of_a_cell_are_graded_together(connection):
    digests = five(connection)

    grades = {letter(connection, digest) for digest in digests}
    facts = processes_of(connection, digests[3])

    assert grades == {"A"}
    assert [fact.seconds for fact in facts] == [0.1] * 5


@pytest.mark.parametrize(
    "column",
    [
        {"campaign": "tuesday"},
        {"campaign": None},
        {"batch_size": 64, "parameters": {"batch_size": 64}},
        {"precision": "bf16"},
        {"precision": None},
        {"compiler": None},
        {"tier": "smoke"},
        {"setting": "reference"},
        {"label": "imported"},
    ],
    ids=str,
)
def test_a_run_of_another_cell_or_campaign_does_not_count(connection, column):
    digests = five(connection)
    other = add(connection, measured(5, seconds=0.5, **column))

    assert letter(connection, digests[0]) == "A"
    assert len(processes_of(connection, other)) == 1


@pytest.mark.parametrize("checks", [CHECKS, {}], ids=["checked", "unchecked"])
def test_runs_without_a_campaign_are_one_cell_if_all_else_is_equal(connection, checks):
    digests = five(connection, campaign=None, checks=checks)

    grade = grade_of(connection, digests[0])

    assert len(processes_of(connection, digests[0])) == 5
    assert grade is not None
    assert grade.processes == 5


@pytest.mark.parametrize(
    ("columns", "figures"),
    [
        # One that was measured again is left out; one that failed for good counts.
        ({"replicate": 2, "status": "failed", "started": "2026-03-02T09:59"}, {}),
        ({"replicate": 5, "status": "oom"}, {"process-failed": 1}),
    ],
)
def test_a_process_that_failed_for_good_counts(connection, columns, figures):
    digests = five(connection)
    add(connection, measured(seconds=None, **columns))

    grade = grade_of(connection, digests[0])

    assert grade is not None
    assert grade.figures == figures


def gate(name: str, status: str) -> dict[str, Any]:
    gates = CHECKS["gates"] | {name: {"status": status}}
    return CHECKS | {"gates": gates}


def test_to_measure_again_undoes_no_gate_that_failed(connection):
    digests = five(connection)
    failed = gate("loss", "failed")
    add(connection, measured(2, seconds=None, status="failed", checks=failed))

    assert {letter(connection, digest) for digest in digests} == {"X"}


LATER = "2026-03-02T12:{:02}:00+00:00"  # after a pause: another session


@pytest.mark.parametrize(
    ("looked_at", "expected"), [("not-checked", "X"), ("passed", "C")]
)
def test_a_gate_that_failed_counts_in_sessions_that_did_not_look_at_it(
    connection, looked_at, expected
):
    add(connection, measured(0, checks=gate("doubling", "failed")))
    resumed = [
        add(
            connection,
            measured(
                turn,
                checks=gate("doubling", looked_at),
                started=LATER.format(turn),
                ended=LATER.format(turn),
            ),
        )
        for turn in (1, 2)
    ]

    grades = [grade_of(connection, digest) for digest in resumed]

    assert [grade.letter for grade in grades if grade] == [expected] * 2
    if expected == "X":
        assert {grade.figures["gate-failed"] for grade in grades if grade} == {
            "doubling"
        }


def test_a_run_without_any_figure_has_no_grade(connection):
    digest = add(connection, measured(0, seconds=None, status="oom"))
    nothing = Run("lstm", values={}, columns={"status": "not-measured"})

    assert grade_of(connection, digest) is None
    assert grade_of(connection, add(connection, nothing)) is None


def sampled(connection: Connection, run: str, *series: Series) -> None:
    count = sum(len(phase.values) for phase in series)
    row = {"run": run, "count": count, "packed": pack(series)}
    connection.execute(insert(tables.samples).values(row))


def test_blocks_that_vary_are_seen_in_the_samples(connection):
    digests = five(connection)
    series = (
        Series("warmup", 1, (9.0, 9.0)),
        Series("measure", 4, (4.0, 4.0, 4.4, 4.8, 5.2)),
    )
    sampled(connection, digests[1], *series)

    facts = processes_of(connection, digests[0])

    assert [fact.iqr_percent for fact in facts] == [
        None,
        pytest.approx(100 * (1.2 - 1.0) / 1.1),
        *[None] * 3,
    ]
    assert letter(connection, digests[0]) == "C"


@pytest.mark.parametrize(("count", "percent"), [(3, None), (4, 60.0)])
def test_it_takes_four_blocks_to_see_how_they_vary(connection, count, percent):
    digest = add(connection, measured(0))
    sampled(connection, digest, Series("measure", 1, (1.0, 2.0, 3.0, 4.0)[:count]))

    assert processes_of(connection, digest)[0].iqr_percent == percent


def loads(connection: Connection, digest: str) -> list[float | None]:
    return [facts.load_per_cpu for facts in processes_of(connection, digest)]


QUIET_FIRST = {"ended": "2026-03-02T10:00:00+00:00"}
OTHER_LOADED = {"conditions_before": LOADED, "precision": "bf16"}


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        # The load of our own processes is not held against the next, of any cell.
        ([{}, *[{"conditions_before": LOADED}] * 4], [0.05] * 5),
        ([{"precision": "bf16"}, {"conditions_before": LOADED}], [0.05]),
        # A load that was there before us stays one.
        ([{"conditions_before": LOADED}] * 5, [0.9] * 5),
        # After a pause it is somebody else's again.
        (
            [
                QUIET_FIRST,
                {"conditions_before": LOADED, "started": "2026-03-02T10:03:00+00:00"},
            ],
            [0.05, 0.05],
        ),
        (
            [
                QUIET_FIRST,
                {"conditions_before": LOADED, "started": "2026-03-02T10:03:01+00:00"},
            ],
            [0.05, 0.9],
        ),
        # One that found less than the first was not disturbed.
        ([{"conditions_before": LOADED}, {}], [0.9, 0.05]),
        # A time that tells nothing leaves each run its own load.
        ([{}, OTHER_LOADED | {"started": None}], [0.9]),
        ([{}, OTHER_LOADED | {"started": "last Monday"}], [0.9]),
        ([{}, OTHER_LOADED | {"started": "2026-03-02T10:01:00"}], [0.05]),
    ],
)
def test_a_load_is_held_against_a_process_unless_it_was_our_own(
    connection, runs, expected
):
    digests = [
        add(connection, measured(turn, **columns)) for turn, columns in enumerate(runs)
    ]

    factses = processes_of(connection, digests[-1])

    assert [facts.load_per_cpu for facts in factses] == expected
    if len(runs) == 5:
        assert letter(connection, digests[0]) == ("A" if expected[-1] < 0.1 else "C")


def test_what_the_rules_found_counts_like_a_flag(connection):
    run = add(connection, Run(values={"script_wall_seconds": 10.0}))
    doubt = {"run": run, "code": "unit-contradiction", "metric": "", "detail": {}}
    connection.execute(insert(tables.finding).values(doubt))

    grade = grade_of(connection, run)

    assert grade is not None
    assert (grade.letter, grade.figures["implausible"]) == ("X", "unit-contradiction")


def test_flags_are_told_with_what_they_are_about(connection):
    plain = measured(0)
    flagged = Run(
        **asdict(plain) | {"flags": (("above-peak", "step_seconds"), ("outlier", None))}
    )

    grade = grade_of(connection, add(connection, flagged))

    assert grade is not None
    assert (grade.letter, grade.figures) == ("X", {"implausible": "above-peak"})


def test_a_published_time_is_graded_by_the_metric_it_has(connection):
    digest = add(connection, Run(values={"script_wall_seconds": 60.0}))

    facts = processes_of(connection, digest)

    assert [fact.seconds for fact in facts] == [60.0]
    assert letter(connection, digest) == "I"


def test_a_published_rate_without_a_time_is_an_i_as_well(connection):
    rate = add(connection, Run(values={"fit_samples_per_second": 140.0}))

    assert letter(connection, rate) == "I"


def kept(path: Path, runs: list[Run]) -> tuple[Path, str]:
    """Store *runs* in a user's database; return it with the first one's digest."""
    database = path / "shown.sqlite"
    database.write_bytes(COMMITTED.read_bytes())
    with create_engine(f"sqlite:///{database}").begin() as connection:
        digests = [add(connection, run) for run in runs]
    return database, digests[0]


def test_show_tells_the_grade_and_why(tmp_path):
    busy = {**LOADED, "power_source": "battery"}
    runs = [measured(turn, conditions_before=busy) for turn in range(3)]

    database, run = kept(tmp_path, runs)

    lines = benchdb("show", run, "--db", database).out.splitlines()
    result = json.loads(benchdb("show", run, "--json", "--db", database).out)

    reasons = "3 processes; busy before: load 0.9 for each CPU; on battery"
    assert f"grade       C ({reasons})" in lines
    assert result["grade"] == {
        "letter": "C",
        "processes": 3,
        "reasons": ["busy", "few-processes", "battery"],
        "figures": {"busy": 0.9, "few-processes": 3},
    }


def test_show_says_that_there_is_nothing_to_grade(tmp_path):
    nothing = measured(0, seconds=None, status="oom", reason="no memory left")
    database, run = kept(tmp_path, [nothing])

    lines = benchdb("show", run, "--db", database).out.splitlines()

    assert lines[:2] == ["figure      –", "grade       –, there is no figure to judge"]
