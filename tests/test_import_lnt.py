"""Reports of LNT, in its first and its second version."""

import json

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.tools import lnt
from tests.foreign_files import SAMPLES, document, taken, written


def lnt_report(*tests, **run):
    whole = {
        "format_version": "2",
        "machine": {"name": "m1", "uname": "Linux janes-pc", "cores": "8"},
        "run": {"start_time": "2020-01-01T00:00:00", **run},
        "tests": tests,
    }
    return taken(lnt, written(json.dumps(whole)))


def first_report(*entries):
    told = {"__report_version__": "1", "tag": "nts", "run_order": "7"}
    whole = {
        "Machine": {"Name": "m1", "Info": {"os": "Ours", "name": "janes-pc"}},
        "Run": {"Start Time": "2009-11-17 02:12:25", "Info": told},
        "Tests": entries,
    }
    return taken(lnt, written(json.dumps(whole)))


def test_lnt_has_figures_and_lists_of_samples():
    one, two = taken(lnt, document(SAMPLES / "lnt_report_v2.json")).runs

    assert one.series[0].values == (0.1056, 0.1055)
    assert one.end.values[0].derived == "median of 2 samples"
    assert [(value.metric, value.printed) for value in two.end.values] == [
        ("compile_seconds", "13.12"),
        ("operation_seconds", "0.2135"),
    ]
    assert "before start_time" in one.run.missing["ended"]
    assert one.run.compiler == "clang 4.0"


def test_metrics_of_lnt_that_nobody_knows_are_runs_of_their_own():
    read = lnt_report({"name": "t", "execution_time": 1, "code_size": [5, 7]})

    assert [one.run.parameters for one in read.runs] == [{}, {"measure": "code_size"}]
    assert read.runs[1].end.values[0].value == 6
    assert read.runs[0].environment.variables == {"machine.cores": "8"}


def test_a_test_of_lnt_that_failed_stays_failed():
    (run,) = lnt_report({"name": "t", "execution_status": 1}).runs

    assert (run.end.status, run.end.reason) == ("failed", "execution_status 1")
    assert run.end.values[0].value is None


def test_one_sample_in_a_list_is_printed_as_it_is():
    (run,) = lnt_report({"name": "t", "score": [7], "execution_status": 0}).runs

    assert (run.end.values[0].metric, run.end.values[0].printed) == ("score", "7")


def test_a_test_with_unknown_metrics_only_is_no_test_of_time():
    (run,) = lnt_report({"name": "t", "pages": 3, "pages_status": 0}).runs

    assert run.end.values[0].value == 3
    assert run.run.parameters == {"measure": "pages"}


def test_a_metric_of_lnt_with_a_state_of_its_own_fails_alone():
    read = lnt_report({"name": "t", "user_time": 3, "sys_time": 1, "user_status": 1})

    assert [one.end.status for one in read.runs] == ["failed", "ok"]
    assert read.runs[0].end.reason == "user_status 1"


def test_the_first_version_of_lnt_tells_a_test_in_entries():
    named = {"a.compile": [2.5], "b.score": [1, 3], "a.exec": [0.5], "a.hash": ["f0"]}
    entries = [{"Name": f"nts.{k}", "Info": {}, "Data": v} for k, v in named.items()]

    read = first_report(*entries, {"Name": "nts.a.exec", "Data": [0.25]}, {"Name": "x"})

    one, two = read.runs
    assert [(value.metric, value.value, value.locator) for value in one.end.values] == [
        ("compile_seconds", 2.5, "/Tests/0/Data/0"),
        ("operation_seconds", 0.375, "/Tests/2/Data"),
    ]
    assert one.series[0].values == (0.5, 0.25)
    assert (two.run.workload, two.end.values[0].value) == ("lnt/b", 2)
    assert (one.run.started, one.machine.label) == ("2009-11-17 02:12:25", "m1")
    assert one.environment.variables["run.llvm_project_revision"] == "7"
    assert [bad.locator for bad in read.bad] == ["/Tests/5"]


def test_a_test_that_failed_in_the_first_version_of_lnt_stays_failed():
    entry = {"Name": "nts.slow.exec.status", "Info": {}, "Data": [1]}

    (run,) = first_report(entry).runs

    assert (run.run.workload, run.end.status) == ("lnt/slow", "failed")


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ({"execution_time": 1}, "no name"),
        ({"name": "t"}, "no figures"),
        ({"name": "t", "execution_time": []}, "an empty list"),
        ("t", "a test is no object"),
    ],
)
def test_a_damaged_test_of_lnt_is_refused(test, why):
    (bad,) = lnt_report(test).bad

    assert why in bad.reason


@pytest.mark.parametrize(
    ("report", "why"),
    [
        ({"Machine": {}, "Run": {}, "Tests": []}, "without tests"),
        ({"Machine": {}, "Run": {}, "Tests": {}}, "/Tests is no list"),
        ({"Machine": [], "Run": {}, "Tests": []}, "/Machine is no object"),
        ({"Machine": {"Info": 3}, "Run": {}, "Tests": []}, "/Machine/Info is no"),
        (
            {"Machine": {}, "Run": {"Info": {"__report_version__": "0"}}, "Tests": []},
            "version 0; 1 and 2 are read",
        ),
        ({"format_version": 3, "machine": {}, "run": {}, "tests": []}, "version 3"),
        ({"format_version": "2", "machine": {}, "run": {}, "tests": {}}, "no list"),
    ],
)
def test_a_report_of_lnt_that_cannot_be_read_says_why(report, why):
    with pytest.raises(DocumentError, match=why):
        taken(lnt, written(json.dumps(report)))
