"""``benchdb history``: a workload over time, and where it changed."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchdb.cli.terminal_chart import drawn
from benchdb.report.charts.spec import Panel, Point, Scale, Stroke, Tick
from tests.campaign_history import (
    FAILED,
    TEST_MACHINE,
    campaign,
    shared,
    stepped,
)
from tests.compared import campaign as compared
from tests.compared import stored
from tests.in_process import benchdb
from tests.page import parse


def database(folder: Path, campaigns: Sequence[Sequence[bytes]]) -> Path:
    """Return a database with *campaigns*, which somebody else measured."""
    place = folder / "results.sqlite"
    file = shared(folder / "campaigns.jsonl", campaigns)
    done = benchdb("import", file, "--db", place)
    assert done.status == 0, done.err
    return place


@pytest.fixture(scope="module", name="slower")
def slower_since_an_update(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database of mine."""
    place = database(tmp_path_factory.mktemp("mine"), stepped())
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE run SET mine = 1")
    return place


def several(count: int, **changes: Any) -> list[list[bytes]]:
    return [campaign(number, 480.0 + number % 2, **changes) for number in range(count)]


def history(place: Path, *options: object) -> Any:
    return benchdb("history", "lstm", *options, "--db", place)


def test_the_table_has_every_campaign_against_the_one_before_it(slower):
    done = history(slower)

    title, head, *rows = done.out.splitlines()
    assert title == (
        "LSTM, batch 64 · fp32 · M9 Max · Metal · PyTorch · machine 0011223344556677"
    )
    assert head.split()[:4] == ["date", "campaign", "figure", "interval"]
    assert rows[0] == ("  2026-03-02  20260302-test  480 seq/s  479–481   3  C      –")
    assert rows[5].startswith("v 2026-03-07")
    assert rows[5].endswith("1.08× as long")
    assert [row.strip() for row in rows[6:9]] == [
        "from here on 1.09× as long (campaigns: 5 before, 4 after)",
        "framework version: 2.7.0 → 2.8.0",
        "operating system: macOS 26.1 (25B00) → macOS 26.2 (25B00)",
    ]
    assert (done.status, done.err) == (0, "")


def test_figures_have_the_units_in_which_they_are_listed(tmp_path):
    place = tmp_path / "r.sqlite"
    work: dict[str, Any] = {"workload": "matmul", "metric": "teraflops"}
    columns = {"mine": True, "parameters": {"size": 256}}
    stored(place, compared("a", 0.0107, **work, columns=columns))

    rows = benchdb("history", "matmul", "--db", place).out.splitlines()

    assert rows[2].split()[2:5] == ["10.7", "GFLOPS", "10.4–11.0"]


def test_the_chart_fits_80_columns_in_plain_characters(slower):
    _, _, chart = history(slower).out.partition("\n\n")

    rows = chart.rstrip("\n").splitlines()
    assert chart.isascii()
    assert max(map(len, rows)) <= 80
    marks = "".join(row.partition("|")[2] for row in rows)
    assert (marks.count("o"), marks.count("v")) == (8, 1)
    assert rows[-1].endswith("2026-03-10")


def test_json_has_figures_verdicts_surroundings_and_the_change(slower):
    (course,) = json.loads(history(slower, "--json").out)

    names = ("workload", "machine", "framework", "metric", "unit", "batch_size")
    assert [course[name] for name in names] == [
        *("lstm", TEST_MACHINE, "torch", "samples_per_second", "seq/s", 64)
    ]
    sixth = course["campaigns"][5]
    assert sixth["campaign"] == "20260307-test"
    assert sixth["against_last"]["verdict"] == "slower"
    assert sixth["change"]["verdict"] == "slower"
    assert sixth["change"]["value"] == pytest.approx(0.92, rel=0.005)
    assert (sixth["change"]["campaigns_before"], sixth["n"]) == (5, 3)
    assert sixth["changed"]["version"] == ["2.7.0", "2.8.0"]
    assert sixth["surroundings"]["power_source"] == "ac"
    assert [item["change"] for item in course["campaigns"]].count(None) == 8


def test_svg_writes_the_chart(slower, tmp_path):
    done = history(slower, "--svg", tmp_path / "chart.svg")

    drawing = parse((tmp_path / "chart.svg").read_text("utf-8"))
    assert "1.09× as long" in drawing.text
    assert done.err == f"benchdb: the chart is in {tmp_path / 'chart.svg'}\n"


def test_a_place_that_takes_no_svg_is_told(slower, tmp_path):
    (tmp_path / "file").touch()
    done = history(slower, "--svg", tmp_path / "file" / "chart.svg")

    assert done.status == 1
    assert "cannot write" in done.err


def test_since_leaves_out_what_was_before(slower):
    (course,) = json.loads(history(slower, "--since", "2026-03-08", "--json").out)

    assert [item["campaign"][:8] for item in course["campaigns"]] == [
        *("20260308", "20260309", "20260310")
    ]


@pytest.mark.parametrize(
    ("options", "status", "result"),
    [
        (("lsmt",), 2, "no workload 'lsmt'; did you mean 'lstm'?"),
        (("lstm", "--machine", "0011223344556676"), 2, f"mean {TEST_MACHINE!r}?"),
        (("lstm", "--machine", "001"), 2, "no machine '001'"),
        (
            ("lstm", "--framework", "tourch"),
            2,
            "no framework 'tourch'; did you mean 'torch'?",
        ),
        (("lstm", "--since", "yesterday"), 2, "no date 'yesterday'; write it as"),
        (("resnet50",), 0, "no campaign of resnet50 here is like that"),
        (
            ("lstm", "--batch-size", "8"),
            0,
            "no campaign of lstm here is like that",
        ),
        (
            ("lstm", "--since", "2027-01-01"),
            0,
            "no campaign of lstm here is like that",
        ),
        (
            ("lstm", "--device", "cuda"),
            0,
            "no campaign of lstm here is like that",
        ),
        (("lstm", "--since", "2026-03-10"), 0, "nothing yet to hold a single campaign"),
    ],
)
def test_what_is_not_there_is_told_in_a_line(slower, options, status, result):
    done = benchdb("history", *options, "--db", slower)

    assert (done.status, len(done.err.splitlines())) == (status, 1)
    assert result in done.err


@pytest.mark.parametrize("wanted", [TEST_MACHINE, "001122"])
def test_what_others_measured_is_shown_of_a_machine_that_is_asked_for(tmp_path, wanted):
    place = database(tmp_path, several(3))

    mine = history(place)
    theirs = history(place, "--machine", wanted, "--json")

    assert (mine.status, mine.out) == (0, "")
    assert mine.err == (
        "benchdb: no campaign of lstm here is like that; --machine shows those "
        f"of others: {TEST_MACHINE}\n"
    )
    assert len(json.loads(theirs.out)[0]["campaigns"]) == 3


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({"started": None, "missing": {"started": "no clock"}}, "without a date"),
        ({"tier": "smoke"}, "of trial runs (tier smoke)"),
        ({"checks": FAILED}, "disqualified (grade X)"),
    ],
)
def test_campaigns_that_are_in_no_course_are_told_in_a_line(tmp_path, changes, result):
    all_of_them = database(tmp_path, several(2, **changes))
    only_one = tmp_path / "one"
    only_one.mkdir()
    some = database(only_one, [*several(3), campaign(9, 480.0, **changes)])

    none = history(all_of_them, "--machine", TEST_MACHINE)
    rest = history(some, "--machine", TEST_MACHINE, "--json")

    assert (none.status, none.out) == (0, "")
    assert none.err.startswith("benchdb: all there is of lstm: 2 campaigns ")
    assert result in none.err
    assert len(none.err.splitlines()) == 1
    assert len(json.loads(rest.out)[0]["campaigns"]) == 3
    assert rest.err.startswith("benchdb: left out: 1 campaign ")


def panel(*points: Point) -> Panel:
    ticks = (Tick(100, "100"), Tick(110, "110"))
    return Panel(
        "",
        Scale(-0.5, 2.5, (Tick(0, "first"), Tick(2, "last")), "", log=False),
        Scale(95, 115, ticks, "seq/s", log=False),
        points,
        (Stroke(((-0.5, 100), (1.5, 100), (1.5, 110), (2.5, 110)), "quiet"),),
    )


def test_a_terminal_has_marks_with_colours_and_the_steps_of_levels():
    points = (
        Point(0, 100, "even", low=97, high=103),
        Point(1, 101, "even", hollow=True),
        Point(2, 110, "faster"),
    )
    rows = list(drawn(panel(*points), plain=False))
    text = ["".join(character for character, _ in row) for row in rows]
    styles = {character: style for row in rows for character, style in row}

    whole = "\n".join(text)
    assert [whole.count(mark) for mark in "●○▲┊"] == [1, 1, 1, 4]
    assert (styles["▲"], styles["─"]) == ("blue", "dim")
    assert max(map(len, text)) == 80
    assert text[-1].split() == ["first", "last"]
    assert next(row for row in text if "110" in row).count("─") > 15


def test_what_lies_beyond_the_axes_is_not_drawn():
    rows = list(drawn(panel(Point(0, 1e9, "even")), plain=True))

    assert "o" not in "".join(c for row in rows[:-1] for c, _ in row if c != "seq/s")
