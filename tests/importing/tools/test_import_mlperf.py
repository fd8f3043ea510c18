"""MLPerf: training logs, inference summaries, the files around them, and damage."""

import json

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.tools import mlperf_inference, mlperf_training
from tests.foreign_files import document, sample_cases, taken, written

LOG = "mlperf_training_result_0.mllog.txt"
SUMMARY = "mlperf_inference_log_summary.txt"
SERVER = """\
================================================
MLPerf Results Summary
================================================
SUT name : Ours
Scenario : Server
Mode     : PerformanceOnly
Completed samples per second    : 0.5
Completed tokens per second: 44.52
Result is : INVALID
  Performance constraints satisfied : NO
  Min duration satisfied : Yes

================================================
Additional Stats
================================================
Scheduled samples per second : 0.75
Mean First Token latency (ns)   : 500000000
"""


def line(key, value=None, time_ms=1700000000000, kind="POINT_IN_TIME", **metadata):
    told = {"key": key, "value": value, "time_ms": time_ms, "event_type": kind}
    return f":::MLLOG {json.dumps({**told, 'metadata': metadata})}"


START = (line("submission_benchmark", "ours"), line("run_start", time_ms=1700000000000))


def stop(time_ms=1700000001500, **metadata):
    return line("run_stop", time_ms=time_ms, **{"status": "success", **metadata})


def trained(*lines):
    return taken(mlperf_training, written("\n".join(lines)))


def summarised(text):
    return taken(mlperf_inference, written(text))


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


def test_a_log_of_something_else_is_refused_as_a_whole():
    with pytest.raises(DocumentError, match="without run_start"):
        trained(line("power_begin"))


@pytest.mark.parametrize(
    ("path", "rate", "latencies"),
    sample_cases(
        SUMMARY,
        ours=(1500, [4.25, 4.5, 7.5, 8.75]),
        shared=(270891, [85.747497234, 365.081440488, 657.755739683, 723.613898831]),
    ),
)
def test_a_valid_summary_has_its_rate_and_four_latencies(path, rate, latencies):
    read = taken(mlperf_inference, document(path))

    (run,) = read.runs
    assert not read.bad
    assert (run.run.setting, run.end.status) == ("Offline", "ok")
    assert {value.metric: value.value for value in run.end.values} == {
        "operations_per_second": rate,
        "latency_mean_seconds": latencies[0],
        "latency_median_seconds": latencies[1],
        "latency_p90_seconds": latencies[2],
        "latency_p99_seconds": latencies[3],
    }


@pytest.mark.parametrize(
    ("path", "printed"), sample_cases(SUMMARY, ours=("1500",), shared=("270891",))
)
def test_a_figure_of_a_summary_tells_where_it_stands(path, printed):
    run = taken(mlperf_inference, document(path)).runs[0]

    rate = run.end.values[-1]
    assert (rate.printed, rate.locator) == (printed, "line 7, Samples per second")
    assert run.run.missing["workload"] == "the summary does not name its benchmark"


@pytest.mark.parametrize("path", sample_cases(SUMMARY))
def test_what_has_no_metric_is_a_claim(path):
    claims = taken(mlperf_inference, document(path)).claims

    assert [one.claim.statement for one in claims] == [
        "Min latency (ns)",
        "Max latency (ns)",
        "95.00 percentile latency (ns)",
        "97.00 percentile latency (ns)",
        "99.90 percentile latency (ns)",
    ]


@pytest.mark.parametrize(
    ("path", "rate", "seed"),
    sample_cases(
        SUMMARY,
        ours=(1450, "9876543210987654321"),
        shared=(300000, "14962580496156340209"),
    ),
)
def test_settings_are_parameters_and_large_seeds_stay_text(path, rate, seed):
    parameters = taken(mlperf_inference, document(path)).runs[0].run.parameters

    assert len(parameters) == 19 + len(["sut"])
    assert parameters["target_qps"] == rate
    assert parameters["schedule_rng_seed"] == seed


def test_an_invalid_result_does_not_count_and_says_why():
    read = summarised(SERVER)

    (run,) = read.runs
    assert run.end.status == "failed"
    assert run.end.reason == "INVALID; Performance constraints satisfied: NO"
    assert {value.value for value in run.end.values} == {None}
    assert [value.printed for value in run.end.values] == ["0.5", "500000000", "44.52"]
    assert not read.claims


def test_a_valid_server_result_is_in_samples_and_tokens():
    read = summarised(SERVER.replace("INVALID", "VALID"))

    figures = {metric: value for (_, metric), value in read.values.items()}
    assert figures["operations_per_second"] == 0.5
    assert figures["tokens_per_second"] == 44.52
    assert figures["time_to_first_token_seconds"] == 0.5
    assert [one.claim.value for one in read.claims] == [0.75]


def test_an_accuracy_run_says_nothing_about_speed():
    text = SERVER.replace("PerformanceOnly", "AccuracyOnly").replace("INVALID", "VALID")
    (run,) = summarised(text).runs

    assert run.end.status == "not-measured"
    assert {value.value for value in run.end.values} == {None}


def test_two_summaries_in_one_file_are_two_runs():
    assert len(summarised(SERVER + SERVER).runs) == 2


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Result is : INVALID\n", "", "no line 'Result is'"),
        ("Scenario : Server\n", "", "no line 'Scenario'"),
        ("INVALID", "GREAT", "neither VALID nor INVALID"),
        (": 0.5\n", ": -3\n", "less than nothing"),
        ("44.52", "0", "is 0, which cannot be"),
        ("44.52", "many", "is 'many', no number"),
    ],
)
def test_a_summary_that_is_not_whole_is_refused(old, new, why):
    text = SERVER.replace(old, new)
    read = summarised(text.replace("INVALID", "VALID"))

    assert not read.runs
    assert why in read.bad[0].reason


def test_the_detailed_log_of_the_first_round_sends_to_the_summary():
    text = '"pid": 427, "tid": 427, "ts": 140038ns : LoadgenVersionInfo:\n'

    with pytest.raises(DocumentError, match="mlperf_log_summary"):
        taken(mlperf_inference, written(text))


@pytest.mark.parametrize("path", sample_cases("mlperf_inference_log_detail_head.txt"))
def test_the_detailed_log_sends_to_the_summary(path):
    detail = document(path)

    assert not mlperf_training.recognises(detail)
    with pytest.raises(DocumentError, match="import mlperf_log_summary"):
        taken(mlperf_inference, detail)


SYSTEM = ("description of an MLPerf system, without results",)
SCHEMA = ("a JSON schema",)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        *sample_cases("mlperf_system_desc.json", ours=SYSTEM, shared=SYSTEM),
        *sample_cases(
            "mlperf_client_OutputResultsSchema.json", ours=SCHEMA, shared=SCHEMA
        ),
    ],
)
def test_descriptions_say_that_they_hold_no_results(path, why):
    found = document(path)

    assert mlperf_inference.recognises(found)
    with pytest.raises(DocumentError, match=why):
        taken(mlperf_inference, found)


def test_a_claim_that_nobody_can_read_is_refused_alone():
    text = SERVER.replace("INVALID", "VALID") + "Odd\u202e figure : 5\n"
    read = summarised(text)

    assert len(read.runs) == 1
    assert "U+202E" in read.bad[0].reason


def test_a_log_line_without_a_key_is_named():
    read = trained(*START, ':::MLLOG {"value": 1}', stop())

    assert [bad.reason for bad in read.bad] == [
        "a log line cannot be read: key is missing"
    ]


def test_several_seeds_are_all_kept():
    (run,) = trained(*START, line("seed", 1), line("seed", 2), stop()).runs

    assert (run.run.seed, run.run.parameters["seeds"]) == (None, [1, 2])


def test_a_summary_without_a_figure_is_refused():
    lines = SERVER.split("\n\n", maxsplit=1)[0].replace("INVALID", "VALID").split("\n")
    text = "\n".join(line for line in lines if "per second" not in line)

    assert summarised(text).bad[0].reason == "no figure in the summary: it breaks off"
