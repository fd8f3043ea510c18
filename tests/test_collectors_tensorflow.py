"""Networks trained by the collector for TensorFlow, in its shortest form."""

import pytest

from tests.smoke_runs import PROGRAMS, check_phases, check_training


@pytest.mark.parametrize("workload", PROGRAMS["tensorflow"])
def test_a_network_trains_and_passes_every_gate(workload: str):
    check_training("tensorflow", workload)


@pytest.mark.parametrize("workload", PROGRAMS["tensorflow"])
def test_a_training_run_has_samples_of_every_phase(workload: str):
    check_phases("tensorflow", workload)
