"""Work with language models: its names, what makes a cell, and what it was called.

Up to revision 0008 of the database, tools gave names of their own, such as
``llama-bench/llama 7B Q4_0/pp512``. Records that bear them, from older files and
databases, are ``renamed`` by what they say themselves.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from benchdb.exchange.record import Record

# How llama.cpp describes weights: the family, the parameters, the quantisation.
_MODEL = re.compile(
    r"(\S+ (?:\?B|[\dx.]+[BMK](?:\.A[\d.]+[BM])?)) (?:mostly |all )?(.+)"
)
_SIZE = re.compile(r" - (?=[SML](?:mall|edium|arge)$)(.).*")
_ENDING = re.compile(
    r"[-_.:]((?:\d{1,2}-?bit|bf16|fp16|f16|mxfp4|nvfp4|q\d\w*)(?:[-_]dynamic)?)$",
    re.IGNORECASE,
)
_TUNED = re.compile(r"^Meta | Instruct$")  # costs nothing, and others leave it out
# Found while it ran, not asked for: on what llama.cpp computed.
BACKENDS = (
    *("cuda", "opencl", "vulkan", "kompute", "metal", "sycl", "rpc"),
    *("gpu_blas", "blas", "backends"),
)
BY_ITS_NAME = {"parameters.quantization": "the end of the model's name"}
Named = tuple[str, dict[str, Any]]


def work(
    model: str,
    prompt: int | None,
    generated: int | None,
    *,
    quantization: str | None = None,
    depth: int | None = None,
) -> Named:
    """Return the name of the work, and the parameters that make its cell.

    *prompt* and *generated* are the tokens that were timed; *depth* are those that were
    in the context before.
    """
    facts = {
        "model": model,
        "quantization": quantization and _SIZE.sub(r"_\1", quantization),
        "prompt_tokens": prompt,
        "generated_tokens": generated,
        "depth": depth,
    }
    name = "llm-generate"
    if bool(prompt) != bool(generated):
        name = "llm-prefill" if prompt else "llm-decode"
    return name, {key: fact for key, fact in facts.items() if fact}


def answer(model: str, own: str | None, prompt: int | None = None) -> Named:
    """Return the work of a whole request, of whose lengths little is known."""
    return "llm-generate", work(model, prompt, None, quantization=own)[1]


def weights(model_type: str) -> tuple[str, str | None]:
    """Return model and quantisation of what llama.cpp calls weights."""
    match = _MODEL.fullmatch(model_type)
    return (match[1], match[2]) if match else (model_type, None)


def untuned(model: str) -> str:
    """Return the name of a model without its maker and what it was tuned for."""
    return _TUNED.sub("", model)


def quantization(model: str) -> str | None:
    """Return the quantisation that the name of a model ends with, if it does."""
    match = _ENDING.search(model)
    return match[1] if match else None


def renamed(record: Record) -> Record:
    """Return *record* under the names of today; most are as they were."""
    run, source = record.run, record.source
    tool, _, words = run.workload.partition("/")
    if tool not in _READ or source is None:
        return record
    importers, placed, read = _READ[tool]
    if source.importer not in importers:
        return record
    try:
        name, cell = read(words, run.parameters)
    except (KeyError, TypeError, AttributeError):  # not as the tools wrote it
        return record
    conditions, parameters = dict(run.conditions), dict[str, Any]()
    for key, fact in run.parameters.items():
        if tool == "llama-bench" and key in BACKENDS:
            conditions[key] = fact
        elif key not in placed:
            parameters[SPELLED.get(key, key)] = fact
    basis = {SPELLED.get(key, key): why for key, why in run.basis.items()}
    basis.pop("workload", None)
    holds = "model_quantization" in run.parameters or tool == "localscore"
    if quantization(cell["model"]) and not holds:
        basis |= BY_ITS_NAME
    new = replace(
        run,
        workload=name,
        setting=tool,
        parameters=parameters | cell,
        conditions=conditions,
        basis=basis,
    )
    return replace(record, run=new)


def _of_llama_bench(words: str, facts: Mapping[str, Any]) -> Named:
    model, own = weights(facts["model_type"])
    prompt, depth = facts["n_prompt"], facts.get("n_depth") or 0
    if re.search(r"/tg\d+@pp\d+", words):  # of a fork, which does not time the prompt
        prompt, depth = 0, depth + prompt
    return work(model, prompt, facts["n_gen"], quantization=own, depth=depth)


def _of_localscore(words: str, facts: Mapping[str, Any]) -> Named:
    test, _, part = words.rpartition("/")[2].partition(" ")
    name, cell = part_of_test(
        part, untuned(facts["model_name"]), facts.get("model_quant_str"), facts
    )
    return name, {**cell, "test": test}


def part_of_test(
    part: str, model: str, own: str | None, lengths: Mapping[str, Any]
) -> Named:
    """Return the work of a *part* of a test that reads a prompt, and then writes."""
    prompt, generated = lengths["n_prompt"], lengths["n_gen"]
    match part:
        case "prompt":
            return work(model, prompt, None, quantization=own)
        case "generation":
            return work(model, None, generated, quantization=own, depth=prompt)
    return work(model, prompt, generated, quantization=own)


def _of_apple_llm_bench(words: str, facts: Mapping[str, Any]) -> Named:
    lengths = {"n_prompt": facts["prompt_tokens"], "n_gen": facts["generation_tokens"]}
    phase, model = words.rpartition("/")[2].split(" ")[0], facts["model"]
    return part_of_test(phase, model, quantization(model), lengths)


def _of_anubis(words: str, facts: Mapping[str, Any]) -> Named:
    model = facts.get("whole_name", words).removesuffix("/generation")
    own = facts.get("model_quantization") or quantization(model)
    return answer(model, own, facts.get("prompt_tokens"))


# By tool: what read its files, the parameters that have gone, and how it is read.
_READ = {
    "llama-bench": (
        ("llama-bench", "llama-bench-table"),
        ("model_type", "quantisation", "n_prompt", "n_gen", "n_depth", "test"),
        _of_llama_bench,
    ),
    "localscore": (
        ("localscore",),
        ("model_name", "model_quant_str", "n_prompt", "n_gen"),
        _of_localscore,
    ),
    "apple-silicon-llm-bench": (
        ("apple-silicon-llm-bench",),
        ("prompt_tokens", "generation_tokens"),
        _of_apple_llm_bench,
    ),
    "anubis": (("anubis",), ("model_quantization", "whole_name"), _of_anubis),
}
OLD_NAMES = tuple(f"{tool}/" for tool in _READ)
SPELLED = {  # tables of llama-bench shorten what its other formats spell out
    "size": "model_size",
    "params": "model_n_params",
    "parameters.quantisation": "parameters.quantization",
}
