"""PyTorch's networks against the catalogue; none of them is given any memory."""

from typing import Any

import pytest
import torch
from harness.cells import Cell, Choices, cells_of, workloads
from torch.utils.flop_counter import FlopCounterMode
from torch_work.models import without_dropout
from with_torch import Torch

from tests.collectors.torch_cells import TRAININGS, cell, weightless

WITH_IMAGES = [pair for pair in TRAININGS if workloads()[pair[0]]["kind"] == "cnn"]
TRANSFORMERS = ("distilbert", "bert-large")


def forward_flops(chosen: Cell) -> int:
    """What PyTorch's counter finds; of backward passes it gets grouped ones wrong."""
    facts = chosen.parameters
    with weightless(chosen) as model:
        if chosen.kind == "cnn":
            side = facts["image_size"]
            inputs = torch.empty(1, facts.get("channels", 3), side, side)
        else:
            inputs = torch.zeros(1, facts["sequence_length"], dtype=torch.long)
        with FlopCounterMode(display=False) as counter:
            model.eval()(inputs)
    return int(counter.get_total_flops())


def first_layer_flops(chosen: Cell) -> int:
    """The first convolution's: nobody needs a gradient of the images."""
    result = []

    def count(layer: Any, _inputs: Any, output: Any) -> None:
        result.append(2 * output[0].numel() * layer.weight[0].numel())

    with weightless(chosen) as model:
        first = next(m for m in model.modules() if isinstance(m, torch.nn.Conv2d))
        first.register_forward_hook(count)
        side, channels = chosen.parameters["image_size"], first.in_channels
        model.eval()(torch.empty(1, channels, side, side))
    return int(result[0])


def test_every_workload_of_the_catalogue_can_be_run():
    assert set(Torch.modules) == set(workloads())


@pytest.mark.parametrize(("workload", "setting"), TRAININGS)
def test_a_network_has_exactly_the_parameters_of_the_catalogue(workload, setting):
    chosen = cell(workload, setting)

    with weightless(chosen) as model:
        counted = sum(parameter.numel() for parameter in model.parameters())

    assert counted == chosen.parameter_count


@pytest.mark.parametrize(("workload", "setting"), WITH_IMAGES)
def test_operations_are_those_of_forward_backward_and_no_more(workload, setting):
    chosen = cell(workload, setting)

    trained = 3 * forward_flops(chosen) - first_layer_flops(chosen)

    assert trained == chosen.flops_per_sample


@pytest.mark.parametrize("workload", TRANSFORMERS)
def test_a_transformer_needs_three_times_its_forward_pass(workload):
    chosen = cell(workload)

    assert 3 * forward_flops(chosen) == chosen.flops_per_sample


def test_a_frozen_body_only_adds_its_forward_pass():
    *_, chosen = cells_of(
        "mobilenetv2-cifar10", Choices("cpu", "quick"), "torch", ("eager",)
    )
    head = 2 * 1280 * 10

    assert chosen.parameters["trainable"] == "last"
    assert forward_flops(chosen) + head == chosen.flops_per_sample


@pytest.mark.parametrize("workload", ["efficientnet-b0", "distilbert", "mnist"])
def test_nothing_is_left_to_chance_without_dropout(workload):
    chosen = cell(workload)
    with weightless(chosen) as model:
        left = {m.p for m in without_dropout(model).modules() if hasattr(m, "p")}

    assert left == {0.0}


def test_training_mode_is_on():
    with weightless(cell("resnet18")) as model:
        assert all(module.training for module in model.modules())
