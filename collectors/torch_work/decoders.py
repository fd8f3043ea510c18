"""Decoders in PyTorch: Llama's and GPT-2's, with random weights.

Matrices that are multiplied with the same input are one, as programs that serve models
have it. Keys and values are in a cache that is allocated once.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from harness.framework import UnsupportedError
from language import GPT2, GPT2_POSITIONS, GROUP, LORA_RANK, Shape
from torch import nn
from torch.nn import functional
from torch.nn.functional import embedding, gelu, linear, rms_norm, silu

from torch_work.device import type_name

_SEED_STEP = 1_000_003  # between the seeds of one model's matrices and of another's
_SMALL = 0.02  # the deviation of embeddings, and of all of GPT-2


class Matrix(nn.Module):  # type: ignore[misc]
    """Weights of (outputs, inputs), drawn from a seed of their own."""

    def __init__(self, outputs: int, inputs: int, deviation: float) -> None:
        """Note the shape; nothing is allocated."""
        super().__init__()
        self.shape, self.deviation, self.seed = (outputs, inputs), deviation, 0
        self.weight = nn.Parameter(torch.empty(0), requires_grad=False)

    def drawn(self, device: str, dtype: Any) -> Any:
        """Return the weights, the same every time."""
        source = torch.Generator(device).manual_seed(self.seed)
        made = torch.empty(self.shape, device=device, dtype=dtype)
        return made.normal_(0, self.deviation, generator=source)

    def place(self, device: str, dtype: Any) -> None:
        """Allocate the weights and draw them there."""
        self.weight.data = self.drawn(device, dtype)

    def exact(self, rows: int | None = None) -> Any:
        """Return the weights, or their first *rows*, in float32 on the CPU."""
        return self.weight.detach()[:rows].cpu().float()

    def forward(self, x: Any) -> Any:
        """Return X Wᵀ."""
        return linear(x, self.weight)


class FourBits(Matrix):
    """The same in 4 bits: groups of 64 with a scale and a zero, PyTorch's own kernels.

    A weight is (code - 8) scale + zero.
    """

    def place(self, device: str, dtype: Any) -> None:
        """Draw, divide into groups and pack; UnsupportedError where that is not built.

        PyTorch says so in words of its own, which differ by release.
        """
        inputs = self.shape[1]
        tiles = next((n for n in (8, 4, 2) if inputs % (16 * n) == 0), None)
        if inputs % GROUP or tiles is None:
            why = f"a row of {inputs} weights is no whole number of groups of {GROUP}"
            raise UnsupportedError(why)
        codes, self.scales = self._divided(self.drawn(device, dtype))
        try:
            if device == "cpu":
                whole = codes.int()
                self.packed = torch._convert_weight_to_int4pack_for_cpu(whole, tiles)
                self.product = torch._weight_int4pack_mm_for_cpu
            else:
                pairs = codes[:, ::2] << 4 | codes[:, 1::2]
                self.packed = torch._convert_weight_to_int4pack(pairs, tiles)
                self.product = torch._weight_int4pack_mm
            self(torch.zeros(1, inputs, device=device, dtype=dtype))
        except (AttributeError, NotImplementedError, RuntimeError) as refusal:
            if isinstance(refusal, torch.OutOfMemoryError):
                raise
            what = f"PyTorch {torch.__version__} has no product of 4-bit weights"
            why = f"{what} and {type_name(dtype)} on {device}: {refusal}"
            raise UnsupportedError(why) from refusal

    def _divided(self, weights: Any) -> tuple[Any, Any]:
        """Return codes, and scales with zeros of (groups, outputs, 2).

        In parts: the head of a large model would be there four times in float32.
        """
        parts = [self._codes(rows) for rows in weights.split(8192)]
        codes, scales = (torch.cat(some) for some in zip(*parts, strict=True))
        return codes, scales.transpose(0, 1).contiguous()

    @staticmethod
    def _codes(rows: Any) -> tuple[Any, Any]:
        groups = rows.float().reshape(len(rows), -1, GROUP)
        low = groups.amin(-1, keepdim=True)
        scale = ((groups.amax(-1, keepdim=True) - low) / 15).clamp(min=1e-6)
        codes = ((groups - low) / scale).round().clamp(0, 15).to(torch.uint8)
        scales = torch.cat([scale, low + 8 * scale], -1).to(rows.dtype)
        return codes.reshape(rows.shape), scales

    def exact(self, rows: int | None = None) -> Any:
        """Return (code - 8) scale + zero, of the same weights drawn again."""
        drawn = self.drawn(self.scales.device.type, self.scales.dtype)[:rows]
        codes, scales = self._divided(drawn)
        groups = codes.float().reshape(len(codes), -1, GROUP) - 8
        scale, zero = scales.float().transpose(0, 1).unbind(-1)
        exact = groups * scale[..., None] + zero[..., None]
        return exact.reshape(codes.shape).cpu()

    def forward(self, x: Any) -> Any:
        """Return X Wᵀ."""
        rows = x.reshape(-1, self.shape[1]).contiguous()
        product = self.product(rows, self.packed, GROUP, self.scales)
        return product.reshape(*x.shape[:-1], self.shape[0])


class Adapted(Matrix):
    """A frozen matrix for queries, keys and values with adapters on the outer two."""

    def adapt(self, queries: int, values: int) -> None:
        """Add adapters of rank 16, which change nothing at first."""
        inputs, self.parts = self.shape[1], (queries, values)
        self.down, self.up = nn.ParameterList(), nn.ParameterList()
        for outputs in self.parts:
            drawn = torch.empty(LORA_RANK, inputs).normal_(0, inputs**-0.5)
            self.down.append(nn.Parameter(drawn))
            self.up.append(nn.Parameter(torch.zeros(outputs, LORA_RANK)))

    def forward(self, x: Any) -> Any:
        """Return X (W + up down)ᵀ, where an adapter is."""
        queries, values = (
            linear(linear(x, down), up)
            for down, up in zip(self.down, self.up, strict=True)
        )
        between = self.shape[0] - sum(self.parts)
        nothing = queries.new_zeros(()).expand(*x.shape[:-1], between)
        return linear(x, self.weight) + torch.cat([queries, nothing, values], -1)


class Block(nn.Module):  # type: ignore[misc]
    """Attention and feed-forward network of one layer, each behind a norm."""

    def __init__(
        self, shape: Shape, number: int, first: type[Matrix], other: type[Matrix]
    ) -> None:
        """Make the matrices, of the *first* kind those that queries come from."""
        super().__init__()
        self.shape, self.number = shape, number
        width, deviation = shape.width, shape.width**-0.5
        self.norms = nn.Parameter(torch.ones(2, width), requires_grad=False)
        self.qkv = first(width + 2 * shape.kv_width, width, deviation)
        self.out = other(width, width, deviation)
        self.gate_up = other(2 * shape.inner, width, deviation)
        self.down = other(width, shape.inner, shape.inner**-0.5)

    def forward(self, x: Any, place: "Place") -> Any:
        """Return what (batch, tokens, width) is behind the layer."""
        normed = rms_norm(x, (self.shape.width,), self.norms[0], 1e-5)
        x = x + self.out(self._attention(self.qkv(normed), place))
        normed = rms_norm(x, (self.shape.width,), self.norms[1], 1e-5)
        gate, up = self.gate_up(normed).chunk(2, -1)
        return x + self.down(silu(gate) * up)

    def _attention(self, qkv: Any, place: "Place") -> Any:
        shape, (batch, tokens, _) = self.shape, qkv.shape
        heads = qkv.view(batch, tokens, -1, shape.head_width).transpose(1, 2)
        q, k, v = heads.split([shape.heads, shape.kv_heads, shape.kv_heads], 1)
        q, k = _turned(q, place), _turned(k, place)
        shared = shape.heads // shape.kv_heads
        k, v = place.kept(self, k, v)
        if tokens == 1:
            # Queries that share a key stand as its queries: no key is copied.
            q = q.reshape(batch, shape.kv_heads, shared, shape.head_width)
            y = _attend(q, k, v, attn_mask=place.mask)
        else:
            if shared > 1:
                k, v = (x.repeat_interleave(shared, 1) for x in (k, v))
            causal = place.mask is None
            y = _attend(q, k, v, attn_mask=place.mask, is_causal=causal)
        y = y.reshape(batch, shape.heads, tokens, shape.head_width)
        return y.transpose(1, 2).reshape(batch, tokens, shape.width)


class Place:
    """Where tokens stand in their text, and the keys and values of those before.

    Without a cache every token is there at once, as in training.
    """

    mask: Any = None

    def __init__(self, angles: tuple[Any, Any]) -> None:
        """Take cosines and sines of (tokens, half a head)."""
        self.cos, self.sin = angles

    def kept(self, block: Block, keys: Any, values: Any) -> tuple[Any, Any]:
        """Return all keys and values that the tokens may look at."""
        return keys, values


class Cache:
    """Keys and values of a text, allocated once for all of its positions."""

    def __init__(self, model: "Llama", batch: int, positions: int) -> None:
        """Allocate; what stands before the first token is random."""
        shape, like = model.shape, model.embedding.weight
        size = (batch, shape.kv_heads, positions, shape.head_width)
        make = partial(torch.randn, size, device=like.device, dtype=like.dtype)
        self.layers = [(make(), make()) for _ in model.blocks]
        self.angles = model.angles(positions)
        self.all = torch.arange(positions, device=like.device)


class Sliced(Place):
    """Tokens from *start* on, with what a cache has of those before."""

    def __init__(self, cache: Cache, start: int, tokens: int) -> None:
        """Look at the positions up to the last token, and no further."""
        self.cache, self.start, self.end = cache, start, start + tokens
        super().__init__(tuple(part[start : self.end] for part in cache.angles))
        if tokens > 1 and start:
            self.mask = cache.all[: self.end] <= cache.all[start : self.end, None]

    def kept(self, block: Block, keys: Any, values: Any) -> tuple[Any, Any]:
        """Put them into the cache; return what is there by now."""
        own, other = self.cache.layers[block.number]
        own[:, :, self.start : self.end] = keys
        other[:, :, self.start : self.end] = values
        return own[:, :, : self.end], other[:, :, : self.end]


class Masked(Place):
    """One token at a position that is a tensor: shapes stay, as compilers need it."""

    def __init__(self, cache: Cache, position: Any) -> None:
        """Look at the whole cache, what comes later masked."""
        self.cache, self.position = cache, position
        super().__init__(tuple(part[position] for part in cache.angles))
        self.mask = (cache.all <= position)[None]

    def kept(self, block: Block, keys: Any, values: Any) -> tuple[Any, Any]:
        """Put them into the cache; return all of it."""
        own, other = self.cache.layers[block.number]
        own.index_copy_(2, self.position, keys)
        other.index_copy_(2, self.position, values)
        return own, other


def _attend(*operands: Any, **options: Any) -> Any:
    """Return PyTorch's attention, by the name under which it can be watched."""
    return functional.scaled_dot_product_attention(*operands, **options)


def _turned(x: Any, place: Place) -> Any:
    """Return heads of (batch, heads, tokens, head width) turned by their positions."""
    first, second = x.chunk(2, -1)
    cos, sin = place.cos, place.sin
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


class Llama(nn.Module):  # type: ignore[misc]
    """A decoder as Llama has it; weights are random, and come with ``place``."""

    def __init__(
        self, shape: Shape, first: type[Matrix], other: type[Matrix], seed: int
    ) -> None:
        """Make its modules: *first* for queries, keys and values, *other* beside."""
        super().__init__()
        self.shape = shape
        self.embedding = Matrix(shape.vocabulary, shape.width, _SMALL)
        self.blocks = nn.ModuleList(
            Block(shape, number, first, other) for number in range(shape.layers)
        )
        self.norm = nn.Parameter(torch.ones(shape.width), requires_grad=False)
        # Tied weights of 16 bits are the same matrix, packed ones another.
        self.tied = shape.tied and other is Matrix
        if not self.tied:
            self.head = other(shape.vocabulary, shape.width, _SMALL)
        for number, matrix in enumerate(self.matrices()):
            matrix.seed = seed * _SEED_STEP + number
        if shape.tied and not self.tied:
            self.head.seed = self.embedding.seed

    def matrices(self) -> Iterator[Matrix]:
        """Yield all matrices, the embedding first."""
        return (part for part in self.modules() if isinstance(part, Matrix))

    def place(self, device: str, dtype: Any) -> "Llama":
        """Draw all weights on a device, none of them anywhere else before."""
        self.to(device, dtype)
        for matrix in self.matrices():
            matrix.place(device, dtype)
        return self

    def count(self) -> int:
        """Return its parameters; packed ones count as what they stand for."""
        matrices = list(self.matrices())
        packed = [matrix for matrix in matrices if isinstance(matrix, FourBits)]
        own = sum(weights.numel() for weights in self.parameters())
        tied = self.shape.tied and not self.tied  # the head is there twice
        own += sum(math.prod(matrix.shape) for matrix in packed)
        return int(own - (self.shape.head_weights if tied else 0))

    def angles(self, positions: int) -> tuple[Any, Any]:
        """Return cosines and sines of (positions, half a head)."""
        like, half = self.embedding.weight, self.shape.head_width // 2
        steps = torch.arange(half, dtype=torch.float64) / half
        rates = float(self.shape.rope_base) ** -steps
        turns = torch.outer(torch.arange(positions, dtype=torch.float64), rates)
        # Metal has no float64, not even for a moment.
        cos, sin = turns.cos().to(like.dtype), turns.sin().to(like.dtype)
        return cos.to(like.device), sin.to(like.device)

    def hidden(self, ids: Any, place: Place, layers: int | None = None) -> Any:
        """Return what is behind the layers, or behind the first of them, normed."""
        x = embedding(ids, self.embedding.weight)
        for block in self.blocks[:layers]:
            x = block(x, place)
        return rms_norm(x, (self.shape.width,), self.norm, 1e-5)

    def logits(self, hidden: Any) -> Any:
        """Return the logits of all words."""
        return (self.embedding if self.tied else self.head)(hidden)

    def forward(self, ids: Any, place: Place, layers: int | None = None) -> Any:
        """Return the logits of the last token of (batch, tokens)."""
        return self.logits(self.hidden(ids, place, layers)[:, -1])


class Text(nn.Module):  # type: ignore[misc]
    """Llama as it is trained: the logits of every token of whole texts."""

    def __init__(self, model: Llama) -> None:
        """Wrap *model*, whose weights are placed."""
        super().__init__()
        self.model = model

    def forward(self, ids: Any) -> Any:
        """Return (batch x tokens, words) of (batch, tokens)."""
        place = Place(self.model.angles(ids.shape[1]))
        return self.model.logits(self.model.hidden(ids, place)).flatten(0, 1)


class Gpt2Block(nn.Module):  # type: ignore[misc]
    """A layer of GPT-2."""

    def __init__(self) -> None:
        """Make its matrices and norms."""
        super().__init__()
        width = GPT2.width
        self.norm, self.other_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Any) -> Any:
        """Return what (batch, tokens, width) is behind the layer."""
        split = self.qkv(self.norm(x)).unflatten(-1, (3 * GPT2.heads, -1))
        q, k, v = split.transpose(1, 2).chunk(3, 1)
        y = _attend(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.down(gelu(self.up(self.other_norm(x)), approximate="tanh"))


class Gpt2(nn.Module):  # type: ignore[misc]
    """GPT-2 small without dropout, drawn as its authors do."""

    def __init__(self) -> None:
        """Draw the weights; the head is the embedding."""
        super().__init__()
        self.words = nn.Embedding(GPT2.vocabulary, GPT2.width)
        self.places = nn.Embedding(GPT2_POSITIONS, GPT2.width)
        self.blocks = nn.ModuleList(Gpt2Block() for _ in range(GPT2.layers))
        self.norm = nn.LayerNorm(GPT2.width)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, 0, _SMALL)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)

    def forward(self, ids: Any) -> Any:
        """Return the logits, (batch x tokens, words), of (batch, tokens)."""
        x = self.words(ids) + self.places.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return linear(self.norm(x), self.words.weight).flatten(0, 1)
