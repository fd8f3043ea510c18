"""A campaign is measured even where nobody can be told, or its plan has no place."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.in_process import benchdb
from tests.store.full_disk import full_disk

MATMUL = ("matmul", "--framework", "numpy", "--tier", "smoke", "--size", "8")


def collect(database: os.PathLike[str] | bytes, redirection: str = "", **own: str):
    command = [sys.executable, "-m", "benchdb", "collect", *MATMUL, "--db", database]
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command],
        env=os.environ | own,
        capture_output=True,
        check=False,
    )


def statuses(database: Path) -> list[str]:
    runs = json.loads(benchdb("list", "--runs", "--json", "--db", database).out)
    return [run["status"] for run in runs]


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "2>&1 | head -n 1"])
def test_a_campaign_that_can_tell_nobody_is_measured(tmp_path, redirection):
    done = collect(tmp_path / "r.sqlite", redirection)

    assert done.returncode == 0
    assert statuses(tmp_path / "r.sqlite") == ["ok"]


def test_a_database_may_have_a_name_that_is_not_utf_8(tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9.sqlite"

    done = collect(name, BENCHDB_HOME=str(tmp_path / "home"))

    assert (done.returncode, done.stderr.count(b"Traceback")) == (0, 0)
    assert statuses(Path(os.fsdecode(name))) == ["ok"]


def test_a_plan_without_a_place_says_how_to_give_it_one(tmp_path):
    with full_disk(4096) as home:
        (home / "filled").write_bytes(b"x" * 4096)

        done = collect(tmp_path / "r.sqlite", BENCHDB_HOME=str(home))

    assert done.returncode == 1
    last = done.stderr.decode().splitlines()[-1]
    assert "No space left on device" in last
    assert last.endswith(
        "name a folder for plans that can be written with BENCHDB_HOME"
    )
