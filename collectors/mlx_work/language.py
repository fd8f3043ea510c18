"""Language models in MLX: reading a prompt, writing text, and training.

Matrices that are multiplied with the same input are one, as in the other frameworks.
4 bits are MLX's own, groups of 64 with a scale and a bias, the embedding too.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mlx.core as mx
from harness.cells import Cell
from harness.framework import UnsupportedError
from language import GPT2, GPT2_POSITIONS, GROUP, LORA_RANK, Ahead, Shape, shape_of
from mlx import nn
from mlx.utils import tree_flatten
from operations import deviation
from writing import CHECKED_WORDS, Predicted, Written, free_memory, require_memory

from mlx_work.device import COMPILED, MlxTensors
from mlx_work.training import Training

_SMALL = 0.02  # the deviation of embeddings, and of all of GPT-2
_MATRICES, _ENDS = ("qkv", "out", "gate_up", "down"), ("embedding", "head")
# As MLX 0.32 has it: ten parts under way and one being made; kernels and entries (2 **
# 20) of a part by the compute capability, of other cards and of Macs with a Max chip.
_PARTS = 11
_CUDA_PARTS = {
    **dict.fromkeys(((9, 0), (10, 0), (12, 0)), (101, 1001)),
    (8, 0): (21, 401),
    (12, 1): (21, 26),
}
_CUDA_PART, _METAL_PART = (21, 101), (51, 51)
_start: Any = mx.async_eval  # which has no types
Layers = list[Any]  # keys and values of each


class Adapted(nn.Module):  # type: ignore[misc]
    """A frozen matrix for queries, keys and values with adapters on the outer two."""

    def __init__(self, frozen: Any, queries: int, others: int) -> None:
        """Add adapters of rank 16 that change nothing at first."""
        super().__init__()
        inputs = frozen.weight.shape[1]
        self.frozen, self.between = frozen, frozen.weight.shape[0] - queries - others
        drawn = (LORA_RANK, inputs)
        self.down = [mx.random.normal(drawn, scale=inputs**-0.5) for _ in range(2)]
        self.up = [mx.zeros((outputs, LORA_RANK)) for outputs in (queries, others)]

    def __call__(self, x: Any) -> Any:
        """Return X (W + up down)ᵀ, where an adapter is."""
        first, last = (
            (x @ down.T) @ up.T for down, up in zip(self.down, self.up, strict=True)
        )
        nothing = mx.zeros((*x.shape[:-1], self.between), first.dtype)
        return self.frozen(x) + mx.concatenate([first, nothing, last], -1)


class Block(nn.Module):  # type: ignore[misc]
    """Attention and feed-forward network of one layer, each behind a norm."""

    def __init__(self, shape: Shape) -> None:
        """Make the matrices; what they hold is drawn later."""
        super().__init__()
        width = shape.width
        self.norm, self.other_norm = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv = nn.Linear(width, width + 2 * shape.kv_width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate_up = nn.Linear(width, 2 * shape.inner, bias=False)
        self.down = nn.Linear(shape.inner, width, bias=False)

    def __call__(self, x: Any, attend: Callable[..., Any]) -> Any:
        """Return what (batch, tokens, width) is behind the layer."""
        x = x + self.out(attend(self.qkv(self.norm(x))))
        gate, up = mx.split(self.gate_up(self.other_norm(x)), 2, -1)
        return x + self.down(nn.silu(gate) * up)


class Llama(nn.Module):  # type: ignore[misc]
    """A decoder as Llama has it, with random weights."""

    def __init__(self, shape: Shape) -> None:
        """Make its modules; what they hold is drawn later."""
        super().__init__()
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = [Block(shape) for _ in range(shape.layers)]
        self.norm = nn.RMSNorm(shape.width)
        if not shape.tied:
            self.head = nn.Linear(shape.width, shape.vocabulary, bias=False)

    def draw(self, kept: Any, drawn: Any = None, *, packed: bool = False) -> None:
        """Draw all weights, one part after the other, and pack each if asked.

        They are *drawn* in another type than they are kept in, where that is given.
        """
        parts: list[tuple[Any, tuple[str, ...]]]
        parts = [*((block, _MATRICES) for block in self.blocks), (self, _ENDS)]
        for part, names in parts:
            for name in (name for name in names if name in part):
                shape = part[name].weight.shape
                deviation = _SMALL if part is self else shape[1] ** -0.5
                weight = mx.random.normal(shape, drawn or kept, 0, deviation)
                part[name].weight = weight
            part.set_dtype(kept)
            if packed:
                _pack(part)
            mx.eval(part.parameters())

    def hidden(self, ids: Any, attend: Callable[..., Any], layers: int | None) -> Any:
        """Return what is behind the layers, or the first of them, normed."""
        x = self.embedding(ids)
        for number, block in enumerate(self.blocks[:layers]):
            x = block(x, lambda qkv, n=number: attend(n, qkv))
        return self.norm(x)

    def logits(self, hidden: Any) -> Any:
        """Return the logits of all words."""
        return self.head(hidden) if "head" in self else self.embedding.as_linear(hidden)


def _pack(module: Any) -> None:
    try:
        nn.quantize(module, group_size=GROUP, bits=4)
    except ValueError as refusal:  # rows that are no whole number of groups
        raise UnsupportedError(f"MLX packs no such weights: {refusal}") from refusal


class Reader:
    """Attention of a shape: turned by position, over all that stands before."""

    def __init__(self, shape: Shape, layers: Layers, start: Any, end: int) -> None:
        """Read from *start*, a number or an array, with *layers* as the cache.

        At most the first *end* positions are looked at.
        """
        self.shape, self.layers, self.start, self.end = shape, layers, start, end

    def __call__(self, number: int, qkv: Any) -> Any:
        """Return the attention of layer *number*, (batch, tokens, width)."""
        shape, (batch, tokens, _) = self.shape, qkv.shape
        heads = qkv.reshape(batch, tokens, -1, shape.head_width).transpose(0, 2, 1, 3)
        cuts = [shape.heads, shape.heads + shape.kv_heads]
        q, k, v = mx.split(heads, cuts, 1)
        q, k = self._turned(q), self._turned(k)
        mask: Any = "causal" if tokens > 1 else None
        if self.layers:
            k, v = self._kept(number, k, v)
            if not isinstance(self.start, int):
                mask = mx.arange(self.end) <= self.start
        scale = shape.head_width**-0.5
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask=mask)
        return y.transpose(0, 2, 1, 3).reshape(batch, tokens, shape.width)

    def _turned(self, x: Any) -> Any:
        width, base = self.shape.head_width, self.shape.rope_base
        return mx.fast.rope(
            x, width, traditional=False, base=base, scale=1.0, offset=self.start
        )

    def _kept(self, number: int, *new: Any) -> list[Any]:
        """Put keys and values into the cache; return what may be looked at."""
        for which, array in enumerate(new):
            own = self.layers[number][which]
            if isinstance(self.start, int):
                own[:, :, self.start : self.end] = array
            else:
                at = mx.array(self.start).reshape(1)
                own = mx.slice_update(own, array, at, axes=(2,))
            self.layers[number][which] = own
        return [own[:, :, : self.end] for own in self.layers[number]]


class Text(nn.Module):  # type: ignore[misc]
    """Llama as it is trained: the logits of every token of whole texts."""

    def __init__(self, model: Llama, shape: Shape) -> None:
        """Wrap *model*, whose weights are drawn."""
        super().__init__()
        self.model, self._shape = model, shape

    def __call__(self, ids: Any) -> Any:
        """Return (batch x tokens, words) of (batch, tokens)."""
        attend = Reader(self._shape, [], 0, ids.shape[1])
        return self.model.logits(self.model.hidden(ids, attend, None)).flatten(0, 1)


class Gpt2Block(nn.Module):  # type: ignore[misc]
    """A layer of GPT-2."""

    def __init__(self) -> None:
        """Make its matrices and norms."""
        super().__init__()
        width = GPT2.width
        self.norm, self.other_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def __call__(self, x: Any) -> Any:
        """Return what (batch, tokens, width) is behind the layer."""
        batch, tokens, width = x.shape
        heads = self.qkv(self.norm(x)).reshape(batch, tokens, 3 * GPT2.heads, -1)
        q, k, v = mx.split(heads.transpose(0, 2, 1, 3), 3, 1)
        scale = GPT2.head_width**-0.5
        attend = mx.fast.scaled_dot_product_attention
        y = attend(q, k, v, scale=scale, mask="causal")
        x = x + self.out(y.transpose(0, 2, 1, 3).reshape(batch, tokens, width))
        return x + self.down(nn.gelu_approx(self.up(self.other_norm(x))))


class Gpt2(nn.Module):  # type: ignore[misc]
    """GPT-2 small without dropout, drawn as its authors do."""

    def __init__(self) -> None:
        """Draw the weights; the head is the embedding."""
        super().__init__()
        self.words = nn.Embedding(GPT2.vocabulary, GPT2.width)
        self.places = nn.Embedding(GPT2_POSITIONS, GPT2.width)
        self.blocks = [Gpt2Block() for _ in range(GPT2.layers)]
        self.norm = nn.LayerNorm(GPT2.width)
        for part in self.modules():
            if isinstance(part, nn.Linear | nn.Embedding):
                part.weight = mx.random.normal(part.weight.shape, scale=_SMALL)
            if isinstance(part, nn.Linear):
                part.bias = mx.zeros_like(part.bias)

    def __call__(self, ids: Any) -> Any:
        """Return the logits, (batch x tokens, words), of (batch, tokens)."""
        x = self.words(ids) + self.places.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.words.as_linear(self.norm(x)).flatten(0, 1)


class Writing(Written, MlxTensors):
    """Reading prompts and writing text in MLX."""

    packs_embedding = True

    def free_memory(self) -> int | None:
        """Return the bytes that are free on the device."""
        return _free(self.cell.device)

    def started_ahead(self) -> Ahead | None:
        """Return the parts that a GPU is given before MLX waits for the first."""
        if self.cell.device == "cpu":
            return None
        return Ahead(_PARTS, *_part(self.cell.device))

    def build(self) -> None:
        """Draw the weights, in 4 bits if asked for."""
        self.network = Llama(self.shape)
        self.network.draw(self.kept, packed=self.packed)
        self.model = self._model
        if self.cell.compiler == COMPILED:
            self.model = mx.compile(self._model)

    def make_data(self) -> None:
        """Draw the prompt, or the first tokens, and allocate the cache."""
        positions = self.depth + self.tokens
        self.layers = self._cache(self.cell.batch_size, positions)
        self.ids = mx.array(self.first_ids(), mx.int32)
        mx.eval(self.ids, self.layers)
        mx.clear_cache()
        if self.cell.device != "cpu":
            mx.reset_peak_memory()

    def _cache(self, batch: int, positions: int) -> Layers:
        shape = self.shape
        size = (batch, shape.kv_heads, positions, shape.head_width)
        draw = mx.random.normal
        return [
            [draw(size, self.kept), draw(size, self.kept)] for _ in range(shape.layers)
        ]

    def _model(self, ids: Any, layers: Layers, start: Any) -> tuple[Any, Layers]:
        """Return the logits of the last token, and the cache with what was read.

        *start* is an array where a compiler needs shapes that stay.
        """
        layers = [list(pair) for pair in layers]
        end = layers[0][0].shape[2]
        if isinstance(start, int):
            end = start + ids.shape[1]
        attend = Reader(self.shape, layers, start, end)
        hidden = self.network.hidden(ids, attend, len(layers))
        return self.network.logits(hidden[:, -1]), layers

    def step(self) -> None:
        """Start reading the prompts, or writing one token of each text."""
        start: Any = self.depth if self.reads else self._at(self.next_position())
        self.last, self.layers = self.model(self.ids, self.layers, start)
        if not self.reads:
            self.ids = mx.argmax(self.last, -1, keepdims=True)
        _start(self.last, self.ids, self.layers)

    def _at(self, position: int) -> Any:
        """Return where one token stands; compilers need shapes that stay."""
        return mx.array(position) if self.cell.compiler == COMPILED else position

    def error_tolerance(self) -> float:
        """Return what it is elsewhere, unless the CPU adds up in the type of inputs.

        So it does with packed weights. Seen over 30 layers: 0.15 in bf16.
        """
        short = self.packed and self.cell.device == "cpu"
        return super().error_tolerance() * (4 if short else 1)

    def parameter_count(self) -> int:
        """Return the parameters; packed ones count as what they stand for."""
        return sum(map(_count, self.network.modules()))

    def tensors(self) -> list[Any]:
        """Return the weights, the cache and the logits."""
        cached = [array for pair in self.layers for array in pair]
        own = [array for _, array in tree_flatten(self.network.parameters())]
        floats = (array for array in own if mx.issubdtype(array.dtype, mx.floating))
        return [self.last, *cached, *floats]

    def relative_error(self) -> float:
        """Return how far logits are from float32 on the CPU, behind the first layers.

        A short prompt is read, and one token written behind it, by the same weights;
        packed ones are what they stand for.
        """
        layers, ids = self.checked_layers(), self.checked_ids()
        cache = self._cache(1, ids.shape[1])[:layers]
        here = self.float64(self._logits(self.model, ids, cache))
        with mx.stream(mx.cpu):
            own, kept = self.network, self.kept
            self.kept = mx.float32
            self.network = self._reference(layers)
            empty = self._cache(1, ids.shape[1])[:layers]
            try:
                exact = self.float64(self._logits(self._model, ids, empty))
            finally:
                self.network, self.kept = own, kept
        return deviation(here, exact)

    def _logits(self, model: Callable[..., Any], ids: Any, layers: Layers) -> Any:
        """Return the first logits behind a prompt, and behind a token after it."""
        tokens = mx.array(ids, mx.int32)
        last = ids.shape[1] - 1
        first, layers = model(tokens[:, :-1], layers, 0)
        then, _ = model(tokens[:, -1:], layers, self._at(last))
        logits = mx.concatenate([first, then])[:, :CHECKED_WORDS]
        mx.eval(logits)
        return logits

    def _reference(self, layers: int) -> Llama:
        """Return the first layers and words of the model in float32."""
        own = self.network
        made = Llama(replace(self.shape, layers=layers, vocabulary=CHECKED_WORDS))
        for block, original in zip(made.blocks, own.blocks, strict=False):
            for name in _MATRICES:
                block[name].weight = _exact(original[name])
        made.embedding.weight = _exact(own.embedding, CHECKED_WORDS)
        if "head" in own:
            made.head.weight = _exact(own.head, CHECKED_WORDS)
        made.set_dtype(mx.float32)
        mx.eval(made.parameters())
        return made


class Finetuning(Predicted, Training):
    """GPT-2 trained whole, or adapters of a frozen Llama."""

    shown_rows = 16

    def __init__(self, cell: Cell) -> None:
        """Predict the memory; DoesNotFitError where there is less."""
        super().__init__(cell)
        self.predicted = require_memory(cell, _free(cell.device))

    def untrained(self) -> Any:
        """Return the network; frozen weights in the type of products."""
        cell = self.cell
        if cell.workload == "gpt2-train":
            network = Gpt2()
            network.set_dtype(self.kept)
            return network
        shape = shape_of(cell.workload, cell.parameters)
        model = Llama(shape)
        model.draw(self.own, self.kept)
        model.freeze()
        for block in model.blocks:
            block.qkv = Adapted(block.qkv, shape.width, shape.kv_width)
        return Text(model, shape)


def _exact(module: Any, rows: int | None = None) -> Any:
    """Return the weights of a module in float32, or their first *rows*."""
    weight = module.weight[:rows]
    if "scales" in module:
        scales, biases = module.scales[:rows], module.biases[:rows]
        weight = mx.dequantize(
            weight,
            scales.astype(mx.float32),
            biases.astype(mx.float32),
            group_size=GROUP,
            bits=4,
        )
    return weight.astype(mx.float32)


def _count(module: Any) -> int:
    """Return the parameters of *module* itself."""
    if "scales" in module:
        return int(module.scales.size * GROUP)
    own = module.get("weight")
    return 0 if own is None else int(own.size)


def _part(device: str) -> tuple[int, int]:
    """Return the kernels of a part, and the entries that they read."""
    facts = mx.device_info(mx.gpu)
    own = tuple(facts.get(f"compute_capability_{n}") for n in ("major", "minor"))
    usual = _CUDA_PART if device == "cuda" else _METAL_PART
    kernels, entries = _CUDA_PARTS.get(own, usual)
    return kernels, entries << 20


def _free(device: str) -> int | None:
    """Return the bytes that are free on a device; None where nobody can tell."""
    host = free_memory()
    if device == "cpu":
        return host
    facts = mx.device_info(mx.gpu)
    if device == "cuda":
        known = facts.get("free_memory", facts.get("total_memory"))
        return None if known is None else int(known)
    most = int(facts["max_recommended_working_set_size"])
    return most if host is None else min(most, host)  # it is the same memory
