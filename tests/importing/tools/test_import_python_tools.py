"""pyperf and pytest-benchmark: what they measured, on what, and what is missing."""

import json

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import pyperf, pytest_benchmark
from tests.foreign_files import document, sample_cases, taken, written

SUITE = {
    "version": "1.0",
    "metadata": {"name": "sum", "cpu_model_name": "Apple M2", "cpu_count": 8},
    "benchmarks": [{"runs": [{"values": [0.5, 0.25], "warmups": [[1, 0.75]]}]}],
}


def suite(**changes):
    return taken(pyperf, written(json.dumps({**SUITE, **changes})))


def benchmark(runs, **metadata):
    return suite(benchmarks=[{"runs": runs, "metadata": metadata}])


def session(stats, **changes):
    one = {"name": "test_sum", "stats": stats}
    whole = {"machine_info": {}, "benchmarks": [one], "version": "5.1", **changes}
    return taken(pytest_benchmark, written(json.dumps(whole)))


@pytest.mark.parametrize(
    ("path", "first", "processes"),
    sample_cases(
        "pyperf_telco.json", ours=(0.0325, 3), shared=(0.023075559991411865, 40)
    ),
)
def test_pyperf_keeps_values_and_warmups_in_the_order_taken(path, first, processes):
    (run,) = taken(pyperf, document(path)).runs

    # 4 warm-ups of the calibration and 1 of the first process; 3 values of each.
    assert [(one.phase, len(one.values)) for one in run.series[:3]] == [
        ("warmup", 5),
        ("measure", 3),
        ("warmup", 1),
    ]
    assert run.series[0].values[0] == first
    measured = [one.values for one in run.series if one.phase == "measure"]
    assert sum(len(values) for values in measured) == 3 * processes
    assert run.end.values[0].derived == f"median of {3 * processes} values"


@pytest.mark.parametrize(
    ("path", "python", "kernel", "packages", "processor"),
    sample_cases(
        "pyperf_telco.json",
        ours=(
            *("3.7.2", "4.19.0-2-amd64"),
            {"pyperf": "1.6.0", "pyperformance": "0.7.0"},
            "Ryzen 3 2200G",
        ),
        shared=(
            *("3.5.1", "4.7.4-200.fc24.x86_64"),
            {"pyperf": "0.8.2", "pyperformance": "0.3.3"},
            "Core i7-3520M",
        ),
    ),
)
def test_pyperf_tells_the_system_and_leaves_people_out(
    path, python, kernel, packages, processor
):
    (run,) = taken(pyperf, document(path)).runs

    assert (run.environment.os_name, run.environment.python) == ("Linux", python)
    assert run.environment.kernel == kernel
    assert run.environment.packages == packages
    assert run.machine.chip.name == processor
    assert run.machine.missing["cpu_cores"] == "the file counts 4 logical processors"
    assert "hostname" not in str(run)


@pytest.mark.parametrize(
    ("path", "size"),
    sample_cases("pyperf_track_memory.json", ours=(5246976,), shared=(7364608,)),
)
def test_bytes_of_pyperf_are_memory_and_no_times(path, size):
    (run,) = taken(pyperf, document(path)).runs

    (value,) = run.end.values
    assert (value.metric, value.value) == ("peak_memory_reported_bytes", size)
    assert run.series == ()


def test_the_cores_of_an_apple_chip_are_its_threads():
    assert suite().runs[0].machine.chip.cpu_cores == 8


def test_metadata_of_people_tell_runs_apart():
    one, other = (benchmark([{"values": [1.0]}], gc=gc).runs[0] for gc in ("on", "off"))

    assert one.run.parameters == {"gc": "on"}
    assert one.digest != other.digest


def test_calibration_alone_is_no_measurement():
    (run,) = benchmark([{"warmups": [[1, 0.5]]}]).runs

    assert (run.end.status, run.end.values) == ("not-measured", ())
    assert run.end.reason == "the file has calibration runs only, no values"


@pytest.mark.parametrize(
    ("runs", "metadata", "why"),
    [
        ([], {}, "no runs"),
        ([{"values": [1.0, None]}], {}, "values[1] is null, no number"),
        ([{"values": [-1.0]}], {}, "-1.0, less than nothing"),
        ([{"values": "all"}], {}, "is 'all', no list"),
        ([{"warmups": [0.5]}], {}, "no pair of loops and value"),
        ([{"warmups": {}, "values": [True]}], {}, "True, no number"),
        ([{"warmups": 3}], {}, "warmups is no list"),
        ([{"values": [1.0]}], {"unit": "furlong"}, "'furlong' is none of pyperf's"),
        ([{"values": [1.0]}], {"date": "yesterday"}, "'yesterday' is no date"),
        ([{"values": [1.0]}], {"date": 7}, "date is 7, not text"),
        ([{"values": [10**400]}], {}, "too large a number"),
    ],
)
def test_a_damaged_benchmark_of_pyperf_is_refused(runs, metadata, why):
    (bad,) = benchmark(runs, **metadata).bad

    assert why in bad.reason
    assert bad.locator == "/benchmarks/0"


def test_another_version_of_pyperf_is_named():
    with pytest.raises(DocumentError, match="format version 7"):
        suite(version="7.0")


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("macOS-14.4.1-arm64-arm-64bit", ("macOS", "14.4.1", None)),
        ("Darwin-21.4.0-arm64-arm-64bit", ("macOS", None, "21.4.0")),
        ("Windows-10-10.0.19041-SP0", ("Windows", "10.0.19041", None)),
        ("Plan9", (None, None, None)),
    ],
)
def test_the_name_of_the_platform_is_taken_apart(platform, expected):
    environment = benchmark([{"values": [1.0]}], platform=platform).runs[0].environment

    found = (environment.os_name, environment.os_version, environment.kernel)
    assert found == expected
    assert environment.variables["platform"] == platform


def test_a_benchmark_without_a_name_or_processor_says_so():
    (run,) = suite(metadata={}).runs

    assert run.run.workload == "pyperf/unnamed"
    assert run.run.missing["device"] == "no processor in the metadata"
    assert run.environment.missing == {"python": "not in the file"}


def test_rounds_that_are_all_there_are_samples():
    (run,) = session({"data": [3e-3, 1e-3, 2e-3], "rounds": 3}).runs

    assert (run.run.label, run.end.values[0].value) == ("imported", 2e-3)
    assert run.series[0].values == (3e-3, 1e-3, 2e-3)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([0.1, "... left out"], "shortened: it holds text"),
        ([0.1], "1 of 2 rounds"),
        (None, "--benchmark-save-data"),
    ],
)
def test_rounds_that_are_not_all_there_leave_an_aggregate(data, why):
    stats = {"data": data, "rounds": 2, "mean": 0.25, "stddev": 0.5, "ops": 4}
    (run,) = session(stats).runs

    mean = next(one for one in run.end.values if one.metric == "operation_seconds")
    assert (run.run.label, run.series) == ("aggregate", ())
    assert (mean.value, mean.uncertainty, mean.printed) == (0.25, 0.5, "0.25")
    assert why in run.run.missing["samples"]


@pytest.mark.parametrize("stats", [{}, {"data": {"0": 1}}, {"median": "quick"}, []])
def test_statistics_that_say_nothing_are_refused(stats):
    read = session(stats)

    assert (len(read.runs), len(read.bad)) == (0, 1)


def test_the_processor_and_parameters_of_a_test_are_kept():
    info = {"cpu": {"brand_raw": "Neo 9", "vendor_id_raw": "AuthenticAMD", "count": 16}}
    one = {
        "name": "test_sum[2]",
        "stats": {"mean": 1},
        "params": {"n": 2},
        "options": {"timer": "clock"},
        "extra_info": {"timer": "mine", "seed": 2**60},
    }
    (run,) = session({}, machine_info=info, benchmarks=[one]).runs

    assert (run.machine.chip.vendor, run.machine.chip.name) == ("AMD", "Neo 9")
    assert run.run.device == "cpu"
    assert run.run.parameters == {
        "params": {"n": 2},
        "timer": "clock",
        "extra_info.timer": "mine",
        "seed": "1152921504606846976",
    }


def test_the_importing_person_knows_better_how_figures_came_about():
    found = written(json.dumps(SUITE))
    (run,) = taken(pyperf, found, About(label="claimed", url="https://e.org")).runs

    assert run.source is not None
    assert (run.run.label, run.source.url) == ("claimed", "https://e.org")
