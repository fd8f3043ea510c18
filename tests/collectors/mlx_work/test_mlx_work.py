"""What is MLX's own: lazy arrays, its types, and its compiler."""

import shutil
from dataclasses import replace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from harness.framework import UnsupportedError, failure_status
from harness.timing import doubled
from mlx_work import device

from tests.collectors.mlx_cells import cell, framework
from tests.collectors.trained_here import Trained, train
from tests.collectors.works_here import fresh


def trained(workload: str, precision: str = "fp32", **changes: Any) -> Trained:
    few = {"matmul": {"size": 96}}.get(workload, {"batch_size": 2})
    chosen = cell(workload, **few | changes)
    return train(framework(), replace(chosen, precision=precision))


@pytest.mark.parametrize("workload", ["matmul", "mnist"])
def test_a_step_whose_graph_nobody_evaluates_fails(workload, monkeypatch):
    monkeypatch.setattr(mx, "async_eval", lambda *_arrays: None)

    done = trained(workload)

    gate = done.checks["gates"]["device"]
    assert (done.status, gate["status"]) == ("failed", "failed")
    assert device.UNEVALUATED in gate["found"]


def test_a_product_that_only_waiting_evaluates_fails_by_its_doubled_blocks(monkeypatch):
    monkeypatch.setattr(mx, "async_eval", lambda *_arrays: None)
    work = fresh("mlx", "matmul", size=256)
    monkeypatch.setattr(work, "wait_for", mx.eval)

    (pairs, *_) = [doubled(work, 4, 0.01)]

    # The last product is all that is ever computed, however many are asked for.
    assert np.median([double / single for single, double in pairs]) < 1.5


def test_an_optimiser_state_that_is_never_evaluated_is_found():
    work = fresh("mlx", "mnist", batch_size=2)
    work.optimiser.state["extra"] = mx.ones(3) + 1

    assert work.placed_on() == {"cpu", device.UNEVALUATED}


@pytest.mark.parametrize("workload", ["lstm", "resnet9"])
@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_mixed_precision_passes_its_gates_on_the_cpu(workload, precision):
    done = trained(workload, precision)

    assert (done.status, done.only("result")["reason"]) == ("ok", None)
    assert done.checks["gates"]["reference_loss"]["status"] == "passed"
    assert done.only("environment")["math"]["cast_each_step"] == precision
    assert done.only("run")["compiler"] == "eager"


def test_a_pass_alone_is_in_the_type_of_a_step():
    chosen = replace(cell("mnist", batch_size=2), precision="bf16")
    work: Any = framework().prepare(chosen)
    work.build()
    work.make_data()
    inputs, _ = next(work.batches)

    work.forward(inputs)

    assert work.seen.dtype == mx.bfloat16
    assert {array.dtype for _, array in work.weights()} == {mx.float32}


def test_dropout_is_drawn_anew_in_every_compiled_step():
    work = fresh("mlx", "mnist", compiler="mx.compile", batch_size=2)
    work.optimiser.learning_rate = mx.array(0.0)
    batch, losses = next(work.batches), []
    for _ in range(3):
        work.train(*batch)
        losses.append(work.loss())

    assert len(set(losses)) == 3


def test_without_a_compiler_for_the_cpu_nothing_pretends_to_be_compiled(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)

    with pytest.raises(UnsupportedError, match="needs g\\+\\+"):
        framework().prepare(cell("mnist", compiler="mx.compile"))


@pytest.mark.parametrize(
    ("workload", "precision", "why"),
    [
        ("matmul", "tf32", "MLX has no tf32 on cpu"),
        ("resnet9", "fp64", "got unsupported data type"),
    ],
)
def test_a_type_that_the_device_lacks_is_unsupported(workload, precision, why):
    result = trained(workload, precision).only("result")

    assert result["status"] == "unsupported"
    assert why in result["reason"]


def test_a_gpu_has_no_float64():
    assert framework().precisions("metal") == ("fp32", "bf16", "fp16")


@pytest.mark.parametrize(
    "message",
    [
        "[malloc] Unable to allocate 99 bytes.",
        "[metal::malloc] Attempting to allocate 9 bytes which is greater than the most",
    ],
)
def test_what_mlx_says_of_too_little_memory_is_out_of_memory(message):
    assert failure_status(RuntimeError(message)) == "oom"


def test_every_image_is_taken_once_and_enlarged():
    work = fresh("mlx", "resnet9", batch_size=2)
    images = type("Images", (), {})()
    images.pixels = np.arange(5 * 16 * 16 * 3, dtype=np.uint8).reshape(5, 16, 16, 3)
    images.labels = np.arange(5)
    plan = replace(work.cell.seed_plan, samples=5)

    batches = list(work.one_pass(plan, images))

    assert [x.shape for x, _ in batches] == [(2, 32, 32, 3)] * 2 + [(1, 32, 32, 3)]
    assert sorted(label for _, labels in batches for label in labels.tolist()) == [
        *range(5)
    ]
