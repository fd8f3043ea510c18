"""Forgeries that a ladder of trust invites: none gains a step, or leads anything."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.bundle_files import exported
from tests.campaign_history import campaign
from tests.exchange_lines import line
from tests.front_page import leading
from tests.in_process import benchdb
from tests.keys import new_key
from tests.store.test_steps import ELSEWHERE, OURS, PROVEN, file_of, measured_here
from tests.strangers.forged_files import sound

AGAIN: dict[str, Any] = {"machine": "m2", "seed": 1000}


@pytest.fixture(scope="module", name="keys")
def of_alice_and_a_stranger(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("keys")
    return new_key(folder / "alice"), new_key(folder / "stranger")


@pytest.fixture(scope="module", name="own")
def mine_and_alices(
    keys: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A database with a campaign of mine, and one that Alice signed."""
    room = tmp_path_factory.mktemp("own")
    alices = file_of(campaign(5, 300.0, checks=PROVEN, precision="bf16"))
    (room / "mine.jsonl").write_bytes(file_of(OURS))
    benchdb("import", room / "mine.jsonl", "--db", room / "r.sqlite")
    measured_here(room / "r.sqlite", "20260302")
    benchdb("trust", f"{keys[0]}.pub", "alice", "--db", room / "r.sqlite")
    bundle = exported(room / "alice.benchdb", alices, keys[0])
    benchdb("import", bundle, "--db", room / "r.sqlite")
    with (
        closing(sqlite3.connect(room / "r.sqlite")) as source,
        closing(sqlite3.connect(room / "whole.sqlite")) as target,
    ):
        source.backup(target)
    return room / "whole.sqlite"


def steps(db: Path) -> dict[str, str]:
    """Return the step of each result, by its first run."""
    with closing(sqlite3.connect(db)) as connection:
        return dict(connection.execute("SELECT run, trust FROM results").fetchall())


def digests(db: Path) -> list[str]:
    done = benchdb("list", "--runs", "--json", "--db", db)
    return [load["digest"] for load in json.loads(done.out)]


def claiming(lines: bytes, **facts: object) -> bytes:
    """Return *lines* whose ends and conditions say *facts* of themselves."""
    changed = []
    for raw in lines.splitlines(keepends=True):
        result = json.loads(raw)
        if result["type"] == "end":
            result["checks"] |= facts
        if result["type"] == "run":
            result["conditions"] |= facts
        changed.append(json.dumps(result).encode() + b"\n")
    return b"".join(changed)


FACTS = {"trust": "replicated", "signed": True, "step": "signed"}
FORGED: dict[str, Callable[[Path, str], bytes]] = {
    "what it says of itself": lambda own, first: claiming(file_of(ELSEWHERE), **FACTS),
    "figures like mine, elsewhere": lambda own, first: file_of(ELSEWHERE),
    "a link to mine": lambda own, first: file_of(
        campaign(1, 470.0, checks=PROVEN, reproduces=first, **AGAIN)
    ),
    "my samples, elsewhere": lambda own, first: file_of(
        campaign(1, 480.0, checks=PROVEN, reproduces=first, **AGAIN)
    ),
}


@pytest.mark.parametrize("signed", [False, True], ids=["unsigned", "signed"])
@pytest.mark.parametrize("name", FORGED)
def test_nobody_climbs_by_what_a_file_says(own, keys, tmp_path, name, signed):
    db = Path(shutil.copyfile(own, tmp_path / "r.sqlite"))
    before, headlines = steps(db), leading(db)
    lines = FORGED[name](own, digests(own)[-1])
    path = tmp_path / "forged.jsonl"
    path.write_bytes(lines)
    if signed:
        path = exported(tmp_path / "forged.benchdb", lines, keys[1])

    done = benchdb("import", path, "--db", db)

    assert done.status == 0, done.err
    after = steps(db)
    new = {step for run, step in after.items() if run not in before}
    assert new <= {"gates", "claimed"}
    assert before.items() <= after.items()
    assert leading(db) == headlines
    sound(db)


@pytest.mark.parametrize("field", ["trust", "signed", "mine", "withdrawn"])
def test_a_field_that_no_line_has_is_refused(own, tmp_path, field):
    db = Path(shutil.copyfile(own, tmp_path / "r.sqlite"))
    lines = [
        line(raw, **{field: True}) if b'"type": "run"' in raw else raw
        for raw in file_of(ELSEWHERE).splitlines(keepends=True)
    ]
    (tmp_path / "forged.jsonl").write_bytes(b"".join(lines))

    done = benchdb("import", tmp_path / "forged.jsonl", "--db", db)

    assert done.status == 1
    assert steps(db) == steps(own)


def test_a_signed_run_stays_signed_whoever_shares_it_without_the_signature(
    own, tmp_path
):
    db = tmp_path / "r.sqlite"
    shared = tmp_path / "shared.jsonl"
    benchdb("export", "-o", shared, "--db", own)
    Path(shutil.copyfile(own, db))

    assert "0 new" in benchdb("import", shared, "--db", db).out

    assert steps(db) == steps(own)
    assert sorted(steps(db).values()) == ["gates", "signed"]
    # Without the signature nobody else sees more than gates.
    benchdb("import", shared, "--db", tmp_path / "other.sqlite")
    assert set(steps(tmp_path / "other.sqlite").values()) == {"gates"}


def test_nobody_withdraws_runs_of_others_by_signing_them(own, keys, tmp_path):
    db = Path(shutil.copyfile(own, tmp_path / "r.sqlite"))
    before, headlines = steps(db), leading(db)
    everything = tmp_path / "all.jsonl"
    benchdb("export", "-o", everything, "--db", own)
    theirs = tmp_path / "theirs.sqlite"
    benchdb("import", everything, "--db", theirs)
    benchdb("trust", f"{keys[1]}.pub", "me", "--mine", "--db", theirs)
    bundle = exported(tmp_path / "b.benchdb", everything.read_bytes(), keys[1])
    benchdb("import", bundle, "--db", theirs)  # now they are theirs, there
    for digest in digests(theirs):
        options = ("--reason", "not mine", "--key", keys[1], "--db", theirs)
        assert benchdb("retract", digest, *options).status == 0
    assert steps(theirs) == {}
    benchdb("export", "-o", tmp_path / "gone.jsonl", "--db", theirs)

    for path in (bundle, tmp_path / "gone.jsonl"):
        assert benchdb("import", path, "--db", db).status == 0

    assert (steps(db), leading(db)) == (before, headlines)
    shown = json.loads(benchdb("show", digests(db)[0], "--json", "--db", db).out)
    assert [item["effect"] for item in shown["retractions"]] == [False]
