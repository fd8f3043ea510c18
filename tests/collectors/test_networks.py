"""The networks that no program trains in a test: one of each kind in each framework.

That every other one is what the catalogue says is seen where they are built, in
``test_torch_models``, ``test_tensorflow_models`` and ``test_mlx_models``.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from networks import ENCODERS
from torch_work import models as torch_models

from tests.collectors import torch_cells
from tests.collectors.tensorflow_cells import tensorflow
from tests.collectors.trained_here import cell_of, check_training
from tests.collectors.works_here import loaded

# No weight of these depends on the size of the images: they pool before they are dense.
SMALL: dict[str, Any] = {"image_size": 64}
NETWORKS: dict[str, dict[str, dict[str, Any]]] = {
    "torch": {
        "mnist": {},
        "resnet9": {},
        "mobilenetv2-cifar10": SMALL,
        "efficientnet-b0": SMALL,
        "resnet50": SMALL,
        # Most of its time goes into updating 57 million weights.
        "alexnet": {"image_size": 64, "optimizer_implementation": "fused"},
    },
    "tensorflow": {
        "mnist": {},
        "mnist-cnn": {},
        "resnet9": {},
        "mobilenetv2-cifar10": {"image_size": 64, "trainable": "last"},
        "resnet50": SMALL,
        "alexnet": {"optimizer": "SGD"},
    },
    "mlx": {  # off a Mac its CPU has a plain BLAS: the large ones take minutes
        "mnist": {},
        "resnet9": {},
        "mobilenetv2-cifar10": {"image_size": 32, "trainable": "last"},
        "efficientnet-b0": SMALL,
    },
}


# Keras builds a graph of its own for fit, which of this takes longest; the same path of
# data is DistilBERT's.
WITHOUT_FIT = ("tensorflow", "resnet50")


@pytest.fixture(scope="module", autouse=True)
def _graphs_as_they_are() -> Iterator[None]:
    """To optimise a graph takes longer than to run it a few times."""
    options = tensorflow().tf.config.optimizer
    options.set_experimental_options({"disable_meta_optimizer": True})
    yield
    options.set_experimental_options({"disable_meta_optimizer": False})


def framework_for(name: str, workload: str) -> Any:
    return torch_cells.framework(workload) if name == "torch" else loaded(name)


@pytest.mark.parametrize(
    ("name", "workload"),
    [(name, workload) for name, some in NETWORKS.items() for workload in some],
)
def test_a_network_trains_passes_every_gate_and_has_every_phase(name, workload):
    framework = framework_for(name, workload)

    cell = cell_of(framework, workload, NETWORKS[name][workload])

    check_training(framework, cell, seed=(name, workload) != WITHOUT_FIT)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_transformer_of_one_block_trains_and_passes_every_gate(name, monkeypatch):
    encoder = ENCODERS["distilbert"]._replace(layers=1)
    monkeypatch.setitem(ENCODERS, "distilbert", encoder)
    sizes = ("DistilBertConfig", {"n_layers": 1})
    monkeypatch.setitem(torch_models._TRANSFORMERS, "distilbert", sizes)
    framework = framework_for(name, "distilbert")
    cell = cell_of(framework, "distilbert", {"sequence_length": 4, "optimizer": "SGD"})
    block = 4 * (768 * 768 + 768) + 2 * 768 * 3072 + 3072 + 768 + 4 * 768

    check_training(
        framework,
        replace(cell, parameter_count=(cell.parameter_count or 0) - 5 * block),
    )
