"""Summaries of MLPerf inference, and logs that are damaged."""

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.tools import (
    mlperf_inference,
    mlperf_training,
)
from tests.foreign_files import (
    document,
    sample_cases,
    sample_folders,
    sample_id,
    taken,
    written,
)
from tests.importing.tools.mlperf_logs import (
    SERVER,
    START,
    SUMMARY,
    line,
    stop,
    summarised,
    trained,
)


@pytest.mark.parametrize(
    ("path", "rate", "latencies"),
    sample_cases(
        SUMMARY,
        ours=(1500, [4.25, 4.5, 7.5, 8.75]),
        shared=(
            270891,
            [85.747497234, 365.081440488, 657.755739683, 723.613898831],
        ),
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
        ("INVALID", "VALID\nResult is : INVALID", "'Result is' stands there twice"),
        (": 0.5\n", ": -3\n", "less than nothing"),
        ("44.52", "0", "is 0, which cannot be"),
        ("44.52", "many", "is 'many', no number"),
    ],
)
def test_a_summary_that_is_not_whole_is_refused(old, new, why):
    text = SERVER.replace(old, new)
    text = text if "VALID\nResult" in text else text.replace("INVALID", "VALID")
    read = summarised(text)

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


@pytest.mark.parametrize(
    "path",
    [path for folder in sample_folders() for path in sorted(folder.iterdir())],
    ids=sample_id,
)
def test_only_files_of_mlperf_are_taken_for_such(path):
    modules = (mlperf_training, mlperf_inference)
    known = [one for one in modules if one.recognises(document(path))]

    assert len(known) == path.name.startswith("mlperf")


def test_a_claim_that_nobody_can_read_is_refused_alone():
    text = SERVER.replace("INVALID", "VALID") + "Odd\u202e figure : 5\n"
    read = summarised(text)

    assert len(read.runs) == 1
    assert "U+202E" in read.bad[0].reason


def test_a_log_line_without_a_key_is_named():
    read = trained(*START, ':::MLLOG {"value": 1}', stop())

    assert [bad.reason for bad in read.bad] == ["a log line without a key"]


def test_several_seeds_are_all_kept():
    (run,) = trained(*START, line("seed", 1), line("seed", 2), stop()).runs

    assert (run.run.seed, run.run.parameters["seeds"]) == (None, [1, 2])


@pytest.mark.parametrize("module", [mlperf_training, mlperf_inference])
def test_bytes_that_are_no_text_are_not_recognised(module):
    assert not module.recognises(written(b"\0\xff"))


def test_a_summary_without_a_figure_is_refused():
    lines = SERVER.split("\n\n", maxsplit=1)[0].replace("INVALID", "VALID").split("\n")
    text = "\n".join(line for line in lines if "per second" not in line)

    assert summarised(text).bad[0].reason == "no figure in the summary: it breaks off"
