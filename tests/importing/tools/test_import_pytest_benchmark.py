"""pytest-benchmark: what it measured, on what, and what is missing."""

import json

import pytest

from benchdb.importing.provenance import NOTHING, About
from benchdb.importing.tools import pytest_benchmark
from tests.foreign_files import taken, written


def session(stats, about=NOTHING, **changes):
    result = {"name": "test_sum", "stats": stats}
    whole = {"machine_info": {}, "benchmarks": [result], "version": "5.1", **changes}
    return taken(pytest_benchmark, written(json.dumps(whole)), about)


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

    mean = next(
        value for value in run.end.values if value.metric == "operation_seconds"
    )
    assert (run.run.label, run.series) == ("aggregate", ())
    assert (mean.value, mean.uncertainty, mean.printed) == (0.25, 0.5, "0.25")
    assert why in run.run.missing["samples"]


@pytest.mark.parametrize("stats", [{}, {"data": {"0": 1}}, {"median": "quick"}, []])
def test_statistics_that_say_nothing_are_refused(stats):
    read = session(stats)

    assert (len(read.runs), len(read.bad)) == (0, 1)


def test_the_processor_and_parameters_of_a_test_are_kept():
    info = {"cpu": {"brand_raw": "Neo 9", "vendor_id_raw": "AuthenticAMD", "count": 16}}
    groups = {
        "name": "test_sum[2]",
        "stats": {"mean": 1},
        "params": {"n": 2},
        "options": {"timer": "clock"},
        "extra_info": {"timer": "mine", "seed": 2**60},
    }
    (run,) = session({}, machine_info=info, benchmarks=[groups]).runs

    assert (run.machine.chip.vendor, run.machine.chip.name) == ("AMD", "Neo 9")
    assert run.run.device == "cpu"
    assert run.run.parameters == {
        "params": {"n": 2},
        "timer": "clock",
        "extra_info.timer": "mine",
        "seed": "1152921504606846976",
    }


def test_a_processor_that_is_no_text_is_refused():
    (bad,) = session({"mean": 1}, machine_info={"cpu": {"brand_raw": 9}}).bad

    assert bad.reason == "brand_raw is 9, not text"


def test_the_cores_of_an_apple_chip_are_its_threads():
    info = {"cpu": {"brand_raw": "Apple M2", "count": 8}}

    assert session({"mean": 1}, machine_info=info).runs[0].machine.chip.cpu_cores == 8


def test_a_test_on_a_machine_of_which_nothing_is_said_says_so():
    (run,) = session({"mean": 1}).runs

    assert run.run.missing["device"] == "no processor in machine_info"
    assert run.machine.missing["chip"] == "not in the file"


def test_the_importing_person_knows_better_how_figures_came_about():
    about = About(label="claimed", url="https://e.org")
    (run,) = session({"data": [1e-3], "rounds": 1}, about=about).runs

    assert run.source is not None
    assert (run.run.label, run.source.url) == ("claimed", "https://e.org")
