"""Language models by their shapes: parameters, operations, bytes moved and memory.

Standard library only, for all frameworks. The prompt is read and text is written as
llama-bench does it: *prompt_tokens* at once with the logits of the last, or
*generated_tokens* one after the other, behind *depth* tokens of context.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

GROUP = 64  # weights that share a scale and a zero of 16 bits each, of 4 bits
LORA_RANK = 16  # of the adapters on the projections to queries and values
_BYTES = {"fp32": 4.0, "tf32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp64": 8.0}
_FOUR_BITS = 0.5 + 2 * 2 / GROUP
_FOUR_BITS_ENTRIES = 1 / 8 + 2 / GROUP  # that they are kept in, of up to 32 bits
_LAYER_KERNELS = 16  # as MLX passes through a layer, with four for its cache and turns


@dataclass(frozen=True)
class Shape:
    """A decoder; *parameters* are those that its publisher's weights have.

    *width* is that of the residual stream, *inner* that of the feed-forward network.
    *kv_heads* are heads of keys and values, each shared by as many heads of queries.
    """

    layers: int
    width: int
    heads: int
    kv_heads: int
    inner: int
    vocabulary: int
    parameters: int
    rope_base: float = 10_000.0
    tied: bool = True  # whether the head is the embedding

    @property
    def head_width(self) -> int:
        """Return the entries of a query of one head."""
        return self.width // self.heads

    @property
    def kv_width(self) -> int:
        """Return the entries of all keys of a token."""
        return self.kv_heads * self.head_width

    @property
    def layer_weights(self) -> int:
        """Return the entries of the matrices of one layer."""
        own = 2 * self.width + 2 * self.kv_width + 3 * self.inner
        return self.width * own

    @property
    def head_weights(self) -> int:
        """Return the entries of the embedding, and of the head."""
        return self.width * self.vocabulary

    @property
    def adapter_weights(self) -> int:
        """Return the entries of the LoRA adapters."""
        return self.layers * LORA_RANK * (3 * self.width + self.kv_width)


@dataclass(frozen=True)
class Ahead:
    """What a framework starts before it waits: *parts*, each of some kernels.

    A part is full after so many *kernels*, or when these have so many *entries* to
    read. What they read stays in memory until their part is done.
    """

    parts: int
    kernels: int
    entries: int

    def layers(self, read: int) -> float:
        """Return how many layers are under way at once, each with *read* entries."""
        return self.parts * min(self.kernels / _LAYER_KERNELS, self.entries / read)


# From config.json of each on huggingface.co: HuggingFaceTB/SmolLM2-135M and -360M,
# meta-llama/Llama-3.2-1B and -3B, Llama-2-7b, Llama-3.1-8B; stories15M, which is for
# trials, from the table in README.md of github.com/karpathy/llama2.c.
SHAPES = {
    "stories15M": Shape(6, 288, 6, 6, 768, 32_000, 15_191_712),
    "SmolLM2 135M": Shape(30, 576, 9, 3, 1536, 49_152, 134_515_008, 1e5),
    "SmolLM2 360M": Shape(32, 960, 15, 5, 2560, 49_152, 361_821_120, 1e5),
    "Llama 3.2 1B": Shape(16, 2048, 32, 8, 8192, 128_256, 1_235_814_400, 5e5),
    "Llama 3.2 3B": Shape(28, 3072, 24, 8, 8192, 128_256, 3_212_749_824, 5e5),
    "Llama 2 7B": Shape(32, 4096, 32, 32, 11_008, 32_000, 6_738_415_616, tied=False),
    "Llama 3.1 8B": Shape(
        32, 4096, 32, 8, 14_336, 128_256, 8_030_261_248, 5e5, tied=False
    ),
}
# GPT-2 small, from config.json of openai-community/gpt2: learned positions, biases, and
# a feed-forward network of two matrices, as large as three of two thirds.
GPT2 = Shape(12, 768, 12, 12, 2048, 50_257, 124_439_808)
GPT2_POSITIONS = 1024
WORKLOADS = ("llm-prefill", "llm-decode", "llm-train", "gpt2-train")
Facts = Mapping[str, Any]  # the parameters of a cell


def shape_of(workload: str, facts: Facts) -> Shape:
    """Return the shape of the model of a cell; a reference has its first *layers*."""
    shape = GPT2 if workload == "gpt2-train" else SHAPES[facts["model"]]
    layers = facts.get("layers", shape.layers)
    left_out = (shape.layers - layers) * (shape.layer_weights + 2 * shape.width)
    return replace(shape, layers=layers, parameters=shape.parameters - left_out)


def tokens_per_step(workload: str, facts: Facts) -> int:
    """Return the tokens of a step: of writing, one for each text of the batch."""
    each = {"llm-prefill": "prompt_tokens", "llm-decode": ""}
    name = each.get(workload, "sequence_length")
    return int(facts["batch_size"]) * int(facts[name] if name else 1)


def parameter_count(workload: str, facts: Facts) -> int:
    """Return the parameters of the model, with those of adapters."""
    shape = shape_of(workload, facts)
    adapted = shape.adapter_weights if facts.get("trainable") == "lora" else 0
    return shape.parameters + adapted


def operations_per_step(workload: str, facts: Facts) -> int:
    """Return the floating-point operations of a step; a multiply-add is two.

    Of attention those are counted that a token needs: with the tokens before it. Frozen
    weights need no gradient of their own, so that backward costs as much as forward.
    """
    shape, batch = shape_of(workload, facts), int(facts["batch_size"])
    tokens, (contexts, logits) = tokens_per_step(workload, facts) // batch, (0, 1)
    match workload:
        case "llm-prefill":
            contexts = tokens * int(facts.get("depth", 0)) + tokens * (tokens + 1) // 2
        case "llm-decode":
            contexts = _mean_context(facts)
        case _:
            contexts, logits = tokens * (tokens + 1) // 2, tokens
    matrices = shape.layers * shape.layer_weights * tokens + shape.head_weights * logits
    attention = 2 * shape.layers * shape.width * contexts
    if workload in ("llm-prefill", "llm-decode"):
        return 2 * batch * (matrices + attention)
    if facts.get("trainable") != "lora":
        return 2 * batch * 3 * (matrices + attention)
    adapters = shape.adapter_weights * tokens
    return 2 * batch * (2 * matrices + 3 * attention + 3 * adapters)


def _mean_context(facts: Facts) -> int:
    """Return the keys that a token is compared with, over all that are written."""
    return int(facts.get("depth", 0)) + (int(facts["generated_tokens"]) + 1) // 2


def bytes_per_token(precision: str, facts: Facts) -> int:
    """Return the bytes that a step of writing reads: all weights, and the cache.

    The embedding is looked up, not read whole.
    """
    shape, width = SHAPES[facts["model"]], _BYTES[precision]
    each = _FOUR_BITS if facts["quantization"] == "4bit" else width
    weights = (shape.layers * shape.layer_weights + shape.head_weights) * each
    cache = 2 * shape.layers * shape.kv_width * _mean_context(facts) * width
    return int(weights + facts["batch_size"] * cache)


def predicted_memory(
    workload: str,
    precision: str,
    facts: Facts,
    *,
    packs_embedding: bool = False,
    ahead: Ahead | None = None,
) -> dict[str, int]:
    """Return the bytes that a cell will need on its device, by what they are for.

    Where a framework looks embeddings up in 16 bits only, they are there beside a head
    that is packed. Activations are what is there at once, with those of the layers that
    are started *ahead*; of training what is kept for the gradient, of mixed precision
    in 16 bits, and the logits three times in 32.
    *building* is needed to pack weights, before there are cache and activations.
    """
    if workload in ("llm-train", "gpt2-train"):
        parts = _for_training(workload, precision, facts)
    else:
        parts = _for_writing(workload, precision, facts, ahead)
        if facts["quantization"] == "4bit":
            size = _packed(workload, precision, facts, packs_embedding=packs_embedding)
            parts |= size
    return {name: int(size) for name, size in parts.items()}


def _for_training(workload: str, precision: str, facts: Facts) -> dict[str, float]:
    shape, width = shape_of(workload, facts), _BYTES[precision]
    adapters = shape.adapter_weights if facts.get("trainable") == "lora" else 0
    trained = adapters or shape.parameters
    frozen = shape.parameters if adapters else 0
    kept = 10 * shape.width + 2 * shape.kv_width + 3 * shape.inner
    of_token = shape.layers * kept * width + shape.vocabulary * (3 * 4 + width)
    # Weights, gradients and both moments, in 32 bits also where products are of 16,
    # which take a copy then.
    of_trained = 16 + (width if width < 4 else 0)
    return {
        "weights": frozen * width + trained * of_trained,
        "activations": tokens_per_step(workload, facts) * of_token,
    }


def _for_writing(
    workload: str, precision: str, facts: Facts, ahead: Ahead | None
) -> dict[str, float]:
    shape, width = shape_of(workload, facts), _BYTES[precision]
    timed = "prompt_tokens" if workload == "llm-prefill" else "generated_tokens"
    positions = facts.get("depth", 0) + facts[timed]
    cached = 2 * shape.layers * shape.kv_width * positions * facts["batch_size"]
    tokens = tokens_per_step(workload, facts)
    working: float = tokens * (6 * shape.width + 4 * shape.inner)
    working += facts["batch_size"] * shape.vocabulary
    if ahead is not None:
        packed = facts["quantization"] == "4bit"
        read = shape.layer_weights * (_FOUR_BITS_ENTRIES if packed else 1)
        # Every result of a layer: norms, products, turned heads, new keys and values.
        results = tokens * (10 * shape.width + 5 * shape.kv_width + 4 * shape.inner)
        working += ahead.layers(int(read) + results) * results
    return {
        "weights": shape.parameters * width,
        "cache": cached * width,
        "activations": working * width,
    }


def _packed(
    workload: str, precision: str, facts: Facts, *, packs_embedding: bool
) -> dict[str, float]:
    """Return the bytes of weights of 4 bits, and of packing them."""
    shape, width = shape_of(workload, facts), _BYTES[precision]
    ends = (1 if shape.tied else 2) * shape.head_weights * _FOUR_BITS
    if not packs_embedding:
        ends = shape.head_weights * (width + _FOUR_BITS)
    # A matrix is drawn whole, and its codes are of 32 bits before they are packed.
    largest = max(shape.head_weights, 2 * shape.width * shape.inner)
    return {
        "weights": shape.layers * shape.layer_weights * _FOUR_BITS + ends,
        "building": largest * (width + 4 + 1),
    }


def total(predicted: Mapping[str, int]) -> int:
    """Return the bytes that are needed while it is measured."""
    return sum(size for name, size in predicted.items() if name != "building")


def obstacle(predicted: Mapping[str, int], available: int | None) -> str | None:
    """Return why a cell is not tried: it needs more than is *available*; else None.

    On a Mac or a CPU it would drive the machine into swap, for hours.
    """
    need = total(predicted)
    need = max(need, predicted["weights"] + predicted.get("building", 0))
    if available is None or need <= available:
        return None
    parts = ", ".join(f"{name} {_gigabytes(size)}" for name, size in predicted.items())
    packs = "cache" in predicted and "building" not in predicted
    return (
        f"does not fit, and was not tried: it needs {_gigabytes(need)} ({parts}) and "
        f"{_gigabytes(available)} are free; choose a smaller model or batch"
        f"{', or quantization=4bit' if packs else ''}"
    )


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.3g} GB"
