"""``python -m benchmarks``: every row is measured, told and written, however fast."""

import argparse
import json
import os
import shlex
import sys

import pytest

from benchmarks import __main__ as program
from benchmarks.__main__ import main
from benchmarks.costs import CannotMeasureError, cost
from benchmarks.figures import read
from benchmarks.rows import MIB, missed
from benchmarks.suite import ROWS
from tests.manual import CHECKOUT, code_blocks

# A whole site takes minutes at any extent, and a browser has no peak of its own.
_LONG = (
    *("site", "site-same", "site-again", "paint"),
    *("site-followed", "site-followed-processor"),
)
HOLDING = "held = bytearray({} * 2**20); {}"


def test_a_quick_run_measures_every_row_and_writes_all_that_was_seen(tmp_path, capsys):
    path = tmp_path / "out" / "figures.json"
    rows = {name: row for name, row in ROWS.items() if name not in _LONG}
    sizes = ("--quick", "--strict", "--runs", "100", "--rounds", "1")
    files = ("--json", str(path), "--keep", str(tmp_path / "kept"))

    status = main([*rows, *sizes, *files])

    (figures,), result = read(path), capsys.readouterr()
    assert [row.row for row in figures.rows] == list(rows.values())
    assert status == int(any(map(missed, figures.rows)))
    assert figures.versions["python"] == ".".join(map(str, sys.version_info[:3]))
    assert os.uname().nodename not in path.read_text()
    for row in figures.rows:
        (turn,) = row.turns
        assert turn.what.seconds > 0
        assert turn.yardstick.peak_bytes > 5 * MIB
        assert f"\n{row.row.name} " in result.out
    assert {row.runs for row in figures.rows} == {100, None}
    assert json.loads(path.read_text())[0]["machine"]["name"]
    assert {"runs-100.jsonl", "shipped.sqlite"} <= {
        item.name for item in (tmp_path / "kept").iterdir()
    }


def test_only_the_rows_that_are_asked_for_are_measured(tmp_path, capsys):
    path = tmp_path / "figures.json"

    status = main(["help", "--rounds", "1", "--json", str(path)])

    assert status == 0
    (figures,) = read(path)
    assert [row.row.name for row in figures.rows] == ["help"]
    assert capsys.readouterr().err.startswith("help: ")


@pytest.mark.parametrize(
    "line", code_blocks(CHECKOUT / "benchmarks" / "README.md")[0].splitlines()
)
def test_each_line_of_the_page_is_understood(line, monkeypatch):
    words = shlex.split(line, comments=True)
    asked: list[argparse.Namespace] = []
    monkeypatch.setattr(program, "_measured", asked.append)

    program.main(words[3:])

    assert words[:3] == ["python", "-m", "benchmarks"]
    assert {*asked[0].names} <= {*ROWS}


@pytest.mark.parametrize("wrong", [["helo"], ["--runs", "0"], ["--rounds", "x"]])
def test_wrong_use_is_refused(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        main(wrong)

    assert ended.value.code == 2
    assert "error: argument" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql+psycopg:///postgres?host=/nowhere", "PostgreSQL: connection"),
        ("postgresql+psycopg://host:port/name", "--postgres cannot be understood"),
        ("results.sqlite", "--postgres takes a URL that starts with postgresql+psy"),
    ],
)
def test_a_server_that_is_not_there_is_told_in_one_line(tmp_path, capsys, url, message):
    path = tmp_path / "figures.json"
    asked = ("import-postgresql", "--runs", "1", "--postgres", url)

    status = main([*asked, "--json", str(path)])

    result = capsys.readouterr().err
    assert status == 2
    assert result.startswith(f"benchmarks: {message}")
    assert result.count("\n") == 1
    assert not path.exists()


def test_a_file_that_cannot_be_written_is_told_in_one_line(capsys):
    status = main(["help", "--rounds", "1", "--json", "/proc/nowhere/figures.json"])

    assert status == 2
    assert "benchmarks: cannot write" in capsys.readouterr().err


def test_the_memory_of_a_command_does_not_start_from_ours():
    held = bytearray(100 * MIB)

    assert cost(sys.executable, "-c", "pass").peak_bytes < 50 * MIB
    assert len(held) == 100 * MIB


def test_the_memory_of_processes_that_are_there_at_one_time_adds_up():
    child = HOLDING.format(60, "import time; time.sleep(0.3)")
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"

    peak = cost(sys.executable, "-c", HOLDING.format(80, start)).peak_bytes

    assert 140 * MIB < peak < 240 * MIB


def test_a_command_that_fails_is_told_with_its_last_words():
    with pytest.raises(CannotMeasureError, match="failed: ValueError: of late"):
        cost(sys.executable, "-c", "raise ValueError('of late')")
