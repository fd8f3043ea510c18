"""hyperfine and google-benchmark: repetitions, aggregates, and what failed."""

import json

import pytest

from benchdb.importing.tools import google_benchmark, hyperfine
from tests.foreign_files import document, sample_cases, taken, written


def timed(**facts):
    one = {"command": "sleep 1", "times": [1.5, 1.0, 2.0], **facts}
    return taken(hyperfine, written(json.dumps({"results": [one]})))


def report(*rows, **context):
    whole = {"context": {"num_cpus": 8, **context}, "benchmarks": rows}
    return taken(google_benchmark, written(json.dumps(whole)))


def row(**facts):
    usual = {"name": "BM_x", "real_time": 5.0, "cpu_time": 4.0, "time_unit": "us"}
    return {**usual, **facts}


@pytest.mark.parametrize(
    ("path", "command", "executions", "wall", "user"),
    sample_cases(
        "hyperfine_two.json",
        ours=("sort words.txt", 5, 0.25, "0.2125"),
        shared=("sleep 0.1", 27, 0.10652535172000001, "0.0007174962962962964"),
    ),
)
def test_executions_of_a_command_are_samples(path, command, executions, wall, user):
    first = taken(hyperfine, document(path)).runs[0]

    figures = {one.metric: one for one in first.end.values}
    assert first.run.workload == f"hyperfine/{command}"
    assert len(first.series[0].values) == executions
    assert figures["command_wall_seconds"].value == wall
    assert figures["command_user_seconds"].printed == user
    assert first.run.missing["started"] == "not in the file"


@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        ([0, 1, 1], "2 of 3 executions failed: exit status 1"),
        ([0, None, 0], "1 of 3 executions failed: ended by a signal"),
    ],
)
def test_a_command_that_failed_stays_failed(codes, reason):
    (run,) = timed(exit_codes=codes).runs

    assert (run.end.status, run.end.reason) == ("failed", reason)
    assert run.series[0].values == (1.5, 1.0, 2.0)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"exit_codes": [0]}, "1 exit codes for 3 times"),
        ({"exit_codes": 1}, "exit_codes is no list"),
        ({"times": []}, "neither times nor a median or mean"),
        ({"parameters": ["n"]}, "parameters is no object"),
        ({"times": [float("nan")]}, "nan, no number"),
    ],
)
def test_a_damaged_result_of_hyperfine_is_refused(facts, why):
    (bad,) = timed(**facts).bad

    assert why in bad.reason


def test_the_parameters_of_a_scan_tell_commands_apart():
    (run,) = timed(parameters={"delay": "0.3"}, host="zsh").runs

    assert run.run.parameters == {"delay": "0.3", "host": "zsh"}


def test_memory_is_the_median_of_what_each_execution_took():
    (run,) = timed(memory_usage_byte=[100, 300, 200]).runs

    assert run.end.values[0].metric == "command_wall_seconds"
    assert (run.end.values[1].value, run.end.values[1].derived) == (
        *(200, "median of 3 executions"),
    )


def test_without_times_the_median_or_mean_is_an_aggregate():
    (run,) = timed(times=None, median=2.5, mean=3, stddev=0.5).runs
    (other,) = timed(times=None, mean=3).runs

    assert (run.end.values[0].value, run.end.values[0].uncertainty) == (2.5, 0.5)
    assert (other.end.values[0].value, other.end.values[0].uncertainty) == (3, None)
    assert run.run.label == "aggregate"


def test_a_command_of_several_lines_in_a_home_is_one_line_without_it():
    (run,) = timed(command="/home/jane/x.sh \\\n  --fast").runs

    assert run.run.workload == "hyperfine/…/x.sh \\ --fast"
    assert run.run.basis["workload"] == "line breaks and home folders left out"


def test_a_command_too_long_for_a_name_is_a_parameter_as_a_whole():
    (run,) = timed(command="x" * 999).runs

    assert len(run.run.workload) == 300
    assert run.run.parameters == {"whole_name": "x" * 999}


def test_a_time_printed_as_0_is_no_time():
    (run,) = timed(times=[0.0, 0.0]).runs

    assert run.end.values[0].value is None
    assert "shorter than its digits" in run.end.values[0].reason


@pytest.mark.parametrize(
    ("path", "names", "seconds"),
    sample_cases(
        "google_benchmark_test3_run0.json",
        ours=(["BM_Fill", "BM_Copy", "scan", "scan", "walk"], (6e-9, 7e-9)),
        shared=(["BM_One", "BM_Two", "short", "short", "medium"], (9e-9, 8e-9)),
    ),
)
def test_repetitions_are_samples_and_aggregates_are_not_pooled_with_them(
    path, names, seconds
):
    read = taken(google_benchmark, document(path))

    aggregate, repeated = ("aggregate", 0), ("imported", 1)
    kinds = (aggregate, repeated, aggregate, aggregate, repeated)
    found = [(one.run.workload, one.run.label, len(one.series)) for one in read.runs]
    assert found == [
        (f"google-benchmark/{name}", *kind)
        for name, kind in zip(names, kinds, strict=True)
    ]
    assert read.runs[1].series[0].values == seconds
    assert read.runs[1].end.values[1].value == sum(seconds) / 2


@pytest.mark.parametrize(
    ("path", "printed", "seconds"),
    sample_cases(
        "google_benchmark_macbook_m2max.json",
        ours=("1.2500000000000000e+03", 1.25e-06),
        shared=("4.4540502130985260e+03", 4.454050213098526e-06),
    ),
)
def test_24_mhz_is_a_timer_and_no_processor(path, printed, seconds):
    first = taken(google_benchmark, document(path)).runs[0]

    assert "mhz_per_cpu" not in first.run.conditions
    assert "timer" in first.run.missing["mhz_per_cpu"]
    assert first.end.values[1].printed == printed
    assert first.end.values[1].value == seconds


@pytest.mark.parametrize(
    ("path", "name"),
    sample_cases(
        "google_benchmark_test1_run1.json",
        ours=("BM_Sort",),
        shared=("MyComplexityTest",),
    ),
)
def test_the_fit_of_a_complexity_is_a_claim(path, name):
    read = taken(google_benchmark, document(path))

    assert [one.claim.statement for one in read.claims] == [
        f"{name}: BigO of real_coefficient",
        f"{name}: BigO of cpu_coefficient",
        f"{name}: RMS of rms",
    ]


def test_aggregates_beside_repetitions_are_claims():
    mean = row(run_type="aggregate", aggregate_name="mean", run_name="BM_x")
    read = report(row(), row(real_time=7), {**mean, "name": "BM_x_mean"})

    assert [one.end.values[1].value for one in read.runs] == [6e-6]
    assert [one.claim.printed for one in read.claims] == ["5.0", "4.0"]


def test_a_claim_that_is_no_number_is_refused():
    mean = row(run_type="aggregate", aggregate_name="mean", real_time="x")
    read = report(row(), mean)

    assert [bad.locator for bad in read.bad] == ["/benchmarks/1/real_time"]


def test_aggregates_alone_are_a_run_with_its_spread():
    rows = [
        row(run_type="aggregate", aggregate_name=name, real_time=size)
        for name, size in (("mean", 6), ("median", 5), ("stddev", 0.5), ("cv", 0.1))
    ]
    rows[3]["aggregate_unit"] = "percentage"
    (run,) = report(*rows).runs

    value = run.end.values[1]
    assert (value.metric, value.value, value.uncertainty) == (
        *("operation_seconds", 5e-6, 5e-7),
    )
    assert run.run.basis["aggregate"].startswith("median over repetitions")


def test_before_1_5_the_name_told_an_aggregate():
    read = report(row(), row(name="BM_x_mean"), row(name="BM_x_stddev"))

    assert [len(one.series[0].values) for one in read.runs] == [1]
    assert len(read.claims) == 4


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([row(time_unit="fortnight")], "'fortnight' is not known"),
        ([row(real_time=float("inf"))], "inf, no number"),
        ([row(run_type="aggregate", aggregate_name="cv")], "neither a median nor"),
        ([row(run_type="aggregate", aggregate_name="mean")] * 2, "appears twice"),
    ],
)
def test_a_damaged_row_is_refused(rows, why):
    (bad,) = report(*rows).bad

    assert why in bad.reason
    assert bad.locator == "/benchmarks/0"


def test_a_repetition_that_failed_fails_the_run():
    broken = row(error_occurred=True, error_message="no such device")
    (run,) = report(row(), broken).runs

    assert (run.end.status, run.end.reason) == ("failed", "no such device")
    assert run.end.values[0].value is None


def test_a_benchmark_that_was_skipped_was_not_measured():
    (run,) = report(row(skipped=True, skip_message="needs a GPU")).runs

    assert (run.end.status, run.end.reason) == ("not-measured", "needs a GPU")


def test_rates_have_metrics_and_counters_are_conditions():
    (run,) = report(
        row(items_per_second=4e6, bytes_per_second=2e9, depth=-3, mode="a")
    ).runs

    rates = {one.metric: one.value for one in run.end.values}
    assert rates["operations_per_second"] == 4e6
    assert rates["gigabytes_per_second"] == 2
    assert (run.run.parameters, run.run.conditions["depth"]) == ({"mode": "a"}, -3)


def test_what_people_add_to_the_context_is_kept_and_their_host_is_not():
    (run,) = report(row(), host_name="jane", flags="-O3", caches=[{"size": 1}]).runs

    assert run.environment.variables == {"flags": "-O3"}
    assert run.environment.devices == ({"kind": "cache", "size": 1},)
    assert run.machine.missing["cpu_cores"] == "the file counts 8 logical processors"
