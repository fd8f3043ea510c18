"""Tokens a second that a language model cannot give on a chip.

Writing a token reads all weights once, reading a prompt takes two operations for each
of them. That holds of dense models, and where nothing guesses several tokens at once.
All that is counted is the least that it can be.
"""

import re
from collections.abc import Iterator

from benchdb.conditions import weight_bits
from benchdb.plausibility.ceilings import ceiling
from benchdb.plausibility.figures import figure, rounded
from benchdb.plausibility.observed import Doubt, Observed

METRIC = "tokens_per_second"
_GIGA = 1e9
_DENSE = re.compile(
    r"llama|qwen ?-?[1-3]|gemma|mistral|ministral|\bphi|smollm|granite|olmo|distill",
    re.IGNORECASE,
)
# Of experts only some are read for a token, and parts of the models for phones.
_SPARSE = re.compile(
    r"a\d+(?:\.\d+)?b|\dx\d|moe|oss|mixtral|llama-? ?4|scout|maverick|next|coder-plus"
    r"|\be\db|3n|turbo|hybrid|granite-? ?4",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(
    r"spec|draft|mtp|eagle|medusa|lookup|concurren|client|user|stream"
)
_PARAMETERS = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{1,2})?) ?([bm])(?![a-z])", re.I)
_SCALE = {"b": 1e9, "m": 1e6}
# Names round up, and what turns the tokens into vectors is looked up, not read whole.
_AT_LEAST = 0.85
# A model that a cache holds is read from there.
_BEYOND_CACHES = 512 * 2**20
# Weights of 8 bits compute twice as fast as the 16 of the catalogue on some cards.
_OF_8_BITS = 2.0


def above_peak(run: Observed) -> Iterator[Doubt]:
    """Doubt tokens a second that are beyond the memory or the units of the chip."""
    rate = run.values.get(METRIC, 0.0)
    if rate <= 0 or run.workload not in ("llm-prefill", "llm-decode"):
        return
    weights = _weights(run)
    if weights is None:
        return
    count, size = weights
    if run.workload == "llm-prefill":
        most = ceiling(run, None)
        saving = _OF_8_BITS if run.device == "cuda" else 1.0
        if most is not None and rate > most.rate * most.slack * saving / (2 * count):
            yield METRIC, _facts(most.chip, rate, most.rate * saving / (2 * count))
    elif (run.batch_size or 1) == 1 and size >= _BEYOND_CACHES:
        most = ceiling(run, None, memory=True)
        if most is not None and rate > most.rate * most.slack / size:
            facts = _facts(most.chip, rate, most.rate / size)
            yield METRIC, {**facts, "weights": rounded(size / _GIGA, 2)}


def _facts(chip: str, rate: float, most: float) -> dict[str, str | int | float]:
    return {
        "stated": figure(rate),
        "peak": rounded(most, 3),
        "chip": chip,
        "mode": "any",
    }


def _weights(run: Observed) -> tuple[float, float] | None:
    """Return parameters and bytes of the weights that every token needs, at least."""
    facts = run.parameters
    model = str(facts.get("model", ""))
    others = " ".join(map(str, (*facts, *facts.values(), run.setting)))
    if not _DENSE.search(model) or _SPARSE.search(model):
        return None
    if _AT_ONCE.search(others.casefold()):
        return None
    match = _PARAMETERS.search(model.replace("_", " ").replace("-", " "))
    bits = weight_bits(str(facts.get("quantization", "")))
    if match is None or bits is None:
        return None
    count = float(match[1]) * _SCALE[match[2].lower()] * _AT_LEAST
    return count, count * bits / 8


_TEST = re.compile(
    r"(?:test|dummy|mock|fake|stub|example|sample|placeholder)(?:[-_ ]?model)?"
    r"(?:[-_ ]?\d+)?",
    re.IGNORECASE,
)


def self_tests(run: Observed) -> Iterator[Doubt]:
    """Doubt runs of models that are none: a program that tests itself."""
    model = run.parameters.get("model")
    if isinstance(model, str) and _TEST.fullmatch(model.strip()):
        yield None, {"model": model}
