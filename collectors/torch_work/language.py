"""Language models in PyTorch: reading a prompt, writing text, and training."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import machine
import torch
from harness.cells import Cell
from harness.framework import DoesNotFitError
from language import bytes_per_token, obstacle, predicted_memory, shape_of
from operations import deviation

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
from torch_work.device import TorchTensors, type_name
from torch_work.training import Training

# The reference on the CPU has so many weights in its layers at most, and two layers.
_CHECKED_WEIGHTS = 4e8
_CHECKED_TOKENS, _CHECKED_WORDS = 8, 512
# Of logits against the CPU in float32, relative to the largest: what rounding adds up
# to over all layers. Seen on a CPU, over 30 layers: 2.5e-3 in fp16, 1.9e-2 in bf16.
_TOLERANCE = {"fp64": 1e-9, "fp32": 1e-4, "tf32": 2e-2, "fp16": 2e-2, "bf16": 8e-2}
_SHOWN_ROWS = 16  # of a trained matrix that tell whether it moved


class Writing(TorchTensors):
    """Reading prompts and writing text; a step of writing is one token of each text.

    The next token is the likest, chosen on the device. Behind the last token of a text
    the position goes back, so that blocks of any length fit into the cache.
    """

    def __init__(self, cell: Cell) -> None:
        """Predict the memory; DoesNotFitError where there is less."""
        super().__init__(cell)
        facts = cell.parameters
        self.shape = shape_of(cell.workload, facts)
        self.reads = cell.workload == "llm-prefill"
        self.tokens = facts["prompt_tokens" if self.reads else "generated_tokens"]
        self.depth, self.done = facts.get("depth", 0), 0
        self.predicted = require_memory(self)

    @torch.inference_mode()  # type: ignore[misc]
    def build(self) -> None:
        """Draw the weights on the device, in 4 bits if asked for."""
        kind = FourBits if self.cell.parameters["quantization"] == "4bit" else Matrix
        network = Llama(self.shape, kind, kind, self.cell.seed)
        self.network = network.place(self.device, self.dtype).eval()
        self.model: Callable[..., Any] = self.compiled(self.network)
        self.synchronise()

    @torch.inference_mode()  # type: ignore[misc]
    def make_data(self) -> None:
        """Draw the prompt, or the first tokens, and allocate the cache."""
        batch = self.cell.batch_size
        self.cache = Cache(self.network, batch, self.depth + self.tokens)
        size = (batch, self.tokens if self.reads else 1)
        source = torch.Generator().manual_seed(self.cell.seed)
        ids = torch.randint(self.shape.vocabulary, size, generator=source)
        self.ids = ids.to(self.device)
        self.position = self.cache.all[:1].clone()
        self.synchronise()
        if self.device == "cuda":  # what building needed is gone
            torch.cuda.reset_peak_memory_stats()

    @torch.inference_mode()  # type: ignore[misc]
    def step(self) -> None:
        """Start reading the prompts, or writing one token of each text."""
        if self.reads:
            self.last = self.model(
                self.ids, Sliced(self.cache, self.depth, self.tokens)
            )
            return
        at = self.depth + self.done % self.tokens
        self.done += 1
        self.last = self.model(self.ids, self._place(self.cache, at))
        self.ids = self.last.argmax(-1, keepdim=True)

    def expected_types(self) -> set[str]:
        """Return the one type of weights and logits; codes of 4 bits have none."""
        return {type_name(self.dtype)}

    def parameter_count(self) -> int:
        """Return the parameters of the model."""
        return self.network.count()

    def tensors(self) -> list[Any]:
        """Return the weights, the cache and the logits."""
        packed = (one for one in self.network.matrices() if isinstance(one, FourBits))
        scales = [part for one in packed for part in (one.scales,)]
        cached = [part for pair in self.cache.layers for part in pair]
        weights = [one for one in self.network.parameters() if one.numel()]
        return [self.last, *weights, *scales, *cached]

    def bytes_per_step(self) -> int | None:
        """Return the bytes that writing reads; reading a prompt computes."""
        if self.reads:
            return None
        return bytes_per_token(self.cell.precision, self.cell.parameters)

    def memory(self) -> dict[str, int | str]:
        """Return the peaks, and what was predicted."""
        total = sum(self.predicted.values())
        return super().memory() | {"predicted_memory_bytes": total}

    def notes(self) -> dict[str, Any]:
        """Return what was predicted, by what it is for."""
        return super().notes() | {"predicted_memory": self.predicted}

    def error_tolerance(self) -> float:
        """Return how far logits may be from those of the CPU in float32."""
        return _TOLERANCE[self.cell.precision]

    @torch.inference_mode()  # type: ignore[misc]
    def relative_error(self) -> float:
        """Return how far logits are from float32 on the CPU, behind the first layers.

        A short prompt is read, and one token written behind it, by the same weights;
        packed ones are what they stand for.
        """
        fit = int(_CHECKED_WEIGHTS / self.shape.layer_weights)
        layers = min(self.shape.layers, max(2, fit))
        reference = self._reference(layers)
        source = torch.Generator().manual_seed(self.cell.seed)
        ids = torch.randint(_CHECKED_WORDS, (1, _CHECKED_TOKENS + 1), generator=source)
        here = Cache(self.network, 1, ids.shape[1])
        there = Cache(reference, 1, ids.shape[1])
        found = self._logits(self.model, here, ids.to(self.device), layers)
        exact = self._logits(reference, there, ids, layers)
        return deviation(self.float64(found), self.float64(exact))

    def _logits(self, model: Callable[..., Any], *checked: Any) -> Any:
        """Return the first logits behind a prompt, and behind a token after it."""
        cache, ids, layers = checked
        last = ids.shape[1] - 1
        first = model(ids[:, :-1], Sliced(cache, 0, last), layers)
        then = model(ids[:, -1:], self._place(cache, last), layers)
        return torch.cat([first, then])[:, :_CHECKED_WORDS]

    def _place(self, cache: Cache, at: int) -> Place:
        """Return the place of one token; compilers need shapes that stay."""
        if self.cell.compiler == "eager":
            return Sliced(cache, at, 1)
        return Masked(cache, self.position.fill_(at).to(cache.all.device))

    def _reference(self, layers: int) -> Llama:
        """Return the first layers and words of the model in float32 on the CPU."""
        own = self.network
        few = replace(self.shape, layers=layers, vocabulary=_CHECKED_WORDS, tied=False)
        made = Llama(few, Matrix, Matrix, 0)
        for block, original in zip(made.blocks, own.blocks, strict=False):
            block.norms.data = original.norms.cpu().float()
            for name in ("qkv", "out", "gate_up", "down"):
                getattr(block, name).weight.data = getattr(original, name).exact()
        made.norm.data = own.norm.cpu().float()
        made.embedding.weight.data = own.embedding.exact(_CHECKED_WORDS)
        head = own.embedding if own.tied else own.head
        made.head.weight.data = head.exact(_CHECKED_WORDS)
        return made


class Finetuning(Training):
    """GPT-2 trained whole, or adapters of a frozen Llama."""

    def __init__(self, cell: Cell) -> None:
        """Predict the memory; DoesNotFitError where there is less."""
        super().__init__(cell)
        self.predicted = require_memory(self)

    def untrained(self) -> Any:
        """Return the network on the device; frozen weights in the type of products."""
        cell = self.cell
        if cell.workload == "gpt2-train":
            return Gpt2().to(self.device, self.kept)
        shape = shape_of(cell.workload, cell.parameters)
        layers = cell.parameters.get("layers", shape.layers)  # a reference has few
        model = Llama(replace(shape, layers=layers), Adapted, Matrix, cell.seed)
        model.to(self.device, self.dtype)
        for matrix in model.matrices():  # drawn alike for all devices
            drawn = matrix.drawn("cpu", torch.float32)
            matrix.weight.data = drawn.to(self.device, self.dtype)
        for block in model.blocks:
            block.qkv.adapt(shape.width, shape.kv_width)
            block.qkv.down.to(self.device, self.kept)
            block.qkv.up.to(self.device, self.kept)
        return Text(model)

    def trained(self) -> list[float]:
        """Return some rows of the last matrix that the optimiser has."""
        parameters = self.optimiser.param_groups[-1]["params"]
        *_, last = (one for one in parameters if one.dim() > 1)
        shown = last.detach()[:_SHOWN_ROWS].cpu().flatten()
        return [*map(float, shown.tolist())]

    def memory(self) -> dict[str, int | str]:
        """Return the peaks, and what was predicted."""
        total = sum(self.predicted.values())
        return super().memory() | {"predicted_memory_bytes": total}

    def notes(self) -> dict[str, Any]:
        """Return what was predicted, by what it is for."""
        return super().notes() | {"predicted_memory": self.predicted}


def require_memory(work: TorchTensors) -> dict[str, int]:
    """Return what a cell is predicted to need; DoesNotFitError where there is less."""
    cell = work.cell
    predicted = predicted_memory(cell.workload, cell.precision, cell.parameters)
    if why := obstacle(predicted, _available(work.device)):
        raise DoesNotFitError(why)
    return predicted


def _available(device: str) -> int | None:
    """Return the bytes that are free on a device; None where nobody can tell."""
    known = machine.conditions().get("memory_available_bytes")
    host = None if known is None else int(known)
    if device == "cuda":
        return int(torch.cuda.mem_get_info()[0])
    if device == "mps" and hasattr(torch.mps, "recommended_max_memory"):
        most = int(torch.mps.recommended_max_memory())
        return most if host is None else min(most, host)  # it is the same memory
    return host
