"""Language models in PyTorch, on the CPU: the cache, 4 bits, adapters, GPT-2."""

import importlib
from dataclasses import replace
from typing import Any

import language
import pytest
import torch
import torch_work.decoders
from harness.framework import UnsupportedError
from torch_work.decoders import Gpt2, Sliced
from with_torch import Torch

from tests.collectors.language_cells import TINY, UNTIED, built, cell_of, tiny


@pytest.fixture(autouse=True)
def _tiny():
    with tiny():
        yield


def work(workload: str = "llm-decode", **changes: Any) -> Any:
    framework = Torch()
    return built(framework, cell_of(framework, workload, **changes))


def test_text_written_behind_a_cache_is_that_of_the_whole_text_at_once():
    writing = work(generated_tokens=6, depth=0)
    ids = [int(writing.ids)]
    for _ in range(6):
        writing.step()
        ids.append(int(writing.ids))

    reading = work("llm-prefill", prompt_tokens=6)
    reading.ids = torch.tensor([ids[:6]])
    reading.step()

    assert torch.allclose(reading.last, writing.last, atol=1e-5)


def test_a_prompt_behind_others_sees_them_but_nothing_that_comes_after():
    whole = work("llm-prefill", prompt_tokens=12)
    whole.step()
    behind = work("llm-prefill", prompt_tokens=8, depth=4)
    model, cache = behind.network, behind.cache
    with torch.inference_mode():
        model(whole.ids[:, :4], Sliced(cache, 0, 4))
        result = model(whole.ids[:, 4:], Sliced(cache, 4, 8))

    assert torch.allclose(result, whole.last, atol=1e-5)


def test_positions_go_back_behind_the_last_token_and_the_cache_stays_as_long():
    writing = work(generated_tokens=4, depth=3, batch_size=2)

    positions = [writing.next_position() for _ in range(9)]
    for _ in range(9):
        writing.step()

    assert positions == [3, 4, 5, 6, 3, 4, 5, 6, 3]
    assert {part.shape for pair in writing.cache.layers for part in pair} == {
        (2, TINY.kv_heads, 7, TINY.head_width)
    }
    assert writing.last.shape == (2, TINY.vocabulary)
    assert torch.isfinite(writing.last).all()


@pytest.mark.parametrize("precision", ["fp32", "fp16", "bf16"])
@pytest.mark.parametrize("quantization", [None, "4bit"])
def test_logits_are_those_of_the_same_weights_in_float32(precision, quantization):
    own = {"quantization": quantization} if quantization else {}
    writing = work(precision=precision, **own)
    writing.step()

    assert writing.relative_error() < writing.error_tolerance()
    assert writing.parameter_count() == TINY.parameters
    assert writing.types() == writing.expected_types() == {precision}


def test_a_cache_that_forgets_is_found_out(monkeypatch):
    writing, own = work(precision="bf16"), Sliced.kept

    def forget(place: Any, block: Any, keys: Any, values: Any) -> tuple[Any, Any]:
        known = keys.dtype == torch.float32  # the reference's
        return own(place, block, keys, values) if known else (keys, values)

    monkeypatch.setattr(Sliced, "kept", forget)

    assert writing.relative_error() > writing.error_tolerance()


def test_four_bits_take_a_quarter_of_the_memory_and_change_the_weights_a_little():
    packed, plain = work(quantization="4bit"), work()
    matrix, other = packed.network.blocks[0].qkv, plain.network.blocks[0].qkv

    bits = 8 * (matrix.packed.nbytes + matrix.scales.nbytes / 2) / other.weight.numel()
    off = (matrix.exact() - other.weight).abs().max() / other.weight.abs().max()

    assert bits == 4.5
    assert 0.01 < off < 0.1


def test_rows_that_are_no_whole_groups_of_64_are_refused():
    refused = pytest.raises(UnsupportedError, match="a row of 288 weights is no whole")
    with tiny(replace(TINY, width=288, heads=6, kv_heads=6)), refused:
        work(quantization="4bit")


@pytest.mark.parametrize("shape", [TINY, UNTIED])
@pytest.mark.parametrize("quantization", ["fp32", "4bit"])
def test_predicted_weights_and_cache_are_those_that_are_there(shape, quantization):
    with tiny(shape):
        writing = work(quantization=quantization, depth=32, batch_size=3)

    network, predicted = writing.network, writing.predicted
    plain = sum(parameter.nbytes for parameter in network.parameters())
    packed = (matrice for matrice in network.matrices() if hasattr(matrice, "packed"))
    # Scales are of 16 bits where the products are, which is what is predicted.
    there = plain + sum(item.packed.nbytes + item.scales.nbytes / 2 for item in packed)
    cached = sum(part.nbytes for pair in writing.cache.layers for part in pair)
    norms = 4 * (2 * shape.layers + 1) * shape.width
    assert predicted["cache"] == cached
    assert predicted["weights"] == there - (norms if quantization == "4bit" else 0)


@pytest.mark.parametrize("workload", ["llm-prefill", "llm-decode", "llm-train"])
def test_a_language_model_tells_its_attention(workload):
    model = work(workload)
    model.step()

    assert model.path()["attention"] in {"flash", "math"}


def part_of_torch(name: str) -> Any:
    """Import what takes as long as all of PyTorch: only the tests here need it."""
    return importlib.import_module(f"torch.{name}")


def test_a_compiler_sees_one_shape_for_all_positions():
    writing, plain = (work(generated_tokens=6, depth=0) for _ in range(2))
    counter = part_of_torch("_dynamo.testing").CompileCounter()
    writing.model = torch.compile(writing.network, backend=counter, dynamic=False)
    writing.cell = replace(writing.cell, compiler="inductor")

    for item in (writing, plain):
        for _ in range(6):
            item.step()

    assert counter.frame_count == 1
    assert torch.allclose(writing.last, plain.last, atol=1e-5)


@pytest.mark.parametrize("quantization", ["fp32", "4bit"])
def test_graphs_copy_neither_cache_nor_weights(quantization):
    """As PyTorch decides before it makes graphs: what is not static is copied."""
    writing = work(quantization=quantization, depth=0)
    copied: list[int] = []
    writing.cell = replace(writing.cell, compiler="inductor-graphs")
    writing.make_data()

    tracing = part_of_torch("_guards").TracingContext
    boxed = part_of_torch("_functorch.aot_autograd").make_boxed_func

    def look(graph: Any, inputs: Any) -> Any:
        static = set(tracing.get().fw_metadata.static_input_indices)
        copied.extend(it.nbytes for n, it in enumerate(inputs) if n not in static)
        return boxed(graph)

    compiling = part_of_torch("_dynamo.backends.common")
    backend = compiling.aot_autograd(fw_compiler=look, inference_compiler=look)
    writing.model = torch.compile(writing.network, backend=backend, dynamic=False)
    writing.step()

    of_layers = sum(part.nbytes for pair in writing.cache.layers for part in pair)
    assert 0 < sum(copied) < of_layers


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_adapters_alone_are_trained_beside_frozen_weights(precision):
    tuning = work("llm-train", precision=precision, sequence_length=16)
    before = tuning.trained()
    tuning.step()

    trained = [p for p in tuning.network.parameters() if p.requires_grad]
    assert tuning.trained() != before
    assert sum(p.numel() for p in trained) == TINY.adapter_weights
    assert tuning.parameter_count() == TINY.parameters + TINY.adapter_weights
    assert tuning.types() == tuning.expected_types()
    assert {p.dtype for p in trained} == {torch.float32}


def test_the_memory_of_a_reference_is_that_of_its_few_layers():
    few, whole = work("llm-train", layers=2), work("llm-train")

    assert few.parameter_count() == language.parameter_count(
        "llm-train", few.cell.parameters
    )
    assert few.predicted["weights"] < whole.predicted["weights"]


def test_the_first_steps_of_adapters_are_those_of_the_cpu_in_float32():
    tuning = work("llm-train", precision="bf16", sequence_length=16)

    here, there = tuning.first_steps(3)

    assert here.losses == pytest.approx(there.losses, rel=0.02)
    assert len(here.update) == len(there.update) > 0
    assert any(there.update)


def test_gpt_2_has_its_parameters_and_starts_from_an_even_guess():
    with torch.device("meta"):
        count = sum(parameter.numel() for parameter in Gpt2().parameters())
    model, ids = Gpt2(), torch.arange(16)[None]

    with torch.no_grad():
        logits = model(ids)
    loss = torch.nn.functional.cross_entropy(logits, ids[0])

    assert count == language.GPT2.parameters == 124_439_808
    assert logits.shape == (16, 50_257)
    assert loss.item() == pytest.approx(10.8, abs=0.5)


def test_the_first_steps_of_gpt_2_are_those_of_float32(monkeypatch):
    small = replace(language.GPT2, layers=1, vocabulary=512)
    for module in (language, torch_work.decoders):
        monkeypatch.setattr(module, "GPT2", small)
    training = work("gpt2-train", precision="bf16", batch_size=1, sequence_length=16)
    before = training.trained()
    training.step()

    here, there = training.first_steps(3)

    assert training.trained() != before
    assert here.losses == pytest.approx(there.losses, rel=0.02)
    assert len(here.update) == len(there.update) > 0
