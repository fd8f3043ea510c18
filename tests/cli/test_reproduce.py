"""``benchdb reproduce``: real processes measured again, and what is said of them."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchdb.cli.reproduction import lines
from benchdb.compare.reproduced import judge
from benchdb.store.database import open_database
from tests import troubled_checkout
from tests.command_line import Outcome
from tests.in_process import benchdb as in_process_benchdb
from tests.manual import CHECKOUT, code_blocks
from tests.short_tiers import short_numpy, short_trouble

WORK = ("matmul", "--size", "128", "--no-metal", "--no-cuda", "--replicates", "2")
WORDS = r"reproduced within [\d.]+ %|differs: |unclear: |conditions differ: "
PAGE = CHECKOUT / "docs" / "reproducing.md"
Row = dict[str, Any]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Iterator[Path]:
    with short_numpy(tmp_path_factory.mktemp("checkout")) as copy:
        yield copy


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def benchdb(checkout: Path, home: Path, *line: object, **how: str) -> Outcome:
    return troubled_checkout.in_process(
        checkout, home, *line, "--db", home / "r.sqlite", **how
    )


def runs(home: Path) -> list[Row]:
    with closing(sqlite3.connect(home / "r.sqlite")) as database:
        database.row_factory = sqlite3.Row
        every = database.execute("SELECT * FROM run ORDER BY started, replicate")
        return [dict(row) for row in every]


def answer(done: Outcome) -> list[str]:
    """Return what a reproduction says at its end, the word first."""
    every = done.out.splitlines()
    return every[len(every) - every[::-1].index("") :]


@pytest.fixture(scope="module")
def original(checkout, home) -> list[Row]:
    done = benchdb(checkout, home, "collect", *WORK, "--seed", 7)
    assert done.status == 0, done.err
    return runs(home)


@pytest.fixture(scope="module")
def again(original, checkout, home) -> tuple[Outcome, list[Row]]:
    """Reproduce the second process; give what was said, and the new runs."""
    done = benchdb(checkout, home, "reproduce", original[1]["digest"][:12])
    return done, runs(home)[2:]


def test_it_measures_the_same_once_more_and_links_process_by_process(original, again):
    done, new = again
    same = (
        *("workload", "setting", "framework", "device", "precision", "compiler"),
        *("parameters", "tier", "seed", "replicate", "replicates", "collector_sha256"),
    )

    assert done.status in (0, 1), done.err
    assert [[item[name] for name in same] for item in new] == [
        [item[name] for name in same] for item in original
    ]
    assert [item["reproduces"] for item in new] == [item["digest"] for item in original]
    assert {item["campaign"] for item in new}.isdisjoint(
        item["campaign"] for item in original
    )


def test_the_end_says_what_a_comparison_says_of_both(original, again, checkout, home):
    done, new = again
    word, first, second, *_ = answer(done)
    sides = [f"run:{item[0]['digest']}" for item in (original, new)]
    compared = json.loads(
        benchdb(checkout, home, "compare", *sides, "--format", "json").out
    )
    (cell,) = compared[0]["cells"]

    assert re.match(WORDS, word)
    assert first.startswith(f"  run {original[0]['digest'][:12]}  ")
    assert second.startswith("  this time")
    result = max(cell["ratio"], 1 / cell["ratio"]) - 1
    if done.status == 0:
        match = re.match(r"reproduced within ([\d.]+) %, with the same seed", word)
        assert match
        assert 100 * result <= float(match[1]) <= 100 * result + 0.1
    elif cell["verdict"] in ("faster", "slower"):
        assert word.startswith(f"differs: {cell['verdict']} by ")
    else:  # such as on a machine that was busier than before
        assert word.startswith("unclear: ")
        assert ("conditions differ: load" in word) == (cell["differs"] == "load")


def test_the_page_shows_what_it_prints(again):
    (shown,) = (it for it in code_blocks(PAGE) if it.startswith("$ benchdb reproduce"))
    *_, word, first, second, third = shown.splitlines()
    done, _ = again

    assert "cell, 3 processes of tier quick" in shown
    assert re.search(r"1 cell, 2 processes of tier quick: (at least|about) ", done.err)
    columns = next(it for it in shown.splitlines() if it.startswith("workload "))
    heads = next(it for it in done.out.splitlines() if it.startswith("workload "))
    assert columns.split() == heads.split()[: len(columns.split())]
    for some in ([word, first, second, third], answer(done)):
        assert re.match(WORDS, some[0])
        assert re.match(r"  run [0-9a-f]{12}  [\d.,]+ [TGMk]?FLOPS, n = \d$", some[1])
        assert re.match(r"  this time         [\d.,]+ [TGMk]?FLOPS, n = \d$", some[2])
        assert all(re.match(r"  [\w ]+: .+ → .+$", item) for item in some[3:])


def steady(home: Path, path: Path, factor: float) -> Path:
    """Return a copy of the database in which a steady machine measured.

    This one need not be that beside other work. The originals have *factor* times the
    figure of what reproduces them.
    """
    with closing(sqlite3.connect(home / "r.sqlite")) as database:
        database.execute("VACUUM INTO ?", (str(path),))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "UPDATE run SET conditions_before = "
            "json_set(conditions_before, '$.load_1m', 0.1)"
        )
        database.execute(
            "UPDATE value SET value = 0.05 + 0.0001 * (SELECT replicate FROM run WHERE "
            "digest = value.run) WHERE metric = 'teraflops'"
        )
        database.execute(
            "UPDATE value SET value = value * ? WHERE metric = 'teraflops' AND run IN "
            "(SELECT reproduces FROM run)",
            (factor,),
        )
    return path


def judged(path: Path, new: list[Row]) -> tuple[str, str]:
    """Return the word of a reproduction, and the line that begins with it."""
    original = new[0]["reproduces"]
    judgement = judge(open_database(str(path)), original, new[0]["campaign"])
    assert judgement is not None
    return judgement.word, next(lines(judgement, original))


def test_a_forged_figure_differs(again, checkout, home, tmp_path):
    forged = steady(home, tmp_path / "r.sqlite", 4)

    word, line = judged(forged, again[1])

    assert word == "differs"
    assert re.match(r"differs: slower by 75\.0 % \(\d+\.\d to \d+\.\d %\)$", line)
    run = again[1][0]["reproduces"]  # no longer the digest of what stands there
    done = troubled_checkout.in_process(
        *(checkout, home, "reproduce", run, "--dry-run", "--db", forged)
    )
    assert done.status == 0, done.err


def test_a_figure_that_holds_is_said_where_the_run_is_shown(again, home, tmp_path):
    path = steady(home, tmp_path / "r.sqlite", 1.005)
    run = again[1][0]["reproduces"]

    assert judged(path, again[1]) == (
        "reproduced",
        "reproduced within 0.5 %, with the same seed",
    )
    shown = in_process_benchdb("show", run, "--db", path)
    assert "confirmed   Reproduced here 1 time, within 0.5%." in (
        shown.out.splitlines()
    ), shown.out


def test_another_collector_program_is_named_and_so_is_a_fresh_seed(
    again, checkout, home, tmp_path
):
    changed = tmp_path / "checkout"
    shutil.copytree(checkout, changed)
    program = changed / "collectors" / "with_numpy.py"
    program.write_bytes(program.read_bytes() + b"#")
    before = again[1]

    run = before[0]["digest"]
    done = benchdb(changed, home, "reproduce", run, "--fresh-seed")

    new = runs(home)[4:]
    match = re.search(r"seed (\d+), chosen at random", done.err)
    assert match
    assert [item["seed"] for item in new] == [int(match[1]), int(match[1]) + 1]
    assert [item["reproduces"] for item in new] == [item["digest"] for item in before]
    word, *rest = answer(done)
    assert re.search(r"conditions differ: (load, )?collector program$", word)
    digests = [groups[0]["collector_sha256"][:12] for groups in (before, new)]
    assert f"  collector program: {digests[0]} → {digests[1]}" in rest
    if done.status == 0:
        assert "with another seed; conditions differ" in word


@pytest.fixture(scope="module")
def interrupted(original, checkout, home) -> tuple[Outcome, int]:
    """Begin a reproduction, and press Ctrl-C when a process has ended."""
    result = home / "apart"
    shutil.copytree(home, result, ignore=shutil.ignore_patterns("apart"))
    run = original[0]["digest"]
    before = len(runs(result))
    with subprocess.Popen(
        troubled_checkout.command("reproduce", run, "--db", result / "r.sqlite"),
        cwd=checkout,
        env=troubled_checkout.environment(result),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        text = ""
        while "FLOPS in" not in text and (words := process.stderr.readline()):
            text += words
        os.kill(process.pid, signal.SIGINT)
        out, rest = process.communicate(timeout=60)
    return Outcome(process.returncode, out, text + rest), before


def test_ctrl_c_keeps_what_is_finished_and_it_goes_on_when_called_again(
    original, interrupted, checkout, home
):
    first, before = interrupted
    result = home / "apart"
    done = [run["status"] for run in runs(result)[before:]]

    assert first.status == 130
    assert "go on with: benchdb collect --resume" in first.err
    assert done.count("ok") == 1
    assert not re.search(WORDS, first.out)

    second = benchdb(checkout, result, "reproduce", original[0]["digest"])

    assert "going on with campaign" in second.err
    assert re.search(WORDS, second.out), second.err
    new = [run for run in runs(result)[before:] if run["status"] == "ok"]
    assert len({item["campaign"] for item in new}) == 1
    assert [item["replicate"] for item in new] == [0, 1]
    assert [item["reproduces"] for item in new] == [item["digest"] for item in original]


def test_a_dry_run_says_what_it_would_do_and_does_nothing(original, checkout, home):
    before = len(runs(home))

    done = benchdb(checkout, home, "reproduce", original[0]["digest"], "--dry-run")

    assert done.status == 0
    assert done.out.splitlines()[0].endswith("--size 128 --replicates 2 --seed 7")
    assert "2 processes of tier quick" in done.out
    assert len(runs(home)) == before


@pytest.fixture(scope="module")
def troubled(tmp_path_factory) -> tuple[Path, Path]:
    """Return a checkout whose collector has trouble, and a home with a run of it."""
    checkout = short_trouble(tmp_path_factory.mktemp("troubled"))
    home = tmp_path_factory.mktemp("troubled-home")
    done = benchdb(checkout, home, "collect", *WORK, "--replicates", 1)
    assert done.status == 0, done.err
    return checkout, home


def test_a_gate_that_fails_is_said_and_nothing_is_reproduced(troubled):
    checkout, home = troubled
    (first,) = runs(home)

    done = benchdb(checkout, home, "reproduce", first["digest"], TROUBLE_ERROR="1")

    assert done.status == 1
    word, *_ = answer(done)
    assert word == "not reproduced: process 1 failed the gate result_error"


@pytest.mark.parametrize(
    ("how", "trouble", "why"),
    [
        (
            (),
            {"TROUBLE_SAYS": "no luck"},
            r"it has no figure: it is failed \(.*no luck",
        ),
        (
            ("--tier", "smoke"),
            {},
            "it is a smoke run, which shows that something works",
        ),
    ],
)
def test_a_run_without_a_figure_to_hold_is_not_measured_again(
    how, trouble, why, troubled
):
    checkout, home = troubled
    before = {item["digest"] for item in runs(home)}
    trouble = trouble and {"TROUBLE": "build", "TROUBLE_KIND": "raise", **trouble}
    line = ("collect", *WORK, "--replicates", 1, *how)
    assert benchdb(checkout, home, *line, **trouble).status == bool(trouble)
    (run,) = {item["digest"] for item in runs(home)} - before

    done = benchdb(checkout, home, "reproduce", run)

    assert done.status == 2
    (text,) = done.err.splitlines()
    assert re.search(f"run {run[:12]} cannot be reproduced: {why}", text)
    assert len(runs(home)) == len(before) + 1


def test_what_others_published_has_no_command(checkout, tmp_path):
    published = CHECKOUT / "published" / "needle-metal.jsonl"
    assert benchdb(checkout, tmp_path, "import", published).status == 0
    run = runs(tmp_path)[0]["digest"][:12]

    done = benchdb(checkout, tmp_path, "reproduce", run)

    why = "others published it, and measured in their own way"
    assert done.status == 2
    assert done.err.startswith(f"benchdb: run {run} cannot be reproduced: {why}; ")
    assert f"'benchdb recipe {run}'" in done.err


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("seed = 1099511627776", "--seed.* is not in the range"),
        ("replicates = 5000", "it says that it is one of 5,000 processes"),
        ("precision = '--db'", "no precision '--db'"),
        ("compiler = '; rm'", "no compiler '; rm'"),
        (
            "parameters = json_set(parameters, '$.data', 'cifar10')",
            "without its images; name the folder that has them with --data",
        ),
        ("framework = '../x', collector = 'with_../x'", "no collector of benchdb"),
    ],
)
def test_what_somebody_wrote_into_a_run_is_refused_in_a_line(
    change, why, again, checkout, home, tmp_path
):
    path = steady(home, tmp_path / "r.sqlite", 1)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE run SET {change}")  # noqa: S608 - our own words
    run = again[1][0]["reproduces"]

    done = troubled_checkout.in_process(
        *(checkout, home, "reproduce", run, "--dry-run", "--db", path)
    )

    assert done.status == 2
    (text,) = done.err.splitlines()
    assert re.search(why, text)


@pytest.mark.parametrize("name", ["nonsense", "", "0" * 64, "matmul"])
def test_a_run_that_is_not_there_is_one_line(original, name, checkout, home):
    done = benchdb(checkout, home, "reproduce", name)

    assert done.status == 2
    assert len(done.err.splitlines()) == 1
