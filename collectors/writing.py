"""Reading prompts and writing text, once for all frameworks, and whether it fits.

A framework derives its ``class Writing(Written, <its tensors>)`` and gives ``build``,
``make_data``, ``step``, ``tensors``, ``parameter_count`` and ``relative_error``. A step
of writing is one token of each text of the batch, the most likely word, chosen on the
device. Behind the last token of a text the position goes back, so that blocks of any
length fit into the cache.
"""

from typing import Any

import language
import machine
from harness.cells import Cell
from harness.framework import DoesNotFitError
from operations import Tensors, random_numbers

# The reference on the CPU has so many weights in its layers at most, and two layers.
_CHECKED_WEIGHTS = 4e8
CHECKED_WORDS = 512
_CHECKED_TOKENS = 8
# Of logits against the CPU in float32, relative to the largest: what rounding adds up
# to over all layers. Seen on a CPU, over 30 layers: 2.5e-3 in fp16, 1.9e-2 in bf16.
_TOLERANCE = {"fp64": 1e-9, "fp32": 1e-4, "tf32": 2e-2, "fp16": 2e-2, "bf16": 8e-2}


class Predicted(Tensors):
    """Work of which the memory is predicted before anything is allocated."""

    predicted: dict[str, int]

    def memory(self) -> dict[str, int | str]:
        """Return the peaks, and what was predicted."""
        total = language.total(self.predicted)
        return super().memory() | {"predicted_memory_bytes": total}

    def notes(self) -> dict[str, Any]:
        """Return what was predicted, by what it is for."""
        return super().notes() | {"predicted_memory": self.predicted}


class Written(Predicted):
    """A prompt read, or text written, by a model with random weights."""

    packs_embedding = False  # whether 4 bits are of the embedding as well

    def __init__(self, cell: Cell) -> None:
        """Note the lengths, and predict the memory; DoesNotFitError if it lacks."""
        super().__init__(cell)
        facts = cell.parameters
        self.shape = language.shape_of(cell.workload, facts)
        self.reads = cell.workload == "llm-prefill"
        self.tokens = facts["prompt_tokens" if self.reads else "generated_tokens"]
        self.depth, self.done = facts.get("depth", 0), 0
        self.packed = facts["quantization"] == "4bit"
        self.predicted = require_memory(
            cell,
            self.free_memory(),
            packs_embedding=self.packs_embedding,
            ahead=self.started_ahead(),
        )

    def free_memory(self) -> int | None:
        """Return the bytes that are free on the device; None where nobody can tell."""
        return free_memory()

    def started_ahead(self) -> language.Ahead | None:
        """Return what is started before somebody waits, where results stay as long."""
        return None

    def next_position(self) -> int:
        """Return where the next token stands, and go on."""
        at: int = self.depth + self.done % self.tokens
        self.done += 1
        return at

    def first_ids(self) -> Any:
        """Return the prompts, or the first token of each text, as an array."""
        size = (self.cell.batch_size, self.tokens if self.reads else 1)
        return random_numbers(self.cell.seed).integers(self.shape.vocabulary, size=size)

    def checked_ids(self) -> Any:
        """Return a short prompt and one token behind it, of the first words."""
        size = (1, _CHECKED_TOKENS + 1)
        return random_numbers(self.cell.seed).integers(CHECKED_WORDS, size=size)

    def checked_layers(self) -> int:
        """Return how many of the first layers are held against the CPU."""
        fit = int(_CHECKED_WEIGHTS / self.shape.layer_weights)
        return min(self.shape.layers, max(2, fit))

    def expected_types(self) -> set[str]:
        """Return the one type of weights and logits; codes of 4 bits have none."""
        return {{"tf32": "fp32"}.get(self.cell.precision, self.cell.precision)}

    def bytes_per_step(self) -> int | None:
        """Return the bytes that writing reads; reading a prompt computes."""
        if self.reads:
            return None
        return language.bytes_per_token(self.cell.precision, self.cell.parameters)

    def error_tolerance(self) -> float:
        """Return how far logits may be from those of the CPU in float32."""
        return _TOLERANCE[self.cell.precision]


def require_memory(cell: Cell, free: int | None, **how: Any) -> dict[str, int]:
    """Return what *cell* is predicted to need; DoesNotFitError where less is *free*.

    *how* is what ``language.predicted_memory`` asks of the framework.
    """
    what = cell.workload, cell.precision, cell.parameters
    parts = language.predicted_memory(*what, **how)
    if why := language.obstacle(parts, free):
        raise DoesNotFitError(why)
    return parts


def free_memory() -> int | None:
    """Return the bytes of main memory that are free; None where nobody can tell."""
    known = machine.conditions().get("memory_available_bytes")
    return None if known is None else int(known)
