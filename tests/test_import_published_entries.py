"""DAWNBench and js-framework-benchmark: entries of public comparisons."""

import json

import pytest

from benchdb.importing.tools import dawnbench, js_framework
from tests.foreign_files import SAMPLES, document, taken, written

ENTRY = {
    "framework": "Flow",
    "model": "Net",
    "hardware": "1 card",
    "timestamp": "2019-01-01",
    "authorEmail": "a@e.org",
}


def epochs(*rows, header="epoch\thours\ttop1Accuracy"):
    return taken(dawnbench, written("\n".join((header, *rows))))


def entry(**facts):
    return taken(dawnbench, written(json.dumps({**ENTRY, **facts})))


def page(**facts):
    one = {"framework": "quick-v1.2-non-keyed", "benchmark": "01_run", "values": [5]}
    return taken(js_framework, written(json.dumps([{**one, **facts}])))


def test_the_first_epoch_that_is_good_enough_ends_the_training():
    (run,) = taken(dawnbench, document(SAMPLES / "dawnbench_entry.tsv")).runs

    accuracy, time = run.end.values
    assert (time.value, time.printed) == (12354.246, "3.431735")
    assert time.locator == "line 86, column hours"
    assert (accuracy.metric, accuracy.value) == ("final_accuracy", 76.148)
    assert run.run.workload == "dawnbench/ImageNet train"


def test_a_training_that_never_got_there_failed():
    (run,) = epochs("1\t0.5\t90", "", "2\t1.0\t93.9").runs

    assert (run.end.status, run.end.reason) == (
        *("failed", "no epoch reached top1Accuracy 94"),
    )
    assert [one.value for one in run.end.values] == [93.9, None]


def test_answers_to_questions_are_graded_by_f1():
    (run,) = epochs("1 0.5 0.72", "2 0.75 0.73", header="epoch hours f1Score").runs

    assert run.run.workload == "dawnbench/SQuAD train"
    assert [one.value for one in run.end.values] == [2700]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "no epochs"),
        (["1\t0.5"], "line 2 has 2 cells, not 3"),
        (["1\tsoon\t95"], "line 2, column hours is 'soon', no number"),
        (["1\t2\t95", "2\t1\t96"], "line 3: fewer hours"),
        (["1\t0.5\t0.95"], "is no percent"),
        (["1\t0.5\t101"], "is no percent"),
    ],
)
def test_a_damaged_table_of_epochs_is_refused(rows, why):
    (bad,) = epochs(*rows).bad

    assert why in bad.reason


def test_columns_of_epochs_may_stand_in_another_order():
    header = "hours\tepoch\ttop1Accuracy\ttop5Accuracy"

    (run,) = epochs("0.5\t1\t70\t90", "1.5\t2\t75\t93.5", header=header).runs

    assert run.run.workload == "dawnbench/ImageNet train"
    assert [value.value for value in run.end.values] == [75, 5400]


@pytest.mark.parametrize("header", ["epoch hours loss", "hours hours f1Score", "epoch"])
def test_columns_of_something_else_are_no_epochs(header):
    assert not dawnbench.recognises(written(f"{header}\n1 2 3\n"))


def test_a_column_twice_is_refused():
    (bad,) = epochs("1\t1\t1\t1", header="epoch\thours\ttop1Accuracy\thours").bad

    assert "are none of DAWNBench" in bad.reason


def test_an_entry_for_inference_has_a_latency_and_a_cost():
    latency, cost = entry(latency=43.45, cost=1e-6, top5Accuracy=93.5).runs

    assert latency.run.workload == "dawnbench/ImageNet inference"
    assert latency.end.values[0].metric == "latency_mean_seconds"
    assert latency.end.values[0].value == 0.04345
    assert "USD" in cost.run.basis["unit"]
    assert (latency.machine.model, latency.run.framework) == ("1 card", "Flow")
    assert "a@e.org" not in str(latency)


def test_an_entry_that_does_not_name_its_task_says_so():
    (run,) = entry(latency=5).runs

    assert run.run.missing["workload"] == "the file does not name the task"


def test_phases_of_a_page_are_runs_in_seconds():
    read = taken(js_framework, document(SAMPLES / "jsfb_results_first3.json"))

    first = read.runs[0]
    assert first.run.workload == "js-framework-benchmark/01_run1k"
    assert (first.run.framework, first.environment.framework_version) == (
        *("akashjs", "0.2.9"),
    )
    assert first.run.parameters == {"phase": "total", "keyed": True}
    assert first.end.values[0].value == 0.0233
    assert first.series[0].values[:2] == (0.0237, 0.0236)


@pytest.mark.parametrize(
    ("facts", "metric", "expected"),
    [
        ({}, "operation_seconds", 0.005),
        ({"benchmark": "21_memory"}, "reported_value", 5),
        ({"type": "memory"}, "reported_value", 5),
        ({"values": {"total": {"values": [5], "max": 5}}}, "operation_seconds", 0.005),
    ],
)
def test_only_benchmarks_that_begin_with_0_are_times(facts, metric, expected):
    (run,) = page(**facts).runs

    assert (run.end.values[0].metric, run.end.values[0].value) == (metric, expected)
    assert run.run.parameters["keyed"] is False
    assert ("unit" in run.run.missing) == (metric == "reported_value")


def test_a_file_of_one_benchmark_is_read_too():
    text = {"framework": "slow", "keyed": True, "benchmark": "02", "values": [1, 3]}
    (run,) = taken(js_framework, written(json.dumps(text))).runs

    assert (run.run.framework, run.run.locator) == ("slow", "/values")
    assert run.end.values[0].value == 0.002


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"values": []}, "no values"),
        ({"framework": " "}, "no name"),
        ({"values": [None]}, "null, no number"),
    ],
)
def test_a_damaged_entry_of_the_page_benchmark_is_refused(facts, why):
    (bad,) = page(**facts).bad

    assert why in bad.reason


def test_bytes_that_are_no_text_are_no_table_of_epochs():
    assert not dawnbench.recognises(written(b"epoch\thours\ttop1Accuracy\xff"))
