"""MLPerf: training logs, inference summaries, and the files around them."""

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.tools import (
    mlperf_training,
)
from tests.foreign_files import document, sample_cases, taken
from tests.importing.tools.mlperf_logs import LOG, START, line, stop, trained


@pytest.mark.parametrize(
    ("path", "seconds", "lines", "moments"),
    sample_cases(
        LOG,
        ours=(
            *(90.5, "line 29 and line 49"),
            ("2023-11-14T22:15:00Z", "2023-11-14T22:16:30Z"),
        ),
        shared=(
            *(260.264, "line 430 and line 490"),
            ("2024-04-30T01:10:17Z", "2024-04-30T01:14:37Z"),
        ),
    ),
)
def test_time_to_train_is_from_run_start_to_run_stop(path, seconds, lines, moments):
    (run,) = taken(mlperf_training, document(path)).runs

    _, time = run.end.values
    assert run.run.workload == "mlperf-training/bert"
    assert (time.metric, time.value) == ("time_to_train_seconds", seconds)
    assert time.locator == f"{lines}, time_ms"
    assert (run.run.started, run.end.ended) == moments


@pytest.mark.parametrize(
    ("path", "printed", "line"),
    sample_cases(LOG, ours=("0.725", 44), shared=("0.7202143669128418", 485)),
)
def test_the_last_quality_is_that_of_the_run(path, printed, line):
    (run,) = taken(mlperf_training, document(path)).runs

    quality, _ = run.end.values
    assert (quality.metric, quality.printed) == ("reported_value", printed)
    assert quality.locator == f"line {line}, eval_accuracy"


@pytest.mark.parametrize(
    ("path", "batch", "rate", "seed"),
    sample_cases(LOG, ours=(256, 0.0005, 4321), shared=(768, 0.00096, 27144)),
)
def test_hyperparameters_are_parameters_and_the_seed_is_the_seed(
    path, batch, rate, seed
):
    (run,) = taken(mlperf_training, document(path)).runs

    assert run.run.parameters["global_batch_size"] == batch
    assert run.run.parameters["opt_base_learning_rate"] == rate
    assert run.run.parameters["submission_division"] == "closed"
    assert (run.run.seed, len(run.run.parameters)) == (seed, 18)


@pytest.mark.parametrize(
    ("path", "author", "platform"),
    sample_cases(
        LOG, ours=("Someone", "2xTEST-BOX"), shared=("ASUSTeK", "1xESC_N8A-E12")
    ),
)
def test_who_submitted_is_the_author_and_the_platform_names_the_machine(
    path, author, platform
):
    (run,) = taken(mlperf_training, document(path)).runs

    assert run.source is not None
    assert run.source.authors == (author,)
    assert run.machine.label == platform


@pytest.mark.parametrize("status", ["aborted", None, 7])
def test_a_run_without_success_stays_failed(status):
    (run,) = trained(*START, stop(status=status)).runs

    assert run.end.status == "failed"
    assert run.end.values[0].value is None
    assert "not success" in run.end.values[0].reason


def test_a_log_that_breaks_off_is_an_interrupted_run():
    (run,) = trained(*START, line("eval_accuracy", 0.5)).runs

    assert run.end.status == "interrupted"
    assert [value.value for value in run.end.values] == [0.5, None]


def test_a_damaged_line_is_named_and_the_run_is_kept():
    read = trained(*START, ':::MLLOG {"key": "global_bat', "output", stop())

    assert [bad.number for bad in read.bad] == [3]
    assert read.runs[0].end.status == "ok"


def test_a_mark_in_the_middle_of_a_line_is_a_log_line():
    read = trained(*(f"0: {one}" for one in (*START, stop())))

    assert read.values["mlperf-training/ours", "time_to_train_seconds"] == 1.5


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((*START, stop(1699999999000)), "before run_start"),
        ((*START, stop("soon")), "time_ms is 'soon'"),
        ((*START, stop(float(2**80))), "which cannot be"),
        ((*START, line("run_start", time_ms=1700000000001), stop()), "lines 2, 3"),
        ((*START, stop(), stop(1700000001501)), "run_stop stands on lines 3, 4"),
        ((START[1], stop()), "no submission_benchmark"),
        ((*START, line("submission_benchmark", "other"), stop()), "several runs"),
        ((START[0], stop()), "no run_start"),
        ((*START, line("eval_accuracy", "good"), stop()), "eval_accuracy is 'good'"),
        ((*START, line("submission_platform", "a\u202eb"), stop()), "U+202E"),
    ],
)
def test_a_log_that_contradicts_itself_is_refused(lines, why):
    read = trained(*lines)

    assert not read.runs
    assert why in read.bad[0].reason


def test_a_line_that_a_logger_repeats_says_nothing_new():
    (run,) = trained(*START, START[1], stop(), f"INFO:{stop()}").runs

    assert run.end.values[0].value == 1.5


def test_quality_of_several_figures_is_no_figure_and_the_time_counts():
    (run,) = trained(
        *START, line("eval_accuracy", {"BOX": 0.3, "MASK": 0.2}), stop()
    ).runs

    quality, time = run.end.values
    assert (quality.value, quality.reason) == (None, "eval_accuracy is several figures")
    assert (quality.printed, time.value) == ("{'BOX': 0.3, 'MASK': 0.2}", 1.5)


def test_whom_to_ask_about_a_submission_stays_in_the_log():
    asked = (line("submission_poc_name", "Jo Doe"), line("submission_poc_email", "a@b"))

    (run,) = trained(*asked, *START, stop()).runs

    assert run.run.parameters == {}


def test_a_template_that_nobody_filled_in_is_no_platform():
    told = line("submission_platform", "2xSUBMISSION_PLATFORM_PLACEHOLDER")

    assert trained(told, *START, stop()).runs[0].machine.label is None


ROUND_0_6 = """\
:::MLL 1560000000.5 submission_benchmark: {"value": "ours", "metadata": {"lineno": 1}}
:::MLL 1560000000.751 run_start: {"value": null, "metadata": {"lineno": 5}}
:::MLL 1560000001.0 global_batch_size: {"value": 64, "metadata": {}}
0: :::MLL 1560000060.1 eval_accuracy: {"value": 0.75, "metadata": {"epoch_num": 1}}
:::MLL 1560000060.876 run_stop: {"value": null, "metadata": {'status': 'success'}}
"""
ROUND_0_5 = """\
:::MLPv0.5.0 ours 1540000000.250000000 (a.py:1) run_set_random_seed: 7
:::MLPv0.5.0 ours 1540000000.250000125 (a.py:3) run_start
:::MLPv0.5.0 ours 1540000001 (a.py:4) opt_name: "adam"
:::MLPv0.5.0 ours 1540000001 (a.py:4) input_order: by length
:::MLPv0.5.0 ours 1540000002 (a.py:9) eval_target: 0.5
:::MLPv0.5.0 ours 1540000009 (a.py:9) eval_accuracy: {"epoch": 2, "value": 0.625}
"""


def test_logs_of_round_0_6_have_seconds_and_keys_before_the_json():
    (run,) = trained(ROUND_0_6).runs

    quality, time = run.end.values
    assert (run.run.workload, run.end.status) == ("mlperf-training/ours", "ok")
    assert (time.value, quality.printed, quality.locator) == (
        60.125,
        "0.75",
        "line 4, eval_accuracy",
    )
    assert run.run.parameters == {"global_batch_size": 64}
    assert run.run.started == "2019-06-08T13:20:00Z"


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (' run_stop: {"success": true}', "ok"),
        (' run_stop: {"success": "true"}', "ok"),
        (' run_stop: {"success": false}', "failed"),
        (" run_stop", "ok"),
    ],
)
def test_logs_of_round_0_5_name_the_benchmark_on_every_line(end, status):
    stopped = f":::MLPv0.5.0 ours 1540000012.750000125 (a.py:12){end}"

    (run,) = trained(ROUND_0_5 + stopped).runs

    assert (run.end.status, run.run.seed) == (status, 7)
    assert run.end.values[0].value == 0.625
    assert run.end.values[1].value == (12.5 if status == "ok" else None)
    assert run.run.parameters == {
        "opt_name": "adam",
        "input_order": "by length",
        "eval_target": 0.5,
    }


def test_an_end_that_says_nothing_below_the_target_is_no_success():
    stopped = ":::MLPv0.5.0 ours 1540000012.75 (a.py:12) run_stop"

    (run,) = trained(ROUND_0_5.replace("0.625", "0.375") + stopped).runs

    assert run.end.status == "failed"


@pytest.mark.parametrize(
    "broken",
    [
        ":::MLL 1560000060.9 eval_accuracy: {",
        ":::MLL 1560000060.9 eval_accuracy: [1]",
        ":::MLL 15600",
        ":::MLPv0.5.0 ours 15400",
    ],
)
def test_a_damaged_line_of_an_older_round_is_named(broken):
    read = trained(f"{ROUND_0_6}{broken}")

    assert [bad.number for bad in read.bad] == [6]
    assert read.runs[0].end.status == "ok"


def test_a_log_of_something_else_is_refused_as_a_whole():
    with pytest.raises(DocumentError, match="without run_start"):
        trained(line("power_begin"))
