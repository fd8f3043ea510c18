"""A short attack on benchdb, and what the table says of one that is lost."""

import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from benchdb.bundles.allowed_signers import Signers
from benchdb.bundles.verifying import verify
from tools.torture.__main__ import SHORT, Torture, main
from tools.torture.fuzz import attempt
from tools.torture.mutations import Seeds, packed
from tools.torture.room import Room, Verdict, whole

ROOT = Path(__file__).parents[1]
# In a program of its own: what a process starts counts the memory that it had itself.
ATTACK = """
import json, sys
from pathlib import Path
from tools.torture.__main__ import SHORT, Torture
torture = Torture(20261127, Path(sys.argv[1]), SHORT)
torture.run(seconds=0, jobs=2)  # each part once
print(json.dumps([torture.lost, torture.tried]))
"""


def test_a_short_attack_loses_nothing(tmp_path):
    command = [sys.executable, "-c", ATTACK, str(tmp_path / "kept")]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    lost, tried = json.loads(done.stdout.splitlines()[-1])
    assert lost == {name: [] for name in SHORT}
    assert tried["fuzz"] >= 100
    assert not (tmp_path / "kept").exists()


def test_what_is_lost_is_counted_named_and_can_be_tried_again(tmp_path, monkeypatch):
    def loses(room: Room) -> Verdict:
        return Verdict(3, (room.keep(b"evil", ".md", "import {file}"),), 2**20)

    torture = Torture(7, tmp_path, {"fuzz": loses})
    torture.run(seconds=0)

    (why,) = torture.lost["fuzz"]
    assert torture.table()[1].split() == ["fuzz", "3", "2", "1", "1"]
    assert why.endswith("[python -m tools.torture --seed 7 --replay fuzz:0]")
    assert (tmp_path / "fuzz-0" / "input-0.md").read_bytes() == b"evil"


def test_an_input_follows_from_the_seed_and_bundles_are_whole_before_they_are_damaged(
    tmp_path,
):
    seeds, path = Seeds(), tmp_path / "a.benchdb"
    first, second = ([*_bundles(seeds)] for _ in "ab")
    path.write_bytes(packed(seeds.by_kind["exchange"][-2][1], None))

    verdict = verify(path, known=Signers(), at=date(2026, 11, 27))

    assert first == second
    assert len({content for _, content in first}) == len(first)
    assert (verdict.state, verdict.runs) == ("intact", 2)


def _bundles(seeds: Seeds) -> Iterator[tuple[str, bytes]]:
    chance = random.Random(1)  # noqa: S311 - no secret
    return (seeds.mutant(chance, "bundle") for _ in range(20))


def test_a_bug_of_a_reader_is_lost_with_the_input(tmp_path, monkeypatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("benchdb.exchange.reader.read", broken)
    monkeypatch.setattr("benchdb.importing.tools.fields.glimpse", broken)
    for name in ("room", "shared"):
        (tmp_path / name).mkdir()
    chance = random.Random(1)  # noqa: S311 - no secret
    room = Room(
        tmp_path / "room", chance, tmp_path / "k", "fuzz:0", tmp_path / "shared"
    )

    verdict = attempt(room, most=20)

    assert "ZeroDivisionError" in verdict.lost[0]
    assert len([*(tmp_path / "k" / "fuzz-0").iterdir()]) == 1


def test_a_reference_to_nothing_is_damage(tmp_path):
    path = tmp_path / "r.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "CREATE TABLE a (x PRIMARY KEY); CREATE TABLE b (x REFERENCES a);"
            "INSERT INTO b VALUES (1)"
        )
    connection.close()

    assert "refer to nothing" in (whole(path) or "")


def test_a_part_that_there_is_not_is_wrong_use(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--only", "flood"])

    assert ended.value.code == 2
    assert "there are kill, crowd" in capsys.readouterr().err
