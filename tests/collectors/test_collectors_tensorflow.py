"""Networks trained by the collector for TensorFlow, in its shortest form."""

import json

import pytest

from benchdb.resources import folder
from tests.collectors.smoke_runs import PROGRAMS, check_training, smoke


@pytest.mark.parametrize("workload", PROGRAMS["tensorflow"])
def test_a_network_trains_passes_every_gate_and_has_every_phase(workload):
    check_training("tensorflow", workload)


def test_every_metric_of_a_network_is_in_the_catalogue():
    metrics = json.loads((folder("schema") / "metrics.json").read_text("utf-8"))
    values = smoke("tensorflow", "lstm").ends[0].values

    assert {value.metric for value in values} <= set(metrics)
    assert all(value.value is not None or value.reason for value in values)


def test_tensorflow_is_quiet():
    assert smoke("tensorflow", "lstm").errors == ""
