"""Language models in PyTorch: reading a prompt, writing text, and training."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import torch
from harness.cells import Cell
from language import shape_of
from operations import deviation
from writing import CHECKED_WORDS, Predicted, Written, free_memory, require_memory

from torch_work.decoders import (
    Adapted,
    Cache,
    FourBits,
    Gpt2,
    Llama,
    Masked,
    Matrix,
    Place,
    Sliced,
    Text,
)
from torch_work.device import GRAPHS, TorchTensors
from torch_work.execution import attention_kernels
from torch_work.training import Training


class Writing(Written, TorchTensors):
    """Reading prompts and writing text in PyTorch."""

    def free_memory(self) -> int | None:
        """Return the bytes that are free on the device."""
        return _free(self.device)

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def build(self) -> None:
        """Draw the weights on the device, in 4 bits if asked for."""
        kind = FourBits if self.packed else Matrix
        network = Llama(self.shape, kind, kind, self.cell.seed)
        self.network = network.place(self.device, self.dtype).eval()
        self.model: Callable[..., Any] = self.compiled(self.network)
        self.synchronise()

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def make_data(self) -> None:
        """Draw the prompt, or the first tokens, and allocate the cache."""
        batch = self.cell.batch_size
        self.cache = self._cache(batch, self.depth + self.tokens)
        self.ids = torch.from_numpy(self.first_ids()).to(self.device)
        self.position = self.cache.all[:1].clone()
        self.synchronise()
        if self.device == "cuda":  # what building needed is gone
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def step(self) -> None:
        """Start reading the prompts, or writing one token of each text."""
        if self.reads:
            prompt = Sliced(self.cache, self.depth, self.tokens)
            self.last = self.model(self.ids, prompt)
            return
        place = self._place(self.cache, self.next_position())
        self.last = self.model(self.ids, place)
        self.ids = self.last.argmax(-1, keepdim=True)

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def path(self) -> dict[str, str | None]:
        """Return the kernel of attention as well, for the operands of a step."""
        place = self._place(self.cache, self.depth)
        if self.reads:
            place = Sliced(self.cache, self.depth, self.tokens)
        kernels = attention_kernels(lambda: self.network(self.ids, place))
        return super().path() | {"attention": kernels}

    def _cache(self, batch: int, positions: int) -> Cache:
        """Return a cache; for CUDA graphs it is said to stay where it is.

        A graph writes into nothing else: without a word PyTorch would start the kernels
        one by one.
        """
        cache = Cache(self.network, batch, positions)
        if self.cell.compiler == GRAPHS:
            for tensor in chain(*cache.layers):
                torch._dynamo.mark_static_address(tensor)
        return cache

    def _place(self, cache: Cache, at: int) -> Place:
        """Return the place of one token; compilers need shapes that stay."""
        if self.cell.compiler == "eager":
            return Sliced(cache, at, 1)
        return Masked(cache, self.position.fill_(at).to(cache.all.device))

    def parameter_count(self) -> int:
        """Return the parameters of the model."""
        return int(self.network.count())

    def tensors(self) -> list[Any]:
        """Return the weights, the cache and the logits."""
        own = [self.last, *(part for pair in self.cache.layers for part in pair)]
        own += [weights for weights in self.network.parameters() if weights.numel()]
        matrices = self.network.matrices()
        return own + [it.scales for it in matrices if isinstance(it, FourBits)]

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def relative_error(self) -> float:
        """Return how far logits are from float32 on the CPU, behind the first layers.

        A short prompt is read, and one token written behind it, by the same weights;
        packed ones are what they stand for.
        """
        layers, ids = self.checked_layers(), torch.from_numpy(self.checked_ids())
        reference = self._reference(layers)
        here = self._cache(1, ids.shape[1])
        there = Cache(reference, 1, ids.shape[1])
        own = self._logits(self.model, here, ids.to(self.device), layers)
        exact = self._logits(reference, there, ids, layers)
        return deviation(self.float64(own), self.float64(exact))

    def _logits(self, model: Callable[..., Any], *checked: Any) -> Any:
        """Return the first logits behind a prompt, and behind a token after it."""
        cache, ids, layers = checked
        last = ids.shape[1] - 1
        # A graph writes its next result where this one is.
        first = model(ids[:, :-1], Sliced(cache, 0, last), layers).clone()
        then = model(ids[:, -1:], self._place(cache, last), layers)
        return torch.cat([first, then])[:, :CHECKED_WORDS]

    def _reference(self, layers: int) -> Llama:
        """Return the first layers and words of the model in float32 on the CPU."""
        own = self.network
        few = replace(self.shape, layers=layers, vocabulary=CHECKED_WORDS, tied=False)
        made = Llama(few, Matrix, Matrix, 0)
        for block, original in zip(made.blocks, own.blocks, strict=False):
            block.norms.data = original.norms.cpu().float()
            for name in ("qkv", "out", "gate_up", "down"):
                getattr(block, name).weight.data = getattr(original, name).exact()
        made.norm.data = own.norm.cpu().float()
        made.embedding.weight.data = own.embedding.exact(CHECKED_WORDS)
        head = own.embedding if own.tied else own.head
        made.head.weight.data = head.exact(CHECKED_WORDS)
        return made


class Finetuning(Predicted, Training):
    """GPT-2 trained whole, or adapters of a frozen Llama."""

    shown_rows = 16

    def __init__(self, cell: Cell) -> None:
        """Predict the memory; DoesNotFitError where there is less."""
        super().__init__(cell)
        self.predicted = require_memory(cell, _free(self.device))

    def untrained(self) -> Any:
        """Return the network on the device; frozen weights in the type of products."""
        cell = self.cell
        if cell.workload == "gpt2-train":
            return Gpt2().to(self.device, self.kept)
        shape = shape_of(cell.workload, cell.parameters)
        model = Llama(shape, Adapted, Matrix, cell.seed)
        model.to(self.device, self.dtype)
        # Drawn alike for all devices where two are compared; all of them take a minute.
        source = "cpu" if "layers" in cell.parameters else self.device
        for matrix in model.matrices():
            drawn = matrix.drawn(source, torch.float32)
            matrix.weight.data = drawn.to(self.device, self.dtype)
        for block in model.blocks:
            block.qkv.adapt(shape.width, shape.kv_width)
            block.qkv.down.to(self.device, self.kept)
            block.qkv.up.to(self.device, self.kept)
        return Text(model)


def _free(device: str) -> int | None:
    """Return the bytes that are free on a device; None where nobody can tell."""
    if device == "cuda":
        return int(torch.cuda.mem_get_info()[0])
    host = free_memory()
    if device == "mps" and hasattr(torch.mps, "recommended_max_memory"):
        most = int(torch.mps.recommended_max_memory())
        return most if host is None else min(most, host)  # it is the same memory
    return host
