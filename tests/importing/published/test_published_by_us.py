"""The results that we measured ourselves, as they are published."""

import re
from pathlib import Path
from typing import Any

import pytest

from benchdb.catalogue import workloads
from benchdb.exchange.messages import Value
from benchdb.exchange.reader import BadLine, read
from benchdb.exchange.record import Record
from benchdb.resources import folder
from benchdb.statistics.comparison import ratio

FILES = ("benchdb-cpu", "benchdb-h200")
BANDWIDTH = 4800  # GB/s of an H200's memory, as NVIDIA states it
every_file = pytest.mark.parametrize("name", FILES)


def path_of(name: str) -> Path:
    return folder("published") / f"{name}.jsonl"


def records(name: str) -> list[Record]:
    with path_of(name).open("rb") as stream:
        items = list(read(stream))
    assert not [item for item in items if isinstance(item, BadLine)]
    return [item for item in items if isinstance(item, Record)]


def values(record: Record) -> dict[str, Value]:
    return {value.metric: value for value in record.end.values}


def gates(record: Record) -> dict[str, Any]:
    result: dict[str, Any] = record.end.checks["gates"]
    return result


@every_file
def test_every_run_was_measured_and_is_whole(name: str):
    for record in records(name):
        assert record.run.label == "measured"
        assert record.end.status == "ok"
        assert record.run.tier in ("quick", "standard")
        assert record.run.collector is not None
        assert {series.phase for series in record.series} >= {
            "warmup",
            "measure",
            "step",
        }


@every_file
def test_no_gate_failed_and_each_says_why_it_was_not_looked_at(name: str):
    for record in records(name):
        for gate in gates(record).values():
            assert gate["status"] != "failed"
            assert gate["status"] == "passed" or gate["why"]


@every_file
def test_the_first_process_of_a_cell_was_put_to_every_test(name: str):
    first = [item for item in records(name) if item.run.replicate == 0]

    assert first
    for record in first:
        result = gates(record)
        assert result["device"]["status"] == "passed"
        assert result["math_mode"]["status"] == "passed"
        if workloads()[record.run.workload].kind == "operation":
            assert result["result_error"]["status"] == "passed"
        else:
            assert result["parameter_count"]["status"] == "passed"


@every_file
def test_what_is_published_gives_nobody_away(name: str):
    text = path_of(name).read_text("utf-8")

    assert not re.search(r"/(home|root|Users|work|tmp)/|UUID|GPU-[0-9a-f]", text)


def test_the_h200_says_what_energy_it_took():
    for record in records("benchdb-h200"):
        result = values(record)
        energy = record.end.checks["energy"]
        assert energy["source"] == "nvml_energy"
        assert energy["scope"] == "board"
        joules, watts = result["energy_joules"].value, result["mean_power_watts"].value
        assert joules is not None
        assert watts is not None
        assert joules == pytest.approx(watts * energy["window_seconds"], rel=1e-3)
        assert 100 < watts < 710


def test_the_h200_stays_below_what_it_can_do():
    for record in records("benchdb-h200"):
        result = values(record)
        if "gigabytes_per_second" in result:  # moves bytes, and computes nothing
            moved = result["gigabytes_per_second"].value
            assert moved is not None
            assert 0 < moved < BANDWIDTH
        else:
            percent = result["mfu_percent"].value
            assert percent is not None
            assert 0 < percent < 100


def test_watching_cost_less_than_a_hundredth_of_a_core():
    costs = [
        value
        for name in FILES
        for record in records(name)
        if (value := values(record)["parent_cpu_percent"].value) is not None
    ]

    assert costs
    assert max(costs) < 1


def campaigns(workload: str, extent: int, precision: str) -> dict[str, list[float]]:
    """Return the seconds of a step of each process, by campaign.

    *extent* is the size of a product, or the batch size.
    """
    groups: dict[str, list[float]] = {}
    for record in records("benchdb-h200"):
        run = record.run
        own = run.parameters.get("size", run.parameters["batch_size"])
        cell = (run.workload, own, run.precision, run.tier)
        if cell == (workload, extent, precision, "standard"):
            seconds = values(record)["step_seconds"].value or 0
            groups.setdefault(run.campaign or "", []).append(seconds)
    return groups


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_resnet50_on_an_h200_repeats_within_a_percent(precision: str):
    groups = campaigns("resnet50", 128, precision)

    assert len(groups) == 2
    for seconds in groups.values():
        assert len(seconds) == 5
        assert max(seconds) / min(seconds) < 1.01


@pytest.mark.parametrize(
    ("workload", "extent", "precision"),
    [
        ("resnet50", 128, "fp32"),
        ("resnet50", 128, "bf16"),
        ("distilbert", 64, "fp32"),
        ("distilbert", 64, "bf16"),
        ("matmul", 8192, "bf16"),
    ],
)
def test_two_campaigns_agree(workload: str, extent: int, precision: str):
    first, second = campaigns(workload, extent, precision).values()

    estimate = ratio([(second, first)])

    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low <= 1 <= estimate.high or (
        estimate.low >= 1 / 1.02 and estimate.high <= 1.02
    )
