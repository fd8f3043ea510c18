"""Filters of a report: everything on it is about the runs that they leave."""

import csv
import io
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchdb.report.scope import Wanted, selected
from benchdb.report.summary import summarise
from benchdb.store.database import open_database, reading
from tests.page import parse
from tests.store_factory import Machine, Run
from tests.summary_page import WALL, measured
from tests.written_reports import mixed, report, shown, store


@pytest.fixture(scope="module", name="database")
def mixed_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(tmp_path_factory.mktemp("store"), mixed())


def chips(view):
    return {row["system"]["chip"] for row in view["values"]}


def test_without_filters_everything_is_there(database):
    view = shown(database)

    assert chips(view) == {"M1", "M1 Max", "M2", "M4 Max", "GeForce RTX 3090"}
    assert view["chosen"] == view["there"] == []


def test_a_chip_limits_values_counts_machines_and_sources(database):
    view = shown(database, "--chip", "M2")

    assert chips(view) == {"M2"}
    assert [item["chip"] for item in view["machines"]] == ["M2"]
    assert [(item["slug"], item["runs"]) for item in view["sources"]] == [("odd", 1)]
    counts = view["values_count"], view["systems_count"], view["sources_count"]
    assert counts == (1, 1, 1)
    assert [note["code"] for note in view["notes"]] == ["order-inverted"]


def test_a_chip_is_not_another_whose_name_starts_alike(database):
    assert chips(shown(database, "--chip", "M1")) == {"M1"}


@pytest.mark.parametrize("name", ["Apple M1 Max", "m1 max", " M1 Max "])
def test_capitals_and_makers_do_not_matter(database, name):
    view = shown(database, "--chip", name)

    assert chips(view) == {"M1 Max"}
    assert view["chosen"] == [{"option": "chip", "names": ["M1 Max"]}]


def test_a_card_is_the_chip_that_worked(database):
    view = shown(database, "--chip", "NVIDIA GeForce RTX 3090")

    assert chips(view) == {"GeForce RTX 3090"}


def test_names_of_one_filter_add_up_and_filters_cut(database):
    both = shown(database, "--chip", "M1", "--chip", "M1 Max")
    same = shown(database, "--chip", "M1,M1 Max")
    gpu = shown(database, "--chip", "M1,M1 Max", "--device", "metal")

    assert chips(both) == {"M1", "M1 Max"}
    assert both == same
    assert chips(gpu) == {"M1 Max"}


@pytest.mark.parametrize(
    ("filters", "values"),
    [
        (["--workload", "lstm"], 3),
        (["--framework", "torch"], 1),
        (["--device", "cuda"], 1),
        (["--precision", "bf16"], 1),
        (["--source", "odd"], 1),
        (["--source", "paper", "--device", "metal"], 4),
        (["--grade", "C"], 1),
        (["--grade", "X"], 1),
        (["--grade", "I,X"], 14),
    ],
)
def test_each_filter_leaves_its_own_runs(database, filters, values):
    assert shown(database, *filters)["values_count"] == values


def test_the_csv_follows(database):
    done = report(database, "-o", "-", "--format", "csv", "--workload", "mobilenetv2")

    texts = {row["workload"] for row in csv.DictReader(io.StringIO(done.out))}
    assert texts == {"mobilenetv2"}


def test_the_page_tells_its_filters_and_the_command(database):
    filters = ("--chip", "m1 max", "--device", "metal")
    done = report(database, "-o", "-", "--format", "html", *filters)
    page = parse(done.out)

    assert "--chip M1 Max; --device metal" in page.text
    command = "benchdb report --lang en --chip 'M1 Max' --device metal"
    assert command in [e.text for e in page.all("code")]


def test_known_names_without_a_run_in_common_make_a_helpful_page(database, tmp_path):
    filters = ("--chip", "M2", "--workload", "lstm")
    done = report(database, "-o", tmp_path, *filters)
    there = "--chip M1, M1 Max; --workload resnet50"

    assert done.status == 0
    assert (
        f"no result matches --chip M2; --workload lstm; there are results for: {there}"
        in done.err
    )
    assert done.err.count("\n") == 1
    page = parse((tmp_path / "report.en.html").read_text())
    assert there in page.text
    text = (tmp_path / "report.en.md").read_text()
    assert "No result matches the filters." in text
    assert (tmp_path / "report.csv").read_text().count("\n") == 1


def test_a_name_of_our_catalogues_is_known_though_nobody_ran_it(database):
    view = shown(database, "--chip", "M1 Ultra")

    assert view["values"] == []
    assert view["there"][0]["names"] == [
        "GeForce RTX 3090",
        "M1",
        "M1 Max",
        "M2",
        "M4 Max",
    ]


@pytest.mark.parametrize(
    ("option", "name", "listed"),
    [
        ("chip", "M77", "M1, M1 Max, M2, M4 Max"),
        ("workload", "chess", "lstm"),
        ("framework", "lisp", "tensorflow, torch"),
        ("device", "quantum", "cpu"),
        ("precision", "int8", "bf16, fp32"),
        ("source", "rumour", "odd, paper"),
        ("grade", "Z", "A, B, C, I, X"),
        ("chip", "", "M1"),
        ("chip", "M1,M77", "M1"),
    ],
)
def test_an_unknown_name_lists_what_there_is(database, tmp_path, option, name, listed):
    done = report(database, "-o", tmp_path / "x", f"--{option}", name)

    assert done.status == 2
    assert f"no {option} {name.split(',')[-1]!r}; there are: " in done.err
    assert listed in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_a_name_that_is_nearly_right_is_told_the_right_one(database, tmp_path):
    done = report(database, "-o", tmp_path / "x", "--workload", "resnet5")

    assert (done.status, done.out) == (2, "")
    assert done.err == "benchdb: no workload 'resnet5'; did you mean 'resnet50'?\n"


def test_an_empty_database_says_that_it_has_none(tmp_path):
    done = report(store(tmp_path, []), "-o", tmp_path / "x", "--source", "odd")

    assert done.status == 2
    assert "no source 'odd'; the results have none" in done.err


def test_a_source_of_statements_alone_can_be_named(tmp_path):
    run = Run(source="told", values={})
    database = store(tmp_path, [run, Run(values={WALL: 1.0})])

    view = shown(database, "--source", "told")
    assert [item["slug"] for item in view["sources"]] == ["told"]


def test_a_campaign_limits_the_page_to_its_runs(tmp_path):
    first = measured([{WALL: 10.0}], campaign="first")
    second = measured([{WALL: 20.0}], campaign="second")
    view = shown(store(tmp_path, [*first, *second]), "--campaign", "first")

    assert [row["quantity"]["value"] for row in view["values"]] == [10.0]
    assert view["chosen"] == [{"option": "campaign", "names": ["first"]}]


def test_the_newest_campaign_is_chosen_among_those_that_the_filters_leave(tmp_path):
    old = measured([{WALL: 10.0}], started="2026-01-01T00:00:00Z", device_name="Arc A")
    new = measured(
        [{WALL: 20.0}],
        started="2026-02-02T00:00:00Z",
        campaign="d",
        device_name="Arc B",
    )
    database = store(tmp_path, [*old, *new])

    engine = open_database(str(database))
    with reading(engine) as connection:
        with selected(connection, Wanted({"chip": ["Arc A"]})) as scope:
            result = summarise(connection, scope=scope)
        with selected(connection, Wanted({"chip": ["Arc B"]})) as scope:
            other = summarise(connection, scope=scope)
    assert (result.newest, other.newest) == ("2026-01-01", "2026-02-02")
    assert [row.quantity.value for row in result.values if row.quantity] == [10.0]


def test_a_copy_counts_where_its_original_is_filtered_away(tmp_path):
    machine = Machine(chip="M3")
    values = {"published": "2024-01-01", "document_sha256": "a" * 64}
    original = Run(
        machine=machine,
        values={WALL: 1.2345678912},
        figures=("x", 11),
        source_columns=values,
    )
    copy = replace(
        original,
        source="echo",
        source_columns={"published": "2025-01-01", "document_sha256": "b" * 64},
    )
    database = store(tmp_path, [original, copy])

    assert shown(database)["sources_count"] == 1
    assert shown(database, "--source", "echo")["sources_count"] == 1


def test_two_reports_of_one_connection_do_not_disturb_each_other(database):
    engine = open_database(str(database))
    with reading(engine) as connection:
        with selected(connection, Wanted({"chip": ["M2"]})) as scope:
            result = summarise(connection, scope=scope)
        with selected(connection, Wanted({"device": ["cuda"]})) as scope:
            other = summarise(connection, scope=scope)
        whole = summarise(connection)
    assert (result.values_count, other.values_count) == (1, 1)
    assert whole.values_count == 15


def test_a_hostile_name_commands_neither_terminal_nor_page(database):
    done = report(database, "-o", "-", "--format", "html", "--chip", "\x1b[31m<b>\n")

    assert done.status == 2
    assert "\x1b" not in done.err
    assert done.err.count("\n") == 1
