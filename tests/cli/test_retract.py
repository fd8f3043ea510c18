"""A run is withdrawn by who measured it: it stays, and counts in no figure."""

import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import update

from benchdb.store.database import open_database, writing
from benchdb.store.derived import renew
from benchdb.store.tables import run
from tests.bundle_files import exported
from tests.campaign_history import campaign
from tests.exchange_lines import HEADER, MACHINE
from tests.front_page import leading
from tests.in_process import benchdb
from tests.keys import fingerprint, new_key
from tests.strangers.forged_files import page


def today() -> str:
    """Return the day in UTC; a run of all tests may go past midnight."""
    return datetime.now(UTC).date().isoformat()


LINES = b"".join([HEADER, MACHINE, *campaign(0, 480.0), *campaign(1, 500.0)])
WHY = "the fan was blocked: 20 % too slow"


@pytest.fixture(scope="module", name="keys")
def of_alice_and_bob(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("keys")
    return new_key(folder / "alice"), new_key(folder / "bob")


@pytest.fixture(scope="module", name="own")
def what_i_measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    (folder / "a.jsonl").write_bytes(LINES)
    benchdb("import", folder / "a.jsonl", "--db", folder / "r.sqlite")
    engine = open_database(str(folder / "r.sqlite"))
    with writing(engine) as connection:
        connection.execute(update(run).values(mine=True))
        renew(connection)
    engine.dispose()
    return folder / "r.sqlite"


@pytest.fixture(name="db")
def a_copy_of_mine(own: Path, tmp_path: Path) -> Path:
    with (
        closing(sqlite3.connect(own)) as source,
        closing(sqlite3.connect(tmp_path / "r.sqlite")) as target,
    ):
        source.backup(target)
    return tmp_path / "r.sqlite"


@pytest.fixture(name="other")
def signed_by_alice_elsewhere(keys: tuple[Path, Path], tmp_path: Path) -> Path:
    bundle = exported(tmp_path / "a.benchdb", LINES, keys[0])
    assert benchdb("import", bundle, "--db", tmp_path / "o.sqlite").status == 0
    return tmp_path / "o.sqlite"


def runs(db: Path, *options: object) -> Mapping[str, str]:
    """Return the status of each run, by its digest, the newest first."""
    done = benchdb("list", "--runs", "--json", *options, "--db", db)
    return {load["digest"]: load["status"] for load in json.loads(done.out)}


def figures(db: Path) -> dict[str, int]:
    """Return how many processes the result of each campaign rests on."""
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute("SELECT substr(campaign, 1, 8), n FROM results")
        return dict(rows.fetchall())


def retractions(db: Path, digest: str) -> list[tuple[str, str | None, bool]]:
    shown = json.loads(benchdb("show", digest, "--json", "--db", db).out)
    return [
        (item["reason"], item["fingerprint"], item["effect"])
        for item in shown["retractions"]
    ]


def retracted(db: Path, digest: str, *options: object) -> str:
    done = benchdb("retract", digest[:12], "--reason", WHY, *options, "--db", db)
    assert done.status == 0, done.err
    return done.out


def shared(db: Path, path: Path) -> Path:
    assert benchdb("export", "-o", path, "--db", db).status == 0
    return path


def took(db: Path, path: Path) -> str:
    done = benchdb("import", path, "--db", db)
    assert done.status == 0, done.err
    return done.out


def lines_of(path: Path, kind: str) -> list[str]:
    return [
        splitline
        for splitline in path.read_text().splitlines()
        if f'"type":"{kind}"' in splitline
    ]


def sound(db: Path) -> None:
    done = benchdb("db", "check", "--db", db)
    assert done.status == 0, done.out


def test_what_is_withdrawn_stays_with_its_reason_and_counts_nowhere(db):
    newest, *_ = runs(db)
    assert figures(db) == {"20260302": 3, "20260303": 3}

    out = retracted(db, newest, "--unsigned")

    assert f"run {newest[:12]} is withdrawn: {WHY} (without a signature" in out
    assert figures(db) == {"20260302": 3, "20260303": 2}
    assert runs(db)[newest] == "withdrawn"
    assert [*runs(db, "--status", "withdrawn")] == [newest]
    assert newest not in runs(db, "--status", "ok")
    shown = benchdb("show", newest, "--db", db).out
    assert f"status      withdrawn on {today()}: {WHY}" in shown
    assert "figure      –" in shown
    written = benchdb("report", "--run", newest, "--lang", "en", "-o", "-", "--db", db)
    assert f"withdrawn: {WHY}" in written.out.replace("\xa0", " ")
    assert re.search(rf"Withdrawn on [^<]*: (<bdi>)?{WHY}", written.out), written.err
    with closing(sqlite3.connect(db)) as connection:
        query = "SELECT DISTINCT value, reason, status FROM figures WHERE run = ?"
        rows = connection.execute(query, [newest]).fetchall()
    assert rows == [(None, "withdrawn", "withdrawn")]
    sound(db)


def test_the_older_campaign_leads_again_where_the_newest_is_withdrawn(db):
    for digest in [*runs(db)][:3]:
        retracted(db, digest, "--unsigned")

    shown = page(db)["values"]

    assert figures(db) == {"20260302": 3}
    words = json.dumps(shown)
    assert words.count(WHY) >= 3
    assert {row["status"] for row in shown} == {"ok", "withdrawn"}


def test_it_is_taken_back_where_it_was_written(db):
    newest, *_ = runs(db)
    before = figures(db)
    retracted(db, newest, "--unsigned")

    assert benchdb("retract", newest, "--undo", "--db", db).status == 0

    assert (figures(db), retractions(db, newest)) == (before, [])
    again = benchdb("retract", newest, "--undo", "--db", db)
    assert (again.status, again.err.count("\n")) == (2, 1)
    sound(db)


def test_others_believe_who_signed_the_run_once_they_know_the_key(
    db, other, keys, tmp_path
):
    newest, *_ = runs(db)
    retracted(db, newest, "--key", keys[0])
    path = shared(db, tmp_path / "shared.jsonl")

    assert took(other, path) == f"{path}: 6 runs, 0 new, 1 new retraction\n"
    proposal = [(WHY, fingerprint(keys[0]), False)]
    assert (figures(other)["20260303"], retractions(other, newest)) == (3, proposal)

    expected = [(WHY, fingerprint(keys[0]), True)]
    benchdb("trust", f"{keys[0]}.pub", "alice", "--db", other)
    assert (figures(other)["20260303"], retractions(other, newest)) == (2, expected)

    again = shared(db, tmp_path / "again.jsonl")  # twice is once
    assert took(other, again).startswith(f"{again}: 6 runs, 0 new (")
    assert retractions(other, newest) == expected
    sound(other)


def test_it_may_come_before_its_run_and_go_with_its_import(db, keys, tmp_path):
    newest, *_ = runs(db)
    retracted(db, newest, "--key", keys[0])
    alone = tmp_path / "alone.jsonl"
    (line,) = lines_of(shared(db, tmp_path / "all.jsonl"), "retraction")
    alone.write_text(HEADER.decode() + line + "\n")
    bundle = exported(tmp_path / "a.benchdb", LINES, keys[0])
    late, early = (tmp_path / f"{name}.sqlite" for name in ("late", "early"))
    for place in (late, early):
        benchdb("trust", f"{keys[0]}.pub", "alice", "--db", place)

    took(late, alone)
    took(late, bundle)
    assert figures(late) == {"20260302": 3, "20260303": 2}
    sound(late)

    took(early, bundle)
    took(early, alone)
    assert figures(early) == {"20260302": 3, "20260303": 2}
    assert benchdb("import", "--undo", "--db", early).status == 0
    assert figures(early) == {"20260302": 3, "20260303": 3}
    sound(early)


def test_another_key_of_the_same_signer_counts_until_it_is_revoked(
    db, other, keys, tmp_path
):
    newest, *_ = runs(db)
    retracted(db, newest, "--key", keys[1])
    took(other, shared(db, tmp_path / "shared.jsonl"))
    assert figures(other)["20260303"] == 3

    for key in keys:
        benchdb("trust", f"{key}.pub", "alice", "--db", other)
    assert figures(other)["20260303"] == 2

    benchdb("trust", "--revoke", f"{keys[1]}.pub", "--db", other)
    assert figures(other)["20260303"] == 3
    sound(other)


def test_a_stranger_withdraws_nothing_and_is_told_of(db, other, keys, tmp_path):
    newest, *_ = runs(db)
    retracted(db, newest, "--key", keys[1])
    path = shared(db, tmp_path / "shared.jsonl")

    took(other, path)
    proposal = [(WHY, fingerprint(keys[1]), False)]
    assert (figures(other)["20260303"], retractions(other, newest)) == (3, proposal)
    shown = benchdb("show", newest, "--db", other).out
    assert f"proposal    {fingerprint(keys[1])} says on {today()}" in shown

    # Nor with a bundle of somebody else's runs, once the signer is known.
    benchdb("trust", f"{keys[0]}.pub", "alice", "--db", other)
    took(other, exported(tmp_path / "b.benchdb", LINES, keys[1]))
    assert figures(other)["20260303"] == 3


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"reason": "another one"}, "the signature does not fit the content"),
        ({"retracted": "2026-01-01"}, "the signature does not fit the content"),
        ({"key": "ssh-ed25519 AAAA"}, "of another key than the line names"),
        ({"signature": "none"}, "no SSH signature"),
        ({"signature": None}, "needs its signature"),
        ({"reason": " "}, "says in words why"),
        ({"reason": "a\x1b[31mb"}, "one line without control characters"),
        ({"reason": "long " * 200_000}, "length <= 1000"),
        ({"run": "3f2a"}, "length >= 64"),
    ],
)
def test_a_line_that_was_changed_is_refused_and_the_rest_lands(
    db, keys, tmp_path, change, why
):
    newest, *_ = runs(db)
    retracted(db, newest, "--key", keys[0])
    path = shared(db, tmp_path / "shared.jsonl")
    (line,) = lines_of(path, "retraction")
    changed = {k: v for k, v in (json.loads(line) | change).items() if v is not None}
    path.write_text(path.read_text().replace(line, json.dumps(changed)))

    done = benchdb("import", path, "--db", tmp_path / "new.sqlite")

    assert (done.status, figures(tmp_path / "new.sqlite")["20260303"]) == (1, 3)
    refused = benchdb("quarantine", "list", "--db", tmp_path / "new.sqlite").out
    assert why in refused
    assert refused.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((), "give --reason TEXT, or --undo alone"),
        (("--reason", "x", "--undo"), "give --reason TEXT, or --undo alone"),
        (("--reason", ""), "says in words why"),
        (("--reason", "a\nb"), "one line without control characters"),
        (("--reason", "x" * 2**20), "at most 1,000 characters, not 1,048,576"),
        (("--reason", "x", "--key", "/nowhere/id"), "no key /nowhere/id"),
        (("--reason", "x", "--key", "k", "--unsigned"), "contradict each other"),
    ],
)
def test_a_mistake_is_one_line_and_withdraws_nothing(db, options, why):
    newest, *_ = runs(db)
    before = figures(db)

    done = benchdb("retract", newest, *options, "--db", db)

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert why in done.err
    assert figures(db) == before


def test_only_who_measured_a_run_withdraws_it(other):
    newest, *_ = runs(other)

    for name, why in (
        (newest, "only who measured a run withdraws it"),
        ("f" * 9, "no"),
    ):
        done = benchdb("retract", name, "--reason", WHY, "--unsigned", "--db", other)
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert why in done.err


def test_without_ssh_keygen_nothing_is_withdrawn_or_believed(
    db, keys, tmp_path, monkeypatch
):
    newest, *_ = runs(db)
    retracted(db, newest, "--key", keys[0])
    path = shared(db, tmp_path / "shared.jsonl")
    monkeypatch.setenv("PATH", "")

    done = benchdb("retract", newest, "--reason", WHY, "--key", keys[0], "--db", db)
    assert (done.status, "ssh-keygen" in done.err) == (1, True)
    new = tmp_path / "new.sqlite"
    assert benchdb("import", path, "--db", new).status == 1
    assert figures(new)["20260303"] == 3

    monkeypatch.undo()
    assert benchdb("quarantine", "retry", "--db", new).status == 0
    assert [row[2] for row in retractions(new, newest)] == [
        False
    ]  # nobody signed the run


def test_what_is_withdrawn_leads_nothing(db):
    for digest in runs(db):
        retracted(db, digest, "--unsigned")

    assert figures(db) == {}
    assert "480" not in json.dumps(leading(db))
