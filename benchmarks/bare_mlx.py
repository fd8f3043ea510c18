"""The loop that anybody would write with MLX; short, since one kind of work is enough.

A prompt of 512 tokens is read, or one token of 128 written, by the model that the
collector builds. ``WAIT`` waits for what was started.
"""

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from language import SHAPES
from mlx_work.device import DTYPES
from mlx_work.language import Llama, Reader

WAIT: Callable[[], object] = mx.synchronize
_evaluate: Any = mx.async_eval  # which has no types


def writing(workload: str, model: str, precision: str, batch: int) -> Callable[[], Any]:
    """Return what starts one step."""
    mx.set_default_device(mx.cpu)
    shape, kept, reads = SHAPES[model], DTYPES[precision], workload == "llm-prefill"
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
