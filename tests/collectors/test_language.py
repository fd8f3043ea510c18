"""Language models: parameters, work, bytes and memory; what does not fit."""

import language
import pytest
from harness.cells import ChoiceError, Choices, cells_of, operations_per_step, workloads
from harness.framework import DoesNotFitError, failure_status
from with_torch import Torch
from writing import require_memory

from tests.collector_programs import COLLECTORS, run

DECODE = {
    "model": "Llama 3.1 8B",
    "quantization": "bf16",
    "generated_tokens": 128,
    "batch_size": 1,
}


def chosen(workload: str, *precisions: str, **axes: tuple[object, ...]):
    choices = Choices("cpu", "quick", precisions, axes=axes)
    return list(cells_of(workload, choices, "torch", Torch.compilers))


@pytest.mark.parametrize("shape", language.SHAPES.values(), ids=language.SHAPES)
def test_the_parts_of_a_model_add_up_to_its_published_parameters(shape):
    ends = (1 if shape.tied else 2) * shape.head_weights
    norms = (2 * shape.layers + 1) * shape.width

    counted = shape.layers * shape.layer_weights + ends + norms

    assert counted == shape.parameters


def test_the_catalogue_offers_the_models_that_there_are():
    for workload in ("llm-prefill", "llm-decode", "llm-train"):
        facts = workloads()[workload]
        assert facts["choices"]["model"] == list(language.SHAPES)


@pytest.mark.parametrize("workload", ["llm-train", "gpt2-train"])
def test_the_catalogue_and_the_shapes_count_the_same_operations_a_token(workload):
    for cell in chosen(workload, **_models(workload)):
        counted = operations_per_step(cell)
        assert counted is not None
        assert counted // cell.samples_per_step == cell.flops_per_sample


def _models(workload: str) -> dict[str, tuple[object, ...]]:
    return {"model": tuple(language.SHAPES)} if workload == "llm-train" else {}


def test_a_step_counts_the_tokens_it_reads_or_writes():
    (prompt,) = chosen("llm-prefill", batch_size=(4,))
    text, behind = chosen("llm-decode", batch_size=(4,))

    assert (prompt.samples_per_step, text.samples_per_step) == (4 * 512, 4)
    assert (text.point["depth"], behind.point["depth"]) == (0, 4096)
    assert "depth" not in text.parameters  # as others leave it out


def test_operations_are_those_of_all_weights_and_of_the_tokens_before():
    shape = language.SHAPES["Llama 3.1 8B"]
    weights = shape.parameters - shape.head_weights - (2 * 32 + 1) * 4096

    alone = language.operations_per_step("llm-decode", DECODE)
    behind = language.operations_per_step("llm-decode", DECODE | {"depth": 4096})

    assert alone == 2 * weights + 4 * 32 * 4096 * 64
    assert behind - alone == 4 * 32 * 4096 * 4096


def test_bytes_of_a_token_are_all_weights_and_the_cache_of_each_text():
    cache = 2 * 2 * 32 * 1024  # of a token, in 16 bits
    read = language.bytes_per_token("bf16", DECODE)
    both = language.bytes_per_token("bf16", DECODE | {"batch_size": 2})
    packed = language.bytes_per_token("bf16", DECODE | {"quantization": "4bit"})

    assert both - read == 64 * cache
    assert (packed - 64 * cache) / (read - 64 * cache) == 4.5 / 16


def test_weights_are_as_the_precision_says_unless_they_are_packed():
    def stored(*precisions: str, **axes: tuple[object, ...]) -> list[object]:
        cells = chosen("llm-prefill", *precisions, **axes)
        return [cell.parameters["quantization"] for cell in cells]

    assert stored() == ["bf16"]
    assert stored("fp16", "fp32") == ["fp16", "fp32"]
    assert stored("bf16", quantization=("none", "4bit")) == ["bf16", "4bit"]
    with pytest.raises(ChoiceError, match="those of --precision fp16"):
        stored("bf16", quantization=("fp16",))


def test_a_model_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(ChoiceError, match="no model 'Llama 9'; it has stories15M"):
        chosen("llm-decode", model=("Llama 9",))


def test_memory_is_told_before_and_what_does_not_fit_is_not_tried():
    (cell,) = chosen("llm-prefill", model=("Llama 3.1 8B",))

    needed = require_memory(cell, 100 * 10**9)
    with pytest.raises(DoesNotFitError) as refusal:
        require_memory(cell, 16 * 10**9)

    assert needed["weights"] == 2 * 8_030_261_248
    assert require_memory(cell, None) == needed
    assert "it needs 16.2 GB (weights 16.1 GB" in str(refusal.value)
    assert "16 GB are free" in str(refusal.value)
    assert failure_status(refusal.value) == "oom"


@pytest.mark.parametrize(
    ("workload", "stored", "peak"),
    [
        ("llm-prefill", "bf16", 6_501_614_992),
        ("llm-prefill", "4bit", 4_725_011_600),
        ("llm-decode", "bf16", 2_482_112_832),
        ("llm-decode", "4bit", 706_594_360),
    ],
)
def test_layers_that_mlx_starts_ahead_are_predicted_as_an_h200_has_shown(
    workload, stored, peak
):
    facts = {"model": "Llama 3.2 1B", "quantization": stored, "batch_size": 1}
    facts |= {"prompt_tokens": 512, "generated_tokens": 128}
    ahead = language.Ahead(11, 101, 1001 << 20)

    predicted = language.predicted_memory(
        workload, "bf16", facts, packs_embedding=True, ahead=ahead
    )

    assert language.total(predicted) == pytest.approx(peak, rel=0.01)


def test_a_program_ends_at_once_where_a_model_does_not_fit():
    asked = ["llm-decode", "--set", "depth=0", "--batch-size", str(10**9)]
    outcome = run(COLLECTORS / "with_torch.py", *asked, "--tier", "smoke")

    (end,) = outcome.ends
    assert (outcome.status, end.status) == (1, "oom")
    assert "does not fit, and was not tried: it needs " in str(end.reason)
    assert not outcome.times("warmup")


def test_a_program_reads_and_writes_with_tokens_as_its_unit():
    outcome = run(
        COLLECTORS / "with_torch.py",
        *("llm-prefill", "llm-decode", "--tier", "smoke"),
    )

    facts = [item.parameters for item in outcome.runs]
    reading, *writing = outcome.ends
    assert outcome.status == 0
    assert [fact.get("depth") for fact in facts] == [None, None, 32]
    assert {fact["quantization"] for fact in facts} == {"bf16"}
    for end in (reading, *writing):
        values = {value.metric: value.value or 0 for value in end.values}
        gates = end.checks["gates"]
        assert values["tokens_per_second"] > 0
        assert "samples_per_second" not in values
        assert values["predicted_memory_bytes"] > 2 * 15_191_712
        assert gates["parameter_count"]["counted"] == 15_191_712
        for name in ("parameter_count", "device", "dtype", "result_error"):
            assert gates[name]["status"] == "passed", name
        assert gates["loss"]["status"] == "not-applicable"
    first = {value.metric: value.value or 0 for value in reading.values}
    assert first["time_to_first_token_seconds"] == first["step_seconds"]
    assert first["tokens_per_second"] == pytest.approx(16 / first["step_seconds"])
