"""A loss that moves is no proof of training: the weights must move with it."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.collectors import tensorflow_cells, torch_cells
from tests.collectors.trained_here import cell_of, train


def no_step(*_arguments: Any, **_options: Any) -> None:
    """Update nothing."""


def test_an_optimiser_of_pytorch_that_does_nothing_fails(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(torch.optim.SGD, "step", no_step)
    framework = torch_cells.framework("mnist")

    trained = train(framework, cell_of(framework, "mnist", {}))

    loss = trained.checks["gates"]["loss"]
    assert trained.status == "failed"
    assert (loss["status"], loss["moving"], loss["updated"]) == ("failed", True, False)


def test_an_optimiser_of_tensorflow_that_does_nothing_fails(
    monkeypatch: pytest.MonkeyPatch,
):
    keras = tensorflow_cells.tensorflow().keras
    monkeypatch.setattr(keras.optimizers.Optimizer, "apply", no_step)
    cell = tensorflow_cells.cell_of("mnist", compiler="eager", batch_size=2)

    trained = train(tensorflow_cells.tensorflow(), cell)

    loss = trained.checks["gates"]["loss"]
    assert (trained.status, loss["updated"]) == ("failed", False)


def of_torch(workload: str, **changes: Any) -> Any:
    return torch_cells.started(torch_cells.cell(workload, **changes))


def of_tensorflow(workload: str, **changes: Any) -> Any:
    return tensorflow_cells.started(tensorflow_cells.cell_of(workload, **changes))


@pytest.mark.parametrize("started", [of_torch, of_tensorflow])
def test_of_a_frozen_network_what_is_trained_is_looked_at(started: Callable[..., Any]):
    frozen = started(
        "mobilenetv2-cifar10", trainable="last", image_size=32, batch_size=2
    )
    before = frozen.trained()

    frozen.step()

    assert frozen.trained() != before
