"""``collect --dry-run``: the plan and what it will take, with nothing made or run."""

import re
from pathlib import Path

import pytest

from tests import troubled_checkout
from tests.command_line import Outcome

CPU = ("--no-metal", "--no-cuda")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    return troubled_checkout.make_collectors(tmp_path_factory.mktemp("checkout"))


def collect(checkout: Path, home: Path, *arguments: object) -> Outcome:
    line = ("collect", "matmul", *CPU, *arguments)
    return troubled_checkout.in_process(checkout, home, *line)


def test_it_says_what_would_run_and_how_long(checkout, tmp_path):
    done = collect(checkout, tmp_path, "--size", 4, "--size", 8, "--dry-run")

    assert done.status == 0, done.err
    # The start of a process takes longer where other work runs.
    assert re.sub(r"\d:\d\d", "M:SS", done.out).splitlines() == [
        "numpy cpu",
        "  matmul, size 4, fp32                         "
        "3 processes, about M:SS each (by operations and peak), energy unknown",
        "  matmul, size 8, fp32                         "
        "3 processes, about M:SS each (by operations and peak), energy unknown",
        "2 cells, 6 processes of tier quick: about M:SS, "
        "energy unknown: no earlier run of this was metered",
    ]


def test_it_makes_nothing(checkout, tmp_path):
    collect(checkout, tmp_path, "--dry-run")

    assert list(tmp_path.iterdir()) == []


def test_it_knows_from_earlier_runs_how_long_a_cell_takes(checkout, tmp_path):
    smoke = ("--size", 4, "--tier", "smoke", "--db", tmp_path / "r.sqlite")
    assert collect(checkout, tmp_path, *smoke).status == 0

    known = collect(checkout, tmp_path, *smoke, "--dry-run").out
    unknown = collect(checkout, tmp_path, *smoke, "--size", 8, "--dry-run").out

    assert re.search(r"1 process, about 0:0\d each \(by runs here\)", known)
    assert re.search(r"size 8, .* about .* each \(by figures of .*\)", unknown)


def test_what_cannot_be_planned_is_said_as_without_it(checkout, tmp_path):
    done = collect(checkout, tmp_path, "--compiler", "xla", "--dry-run")

    assert done.status == 2
    assert done.err == "benchdb: numpy: no compiler 'xla'; there are: none\n"
