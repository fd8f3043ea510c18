"""Training in TensorFlow, as the harness uses it."""

import importlib
import random
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from harness.cells import Cell, SeedPlan
from training_data.batches import images_of

from tests.collectors.dataset_files import MNIST, MNIST_LABELS, mnist, write
from tests.collectors.tensorflow_cells import cell_of, losses_of, started, tensorflow


@cache
def lstm(compiler: str) -> list[float]:
    return losses_of(started(cell_of("lstm", compiler=compiler, batch_size=4)), 2)


@pytest.mark.parametrize("compiler", ["xla", "eager"])
def test_every_compiler_trains_the_same_network(compiler):
    assert lstm(compiler) == pytest.approx(lstm("graph"), rel=1e-5)


@pytest.mark.parametrize("compiler", ["graph", "xla", "eager"])
def test_the_setting_says_which_compiler_is_in_effect(compiler):
    setting = tensorflow().configure(cell_of("mnist", compiler=compiler))

    assert setting.compiler == compiler
    assert setting.math["jit_compile"] == (compiler == "xla")


@pytest.mark.parametrize(("workload", "means"), [("conv", True), ("mnist", False)])
def test_the_memory_format_is_told_where_it_means_something(workload, means):
    parameters = tensorflow().configure(cell_of(workload)).parameters

    assert ("memory_format" in parameters) == means


def test_a_network_that_computes_in_float32_is_found_out_in_bfloat16():
    cell = cell_of("mnist", "bf16", compiler="eager", batch_size=2)
    tensorflow().configure(cell)
    tensorflow().keras.config.set_dtype_policy("float32")
    work: Any = tensorflow().prepare(cell)
    work.build()
    work.make_data()
    work.step()

    assert work.types() == {"fp32"}
    assert work.types() != work.expected_types()


@cache
def frozen() -> Any:
    return started(cell_of("mobilenetv2-cifar10", image_size=32, trainable="last"))


def test_only_the_last_layer_of_a_frozen_network_changes():
    work = frozen()
    before = [weight.numpy() for weight in work.model.weights]

    work.step()

    changed = [
        weight.path.rsplit("/", 1)[-1]
        for weight, old in zip(work.model.weights, before, strict=True)
        if not np.array_equal(weight.numpy(), old)
    ]
    assert changed == ["kernel", "bias"]
    assert work.parameter_count() == work.cell.parameter_count


def test_nothing_goes_back_through_layers_that_are_frozen():
    work = frozen()

    graph = work.train_step.get_concrete_function(*next(work.batches)).graph
    kinds = {operation.type for operation in graph.get_operations()}
    assert "Conv2D" in kinds
    assert not {kind for kind in kinds if "Backprop" in kind}


def test_an_epoch_ends_with_a_smaller_batch():
    work = started(cell_of("resnet9", batch_size=4))
    work.step()
    before = work.trained()

    assert work.epoch(SeedPlan("epoch", samples=6)) == 6
    assert np.isfinite(work.loss())
    assert work.trained() != before


def test_an_epoch_trains_on_images_that_loader_threads_finish():
    cell = cell_of("resnet18", compiler="eager", image_size=32, batch_size=4)
    work = started(cell)

    done = work.epoch(SeedPlan("epoch", samples=6, loader_processes=2))

    assert done == 6
    assert np.isfinite(work.loss())


def one_pass(cell: Cell, plan: SeedPlan) -> list[tuple[Any, Any]]:
    tensorflow().configure(cell)
    data: Any = importlib.import_module("tensorflow_work.fitting")
    images = images_of(replace(cell, seed_plan=plan))
    loaded = data.loaded(cell, plan, images)
    return [(inputs.numpy(), labels.numpy()) for inputs, labels in loaded]


def test_loader_threads_deliver_what_the_network_takes():
    cell = cell_of("alexnet", batch_size=4)
    plan = SeedPlan("epoch", samples=6, loader_processes=2)

    (first, labels), (rest, _) = one_pass(cell, plan)

    assert (first.shape, rest.shape) == ((4, 224, 224, 3), (2, 224, 224, 3))
    assert first.dtype == np.float32
    assert 0 <= first.min() < 0.1
    assert 0.9 < first.max() <= 1
    assert np.array_equal(first[..., 0], first[..., 2])
    assert labels.shape == (4,)


def test_a_pass_has_each_image_once():
    cell = cell_of("resnet9", batch_size=4)

    first, rest = one_pass(cell, SeedPlan("epoch", samples=6))

    every = [image.tobytes() for inputs, _ in (first, rest) for image in inputs]
    assert (len(first[0]), len(rest[0])) == (4, 2)
    assert len(set(every)) == 6


def test_an_epoch_loads_real_images(tmp_path):
    write(tmp_path, mnist())
    cell = cell_of("alexnet", folder=str(tmp_path), batch_size=6, image_size=28)
    plan = SeedPlan("epoch", samples=6, loader_processes=1)

    ((inputs, labels),) = one_pass(cell, plan)

    off = [np.abs(MNIST / 255 - image[..., 0]).max(axis=(1, 2)) for image in inputs]
    assert sorted(np.argmin(off, axis=1)) == [0, 1, 2, 3, 4, 5]
    assert np.max(np.min(off, axis=1)) < 1e-6
    assert list(labels) == list(MNIST_LABELS[np.argmin(off, axis=1)])


def test_steps_that_overflow_in_float16_are_not_counted_as_steps():
    work = started(cell_of("resnet9", "fp16", compiler="eager", batch_size=2))

    result, expected = work.first_steps(2)

    assert result.losses == pytest.approx(expected.losses, rel=0.1)
    assert expected.losses[1] < 0.9 * expected.losses[0]


def test_the_reference_leaves_everything_as_it_was():
    work = started(cell_of("mnist", "bf16", compiler="eager", batch_size=2))
    before = [weight.numpy() for weight in work.model.weights]
    drawn = random.getstate()
    work.first_steps(2)

    after = [weight.numpy() for weight in work.model.weights]
    assert all(map(np.array_equal, before, after))
    assert random.getstate() == drawn
    assert tensorflow().keras.config.dtype_policy().name == "mixed_bfloat16"
