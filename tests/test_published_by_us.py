"""The results that we measured ourselves, as they are published."""

import re
from pathlib import Path
from typing import Any

import pytest

from benchdb.exchange.lines import Value
from benchdb.exchange.reader import BadLine, read
from benchdb.exchange.record import Record
from benchdb.resources import folder

FILES = ("benchdb-cpu", "benchdb-h200")
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
    found: dict[str, Any] = record.end.checks["gates"]
    return found


@every_file
def test_every_run_was_measured_and_is_whole(name: str):
    for record in records(name):
        assert record.run.label == "measured"
        assert record.end.status == "ok"
        assert record.run.tier in ("quick", "standard")
        assert record.run.collector is not None
        assert {one.phase for one in record.series} >= {"warmup", "measure", "step"}


@every_file
def test_no_gate_failed_and_each_says_why_it_was_not_looked_at(name: str):
    for record in records(name):
        for gate in gates(record).values():
            assert gate["status"] != "failed"
            assert gate["status"] == "passed" or gate["why"]


@every_file
def test_the_first_process_of_a_cell_was_put_to_every_test(name: str):
    first = [one for one in records(name) if one.run.replicate == 0]

    assert first
    for record in first:
        told = gates(record)
        assert told["device"]["status"] == "passed"
        assert told["math_mode"]["status"] == "passed"
        if record.run.workload == "matmul":
            assert told["result_error"]["status"] == "passed"
        else:
            assert told["parameter_count"]["status"] == "passed"


@every_file
def test_what_is_published_gives_nobody_away(name: str):
    text = path_of(name).read_text("utf-8")

    assert not re.search(r"/(home|root|Users|work|tmp)/|UUID|GPU-[0-9a-f]", text)


def test_the_h200_says_what_energy_it_took():
    for record in records("benchdb-h200"):
        found = values(record)
        energy = record.end.checks["energy"]
        assert energy["source"] == "nvml_energy"
        assert energy["scope"] == "board"
        joules, watts = found["energy_joules"].value, found["mean_power_watts"].value
        assert joules is not None
        assert watts is not None
        assert joules == pytest.approx(watts * energy["window_seconds"], rel=1e-3)
        assert 100 < watts < 710


def test_the_h200_stays_below_what_it_can_do():
    for record in records("benchdb-h200"):
        percent = values(record)["mfu_percent"].value
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


def test_resnet50_on_the_h200_repeats_within_a_percent():
    for precision in ("fp32", "bf16"):
        rates = [
            values(record)["samples_per_second"].value or 0
            for record in records("benchdb-h200")
            if (record.run.workload, record.run.precision) == ("resnet50", precision)
        ]
        assert len(rates) == 5
        assert max(rates) / min(rates) < 1.01
