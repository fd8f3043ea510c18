"""Training, which is shared, as each framework does it: on the CPU, by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from harness.cells import Cell
from mlx import optimizers

from tests.collectors import tensorflow_cells, torch_cells
from tests.collectors.dataset_files import IMAGES, MNIST, MNIST_LABELS, mnist, write
from tests.collectors.trained_here import cell_of, train
from tests.collectors.works_here import chosen, fresh, loaded

FRAMEWORKS = ("torch", "tensorflow", "mlx")
BOTH = pytest.mark.parametrize("framework", FRAMEWORKS)


def started(framework: str, workload: str, precision: str = "fp32", **changes: Any):
    """Return a training of few samples after its first step, compiled by nothing."""
    few = {"compiler": "eager", "batch_size": 2} | changes
    return fresh(framework, workload, precision, **few)


def prepared(framework: str, cell: Cell) -> Any:
    loaded(framework).configure(cell)
    return loaded(framework).prepare(cell)


@pytest.mark.parametrize(
    ("framework", "precision", "types"),
    [
        ("torch", "fp32", {"fp32"}),
        ("torch", "fp64", {"fp64"}),
        ("torch", "bf16", {"fp32", "bf16"}),
        ("tensorflow", "fp32", {"fp32"}),
        ("tensorflow", "bf16", {"fp32", "bf16"}),
        ("tensorflow", "fp16", {"fp32", "fp16"}),
        ("tensorflow", "fp64", {"fp64"}),
        ("mlx", "fp32", {"fp32"}),
        ("mlx", "bf16", {"fp32", "bf16"}),
        ("mlx", "fp16", {"fp32", "fp16"}),
        ("mlx", "fp64", {"fp64"}),
    ],
)
def test_mixed_precision_keeps_its_parameters(framework, precision, types):
    work = started(framework, "mnist", precision)

    assert work.types() == work.expected_types() == types
    assert work.placed_on() == {"cpu"}
    assert loaded(framework).configure(work.cell).precision == precision


@BOTH
def test_of_a_frozen_network_what_is_trained_is_looked_at(framework):
    small: dict[str, Any] = {"trainable": "last", "image_size": 32}
    frozen = started(framework, "mobilenetv2-cifar10", **small)
    before = frozen.trained()

    frozen.step()

    assert frozen.trained() != before
    assert frozen.parameter_count() == frozen.cell.parameter_count


@BOTH
@pytest.mark.parametrize("workload", ["mnist", "mnist-cnn"])
def test_real_images_are_used_where_there_are_any(framework, workload, tmp_path):
    write(tmp_path, mnist())
    name = {"torch": "data_folder", "tensorflow": "folder", "mlx": "data_folder"}[
        framework
    ]
    work = started(framework, workload, batch_size=4, **{name: str(tmp_path)})

    inputs, labels = next(work.batches)
    shown = np.asarray(inputs).reshape(4, 28, 28)
    off = [np.abs(MNIST / 255 - image).max(axis=(1, 2)) for image in shown]
    assert np.max(np.min(off, axis=1)) < 1e-6
    assert list(labels) == list(MNIST_LABELS[np.argmin(off, axis=1)])
    assert np.isfinite(work.loss())
    assert work.notes()["batches"] == IMAGES // 4
    data = work.notes()["data"]
    assert (data["name"], data["images"], len(data["sha256"])) == ("mnist", IMAGES, 64)


@BOTH
def test_the_cpu_in_float32_is_the_reference_itself(framework):
    assert started(framework, "mnist").first_steps(3) is None


# Not every processor has the LSTM of oneDNN in bf16.
@pytest.mark.parametrize(
    ("framework", "workload", "precision", "tolerance"),
    [
        ("torch", "lstm", "fp64", 1e-5),
        ("torch", "mnist", "bf16", 0.03),
        ("torch", "mnist-cnn", "bf16", 0.03),
        ("torch", "resnet9", "bf16", 0.03),
        ("tensorflow", "lstm", "bf16", 1e-3),
        ("tensorflow", "mnist", "bf16", 5e-3),
        ("tensorflow", "mnist", "fp16", 2e-3),
        ("tensorflow", "mnist", "fp64", 1e-6),
        ("mlx", "lstm", "bf16", 1e-3),
        ("mlx", "mnist", "fp16", 1e-3),
        ("mlx", "mnist-cnn", "bf16", 0.03),
    ],
)
def test_first_losses_agree_with_the_reference_as_the_precision_allows(
    framework, workload, precision, tolerance
):
    cell = chosen(framework, workload, precision, compiler="eager", batch_size=8)

    here, reference = prepared(framework, cell).first_steps(3)

    assert here.losses == pytest.approx(reference.losses, rel=tolerance)
    assert here.losses != reference.losses
    assert len(set(reference.losses)) == 3
    assert np.corrcoef(here.update, reference.update)[0, 1] > 0.95


def gate_of(trained: Any, name: str) -> dict[str, Any]:
    result: dict[str, Any] = trained.checks["gates"][name]
    return result


def no_step(*_arguments: Any, **_options: Any) -> None:
    """Update nothing."""


@BOTH
def test_an_optimiser_that_does_nothing_fails_though_the_loss_moves(
    framework, monkeypatch
):
    cell = chosen(framework, "mnist", compiler="eager", batch_size=2)
    keras = tensorflow_cells.tensorflow().keras
    monkeypatch.setattr(keras.optimizers.Optimizer, "apply", no_step)
    monkeypatch.setattr(torch.optim.SGD, "step", no_step)
    monkeypatch.setattr(optimizers.Optimizer, "update", no_step)

    trained = train(loaded(framework), cell)

    loss = gate_of(trained, "loss")
    assert trained.status == "failed"
    assert (loss["status"], loss["moving"], loss["updated"]) == ("failed", True, False)


def test_a_compiler_that_computes_something_else_fails(monkeypatch):
    def wrong(network: torch.nn.Module, *, dynamic: bool, mode: str | None) -> Any:
        assert (dynamic, mode) == (False, None)
        return lambda inputs: 1.5 * network(inputs)

    monkeypatch.setattr(torch, "compile", wrong)
    framework = torch_cells.framework("mnist")
    cell = cell_of(framework, "mnist", {})
    eager, compiled = (
        train(framework, replace(cell, compiler=compiler))
        for compiler in ("eager", "inductor")
    )

    gate = gate_of(compiled, "reference_loss")
    assert gate_of(eager, "reference_loss")["status"] == "not-applicable"
    assert compiled.status == "failed"
    assert (gate["status"], gate["compiler"]) == ("failed", "inductor")


def test_a_graph_that_computes_something_else_fails(monkeypatch):
    def wrong(step: Any, compiler: str, _signature: Any = None) -> Any:
        return step if compiler == "eager" else lambda *batch: 1.5 * step(*batch)

    framework = loaded("tensorflow")
    monkeypatch.setattr("tensorflow_work.training.compiled", wrong)
    cell = chosen("tensorflow", "mnist", "bf16", compiler="graph", batch_size=2)

    gate = gate_of(train(framework, cell), "reference_loss")

    assert (gate["status"], gate["compiler"]) == ("failed", "graph")


# PyTorch's own compiler imports what PyTorch calls deprecated.
@pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")
@pytest.mark.parametrize(
    ("framework", "compiler"),
    [("torch", "inductor"), ("tensorflow", "xla"), ("mlx", "mx.compile")],
)
def test_what_a_compiler_makes_agrees_with_the_reference(framework, compiler):
    cell = chosen(framework, "mnist", compiler=compiler, batch_size=2)

    here, reference = prepared(framework, cell).first_steps(3)

    assert here.losses == pytest.approx(reference.losses, rel=1e-5)
    assert here.update == pytest.approx(reference.update, abs=1e-6)
    assert len(set(reference.losses)) == 3
