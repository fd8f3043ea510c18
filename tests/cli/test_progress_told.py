"""The line that says how a replicate ended."""

import pytest

from benchdb.cli.progress import outcome
from tests.exchange_lines import START, end, records, run


def outcome_of(**ended):
    (record,) = records(*START, run("r"), end("r", **ended))
    return outcome(record)


def measured(metric: str, value: float):
    return outcome_of(values=[{"metric": metric, "value": value}])


@pytest.mark.parametrize(
    ("metric", "value", "line"),
    [
        ("samples_per_second", 44285.4, "44,285 seq/s"),
        ("samples_per_second", 83.144, "83.1 seq/s"),
        ("teraflops", 0.0032171, "3.22 GFLOPS"),
        ("gigabytes_per_second", 4020.4, "4,020 GB/s"),
    ],
)
def test_a_figure_is_rounded_and_written_out(metric, value, line):
    assert measured(metric, value) == line


def test_a_rate_says_more_of_a_product_than_its_samples():
    both = [
        {"metric": "samples_per_second", "value": 5.0},
        {"metric": "teraflops", "value": 2.0},
    ]
    (record,) = records(*START, run("r", workload="matmul"), end("r", values=both))

    assert outcome(record) == "2.00 TFLOPS"


def test_pages_of_a_framework_are_one_short_line():
    why = "CUDA out of memory. " + "See the documentation for memory management. " * 9

    line = outcome_of(status="oom", reason=why)

    assert line.startswith("oom (CUDA out of memory. See the documentation")
    assert line.endswith("…)")
    assert len(line) == len("oom ()") + 200


def test_a_short_reason_is_told_whole():
    assert outcome_of(status="interrupted", reason="stopped by SIGINT") == (
        "interrupted (stopped by SIGINT)"
    )
