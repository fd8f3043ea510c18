"""The networks that no program trains in a test, in TensorFlow."""

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.collectors.tensorflow_cells import tensorflow
from tests.collectors.trained_here import REST, cell_of, check_training

# No weight depends on these: they pool before they are dense, or read word by word.
_SMALLER: dict[str, dict[str, Any]] = {
    "resnet18": {"image_size": 64},
    "resnet50": {"image_size": 64},
    "mobilenetv2": {"image_size": 64},
    # The same network as mobilenetv2, of which all is trained.
    "mobilenetv2-cifar10": {"image_size": 64, "trainable": "last"},
    # Adam adds most to graphs of so many weights, and has each of them thrice. It is
    # part of mobilenetv2-cifar10, mnist-cnn and resnet9, and of the programs' networks.
    "efficientnet-b0": {"image_size": 64, "optimizer": "SGD"},
    "distilbert": {"sequence_length": 16, "optimizer": "SGD"},
    "alexnet": {"optimizer": "SGD"},
    "vgg16": {"optimizer": "SGD"},  # Keras flattens it, so its images are whole
}

# Keras builds a graph of its own for fit, which of these takes longest; the same paths
# of data are taken by mobilenetv2, resnet18 and alexnet.
_WITHOUT_FIT = {"resnet50", "efficientnet-b0", "vgg16"}


@pytest.fixture(autouse=True)
def _graphs_as_they_are() -> Iterator[None]:
    """To optimise a graph takes longer than to run it a few times."""
    options = importlib.import_module("tensorflow").config.optimizer
    options.set_experimental_options({"disable_meta_optimizer": True})
    yield
    options.set_experimental_options({"disable_meta_optimizer": False})


@pytest.mark.parametrize("workload", REST["tensorflow"])
def test_a_network_trains_passes_every_gate_and_has_every_phase(workload):
    smaller = _SMALLER.get(workload, {})

    cell = cell_of(tensorflow(), workload, smaller)
    check_training(tensorflow(), cell, seed=workload not in _WITHOUT_FIT)
