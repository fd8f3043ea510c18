"""Logs of MLPerf: the names of the samples, and lines of a test's own."""

import json

from benchdb.importing.tools import (
    mlperf_inference,
    mlperf_training,
)
from tests.foreign_files import taken, written

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
