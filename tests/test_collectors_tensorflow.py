"""Every network in TensorFlow, on the CPU, in its shortest form."""

import pytest

from tests.smoke_runs import NETWORKS, check_phases, check_training


@pytest.mark.parametrize("workload", NETWORKS)
def test_a_network_trains_and_passes_every_gate(workload: str):
    check_training("tensorflow", workload)


@pytest.mark.parametrize("workload", NETWORKS)
def test_a_training_run_has_samples_of_every_phase(workload: str):
    check_phases("tensorflow", workload)
