"""MLX's networks against the catalogue; none of their weights is ever drawn."""

import math
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from harness.cells import Cell, workloads
from mlx import nn
from mlx.utils import tree_flatten
from mlx_work.models import without_dropout
from mlx_work.training import Training
from training_data.batches import input_shape

from tests.collectors.mlx_cells import TRAININGS, cell, framework, weightless

TRANSFORMERS = {"distilbert": (6, 768), "bert-large": (24, 1024)}  # layers, width


def products(chosen: Cell, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the operations of each layer that multiplies, forward, of one sample."""
    seen: list[int] = []

    def counted(layer: type) -> None:
        usual = layer.__call__

        def call(self: Any, x: Any) -> Any:
            result = usual(self, x)
            rows, weight = result.size // result.shape[-1], self.weight.shape
            seen.append(2 * rows * math.prod(weight))
            return result

        monkeypatch.setattr(layer, "__call__", call)

    counted(nn.Conv2d)
    counted(nn.Linear)
    whole = chosen.kind == "transformer"
    with weightless(chosen) as model:
        model.eval()(
            mx.zeros((1, *input_shape(chosen)), mx.int32 if whole else mx.float32)
        )
    return seen


def test_every_workload_of_the_catalogue_can_be_run():
    trained_or_operations = {
        name for name, facts in workloads().items() if "mlx" in facts["parameter_count"]
    }
    assert trained_or_operations <= set(framework().modules)
    assert {"matmul", "elementwise", "bandwidth", "conv"} <= set(framework().modules)


@pytest.mark.parametrize(("workload", "setting"), TRAININGS)
def test_a_network_has_exactly_the_parameters_of_the_catalogue(workload, setting):
    work = Training(cell(workload, setting))

    with weightless(work.cell) as work.network:
        counted = work.parameter_count()

    assert counted == work.cell.parameter_count


@pytest.mark.parametrize(
    ("workload", "setting"),
    [pair for pair in TRAININGS if workloads()[pair[0]]["kind"] in ("cnn", "mlp")],
)
def test_a_network_computes_what_the_catalogue_says(workload, setting, monkeypatch):
    first, *rest = products(cell(workload, setting), monkeypatch)

    # Forward and twice backward, but nothing goes back into the images.
    assert 2 * first + 3 * sum(rest) == cell(workload, setting).flops_per_sample


@pytest.mark.parametrize("workload", TRANSFORMERS)
def test_a_transformer_computes_what_the_catalogue_says(workload, monkeypatch):
    chosen, (layers, width) = cell(workload), TRANSFORMERS[workload]
    tokens = chosen.parameters["sequence_length"]
    attention = layers * 2 * (2 * tokens**2 * width)

    forward = sum(products(chosen, monkeypatch)) + attention

    assert 3 * forward == chosen.flops_per_sample


def test_padded_steps_of_a_sequence_change_nothing():
    with weightless(cell("lstm")) as model:
        x = np.random.default_rng(0).random((1, 20, 1), dtype=np.float32)
        x[:, 7:] = -1.0
        whole, short = model(mx.array(x)), model(mx.array(x[:, :7]))

    assert np.array_equal(np.array(whole), np.array(short))


def test_a_frozen_body_is_neither_trained_nor_normalised_anew():
    with weightless(cell("mobilenetv2-cifar10", trainable="last")) as model:
        trained = [name for name, _ in tree_flatten(model.trainable_parameters())]

    assert trained == ["layers.1.weight", "layers.1.bias"]
    assert not model.layers[0].layers[1].training


@pytest.mark.parametrize("workload", ["mnist", "efficientnet-b0"])
def test_without_dropout_nothing_is_left_to_chance(workload):
    chosen = cell(workload, image_size=32)
    drawn = np.random.default_rng(0).random((2, *input_shape(chosen)), np.float32)
    x = mx.array(drawn)
    with weightless(chosen) as model:
        by_chance = np.array(model(x)), np.array(model(x))
        sure = without_dropout(model)
        always = np.array(sure(x)), np.array(sure(x))

    assert not np.array_equal(*by_chance)
    assert np.array_equal(*always)
