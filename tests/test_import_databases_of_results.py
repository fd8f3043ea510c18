"""conbench and its kin, Bencher and ClickBench: results that servers keep."""

import json

import pytest

from benchdb.importing.tools import bencher, clickbench, conbench, kenn_io
from tests.foreign_files import SAMPLES, document, taken, written

NOTHING_TOLD = {"data": None, "median": None, "mean": None}
POSTED = SAMPLES / "conbench_benchmark_result_POST.json"


def posted(stats=None, **changes):
    """Return what is read of the sample with these facts changed."""
    whole = json.loads(POSTED.read_text(encoding="utf-8"))
    whole["stats"] |= stats or {}
    return taken(conbench, written(json.dumps(whole | changes)))


def queries(*rows, **changes):
    whole = {"system": "Base", "machine": "m1", "load_time": 2, "date": "2024-01-31"}
    return taken(clickbench, written(json.dumps({**whole, "result": rows, **changes})))


def test_numbers_of_conbench_that_are_texts_are_samples():
    (run,) = posted().runs

    (value,) = run.end.values
    assert (value.metric, value.value) == ("operation_seconds", 0.008987499999999999)
    assert run.series[0].values[:2] == (0.099094, 0.037129)
    assert run.run.parameters["compression"] == "snappy"


def test_a_machine_with_gpus_leaves_the_device_open():
    (run,) = posted().runs
    (other,) = posted(machine_info={"cpu_model_name": "Apple M1", "name": "x"}).runs

    cards = [card.name for card in run.machine.chip.accelerators]
    assert sorted(cards) == ["GeForce GTX 1060 3GB", "Tesla T4"]
    assert (run.run.device, other.run.device) == ("unknown", "cpu")
    assert run.machine.chip.ram_bytes == 17179869184


def test_a_page_of_the_server_says_that_there_are_more():
    sample = SAMPLES / "conbench_benchmark_results_GET.json"
    (run,) = taken(conbench, document(sample)).runs

    assert run.run.locator == "/data/data/0/stats"
    assert run.source is not None
    assert run.source.missing["pages"] == "the server has more than this page"


def test_a_sample_that_is_null_fails_the_result():
    (run,) = posted({"data": ["0.1", None, "0.3"]}).runs

    assert (run.end.status, run.series) == ("failed", ())
    assert run.end.reason == "1 of 3 samples are null"


@pytest.mark.parametrize(
    ("error", "reason"),
    [({"stack": "in /home/jane/x"}, "stack: in …/x"), ("boom\n" * 99, "error: boom")],
)
def test_an_errored_result_stays_so(error, reason):
    (run,) = posted(error=error).runs

    assert run.end.status == "failed"
    assert run.end.reason.startswith(reason)
    assert len(run.end.reason) <= 200


@pytest.mark.parametrize(
    ("unit", "metric", "expected"),
    [
        ("ns", "operation_seconds", 2e-9),
        ("B/s", "gigabytes_per_second", 2e-9),
        ("b/s", "gigabytes_per_second", 2.5e-10),
        ("i/s", "operations_per_second", 2),
        ("furlong", "reported_value", 2),
        (None, "reported_value", 2),
    ],
)
def test_the_unit_of_conbench_chooses_the_metric(unit, metric, expected):
    (run,) = posted({"data": [1, 2, 3], "unit": unit, "times": []}).runs

    (value,) = run.end.values
    assert (value.metric, value.value) == (metric, expected)
    assert run.run.parameters.get("unit") == ("furlong" if unit == "furlong" else None)
    assert ("unit" in run.run.missing) == (unit is None)


def test_times_beside_a_rate_are_kept():
    (run,) = posted({"data": [8e9], "unit": "B/s"}).runs

    figures = {one.metric: one.value for one in run.end.values}
    assert figures["gigabytes_per_second"] == 8
    assert len(run.series[0].values) == 10


def test_statistics_without_samples_are_an_aggregate():
    (run,) = posted({"data": [], "median": None, "mean": "2", "stdev": "0.5"}).runs
    (other,) = posted({"data": [], "median": 3, "stdev": None}).runs

    assert (run.run.label, run.end.values[0].uncertainty) == ("aggregate", 0.5)
    assert (other.end.values[0].value, other.end.values[0].uncertainty) == (3, None)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"stats": NOTHING_TOLD}, "neither data nor a median"),
        ({"machine_info": None, "timestamp": "soon"}, "'soon' is no date"),
    ],
)
def test_a_damaged_result_of_conbench_is_refused(changes, why):
    (bad,) = posted(**changes).bad

    assert why in bad.reason


def test_a_list_of_results_is_read_one_by_one():
    whole = json.loads(POSTED.read_text(encoding="utf-8"))
    read = taken(conbench, written(json.dumps([3, {}, whole, whole | {"id": "2"}])))

    assert [one.run.locator for one in read.runs] == ["/2/stats", "/3/stats"]
    assert [(bad.locator, bad.reason) for bad in read.bad] == [
        ("/0", "a result is no object"),
        ("/1", "tags is no object"),
    ]


def test_the_minimal_result_of_kenn_io_is_its_own():
    sample = SAMPLES / "kenn-io_benchdb_minimal_result.json"
    (run,) = taken(kenn_io, document(sample)).runs

    assert run.run.workload == "kenn-io-benchdb/ReadParquet/rows=1000000"
    assert (run.run.framework, run.machine.label) == ("C++", "ci-linux-x86-64")
    assert run.end.values[0].value == 1.22


def test_a_measure_of_bencher_has_no_unit_in_the_file():
    read = taken(bencher, document(SAMPLES / "bencher_bmf.json"))

    first = read.runs[0]
    assert [one.end.values[0].value for one in read.runs] == [3247, 3443, 3361]
    assert first.run.parameters == {"measure": "latency"}
    assert first.run.missing["unit"] == "known to the server only"
    assert first.run.conditions == {"lower_value": 1044, "upper_value": 1044}


def test_a_measure_that_is_no_number_is_refused_alone():
    text = json.dumps({"b": {"speed": {"value": "fast"}, "size": {"value": -1}}})
    read = taken(bencher, written(text))

    assert [bad.locator for bad in read.bad] == ["/b/speed"]
    assert read.runs[0].end.values[0].value == -1


def test_the_first_run_of_a_query_is_cold_and_the_best_hot_one_counts():
    sample = SAMPLES / "clickbench_duckdb_c6a.2xlarge.json"
    read = taken(clickbench, document(sample))

    second = read.runs[1]
    assert read.values["clickbench/q01", "first_operation_seconds"] == 0.202
    assert read.values["clickbench/q01", "operation_seconds"] == 0.051
    assert second.end.values[1].derived == "minimum of 2 hot runs"
    assert second.end.values[1].locator == "/result/1/2"
    assert read.values["clickbench/load", "stored_bytes"] == 20436758528
    assert (second.run.framework, second.machine.label) == ("DuckDB", "c6a.2xlarge")


def test_a_query_that_failed_keeps_what_it_did():
    (run, _) = queries([0.5, None, 0.25]).runs

    assert (run.end.status, run.end.reason) == (
        *("failed", "1 of 3 runs failed (null in the file)"),
    )
    assert [value.value for value in run.end.values] == [0.5, None]
    assert [one.phase for one in run.series] == ["warmup", "measure"]


def test_a_query_that_never_ran_has_no_figures():
    (run, _) = queries([None, None, None]).runs

    assert [value.value for value in run.end.values] == [None, None]


@pytest.mark.parametrize("row", [[], [1, "x", 2], [1, -1, 2]])
def test_a_damaged_row_of_clickbench_is_refused_alone(row):
    read = queries(row, [3, 2, 1])

    assert [bad.locator for bad in read.bad] == ["/result/0"]
    assert read.values["clickbench/q01", "operation_seconds"] == 1


def test_a_comparison_of_hardware_does_not_name_the_system():
    told = {
        "machine": "m1",
        "comment": "64 cores",
        "tags": ["cpu"],
        "result": [[3, 1, 2]],
    }

    (run,) = taken(
        clickbench, written(json.dumps({**told, "time": "2021-11-27 00:00:00"}))
    ).runs

    assert run.run.missing["framework"] == "the file does not name the system"
    assert (run.run.started, run.machine.label) == ("2021-11-27 00:00:00", "m1")
    assert [value.value for value in run.end.values] == [3, 1]


def test_a_query_with_one_run_has_no_hot_one():
    (run, _) = queries([3]).runs

    assert run.end.values[1].reason == "the file has no hot run"


def test_concurrent_queries_are_a_rate():
    read = queries(concurrent_qps=12.5, load_time=None, hardware="gpu", version="7")

    assert read.values == {("clickbench/concurrent", "operations_per_second"): 12.5}
    assert read.runs[0].run.missing["device"] == "hardware is gpu"
    assert read.runs[0].environment.framework_version == "7"
