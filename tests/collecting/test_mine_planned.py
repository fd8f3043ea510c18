"""What answers a plan made here is mine, and what an upgrade can know of older runs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchdb.store.migrate import KNOWN_REVISIONS
from tests.backends import SQLITE, Backend
from tests.collector_programs import ROOT
from tests.in_process import benchdb
from tests.store.old_databases import old_database
from tests.strangers.forged_files import (
    TINY,
    codes,
    digests,
    runs,
    sound,
    three_times_slower,
    took,
    without_record,
)
from tests.strangers.forgeries import Change, Line, changed


@pytest.fixture(scope="module", name="answer")
def the_answer_to_a_plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the only item of a plan that was made here gave, on some other machine."""
    room: Path = tmp_path_factory.mktemp("planned")
    done = benchdb(
        *("plan", *TINY, "--campaign", "asked", "--python", sys.executable),
        *("-o", room / "plan.jsonl", "--db", room / "none.sqlite"),
    )
    assert done.status == 0, done.err
    (item,) = map(json.loads, (room / "plan.jsonl").read_text().splitlines())
    ran = subprocess.run(item["argv"], cwd=ROOT, check=True, capture_output=True)
    path = room / "1.jsonl"
    path.write_bytes(ran.stdout)
    return path


def test_an_answer_to_a_plan_made_here_is_mine_and_a_second_is_not(
    backend: Backend, answer: Path, tmp_path: Path
) -> None:
    database = backend.database()
    took(database, answer)
    (mine,) = digests(database, "--mine")

    took(database, changed(answer, tmp_path / "2.jsonl", three_times_slower))

    assert digests(database, "--mine") == {mine}
    (theirs,) = digests(database, "--contributed")
    assert "foreign-id" in codes(database, theirs)
    sound(database)


def of_a_size_nobody_asked_for(line: Line) -> None:
    if line["type"] == "run":
        line["parameters"]["size"] = 5


def of_a_campaign_nobody_planned(line: Line) -> None:
    if line["type"] == "run":
        line["campaign"] = "../asked"


@pytest.mark.parametrize(
    "change", [of_a_size_nobody_asked_for, of_a_campaign_nobody_planned]
)
def test_what_was_not_asked_for_is_contributed(
    answer: Path, tmp_path: Path, change: Change
) -> None:
    database = tmp_path / "results.sqlite"

    took(database, changed(answer, tmp_path / "odd.jsonl", change))

    assert len(digests(database, "--contributed")) == 1


def test_an_item_that_failed_may_be_answered_again(
    answer: Path, tmp_path: Path
) -> None:
    def failed(line: Line) -> None:
        if line["type"] == "end":
            line |= {"status": "failed", "reason": "no luck", "values": []}

    database = tmp_path / "results.sqlite"
    took(database, changed(answer, tmp_path / "failed.jsonl", failed))
    took(database, answer)

    assert sorted(run["status"] for run in runs(database, "--mine")) == ["failed", "ok"]


# Those that had not yet decided whose runs are whose, and those that had.
OLD = KNOWN_REVISIONS[:-1]
UNDECIDED = [revision for revision in OLD if revision < "0005"]


@pytest.mark.parametrize("revision", OLD)
def test_after_an_upgrade_runs_of_a_database_that_took_files_are_contributed(
    backend: Backend, revision: str
) -> None:
    location = old_database(backend, revision)

    assert benchdb("db", "upgrade", "--db", location).status == 0

    assert len(digests(location, "--contributed")) == 12
    sound(location)


@pytest.mark.parametrize("revision", UNDECIDED)
def test_after_an_upgrade_what_can_only_have_been_measured_here_is_mine(
    tmp_path: Path, request: pytest.FixtureRequest, revision: str
) -> None:
    location = old_database(Backend(SQLITE, request), revision)
    without_record(location, "two_runs.jsonl")

    assert benchdb("db", "upgrade", "--db", location).status == 0

    assert [run["label"] for run in runs(location, "--mine")] == ["measured"] * 2
    assert {run["source"] for run in runs(location, "--contributed")} == {
        "needle-metal"
    }
    sound(location)
