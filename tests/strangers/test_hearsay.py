"""Figures that only a stranger's file tells count once their source is accepted."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchdb.resources import folder
from tests.front_page import systems
from tests.in_process import benchdb
from tests.strangers.forgeries import Line, changed, document, on, renamed_chip
from tools import shipped_runs

PUBLISHED = folder("published")
SHIPPED = PUBLISHED / "m1tensorbench.jsonl"


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    """A friend's transcription of another document, about an M9 of made-up speed."""
    source = {"slug": "friend", "title": "A friend's page", "url": None}

    def slower(line: Line) -> None:
        for value in line.get("values", ()):
            if isinstance(value.get("value"), float):
                value["value"] = 0.9 * value["value"]
                value.pop("printed")

    return document(
        tmp_path / "friend.jsonl",
        on("source", **source, document_sha256="a" * 64, supersedes=[]),
        renamed_chip("M1 Ultra", "M9"),
        slower,
    )


@pytest.fixture
def database(backend: Any, friends: Path) -> str:
    location: str = backend.database()
    assert benchdb("import", SHIPPED, "--db", location).status == 0
    done = benchdb("import", friends, "--db", location)
    assert (done.status, done.err) == (
        0,
        f"benchdb: {friends}: 45 runs of friend count in no comparison yet, for only "
        "this file tells what known documents tell otherwise; decide with: benchdb "
        "sources\n",
    )
    return location


def proposal(database: str) -> str:
    done = benchdb("sources", "list", "--json", "--db", database)
    (result,) = (load for load in json.loads(done.out) if load["slug"] == "friend")
    (about,) = result["proposals"]
    assert about["why"] == "heard"
    name: str = about["id"]
    return name


def chips(database: str) -> set[str]:
    return {worker.chip for worker in systems(database).sides}


def test_they_are_listed_and_in_no_comparison(database):
    done = benchdb("list", "--source", "friend", "--runs", "--json", "--db", database)

    assert len(json.loads(done.out)) == 45
    assert "M9" not in chips(database)
    shown = benchdb("sources", "--db", database).out
    assert "open: its figures would count" in shown


def test_accepted_they_count_until_that_is_undone(database):
    name = proposal(database)

    accepted = benchdb("sources", "accept", name, "--db", database)
    counting = chips(database)
    undone = benchdb("sources", "undo", name, "--db", database)

    assert (accepted.status, undone.status) == (0, 0)
    assert accepted.out.startswith("the figures of ")
    assert "M9" in counting
    assert "M9" not in chips(database)


def test_rejected_they_stay_out_and_are_not_proposed_again(database, friends):
    name = proposal(database)

    rejected = benchdb("sources", "reject", name, "--db", database)
    again = benchdb("import", friends, "--db", database)

    assert "stay out of comparisons" in rejected.out
    assert again.err == ""
    assert "M9" not in chips(database)
    assert benchdb("db", "check", "--db", database).status == 0


def test_without_a_shipped_document_about_that_work_they_count(tmp_path, friends):
    database = tmp_path / "results.sqlite"

    done = benchdb("import", friends, "--db", database)

    assert done.err == ""
    assert "M9" in chips(str(database))
    with closing(sqlite3.connect(database)) as connection:
        decided = connection.execute("SELECT count(*) FROM supersession").fetchone()
    assert decided == (0,)


def test_what_is_shipped_is_what_is_published():
    written = (folder("schema") / "shipped.json").read_text(encoding="utf-8")

    assert written == shipped_runs.encoded()


def test_nobody_takes_the_credit_of_an_accepted_source_by_an_earlier_date(
    database, friends, tmp_path
):
    other = {"slug": "thief", "document_sha256": "b" * 64, "published": "1900"}
    thief = changed(friends, tmp_path / "thief.jsonl", on("source", **other))
    accepted = benchdb("sources", "accept", proposal(database), "--db", database)

    done = benchdb("import", thief, "--db", database)

    assert (accepted.status, done.status) == (0, 0)
    assert "M9" in chips(database)
