"""The same work over time: courses of campaigns, their changes, and what is beside."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from benchdb.report.charts.svg_file import svg_file
from benchdb.report.history import Entry, Line, course_words, lines_of
from benchdb.report.history.courses import LEAST, courses
from benchdb.report.history.surroundings import changed
from benchdb.report.language import load
from benchdb.report.summary import gather
from tests.campaign_history import FAILED, TEST_MACHINE, campaign, shared, stepped
from tests.exchange_lines import HEADER, MACHINE, line
from tests.in_process import benchdb
from tests.page import parse

EN = load("en")


Lines = Sequence[Line]


def lines(folder: Path, campaigns: Sequence[Sequence[bytes]]) -> Lines:
    """Return the courses of a database into which *campaigns* were imported."""
    return lines_of_file(shared(folder / "campaigns.jsonl", campaigns))


def lines_of_file(file: Path) -> Lines:
    database = file.parent / "h.sqlite"
    done = benchdb("import", file, "--db", database)
    assert done.status == 0, done.err
    with create_engine(f"sqlite:///{database}").connect() as connection:
        own = gather(connection)
        result = courses(connection, own.runs, own.measured, own.notes, LEAST)
        return lines_of(result, own.notes, None)


@pytest.fixture(scope="module", name="slower")
def slower_since_an_update(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    return lines(tmp_path_factory.mktemp("history"), stepped())


def shifts(line: Line) -> list[Entry]:
    return [entry for entry in line.entries if entry.shift]


def only(result: Lines) -> Line:
    (line,) = result
    return line


def rates(count: int, **changes: Any) -> list[list[bytes]]:
    return [campaign(number, 480.0 + number % 2, **changes) for number in range(count)]


def test_a_course_has_its_campaigns_oldest_first_with_their_figures(slower):
    line = only(slower)

    assert line.machine == TEST_MACHINE
    assert [entry.campaign for entry in line.entries] == [
        f"2026030{day}-test" for day in range(2, 10)
    ] + ["20260310-test"]
    assert [round(entry.quantity.value) for entry in line.entries] == [
        *(480, 482, 478, 481, 479),
        *(442, 443, 440, 443),
    ]
    assert {(entry.quantity.n, entry.quantity.grade) for entry in line.entries} == {
        (3, "C")
    }
    assert all(entry.quantity.low and entry.quantity.high for entry in line.entries)


def test_the_change_is_at_the_update_and_names_what_was_other(slower):
    (shifted,) = shifts(only(slower))

    assert shifted.campaign == "20260307-test"
    assert shifted.shift is not None
    assert (shifted.shift.before, shifted.shift.after) == (5, 4)
    assert shifted.shift.ratio.verdict == "slower"
    assert shifted.shift.ratio.value == pytest.approx(0.92, rel=0.005)
    assert [(item.name, item.before, item.after) for item in shifted.changed] == [
        ("version", "2.7.0", "2.8.0"),
        ("system", "macOS 26.1 (25B00)", "macOS 26.2 (25B00)"),
    ]


def test_each_campaign_is_held_against_the_one_before_it(slower):
    verdicts = [
        entry.against and entry.against.verdict for entry in only(slower).entries
    ]

    assert verdicts == [None, *["unclear"] * 4, "slower", *["unclear"] * 3]


def test_levels_are_the_means_between_changes(slower):
    levels = [entry.level for entry in only(slower).entries]

    assert len(set(levels)) == 2
    assert levels[0] == pytest.approx(480, rel=0.001)
    assert levels[-1] == pytest.approx(442, rel=0.002)


def test_two_campaigns_are_no_course(tmp_path):
    assert not lines(tmp_path, rates(2))


def test_three_like_campaigns_are_a_course_without_a_change(tmp_path):
    assert shifts(only(lines(tmp_path, rates(3)))) == []


def test_other_work_is_another_course(tmp_path):
    half = [
        campaign(number + 10, 900.0 + number, precision="bf16") for number in range(3)
    ]
    result = lines(tmp_path, [*rates(3), *half])

    assert {(item.precision, len(item.entries)) for item in result} == {
        ("fp32", 3),
        ("bf16", 3),
    }


def test_trial_runs_are_in_no_course(tmp_path):
    assert not lines(tmp_path, rates(4, tier="smoke"))


def test_undated_campaigns_are_in_no_course(tmp_path):
    undated = rates(4, started=None, missing={"started": "no clock"})

    assert not lines(tmp_path, undated)


def test_a_machine_that_has_no_id_has_no_course(tmp_path):
    nameless = json.loads(MACHINE)
    nameless["anonymous_id"] = None
    nameless["missing"] = {"anonymous_id": "it could not be read"}
    file = tmp_path / "campaigns.jsonl"
    head = [HEADER, line(json.dumps(nameless).encode())]
    file.write_bytes(b"".join([*head, *(raw for it in rates(3) for raw in it)]))

    assert not lines_of_file(file)


def test_a_disqualified_campaign_is_not_among_the_others(tmp_path):
    result = lines(tmp_path, [*rates(4), campaign(4, 900.0, checks=FAILED)])

    assert len(only(result).entries) == 4


def test_a_busy_machine_is_held_against_a_busy_one_alone(tmp_path):
    """Slower only while something else ran: the load is named, and no verdict falls."""
    chip = json.loads(MACHINE)["chip"]
    load = {"cpu_count_usable": chip["cpu_cores"], "power_source": "ac"}
    quiet = [
        campaign(number, 480.0 + number % 2, conditions=load | {"load_1m": 0.1})
        for number in range(4)
    ]
    busy = [
        campaign(number, 400.0 + number % 2, conditions=load | {"load_1m": 24.0})
        for number in range(4, 8)
    ]
    line = only(lines(tmp_path, [*quiet, *busy]))

    assert shifts(line) == []
    first = line.entries[4]
    assert first.against is not None
    assert (first.against.verdict, first.against.differs) == ("unclear", ("load",))
    assert [item.name for item in first.changed] == ["load"]
    assert "load of the machine: quiet → busy, step" in course_words.changed_text(
        EN, first.changed
    )


def test_what_a_side_does_not_know_is_no_change_but_a_library_that_it_lacks_is():
    before = {"version": "2.7.0", "library:numpy": "1.26", "driver": "580"}
    after = {"version": "2.8.0", "library:numpy": "1.26", "library:scipy": "1.11"}

    assert [
        (item.name, item.before, item.after) for item in changed(before, after)
    ] == [
        ("version", "2.7.0", "2.8.0"),
        ("library:scipy", "", "1.11"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "result"),
    [
        ({"power_source": "ac"}, {"power_source": "battery"}, "mains → battery"),
        ({"low_power_mode": "false"}, {"low_power_mode": "true"}, "Mode: off → on"),
        (
            {"limit": "350.0"},
            {"limit": "300.0"},
            "power limit: 350\xa0W → 300",
        ),
        ({"python": "3.11.2"}, {"python": "3.12.1"}, "Python: 3.11.2 → 3.12.1"),
        ({"library:numpy": "1.26"}, {"library:numpy": "2.4"}, "numpy: 1.26 → 2.4"),
        ({"governor": "powersave"}, {"governor": "performance"}, "governor: powersave"),
    ],
)
def test_what_changed_is_named_in_plain_words(before, after, result):
    assert result in course_words.changed_text(EN, changed(before, after))


def test_the_chart_has_a_mark_for_each_campaign_and_a_step_at_the_change(slower):
    panel = course_words.panel(EN, only(slower))

    assert [point.look for point in panel.points] == [
        *["even"] * 5,
        "slower",
        *["even"] * 3,
    ]
    assert panel.points[5].label == "1.09× as long"
    (levels,) = panel.strokes
    assert [x for x, _ in levels.through] == [-0.5, 4.5, 4.5, 8.5]
    assert panel.x.ticks[0].label == "2026-03-02"
    assert all(0 < (panel.y.place(point.y) or 0) < 1 for point in panel.points)


def test_the_svg_file_needs_nothing_beside_it_and_has_both_colour_schemes(slower):
    drawn = svg_file(course_words.of_lines(EN, slower), EN)

    root = parse(drawn)
    assert len(root.having("href")) == 9 + 2  # campaigns, and the legend
    assert "prefers-color-scheme: dark" in drawn
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
