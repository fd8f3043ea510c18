"""Tables on a terminal of 40 columns: what fits, and nothing that wraps by itself."""

import json
import re
from pathlib import Path

import pytest
from wcwidth import wcswidth

from tests import terminal
from tests.in_process import benchdb

SHIPPED = Path(__file__).parents[2] / "results.sqlite"
WIPED = re.compile(r"[^\n]*\x1b\[2K")


@pytest.fixture(scope="module")
def run():
    outcome = benchdb(
        "list", "--label", "measured", "--limit", 1, "--json", "--db", SHIPPED
    )
    return json.loads(outcome.out)[0]["digest"]


def shown(*words: object) -> list[str]:
    lines = WIPED.sub("", terminal.talk([], *words, "--db", SHIPPED).out).splitlines()
    return [line.split("\r")[-1] for line in lines]


@pytest.mark.parametrize("width", [20, 40])
def test_tables_and_runs_fit(width, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")

    for words in (
        ("list", "--limit", 5),
        ("list", "--campaigns", "--limit", 3),
        ("compare", "chip:M1", "chip:M1 Max", "--workload", "resnet50"),
        ("show", run),
    ):
        lines = [line for line in shown(*words) if not line.startswith("benchdb: ")]
        too_wide = [line for line in lines if wcswidth(line) > width]
        assert (len(lines) > 2, too_wide) == (True, []), words


def test_the_figure_and_its_work_stay_where_columns_are_left_out(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")

    text, head, *_ = shown("list", "--limit", 2)

    assert head.split() == ["workload", "figure"]
    assert text == "benchdb: no room for 12 columns here"


def test_a_pipe_gets_every_column():
    out = benchdb("list", "--limit", 2, "--db", SHIPPED).out

    assert out.splitlines()[0].split()[-2:] == ["from", "date"]
