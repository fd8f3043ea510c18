"""A command's end: what it printed is there, or one line says why not."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import published_runs

PROGRAM = [sys.executable, "-m", "benchdb"]
FULL = Path("/dev/full")  # a device of Linux: it takes nothing

PRINTING = (
    ("--help",),
    ("list", "--limit", "2"),
    ("list",),
    ("export", "-o", "-"),
    ("report", "--format", "html", "-o", "-"),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("ending"))


def asked(arguments: tuple[str, ...], database: Path) -> list[str]:
    there = [] if arguments == ("--help",) else ["--db", str(database)]
    return [*PROGRAM, *arguments, *there]


@pytest.mark.skipif(sys.platform != "linux", reason="there is no full device")
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_output_that_has_no_room_is_told_in_one_line(arguments, database):
    with FULL.open("wb") as output:
        done = subprocess.run(
            asked(arguments, database),
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "benchdb: cannot write to standard output: No space left on device"
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_reader_who_has_seen_enough_is_told_nothing(arguments, database):
    with subprocess.Popen(
        asked(arguments, database), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        text = running.stderr.read().decode()

    assert running.returncode == 1
    assert "Traceback" not in text
    assert "cannot write" not in text


def test_all_that_was_printed_arrives(database):
    command = asked(("export", "-o", "-"), database)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)

    assert done.stdout.endswith(b"}\n")
    assert done.stdout.count(b'"type":"run"') == published_runs.count(
        published_runs.FILES
    )
