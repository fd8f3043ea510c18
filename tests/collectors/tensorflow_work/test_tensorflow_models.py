"""The networks in Keras are those of the catalogue."""

import importlib
import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import language
import pytest
from harness.cells import workloads

from tests.collectors.tensorflow_cells import cell_of, tensorflow

FACTS = workloads()
NETWORKS = tuple(
    name
    for name in FACTS
    if FACTS[name]["kind"] != "operation" and name not in language.WORKLOADS
)
FOR_IMAGES = tuple(name for name in NETWORKS if FACTS[name]["kind"] == "cnn")


@dataclass(frozen=True)
class Products:
    """A layer that multiplies: what it sees and what that takes, forward."""

    channels: int
    operations: int


def products_of(layer: Any) -> Products | None:
    if type(layer).__name__ not in ("Conv2D", "DepthwiseConv2D", "Dense"):
        return None
    places = math.prod(layer.output.shape[1:-1])
    kernel = layer.kernel.shape
    return Products(kernel[-2], 2 * places * math.prod(kernel))


@cache
def built(workload: str, setting: str | None = None) -> tuple[int, list[Products]]:
    """Return the parameters of a network and its layers.

    Its weights are never drawn: the largest would take more than a gigabyte.
    """
    cell = cell_of(workload, setting=setting)
    tensorflow().configure(cell)
    models: Any = importlib.import_module("tensorflow_work.models")
    keras = tensorflow().keras
    with keras.StatelessScope(initialize_variables=False):
        model = models.model_of(cell)
    layers = filter(None, map(products_of, model._flatten_layers()))
    count, productses = model.count_params(), list(layers)
    keras.utils.clear_session()
    return count, productses


def test_every_workload_of_the_catalogue_is_there():
    assert set(tensorflow().modules) == set(FACTS) - {*language.WORKLOADS}


@pytest.mark.parametrize("workload", NETWORKS)
def test_a_network_has_exactly_the_parameters_of_the_catalogue(workload):
    count, _ = built(workload)

    assert count == cell_of(workload).parameter_count


def test_another_setting_has_another_head():
    count, _ = built("mobilenetv2", "pytorch-in-m1")

    assert count == cell_of("mobilenetv2", setting="pytorch-in-m1").parameter_count


@pytest.mark.parametrize("workload", FOR_IMAGES)
def test_a_network_computes_what_the_catalogue_says(workload):
    _, layers = built(workload)

    first = min(layers, key=lambda layer: layer.channels)
    # Forward and twice backward, but nothing goes back into the images.
    trained = 3 * sum(layer.operations for layer in layers) - first.operations
    assert trained == cell_of(workload).flops_per_sample
