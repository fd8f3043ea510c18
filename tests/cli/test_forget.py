"""What is forgotten goes with all that only it used, and stays away."""

import json
import os
import pty
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchdb.resources import folder
from benchdb.store.database import open_database
from tests import command_line
from tests.contents import contents
from tests.in_process import benchdb
from tests.proposed_sources import lone_source

FIXTURES = Path(__file__).parents[1] / "fixtures"
PUBLISHED = folder("published")
BENCH, NEEDLE = PUBLISHED / "m1tensorbench.jsonl", PUBLISHED / "needle-metal.jsonl"
LEFT_OUT = "45 runs were forgotten here, left out ('benchdb forget --list')"
# What was read, and what was forgotten, is no result.
_NOTES = ("imported_file", "source_file", "forgotten")


@pytest.fixture
def db(backend, two_runs) -> str:
    location: str = backend.holding(BENCH, NEEDLE, two_runs)
    return location


def results(location: object) -> dict[str, list[Any]]:
    groups = contents(open_database(str(location)))
    return {name: rows for name, rows in groups.items() if name not in _NOTES}


def forget(location: object, *arguments: object) -> str:
    done = benchdb("forget", *arguments, "--db", location)
    assert done.status == 0, done.err
    return done.out


def forgotten(location: object) -> list[dict[str, Any]]:
    outcome = benchdb("forget", "--list", "--json", "--db", location)
    return list(json.loads(outcome.out))


def sound(location: object) -> bool:
    done = benchdb("db", "check", "--db", location)
    return done.status == 0 or pytest.fail(done.out)


def machines(location: object) -> list[dict[str, Any]]:
    return list(json.loads(benchdb("machines", "list", "--json", "--db", location).out))


def runs(location: object, **of: str) -> list[str]:
    named = [word for name, value in of.items() for word in (f"--{name}", value)]
    listed = benchdb("list", *named, "--runs", "--json", "--db", location)
    return [load["digest"] for load in json.loads(listed.out)]


def test_a_forgotten_source_leaves_what_was_there_without_it(backend, db, two_runs):
    other = backend.database()
    benchdb("import", NEEDLE, two_runs, "--db", other)

    text = forget(db, "m1tensorbench", "--yes")

    assert text.splitlines()[0].endswith(", m1tensorbench: 45 runs")
    assert "1 source, 5 machines, 2 environments" in text
    assert results(db) == results(other)
    assert sound(db)


def test_it_stays_away_however_often_its_file_is_imported(backend, db, two_runs):
    other = backend.database()
    benchdb("import", NEEDLE, two_runs, "--db", other)
    forget(db, "m1tensorbench", "--yes")

    for _ in range(2):
        done = benchdb("import", BENCH, NEEDLE, "--db", db)

        assert done.status == 0
        assert f"{BENCH}: 45 runs, 0 new\n{BENCH}: {LEFT_OUT}\n" in done.out
        assert f"{NEEDLE}: 10 runs, 0 new (file imported before)" in done.out
    assert results(db) == results(other)


def test_what_is_undone_comes_with_the_next_import(db):
    before = results(db)
    forget(db, "m1tensorbench", "--yes")
    (act,) = forgotten(db)

    undone = forget(db, "--undo", act["id"][:8])
    without = results(db)
    first, second = (benchdb("import", BENCH, "--db", db).out for _ in range(2))

    assert (act["runs"], act["source"]) == (45, True)
    assert undone.endswith("another import of its file takes 45 runs again\n")
    assert len(without["run"]) == len(before["run"]) - 45
    assert first == f"{BENCH}: 45 runs, 45 new\n"
    assert second == f"{BENCH}: 45 runs, 0 new (file imported before)\n"
    assert results(db) == before
    assert forgotten(db) == []


def test_a_source_without_runs_is_forgotten_as_well(db, tmp_path):
    before, file = results(db), tmp_path / "friend.jsonl"
    file.write_text(lone_source("friend"))
    benchdb("import", file, "--db", db)

    forget(db, "source:friend", "--yes")
    again = benchdb("import", file, "--db", db)

    assert "1 source was forgotten here, left out" in again.out
    assert results(db) == before
    forget(db, "--undo", forgotten(db)[0]["id"])
    benchdb("import", file, "--db", db)
    assert len(results(db)["source"]) == len(before["source"]) + 1


def test_what_comes_later_from_a_forgotten_source_stays_away_too(tmp_path):
    db, half = tmp_path / "results.sqlite", tmp_path / "half.jsonl"
    lines = BENCH.read_text().splitlines(keepends=True)
    half.write_text("".join(lines[: len(lines) // 2]))
    benchdb("import", half, "--db", db)
    assert 0 < len(runs(db)) < 45

    forget(db, "m1tensorbench", "--yes")
    done = benchdb("import", BENCH, "--db", db)

    assert LEFT_OUT in done.out
    assert runs(db) == []
    assert all(not rows for name, rows in results(db).items() if name != "made_by")


def test_a_forgotten_run_leaves_what_others_use(db, two_runs):
    before = results(db)
    first, second = runs(db, label="measured")

    forget(db, first[:16], "--yes")
    done = benchdb("import", two_runs, "--db", db)

    after = results(db)
    assert "1 run was forgotten here, left out" in done.out
    for shared in ("machine", "environment", "chip", "source"):
        assert after[shared] == before[shared]
    assert runs(db, label="measured") == [second]

    forget(db, f"run:{second[:16]}", "--yes")
    benchdb("import", two_runs, "--db", db)
    assert len(results(db)["machine"]) == len(before["machine"]) - 1
    assert len(forgotten(db)) == 2
    assert sound(db)


def test_a_forgotten_machine_takes_its_runs_along(db):
    listed = machines(db)
    chosen = next(item for item in listed if item["runs"] == 10)
    before = results(db)

    text = forget(db, f"machine:{chosen['digest'][:12]}", "--yes")
    again = benchdb("import", BENCH, NEEDLE, "--db", db)

    assert ": 10 runs\n" in text
    assert "10 runs were forgotten here, left out" in again.out
    assert machines(db) == [item for item in listed if item != chosen]
    assert len(results(db)["run"]) == len(before["run"]) - 10
    assert sound(db)


def test_machines_merged_by_hand_stay_merged_when_one_of_them_is_forgotten(db):
    first, second, third = (machine["digest"] for machine in machines(db)[:3])
    for other in (second, third):
        assert benchdb("machines", "merge", first, other, "--db", db).status == 0

    forget(db, f"machine:{first}", "--yes")

    result = {machine["digest"]: machine["same_as"] for machine in machines(db)}
    assert first not in result
    assert result[second] == result[third]
    assert sound(db)


def test_the_campaign_before_is_the_newest_again(tmp_path, two_runs):
    db, later = tmp_path / "results.sqlite", tmp_path / "later.jsonl"
    text = two_runs.read_text()
    later.write_text(text.replace("2026-01", "2026-02"))
    benchdb("import", two_runs, "--db", db)
    before = results(db)
    benchdb("import", later, "--db", db)
    grafted = set(runs(db)) - {row[0] for row in before["run"]}
    assert results(db)["newest"] != before["newest"]

    for item in grafted:
        forget(db, item, "--yes")

    assert results(db) == before


@pytest.fixture(scope="module")
def kept(tmp_path_factory, two_runs) -> Path:
    """A database that nobody changes, for what is refused."""
    path: Path = tmp_path_factory.mktemp("kept") / "results.sqlite"
    assert benchdb("import", BENCH, NEEDLE, two_runs, "--db", path).status == 0
    return path


def test_nothing_is_forgotten_without_a_yes_where_nobody_can_be_asked(kept):
    db, before = kept, results(kept)

    done = benchdb("forget", "m1tensorbench", "--db", db)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "45 runs" in done.out
    assert "nobody can be asked, so say --yes" in done.err
    assert results(db) == before
    assert forgotten(db) == []


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 2**16).decode()
    except OSError:  # Linux says so where nobody is at the other end any more
        return ""


@pytest.mark.parametrize(("answer", "left"), [(b"n\n", 45), (b"y\n", 0)])
def test_a_terminal_is_asked(tmp_path, answer, left):
    db = tmp_path / "results.sqlite"
    benchdb("import", BENCH, "--db", db)
    ours, theirs = pty.openpty()
    os.write(ours, answer)

    command = [sys.executable, "-m", "benchdb", "forget", "m1tensorbench", "--db", db]
    done = subprocess.run(
        list(map(str, command)), stdin=theirs, stdout=theirs, stderr=theirs, check=False
    )
    os.close(theirs)

    text = "".join(iter(lambda: _read(ours), ""))
    assert done.returncode == 0
    assert "Forget it? [y/N]" in text
    assert len(runs(db)) == left


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "no run, machine or source 'nope'; 'benchdb list', "),
        (["run:m1tensorbench"], "no run 'm1tensorbench'; "),
        (["machine:"], "no machine ''; "),
        (["%"], "no run, machine or source '%'; "),
        ([], "name one run, machine or source; or give --list, or --undo ID"),
        (["x", "--list"], "name one run, machine or source; or give --list"),
        (["--undo", "abc"], "nothing was forgotten as 'abc'; 'benchdb forget --list'"),
    ],
)
def test_what_names_nothing_is_wrong_use(kept, arguments, message):
    done = benchdb("forget", *arguments, "--yes", "--db", kept)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err


def test_a_name_of_several_things_is_told_apart_by_its_kind(db, tmp_path):
    start = runs(db)[0][:12]
    twice = tmp_path / "twice.jsonl"
    twice.write_text(
        lone_source("m1tensorbench")
        + lone_source(start)
        + lone_source("needle-metal", licence="none")
    )
    benchdb("import", twice, "--db", db)

    alike = benchdb("forget", "m1tensorbench", "--yes", "--db", db)
    both = benchdb("forget", start, "--yes", "--db", db)
    text = forget(db, f"source:{start}", "--yes")

    assert (alike.status, both.status) == (2, 2)
    assert alike.err.count(" source:") == 2
    assert f"{start!r} fits several: run:{start}, source:" in both.err
    assert f", {start}: 0 runs" in text
    assert start in {run[:12] for run in runs(db)}


def test_importers_at_the_same_time_bring_none_of_it_back(tmp_path):
    db = tmp_path / "results.sqlite"
    benchdb("import", BENCH, NEEDLE, "--db", db)

    def work(number: int) -> int:
        if number == 2:
            words: list[object] = ["forget", "m1tensorbench", "--yes"]
        else:
            words = ["import", BENCH, NEEDLE]
        return command_line.benchdb(*words, "--db", db).status

    with ThreadPoolExecutor(4) as several:
        statuses = list(several.map(work, range(6)))

    assert statuses == [0] * 6
    assert len(runs(db)) == 10
    assert sound(db)


def test_an_answer_about_something_else_by_now_forgets_nothing(tmp_path, monkeypatch):
    db, half = tmp_path / "results.sqlite", tmp_path / "half.jsonl"
    lines = BENCH.read_text().splitlines(keepends=True)
    half.write_text("".join(lines[: len(lines) // 2]))
    benchdb("import", half, "--db", db)

    def meanwhile(*_: object, **__: object) -> bool:
        assert command_line.benchdb("import", BENCH, "--db", db).status == 0
        return True

    monkeypatch.setattr("typer.confirm", meanwhile)
    monkeypatch.setattr("benchdb.cli.forget._somebody", lambda: True)
    done = benchdb("forget", "m1tensorbench", "--db", db)

    assert done.status == 1
    assert "somebody else changed the database meanwhile; nothing was" in done.err
    assert len(runs(db)) == 45


def test_a_copy_keeps_what_was_forgotten(db, backend, tmp_path: Path):
    forget(db, "m1tensorbench", "--yes")
    copy = backend.nothing()

    copied = benchdb("db", "copy", db, copy)
    done = benchdb("import", BENCH, "--db", copy)

    assert copied.status == 0, copied.err
    assert LEFT_OUT in done.out
    assert forgotten(copy) == forgotten(db)


def test_a_document_goes_with_the_last_source_that_is_read_from_it(tmp_path):
    db, document = tmp_path / "results.sqlite", tmp_path / "llama_bench.csv"
    lines = (FIXTURES / "import" / document.name).read_text().splitlines(keepends=True)
    document.write_text("".join(lines[:2]))  # the others are refused, and keep it
    benchdb("import", document, "--db", db)
    before = results(db)
    (source,) = json.loads(benchdb("sources", "--json", "--db", db).out)

    text = forget(db, source["slug"], "--yes")
    again = benchdb("import", document, "--db", db)

    assert len(before["document"]) == 1
    assert "1 document" in text
    assert "forgotten here, left out" in again.out
    assert results(db)["document"] == []
    forget(db, "--undo", forgotten(db)[0]["id"])
    benchdb("import", document, "--db", db)
    assert results(db) == before
