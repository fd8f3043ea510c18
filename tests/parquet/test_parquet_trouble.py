"""What befalls an export to Parquet: it is there whole, or there is nothing of it."""

import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests import published_runs
from tests.command_line import Outcome
from tests.in_process import benchdb
from tests.postgres import Server
from tests.processes import eventually
from tests.store.full_disk import full_disk

WITHOUT = """
import sys
sys.modules["pyarrow"] = None  # as if it were not installed
from benchdb.cli import main
main()
"""


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("shipped"))


def export(database: object, folder: object, *more: object) -> Outcome:
    place = ("-o", folder, "--db", database)
    return benchdb("export", "--format", "parquet", *more, *place)


def refused(done: Outcome, status: int = 2) -> str:
    """Return the one line that *done* ends with."""
    assert (done.status, done.err.count("\n")) == (status, 1), done.err
    return done.err


def test_a_folder_with_something_in_it_is_left_alone(shipped, tmp_path):
    (tmp_path / "kept").write_text("precious")

    text = refused(export(shipped, tmp_path))

    assert f"{tmp_path} is there and not empty; name a new folder" in text
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_file_is_no_folder(shipped, tmp_path):
    (tmp_path / "kept").write_text("precious")

    text = refused(export(shipped, tmp_path / "kept"))

    assert "name a new folder" in text
    assert (tmp_path / "kept").read_text() == "precious"


def test_an_empty_folder_is_filled_and_open_to_others(shipped, tmp_path):
    (tmp_path / "files").mkdir()
    usual = (tmp_path / "files").stat().st_mode

    assert export(shipped, tmp_path / "files", "--workload", "lstm").status == 0

    assert [path.name for path in tmp_path.iterdir()] == ["files"]
    assert (tmp_path / "files").stat().st_mode == usual


def test_a_folder_does_not_go_to_standard_output(shipped):
    text = refused(benchdb("export", "--format", "parquet", "--db", shipped))

    assert "name a new one with -o" in text


def test_where_no_run_is_as_asked_nothing_is_written(shipped, tmp_path):
    asked = "--workload", "resnet9", "--source", "m1tensorbench"

    done = export(shipped, tmp_path / "files", *asked)

    text = "benchdb: no run matches --workload resnet9 --source m1tensorbench\n"
    assert (done.status, done.out, done.err) == (0, "", text)
    assert not list(tmp_path.iterdir())


def test_without_pyarrow_one_line_says_how_to_get_it(shipped, tmp_path):
    asked = ("export", "--format", "parquet", "-o", tmp_path / "files", "--db", shipped)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *map(str, asked)],
        capture_output=True,
        check=False,
        text=True,
    )

    text = refused(Outcome(done.returncode, done.stdout, done.stderr))
    assert text == (
        "benchdb: Parquet needs the package pyarrow; install it with: "
        f"{sys.executable} -m pip install pyarrow\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kib", [4, 64, 256, 448])
def test_a_disk_that_fills_up_keeps_nothing(shipped, kib):
    with full_disk(kib * 2**10) as room:
        text = refused(export(shipped, room / "files"), 1)

        assert text == f"benchdb: cannot write {room}/files: No space left on device\n"
        assert list(room.iterdir()) == []


@pytest.mark.parametrize(
    ("damage", "result"),
    [
        ("samples SET packed = substr(packed, 1, 99)", "the samples of run "),
        ("run SET batch_size = 'many'", "batch_size is no int64 everywhere: "),
        ("value SET value = 'much'", "value is no double everywhere: "),
        ("chip SET ram_bytes = 1e300", "ram_bytes is no int64 everywhere: "),
    ],
)
def test_what_is_damaged_is_told_in_one_line(shipped, tmp_path, damage, result):
    database = shutil.copyfile(shipped, tmp_path / "damaged.sqlite")
    with sqlite3.connect(database) as connection:
        connection.execute(f"UPDATE {damage}")
    connection.close()
    (tmp_path / "room").mkdir()

    line = refused(export(database, tmp_path / "room" / "files"), 1)

    assert line.startswith(f"benchdb: {result}")
    assert "'benchdb db check' tells what else is" in line
    assert list((tmp_path / "room").iterdir()) == []


def test_ctrl_c_leaves_nothing(postgres: Server, shipped, tmp_path):
    name = postgres.new_database()
    location = postgres.address(name)
    assert benchdb("db", "copy", shipped, location).status == 0
    waiting = "SELECT pid FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"
    asked = (
        "export",
        "--format",
        "parquet",
        "-o",
        tmp_path / "files",
        "--db",
        location,
    )
    with postgres.connect(name) as held, postgres.connect(name) as looking:
        held.autocommit = False
        held.execute("LOCK TABLE claim IN ACCESS EXCLUSIVE MODE")  # read last of all
        with subprocess.Popen(
            [sys.executable, "-m", "benchdb", *map(str, asked)],
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            eventually(lambda: looking.execute(waiting).fetchone())
            half = list(tmp_path.rglob("*.parquet"))
            process.send_signal(signal.SIGINT)
            _, text = process.communicate()
        held.rollback()

    assert len(half) > 20
    assert (process.returncode, text) == (130, "benchdb: interrupted\n")
    assert list(tmp_path.iterdir()) == []
