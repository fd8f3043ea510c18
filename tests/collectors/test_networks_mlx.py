"""The networks that no program trains in a test, in MLX, one of each kind.

Off a Mac its CPU has a plain BLAS: the large ones take minutes, and are counted.
"""

from dataclasses import replace
from typing import Any

import pytest
from networks import ENCODERS

from tests.collectors.mlx_cells import framework
from tests.collectors.trained_here import cell_of, check_training, train

_SMALLER: dict[str, dict[str, Any]] = {
    "mnist": {},
    "mnist-cnn": {},
    "resnet9": {},
    "mobilenetv2-cifar10": {"image_size": 32, "trainable": "last"},
    "efficientnet-b0": {"image_size": 64},
}


@pytest.mark.parametrize("workload", _SMALLER)
def test_a_network_trains_passes_every_gate_and_has_every_phase(workload):
    check_training(framework(), cell_of(framework(), workload, _SMALLER[workload]))


def test_a_transformer_of_one_block_trains_and_passes_every_gate(monkeypatch):
    one = ENCODERS["distilbert"]._replace(layers=1)
    monkeypatch.setitem(ENCODERS, "distilbert", one)
    small = {"sequence_length": 4, "optimizer": "SGD"}
    cell = cell_of(framework(), "distilbert", small)
    whole = cell.parameter_count or 0
    block = 4 * (768 * 768 + 768) + 2 * 768 * 3072 + 3072 + 768 + 4 * 768

    trained = train(framework(), replace(cell, parameter_count=whole - 5 * block))

    assert (trained.status, trained.only("result")["reason"]) == ("ok", None)
    assert trained.checks["gates"]["parameter_count"]["status"] == "passed"
    assert trained.checks["gates"]["loss"]["updated"]
