"""``benchdb compare``: what it prints, and how it ends."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchdb.store.database import open_database
from tests.compared import M1_TOO, M2, campaign, published, stored
from tests.in_process import benchdb
from tests.published_runs import imported
from tests.store_factory import Machine

FASTER = ("--fail-if", "faster:20%")
SLOWER = ("--fail-if", "slower:20%")
SIDES = ("campaign:first", "campaign:second")


@pytest.fixture(scope="module", name="db")
def made_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compare") / "results.sqlite"
    runs = [
        *campaign("first", 100.0),
        *campaign("second", 150.0, day=2),
        *campaign("third", 101.0, machine=M1_TOO, day=3),
        *campaign("other", 10.0, workload="distilbert", machine=M2),
        *campaign("first", 10.0, device="cpu"),
        *campaign("second", 10.1, device="cpu", day=2),
        published(1000.0, machine=Machine("M1"), source="paper"),
        published(250.0, machine=Machine("M1 Max"), source="paper"),
    ]
    stored(path, runs)
    return path


def test_text_begins_with_the_answer_and_has_a_row_for_each_cell(db):
    done = benchdb("compare", *SIDES, "--db", db)

    lines = done.out.replace("\u00a0", " ").splitlines()
    assert (done.status, done.err) == (0, "")
    assert lines[:2] == ["A: campaign first", "B: campaign second"]
    assert lines[2].startswith("campaign second: 1.2× as fast (2 cells, geometric")
    rows = [line for line in lines if line.startswith("ResNet-50, batch 128")]
    assert ["CPU" in row for row in rows] == [True, False]
    assert all("n = 3" in row for row in rows)
    assert "1.5× as fast" in rows[1]
    assert any(line.startswith("started  2026-03-01") for line in lines)


def test_markdown_has_tables(db):
    done = benchdb("compare", *SIDES, "--format", "markdown", "--db", db)

    assert done.out.startswith("**A: campaign first; B: campaign second**\n")
    tables = [line for line in done.out.splitlines() if line.startswith("| --")]
    assert len(tables) == 2
    assert "1.5× as fast" in done.out.replace("\u00a0", " ")


def test_json_and_csv_have_the_same_cells(db):
    as_json = json.loads(benchdb("compare", *SIDES, "--format", "json", "--db", db).out)
    text = benchdb("compare", *SIDES, "--format", "csv", "--db", db).out
    as_csv = list(csv.DictReader(io.StringIO(text)))

    (comparison,) = as_json
    cells = comparison["cells"]
    assert [row["workload"] for row in cells] == ["resnet50", "resnet50"]
    assert [float(row["ratio"]) for row in as_csv] == [row["ratio"] for row in cells]
    assert [row["verdict"] for row in as_csv] == [row["verdict"] for row in cells]
    assert as_csv[1]["base_accelerator"] == "M1"
    assert as_csv[1].keys() - {"base", "other"} == cells[1].keys()
    assert comparison["mean"]["value"] == pytest.approx(1.5**0.5, rel=0.01)
    assert comparison["reason"] is None


def test_csv_without_a_cell_has_its_header_and_says_why_beside_it(db):
    done = benchdb(
        "compare", "campaign:first", "campaign:other", "--format", "csv", "--db", db
    )

    assert len(done.out.splitlines()) == 1
    assert done.status == 0
    assert "no work in common: campaign first has resnet50" in done.err


def test_each_further_side_is_held_against_the_first(db):
    done = benchdb("compare", *SIDES, "third", "--format", "json", "--db", db)

    result = json.loads(done.out)
    assert [(item["base"], item["other"]) for item in result] == [
        ("campaign first", "campaign second"),
        ("campaign first", "campaign third"),
    ]


def test_published_single_runs_have_no_interval_and_that_is_said(db):
    done = benchdb("compare", "source:paper", "chip:M1 Max", "--db", db)
    single = benchdb("compare", "chip:M1", "chip:M1 Max", "--db", db)

    assert "a side with a single run (n = 1) leaves its ratio without" in single.out
    assert "4.0× as fast" in single.out.replace("\u00a0", " ")
    assert done.status == single.status == 0


@pytest.mark.parametrize(
    ("sides", "options", "status", "result"),
    [
        (
            SIDES,
            FASTER,
            1,
            "faster by more than 20 %: resnet50 batch 128 metal on camp",
        ),
        (SIDES, SLOWER, 0, ""),
        (SIDES[::-1], SLOWER, 1, "slower by more than 20 %"),
        (SIDES, ("--fail-if", "faster:60%"), 0, ""),
        (("first", "campaign:other"), SLOWER, 2, "cannot be judged: no work in common"),
        (("chip:M1", "chip:M1 Max"), SLOWER, 2, "no cell has an interval"),
        (("first", "third"), SLOWER, 0, ""),
        ((*SIDES, "campaign:other"), SLOWER, 2, "campaign first and campaign other"),
        ((*SIDES, "campaign:other"), FASTER, 1, "faster by more than 20 %"),
        (("first", "campaign:other"), (), 0, ""),
    ],
)
def test_what_fails_a_comparison(sides, options, status, result, db):
    done = benchdb("compare", *sides, *options, "--db", db)

    assert done.status == status, done.err
    assert result in done.err
    assert len(done.err.splitlines()) == bool(result)


def test_an_unclear_cell_fails_nothing(tmp_path):
    db = tmp_path / "unclear.sqlite"
    few = (1.0, 1.0001)
    # A kind of device whose sessions nobody has seen: the interval is of these alone.
    runs = [
        *campaign("a", 100.0, device="npu", shares=few),
        *campaign("b", 50.0, device="npu", day=2, shares=few),
    ]
    stored(db, runs)

    done = benchdb("compare", "campaign:a", "campaign:b", *SLOWER, "--db", db)

    assert "unclear" in done.out
    assert done.status == 0


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        (("--threshold", "80%"), "even"),
        (("--threshold", "1"), "faster"),
        ((), "faster"),
    ],
)
def test_the_threshold_is_in_per_cent(options, verdict, db):
    done = benchdb("compare", *SIDES, *options, "--format", "csv", "--db", db)

    assert list(csv.DictReader(io.StringIO(done.out)))[1]["verdict"] == verdict


def test_a_condition_may_differ_where_that_is_accepted(tmp_path):
    db = tmp_path / "versions.sqlite"
    runs = [*campaign("a", 100.0), *campaign("b", 150.0, machine=M2, version="2.6.0")]
    stored(db, runs)

    strict = benchdb("compare", "campaign:a", "campaign:b", "--db", db)
    lenient = benchdb(
        "compare", "campaign:a", "campaign:b", "--accept", "version", "--db", db
    )

    assert "they differ in version" in strict.out
    assert "1.5× as fast" in lenient.out.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (("first",), "a comparison has two sides; name another, or --here"),
        (("first", "secnod"), "did you mean 'second'?"),
        (("chip:M1", "chip:M1 Macs"), "did you mean 'M1 Max'?"),
        ((*SIDES, "--workload", "resnet5"), "did you mean 'resnet50'?"),
        ((*SIDES, "--accept", "versions"), "did you mean 'version'?"),
        ((*SIDES, "--threshold", "much"), "write it in per cent, as 2%"),
        ((*SIDES, "--fail-if", "slower"), "write it as slower:3% or faster:3%"),
        (("first", "--here"), "nothing was measured on this machine"),
    ],
)
def test_wrong_words_are_status_2_in_one_line(words, result, db):
    done = benchdb("compare", *words, "--db", db)

    assert (done.status, done.out) == (2, "")
    assert result in done.err
    assert len(done.err.splitlines()) == 1


def test_names_of_strangers_command_no_terminal_and_no_page(tmp_path):
    db = tmp_path / "strange.sqlite"
    names = ["\u202e\x1b[31m", "<b>|bold|</b>"]
    runs = [run for name in names for run in campaign(name, 1.0)]
    stored(db, runs)

    text = benchdb("compare", *(f"campaign:{name}" for name in names), "--db", db)
    page = benchdb(
        "compare",
        *(f"campaign:{name}" for name in names),
        "--format",
        "markdown",
        "--db",
        db,
    )

    assert not set("\u202e\x1b") & set(text.out + page.out)
    assert "<b>" not in page.out


# A process that has written half a campaign, and commits when it is told to.
WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE value SET value = 2 * value")
print("written", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
print("done", flush=True)
"""


def test_a_database_that_somebody_writes_is_read_as_it_was(tmp_path):
    db = imported(tmp_path)
    open_database(str(db)).dispose()
    words = ("compare", "chip:M1", "chip:M1 Max", "--format", "csv", "--db", db)
    before = benchdb(*words)

    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(db)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "written\n"
        meanwhile = benchdb(*words)
        writer.stdin.write("\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "done\n"
    after = benchdb(*words)

    assert meanwhile == before
    assert after.status == 0
    assert after.out != before.out
