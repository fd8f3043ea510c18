"""The ladder of trust: what stands behind a result follows from what is stored."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from benchdb.store.database import open_database, writing
from benchdb.store.derived import renew
from benchdb.store.tables import run
from tests.bundle_files import exported
from tests.campaign_history import FAILED, campaign
from tests.exchange_lines import HEADER, MACHINE, line
from tests.in_process import benchdb
from tests.keys import fingerprint, new_key

PROVEN = {
    "gates": {
        name: {"status": "passed"} for name in ("device", "parameter_count", "loss")
    }
}
HEAD = [HEADER, MACHINE, line(MACHINE, key="m2", anonymous_id="1111111111111111")]
OURS = campaign(0, 480.0, checks=PROVEN)
ELSEWHERE = campaign(1, 470.0, checks=PROVEN, machine="m2", seed=1000)


def file_of(*parts: list[bytes]) -> bytes:
    return b"".join([*HEAD, *(data for part in parts for data in part)])


def taken(room: Path, *parts: list[bytes]) -> Path:
    """Return a database with what a stranger's file says."""
    (room / "shared.jsonl").write_bytes(file_of(*parts))
    done = benchdb("import", room / "shared.jsonl", "--db", room / "r.sqlite")
    assert done.status == 0, done.err
    return room / "r.sqlite"


def steps(db: Path) -> Mapping[str, str]:
    """Return the step of each result, by the day of its campaign."""
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute("SELECT substr(campaign, 1, 8), trust FROM results")
        return dict(rows.fetchall())


def measured_here(db: Path, day: str) -> None:
    with writing(open_database(str(db))) as connection:
        ours = update(run).where(run.c.campaign.startswith(day))
        connection.execute(ours.values(mine=True))
        renew(connection)


def linked(number: int, original: Path, **facts: Any) -> list[bytes]:
    """Return a campaign that was started to reproduce one that is there."""
    listed = benchdb("list", "--runs", "--json", "--db", original)
    first = json.loads(listed.out)[-1]["digest"]
    return campaign(number, 470.0, checks=PROVEN, reproduces=first, **facts)


def without_samples(lines: list[bytes]) -> list[bytes]:
    return [data for data in lines if b'"samples"' not in data]


@pytest.mark.parametrize(
    ("lines", "step"),
    [
        (OURS, "gates"),
        (campaign(0, 480.0), "samples"),
        (campaign(0, 480.0, label="imported", checks=PROVEN), "samples"),
        (campaign(0, 480.0, checks=FAILED), "samples"),
        (without_samples(OURS), "aggregate"),
        (campaign(0, 480.0, label="aggregate"), "aggregate"),
        (campaign(0, 480.0, label="transcribed"), "transcribed"),
        (campaign(0, 480.0, label="claimed"), "claimed"),
    ],
)
def test_a_step_is_what_can_be_checked(tmp_path, lines, step):
    assert set(steps(taken(tmp_path, lines)).values()) == {step}


def test_of_several_processes_the_lowest_step_counts(tmp_path):
    key, db = new_key(tmp_path / "alice"), taken(tmp_path, OURS)
    first = campaign(0, 480.0, checks=PROVEN, processes=(0.999,), replicates=3)
    bundle = exported(tmp_path / "a.benchdb", file_of(first), key)

    assert "0 new" in benchdb("import", bundle, "--db", db).out
    benchdb("trust", f"{key}.pub", "alice", "--db", db)

    assert steps(db) == {"20260302": "gates"}


def test_a_signature_counts_as_long_as_its_key_does(tmp_path):
    key, db = new_key(tmp_path / "alice"), tmp_path / "r.sqlite"
    bundle = exported(tmp_path / "a.benchdb", file_of(OURS), key)
    assert benchdb("import", bundle, "--db", db).status == 0
    assert steps(db) == {"20260302": "gates"}

    benchdb("trust", f"{key}.pub", "alice", "--db", db)
    assert steps(db) == {"20260302": "signed"}

    benchdb("trust", "--revoke", fingerprint(key), "--db", db)
    assert steps(db) == {"20260302": "gates"}


def test_a_signature_makes_what_cannot_be_checked_no_better(tmp_path):
    key, db = new_key(tmp_path / "alice"), tmp_path / "r.sqlite"
    bundle = exported(tmp_path / "a.benchdb", file_of(campaign(0, 480.0)), key)

    benchdb("import", bundle, "--db", db)
    benchdb("trust", f"{key}.pub", "alice", "--db", db)

    assert steps(db) == {"20260302": "samples"}


def test_what_i_measured_again_elsewhere_is_replicated(tmp_path):
    db = taken(tmp_path, OURS)
    taken(tmp_path, linked(1, db, machine="m2", seed=1000))
    assert set(steps(db).values()) == {"gates"}  # a stranger's word

    measured_here(db, "20260303")

    assert steps(db) == {"20260302": "replicated", "20260303": "gates"}


def test_a_stranger_who_agrees_with_me_gains_nothing(tmp_path):
    db = taken(tmp_path, OURS, ELSEWHERE)

    measured_here(db, "20260302")

    assert set(steps(db).values()) == {"gates"}


def test_who_replicated_it_may_come_in_any_order_and_go_again(tmp_path):
    key, db = new_key(tmp_path / "alice"), tmp_path / "r.sqlite"
    bundle = exported(tmp_path / "a.benchdb", file_of(ELSEWHERE), key)
    taken(tmp_path, OURS)
    measured_here(db, "20260302")
    benchdb("trust", f"{key}.pub", "alice", "--db", db)

    benchdb("import", bundle, "--db", db)
    assert set(steps(db).values()) == {"replicated"}

    assert benchdb("import", "--undo", "--db", db).status == 0
    assert steps(db) == {"20260302": "gates"}
    assert benchdb("db", "check", "--db", db).status == 0


def test_a_list_has_what_reaches_a_step(tmp_path):
    db = taken(tmp_path, OURS, campaign(1, 480.0), campaign(2, 480.0, label="claimed"))

    def campaigns(*options: str) -> list[str]:
        done = benchdb("list", "--json", *options, "--db", db)
        assert done.status == 0, done.err
        return [load["campaign"][:8] for load in json.loads(done.out)]

    assert campaigns("--trust", "samples") == ["20260303", "20260302"]
    assert campaigns("--trust", "Gates") == ["20260302"]
    by_step = ["20260302", "20260303", "20260304"]
    assert list(dict.fromkeys(campaigns("--sort", "trust"))) == by_step
    unknown = benchdb("list", "--trust", "proven", "--db", db)
    assert unknown.status == 2
    assert "there are: aggregate, claimed, gates" in unknown.err
