"""The loop that anybody would write with MLX, around networks of the collector.

A prompt of 512 tokens is read, or one token of 128 written, a network trained or two
matrices multiplied. MLX brings no networks, so there are no others. A step starts its
work, as ``mx.async_eval`` does, which is waited for at the end of a block.
"""

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from harness.cells import Cell
from language import SHAPES
from mlx import nn, optimizers
from mlx_work.device import DTYPES
from mlx_work.language import Llama, Reader
from mlx_work.models import model_of
from training_data.batches import random_batches

Step = Callable[[], object]
_evaluate: Any = mx.async_eval  # which has no types


def bare(cell: Cell) -> Step:
    """Return what starts one step of *cell* on its device."""
    mx.set_default_device(mx.cpu if cell.device == "cpu" else mx.gpu)
    if cell.workload == "matmul":
        return product(cell)
    return writing(cell) if cell.counts_tokens else training(cell)


def product(cell: Cell) -> Step:
    """Return what multiplies two matrices."""
    shape, kept = (cell.size, cell.size), DTYPES[cell.precision]
    a, b = ((mx.random.normal(shape) / cell.size**0.5).astype(kept) for _ in range(2))
    mx.eval(a, b)

    def step() -> None:
        _evaluate(a @ b)

    return step


def training(cell: Cell) -> Step:
    """Return what does one training step in float32."""
    facts, network = cell.parameters, model_of(cell)
    kind = getattr(optimizers, facts["optimizer"])
    more = {} if facts["optimizer"] == "SGD" else {"bias_correction": True}
    optimiser = kind(learning_rate=facts["learning_rate"], **more)
    ((drawn, drawn_labels),) = random_batches(cell, 1)
    inputs, labels = mx.array(drawn), mx.array(drawn_labels, mx.int32)

    def loss(inputs: Any, labels: Any) -> Any:
        return nn.losses.cross_entropy(network(inputs), labels, reduction="mean")

    gradients = nn.value_and_grad(network, loss)

    def step() -> None:
        value, result = gradients(inputs, labels)
        optimiser.update(network, result)
        _evaluate(value, network.state, optimiser.state)

    return step


def writing(cell: Cell) -> Step:
    """Return what reads a prompt, or writes a token for each text."""
    shape, kept = SHAPES[cell.parameters["model"]], DTYPES[cell.precision]
    batch, reads = cell.batch_size, cell.workload == "llm-prefill"
    network = Llama(shape)
    network.draw(kept)
    length = 512 if reads else 128
    size = (batch, shape.kv_heads, length, shape.head_width)
    cache = [[mx.zeros(size, kept), mx.zeros(size, kept)] for _ in range(shape.layers)]
    ids = mx.random.randint(0, shape.vocabulary, (batch, length if reads else 1))
    at, last = 0, ids

    def step() -> None:
        nonlocal at, ids, last
        attend = Reader(shape, cache, at, length if reads else at + 1)
        hidden = network.hidden(ids, attend, None)
        last = network.logits(hidden[:, -1])
        if not reads:
            ids = mx.argmax(last, -1, keepdims=True)
            at = (at + 1) % length
        _evaluate(last, ids, cache)

    return step
