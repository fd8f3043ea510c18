"""asv: rows that are products of parameters, and what failed or was skipped."""

import json
import math

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.tools import asv
from tests.foreign_files import document, sample_cases, taken, written

RESULT = {
    "commit_hash": "c0ffee",
    "date": 1600000000000,
    "params": {"cpu": "Apple M2", "os": "Darwin 23.1.0", "ram": "8589934592"},
    "result_columns": ["result", "params", "version", "started_at", "samples"],
    "results": {},
}


def asv_results(results, **changes):
    whole = {**RESULT, **changes, "results": results}
    return taken(asv, written(json.dumps(whole)))


@pytest.mark.parametrize(
    ("path", "failure", "skip"),
    sample_cases(
        "asv_result_v1_example.json",
        ours=("time_failure", "time_skip"),
        shared=("time_AAA_failure", "time_AAA_skip"),
    ),
)
def test_asv_tells_failed_from_skipped(path, failure, skip):
    read = taken(asv, document(path))

    ends = {one.run.locator: one.end for one in read.runs}
    failed, skipped = (ends[f"/results/{name}"] for name in (failure, skip))
    assert (failed.status, failed.values[0].value) == ("failed", None)
    assert (skipped.status, skipped.values[0].printed) == ("not-measured", "NaN")


def test_parameters_of_asv_are_a_product_of_axes():
    row = [[1.5, None, math.nan, 2.5], [["1", "2"], ["'a'", "'b'"]], "v7"]
    read = asv_results({"suite.time_it": row})

    found = [
        (one.run.parameters["param1"], one.run.parameters["param2"])
        for one in read.runs
    ]
    assert found == [("1", "'a'"), ("1", "'b'"), ("2", "'a'"), ("2", "'b'")]
    assert [one.end.status for one in read.runs] == [
        *("ok", "failed", "not-measured", "ok")
    ]
    assert read.runs[3].run.locator == "/results/suite.time_it/0/3"


def test_samples_of_asv_stand_beside_its_own_exact_result():
    row = [[0.123456789], [], "v1", 1600000000000, [[0.12345, 0.12346]]]
    (run,) = asv_results({"time_it": row}).runs

    assert run.end.values[0].printed == "0.123456789"
    assert run.series[0].values == (0.12345, 0.12346)
    assert (run.run.label, run.run.started) == ("imported", "2020-09-13T12:26:40Z")


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("a.TimeSuite.time_x", "operation_seconds"),
        ("timeraw_x", "operation_seconds"),
        ("a.peakmem_x", "peak_memory_reported_bytes"),
        ("mem_x", "reported_value"),
        ("track_time_x", "reported_value"),
        ("a.other", "reported_value"),
    ],
)
def test_the_name_of_an_asv_benchmark_says_what_is_measured(name, metric):
    (run,) = asv_results({name: 3}, result_columns=None).runs

    assert run.end.values[0].metric == metric


@pytest.mark.parametrize(
    ("os", "ram", "expected"),
    [
        ("Darwin 21.2.0", "17179869184", 17179869184),
        ("Linux 5.4", "16384000", 16777216000),
        ("Linux 5.4", "17179869184", None),
        ("Linux (Fedora 20)", "8.2G", None),
        (None, None, None),
    ],
)
def test_memory_is_taken_where_its_unit_is_certain(os, ram, expected):
    (run,) = asv_results({"time_x": 1}, params={"os": os, "ram": ram}).runs

    assert run.machine.chip.ram_bytes == expected
    assert (expected is None) == ("ram_bytes" in run.machine.missing)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ([[1, 2], [["a"]]], "2 results for 1 combinations"),
        ([[1], "a"], "params are no lists"),
        ([[1], [["a"]] * 51], "more than 50 columns, or axes"),
        ([1, 2, 3, 4, 5, 6], "6 cells for 5 columns"),
        ([[[1]]], "the result is no number"),
        (["fast"], "'fast', no number"),
        ([1, [], "v7", 1e300], "1e+297 is no date"),
    ],
)
def test_a_row_of_asv_that_does_not_add_up_is_refused(row, why):
    (bad,) = asv_results({"time_x": row}).bad

    assert why in bad.reason


def test_a_row_without_columns_is_refused():
    assert (
        "no result_columns" in asv_results({"x": [1]}, result_columns=[]).bad[0].reason
    )


def test_columns_that_are_no_names_are_refused():
    with pytest.raises(DocumentError, match="result_columns"):
        asv_results({}, result_columns=[1])


def test_the_list_of_benchmarks_of_asv_holds_no_results():
    text = json.dumps({"a.time_x": {"code": "…", "name": "a.time_x"}, "version": 2})

    with pytest.raises(DocumentError, match="describes benchmarks of asv"):
        taken(asv, written(text))


@pytest.mark.parametrize("cpu", ["2-core unknown", "8 cores", "AArch64", "Unknown"])
def test_a_processor_without_a_name_is_unknown(cpu):
    (run,) = asv_results({"time_x": 1.5}, params={"cpu": cpu}).runs

    assert (run.machine.chip.vendor, run.machine.chip.name) == ("unknown", "unknown")
