"""Nobody's source outdates another's before the owner of the database decides so."""

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchdb.resources import folder
from benchdb.store.database import open_database
from benchdb.store.migrate import SCHEMA_REVISION
from tests.contents import contents
from tests.in_process import benchdb
from tests.proposed_sources import NEEDLE, TENSORBENCH, lone_source, proposals
from tests.store.old_databases import old_file

ATTACKS: dict[str, dict[str, Any]] = {
    "named": {"slug": "friend", "supersedes": [TENSORBENCH]},
    "dated": {
        "slug": "m1tensorbench",
        "url": "https://github.com/rawar/m1tensorbench",
        "published": "2026-11-01",
    },
}
VICTIM = folder("published") / "m1tensorbench.jsonl"


@pytest.fixture(params=ATTACKS)
def attack(request, tmp_path: Path) -> Path:
    path = tmp_path / "friend.jsonl"
    facts = {"document_sha256": "f" * 64, **ATTACKS[request.param]}
    path.write_text(lone_source(**facts))
    return path


@pytest.fixture
def attacked(backend, attack) -> str:
    """A database with the published results, and then the stranger's file."""
    location: str = backend.holding(VICTIM)
    assert benchdb("import", attack, "--db", location).status == 0
    return location


def compared(location: str) -> set[str]:
    """Return the runs with a figure that counts in the report."""
    done = benchdb(
        "report", "--lang", "en", "--format", "csv", "-o", "-", "--db", location
    )
    assert done.status == 0, done.err
    rows = list(csv.DictReader(io.StringIO(done.out)))
    return {
        row["runs"] for row in rows if row["value"] and "superseded" not in row["notes"]
    }


def test_what_a_stranger_says_of_published_results_hides_none_of_them(backend, attack):
    location = backend.holding(VICTIM)
    before = compared(location)

    done = benchdb("import", attack, "--db", location)

    assert (done.status, done.out) == (0, f"{attack}: 0 runs, 0 new\n")
    assert done.err == (
        f"benchdb: {attack} proposes to mark 45 runs of m1tensorbench as outdated; "
        "decide with: benchdb sources\n"
    )
    assert compared(location) == before
    assert len(before) > 40


def test_the_list_shows_whose_results_there_are_and_what_is_to_be_decided(attacked):
    listed = benchdb("sources", "--db", attacked)
    (proposal,) = proposals(attacked)

    lines = listed.out.splitlines()
    (victim,) = (line for line in lines if "45 runs transcribed" in line)
    assert " m1tensorbench  " in victim
    assert "published 2022-07-10" in victim
    assert victim.endswith("no licence given · from m1tensorbench.jsonl")
    assert sum(f"{proposal['id'][:12]} open: " in line for line in lines) == 1
    assert any(line.endswith("from friend.jsonl") for line in lines)
    assert "'benchdb sources accept ID'" in lines[-1]


def test_an_accepted_proposal_counts_until_that_is_undone(attacked):
    before = compared(attacked)
    (proposal,) = proposals(attacked)

    accepted = benchdb("sources", "accept", proposal["id"][:10], "--db", attacked)
    (state,) = (item["state"] for item in proposals(attacked))
    outdated = compared(attacked)
    listed = benchdb("sources", "--db", attacked).out
    undone = benchdb("sources", "undo", proposal["id"], "--db", attacked)

    assert (accepted.status, undone.status) == (0, 0)
    assert (state, outdated) == ("accepted", set())
    assert "  out of date: " in listed
    assert "'benchdb sources accept ID'" not in listed
    assert compared(attacked) == before
    assert [item["state"] for item in proposals(attacked)] == ["open"]


def test_a_rejected_proposal_is_closed_and_the_file_proposes_nothing_again(
    attacked, attack
):
    before = compared(attacked)
    (proposal,) = proposals(attacked)

    rejected = benchdb("sources", "reject", proposal["id"], "--db", attacked)
    attack.write_text(attack.read_text() + attack.read_text())
    again = benchdb("import", attack, "--db", attacked)

    assert rejected.status == 0
    assert (again.status, again.err) == (0, "")
    assert [item["state"] for item in proposals(attacked)] == ["rejected"]
    assert compared(attacked) == before


def test_a_decision_can_be_changed_and_none_is_made_twice(attacked):
    (proposal,) = proposals(attacked)
    name = proposal["id"][:12]

    done = [
        benchdb("sources", verb, name, "--db", attacked)
        for verb in ("undo", "reject", "accept", "accept", "undo")
    ]

    assert [outcome.status for outcome in done] == [2, 0, 0, 2, 0]
    assert f"nothing was decided about proposal {name}" in done[0].err
    assert f"proposal {name} is accepted already" in done[3].err


@pytest.mark.parametrize("name", ["ffffffff", "m1tensorbench", ""])
def test_an_unknown_proposal_is_wrong_use_and_where_to_look_is_said(attacked, name):
    done = benchdb("sources", "accept", name, "--db", attacked)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert f"no proposal {name!r}; 'benchdb sources' shows their ids" in done.err


def test_an_id_of_several_proposals_decides_about_none(tmp_path):
    db = tmp_path / "results.sqlite"
    benchdb("import", VICTIM, "--db", db)
    many = tmp_path / "many.jsonl"
    many.write_text(
        "".join(
            lone_source(
                f"s{number}", supersedes=[TENSORBENCH], document_sha256=f"{number:064}"
            )
            for number in range(17)  # more than there are digits
        )
    )
    benchdb("import", many, "--db", db)
    starts = [proposal["id"][0] for proposal in proposals(db)]
    shared = next(start for start in starts if starts.count(start) > 1)

    done = benchdb("sources", "accept", shared, "--db", db)

    assert (done.status, len(starts)) == (2, 17)
    assert f"several proposals start with {shared!r}; give more digits" in done.err
    assert {proposal["state"] for proposal in proposals(db)} == {"open"}


def test_the_order_of_the_files_does_not_matter(tmp_path, attack):
    groups: list[dict[str, list[Any]]] = []
    for order in ((VICTIM, attack), (attack, VICTIM)):
        db = tmp_path / f"{len(groups)}.sqlite"
        assert benchdb("import", *order, "--db", db).status == 0
        groups.append(contents(open_database(str(db))))
        assert [proposal["state"] for proposal in proposals(db)] == ["open"]

    assert groups[0] == groups[1]


def test_names_from_strangers_neither_command_the_terminal_nor_fill_it(tmp_path):
    db, file = tmp_path / "results.sqlite", tmp_path / "x.jsonl"
    benchdb("import", VICTIM, "--db", db)
    slug = "\x1b[2J" + "x" * 500
    file.write_text(
        lone_source(slug, supersedes=[TENSORBENCH], document_sha256="e" * 64)
    )
    newer = tmp_path / "y.jsonl"
    newer.write_text(lone_source("y", supersedes=["e" * 64], document_sha256="d" * 64))

    done = [benchdb("import", item, "--db", db) for item in (file, newer)]
    listed = benchdb("sources", "--db", db)

    text = done[1].err + listed.out
    assert [outcome.status for outcome in done] == [0, 0]
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) < 400


def test_an_upgrade_turns_what_held_by_a_claim_into_a_proposal_and_says_so(tmp_path):
    db = Path(shutil.copyfile(old_file("0004"), tmp_path / "old.sqlite"))
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(
            "INSERT INTO source (digest, slug, title, authors, document_sha256, "
            "supersedes, protocol, missing) "
            "VALUES (?, 'friend', 'Better', '[]', ?, ?, '{}', '{}')",
            ("a" * 64, "f" * 64, json.dumps([NEEDLE])),
        )

    upgraded = benchdb("db", "upgrade", "--db", db)
    again = benchdb("sources", "--db", db)

    assert upgraded.status == 0
    assert upgraded.out.startswith(
        f"{db}: upgraded from schema 0004 to {SCHEMA_REVISION}"
    )
    assert upgraded.err == (
        "benchdb: outdated so far by what other sources say: 1 source; that is a "
        "proposal now, and both count: decide with 'benchdb sources'\n"
    )
    assert (again.status, again.err) == (0, "")
    assert [proposal["state"] for proposal in proposals(db)] == ["open"]


def test_an_upgrade_knows_what_was_read_here_by_two_versions(tmp_path):
    db = Path(shutil.copyfile(old_file("0004"), tmp_path / "old.sqlite"))
    sha256, versions = "c" * 64, ("0.9.1", "0.10.0")
    with closing(sqlite3.connect(db)) as connection, connection:
        for number, version in enumerate(versions):
            connection.execute(
                "INSERT INTO imported_file "
                "VALUES (?, ?, 'r.md', 'csv', ?, NULL, 1, 1, 0)",
                (f"{number}" * 64, sha256, version),
            )
        # What nobody read here says that it is newer still.
        for version in (*versions, "99"):
            connection.execute(
                "INSERT INTO source (digest, slug, title, authors, document_sha256, "
                "importer, importer_version, supersedes, protocol, missing) "
                "VALUES (?, 'r', ?, '[]', ?, 'csv', ?, '[]', '{}', '{}')",
                (version.replace(".", "a").ljust(64, "0"), version, sha256, version),
            )

    done = benchdb("sources", "--json", "--db", db)
    result = {
        load["title"]: load["superseded_by"]
        for load in json.loads(done.out)
        if load["slug"] == "r"
    }

    assert done.status == 0
    assert "1 source" in done.err or "2 sources" in done.err
    assert result == {"0.9.1": "0a10a0".ljust(64, "0"), "0.10.0": None, "99": None}
