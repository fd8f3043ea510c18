"""What is mine and what others contributed: told from each other, whatever ids say."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchdb.resources import folder
from benchdb.store.database import open_database, writing
from benchdb.store.derived import renew
from tests import command_line
from tests.backends import POSTGRESQL, SQLITE, Backend
from tests.front_page import leading
from tests.in_process import benchdb
from tests.store.old_databases import FILES, old_database
from tests.strangers.forged_files import (
    TINY,
    another_model,
    codes,
    digests,
    exported,
    figures,
    in_days_to_come,
    page,
    runs,
    shown,
    sound,
    three_times_slower,
    took,
    without_record,
)
from tests.strangers.forgeries import Change, Line, changed


@pytest.fixture(scope="module", name="own")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one run that was measured here."""
    path: Path = tmp_path_factory.mktemp("own") / "results.sqlite"
    done = command_line.benchdb("collect", *TINY, "--db", path)
    assert done.status == 0, done.err
    return path


@pytest.fixture(name="here")
def a_copy_of_either_kind(own: Path, backend: Backend) -> str:
    location = backend.nothing()
    assert benchdb("db", "copy", own, location).status == 0
    return location


@pytest.fixture(name="shared", scope="module")
def what_i_shared(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("shared") / "mine.jsonl"
    assert benchdb("export", "--mine", "-o", path, "--db", own).status == 0
    return path


def test_what_collect_wrote_is_mine_and_says_so(own: Path) -> None:
    (run,) = runs(own, "--mine")
    table = benchdb("list", "--db", own).out.splitlines()[1]
    shown = benchdb("show", run["digest"], "--db", own).out

    assert run["mine"] is True
    assert runs(own, "--contributed") == []
    assert re.search(
        r"  C +gates +smoke +measured here +– +2\d{3}-", table
    )  # no document
    assert "label       measured here" in shown.splitlines()
    assert benchdb("machines", "list", "--db", own).out.rstrip().endswith("  mine")


def test_whoever_imports_what_i_share_has_it_as_contributed(
    backend: Backend, own: Path, shared: Path
) -> None:
    there = backend.database()
    took(there, shared)

    (run,) = runs(there, "--contributed")
    shown = benchdb("show", run["digest"], "--db", there).out

    assert run["mine"] is False
    assert "mine" not in shared.read_text()
    assert run["digest"] in digests(own)
    assert "label       measured, contributed" in shown.splitlines()
    assert codes(there, run["digest"]) == []
    assert len(exported(there).splitlines()) == 1
    text = benchdb("list", "--mine", "--db", there).err
    assert text.splitlines()[0] == "benchdb: no run matches --mine"


@pytest.mark.parametrize(
    "changes",
    [
        (three_times_slower,),
        (three_times_slower, in_days_to_come),
        (three_times_slower, another_model, in_days_to_come),
    ],
    ids=["my campaign", "days to come", "another model"],
)
def test_a_strangers_run_with_my_id_is_of_another_machine(
    here: str, shared: Path, tmp_path: Path, changes: tuple[Change, ...]
) -> None:
    (mine,) = digests(here)
    before, whole = exported(here), page(here)

    took(here, changed(shared, tmp_path / "stranger.jsonl", *changes))

    (theirs,) = digests(here, "--contributed")
    after = page(here)
    assert digests(here, "--mine") == {mine}
    assert exported(here) == before
    assert codes(here, mine) == []
    assert "foreign-id" in codes(here, theirs)
    machines = benchdb("machines", "list", "--db", here).out
    assert machines.count("  mine\n") == 1
    assert machines.count("contributed, with the id of a machine of yours") == 1
    marks = [(item["here"], item["mine"], item["runs"]) for item in after["machines"]]
    assert marks == [(True, True, 1), (False, False, 1)]
    assert after["machines"][0] == whole["machines"][0]
    assert figures(whole, mine)
    assert figures(after, mine) == figures(whole, mine)
    assert shown(after, theirs)
    sound(here)


@pytest.fixture(name="trained")
def a_database_with_training_of_mine_beside_what_was_published(
    tmp_path: Path, request: pytest.FixtureRequest
) -> str:
    location = old_database(Backend(SQLITE, request), "0004")
    without_record(location, "two_runs.jsonl")
    assert benchdb("db", "upgrade", "--db", location).status == 0
    took(location, folder("published") / "m1tensorbench.jsonl")
    return location


def faster_and_later(line: Line) -> None:
    in_days_to_come(line)
    for value in line.get("values", ()) if line["type"] == "end" else ():
        if value["metric"] == "samples_per_second" and value["value"]:
            value["value"] *= 30


def test_a_strangers_run_with_my_id_leads_no_headline_and_takes_no_place_of_mine(
    trained: str, tmp_path: Path
) -> None:
    before, leads = page(trained), leading(trained)
    grades = {digest: grade(trained, digest) for digest in digests(trained, "--mine")}

    took(trained, changed(FILES[0], tmp_path / "s.jsonl", faster_and_later))

    after = page(trained)
    assert len(digests(trained, "--mine")) == len(grades) == 2
    assert leads
    assert leading(trained) == leads
    assert marked(before["values"])
    assert marked(after["values"]) == marked(before["values"])
    assert {text: grade(trained, text) for text in grades} == grades


def marked(rows: list[Line]) -> list[Line]:
    return [row for row in rows if row["system"]["here"]]


def grade(location: object, digest: str) -> Any:
    shown = json.loads(benchdb("show", digest, "--json", "--db", location).out)
    return shown["grade"]


def test_a_stranger_who_came_first_is_recognised_when_i_measure(
    own: Path, shared: Path, tmp_path: Path
) -> None:
    database = tmp_path / "results.sqlite"
    took(database, changed(shared, tmp_path / "s.jsonl", three_times_slower))
    (theirs,) = digests(database)
    assert "foreign-id" not in codes(database, theirs)

    done = command_line.benchdb("collect", *TINY, "--db", database)

    assert done.status == 0, done.err
    assert "foreign-id" in codes(database, theirs)
    assert len(digests(database, "--mine")) == 1
    sound(database)


def test_my_own_file_taken_in_again_changes_nothing(here: str, shared: Path) -> None:
    before = runs(here)

    took(here, shared)

    assert runs(here) == before
    assert before[0]["mine"] is True


@pytest.fixture
def other(request: pytest.FixtureRequest, backend: Backend) -> Backend:
    """Databases of the other kind."""
    return Backend(POSTGRESQL if backend.kind == SQLITE else SQLITE, request)


def test_a_copy_keeps_what_is_mine_and_its_page_is_the_same_on_another_machine(
    here: str, other: Backend, shared: Path, tmp_path: Path
) -> None:
    took(here, changed(shared, tmp_path / "s.jsonl", three_times_slower))
    there, back = other.nothing(), tmp_path / "back.sqlite"
    copied = [benchdb("db", "copy", *pair) for pair in ((here, there), (there, back))]
    assert [outcome.status for outcome in copied] == [0, 0], copied
    elsewhere = {"HOME": str(tmp_path / "h"), "BENCHDB_HOME": str(tmp_path / "h")}

    pages = {
        subprocess.run(
            [
                *(sys.executable, "-m", "benchdb", "report", "--lang", "en"),
                *("--format", "html", "-o", "-", "--db", str(location)),
            ],
            env={**os.environ, **home},
            check=True,
            capture_output=True,
        ).stdout
        for location, home in ((here, {}), (there, elsewhere), (back, elsewhere))
    }

    assert len(pages) == 1
    assert runs(back) == runs(there) == runs(here)


def test_nothing_is_mine_in_the_copy_that_a_report_gives_away(
    own: Path, shared: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copyfile(own, tmp_path / "results.sqlite"))
    took(database, changed(shared, tmp_path / "s.jsonl", three_times_slower))
    done = benchdb(
        *("report", "--format", "sqlite", "-o", tmp_path / "page", "--db", database)
    )
    assert done.status == 0, done.err
    (given,) = (tmp_path / "page").glob("*.sqlite")

    assert digests(given, "--contributed") == digests(database)
    sound(given)


def test_the_table_says_whose_each_value_is(
    own: Path, shared: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copyfile(own, tmp_path / "results.sqlite"))
    took(database, changed(shared, tmp_path / "s.jsonl", three_times_slower))
    (mine,) = digests(database, "--mine")

    done = benchdb("report", "--format", "csv", "-o", "-", "--db", database)
    head, *rows = (line.split(",") for line in done.out.splitlines())
    at, whose = head.index("runs"), head.index("whose")

    assert {row[whose] for row in rows if row[at] == mine} == {"mine"}
    assert {row[whose] for row in rows if row[at] != mine} == {"contributed"}


def test_deriving_anew_finds_the_same(here: str, shared: Path, tmp_path: Path) -> None:
    took(here, changed(shared, tmp_path / "s.jsonl", three_times_slower))
    engine = open_database(here)

    with writing(engine) as connection:
        renew(connection)

    sound(here)
