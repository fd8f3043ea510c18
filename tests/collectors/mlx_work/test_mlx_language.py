"""Language models in MLX, on the CPU: the cache, 4 bits, adapters."""

import math
from dataclasses import replace
from typing import Any

import language
import mlx.core as mx
import mlx_work.language
import pytest
from harness.framework import UnsupportedError
from mlx.utils import tree_flatten
from mlx_work.language import Gpt2
from with_mlx import Mlx

from tests.collectors.language_cells import TINY, built, cell_of, tiny


@pytest.fixture(autouse=True)
def _tiny():
    with tiny():
        yield


def work(workload: str = "llm-decode", **changes: Any) -> Any:
    framework = Mlx()
    return built(framework, cell_of(framework, workload, **changes))


@pytest.mark.parametrize("compiler", ["eager", "mx.compile"])
def test_text_written_behind_a_cache_is_that_of_the_whole_text_at_once(compiler):
    writing = work(generated_tokens=6, depth=0, compiler=compiler)
    ids = [int(writing.ids.item())]
    for _ in range(6):
        writing.step()
        ids.append(int(writing.ids.item()))

    reading = work("llm-prefill", prompt_tokens=6)
    reading.ids = mx.array([ids[:6]])
    reading.step()

    assert mx.allclose(reading.last, writing.last, atol=1e-5)


def test_logits_are_checked_of_the_program_that_is_timed():
    writing = work(compiler="mx.compile")
    writing.step()
    compiled = writing.model
    right = writing.relative_error()

    def wrong(*operands: Any) -> Any:
        logits, layers = compiled(*operands)
        return 1.1 * logits, layers

    writing.model = wrong

    assert right < writing.error_tolerance() < writing.relative_error()


@pytest.mark.parametrize("precision", ["fp32", "fp16", "bf16"])
@pytest.mark.parametrize("quantization", [None, "4bit"])
def test_logits_are_those_of_the_same_weights_in_float32(precision, quantization):
    own = {"quantization": quantization} if quantization else {}
    writing = work(precision=precision, **own)
    writing.step()
    writing.synchronise()

    assert writing.relative_error() < writing.error_tolerance()
    assert writing.parameter_count() == TINY.parameters
    assert writing.types() == writing.expected_types() == {precision}
    assert writing.placed_on() == {"cpu"}  # and no graph is left


def test_rows_that_are_no_whole_groups_of_64_are_refused():
    refused = pytest.raises(UnsupportedError, match="group size 64")
    with tiny(replace(TINY, width=288, heads=6, kv_heads=6)), refused:
        work(quantization="4bit")


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
@pytest.mark.parametrize("quantization", [None, "4bit"])
def test_predicted_weights_and_cache_are_those_that_are_there(precision, quantization):
    own = {"quantization": quantization} if quantization else {}
    writing = work(precision=precision, depth=32, batch_size=3, **own)

    weights = tree_flatten(writing.network.parameters())
    norms = 2 * (2 * TINY.layers + 1) * TINY.width
    there = sum(array.nbytes for _, array in weights) - (norms if quantization else 0)
    assert writing.predicted["weights"] == there
    assert writing.predicted["cache"] == sum(
        array.nbytes for pair in writing.layers for array in pair
    )


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_adapters_alone_are_trained_beside_frozen_weights(precision):
    tuning = work("llm-train", precision=precision, sequence_length=16)
    before = tuning.trained()
    tuning.step()

    trained = tree_flatten(tuning.network.trainable_parameters())
    assert tuning.trained() != before
    assert sum(array.size for _, array in trained) == TINY.adapter_weights
    assert tuning.parameter_count() == TINY.parameters + TINY.adapter_weights
    assert tuning.types() == tuning.expected_types()
    assert {array.dtype for _, array in trained} == {mx.float32}


def test_gpt_2_has_its_parameters():
    weights = tree_flatten(Gpt2().parameters())  # a graph: nothing is drawn

    assert sum(array.size for _, array in weights) == 124_439_808


def test_the_first_steps_of_gpt_2_are_those_of_float32(monkeypatch):
    small = replace(language.GPT2, layers=1, vocabulary=512)
    for module in (language, mlx_work.language):
        monkeypatch.setattr(module, "GPT2", small)
    framework = Mlx()
    asked = {"precision": "bf16", "batch_size": 1, "sequence_length": 16}
    training = built(framework, cell_of(framework, "gpt2-train", **asked))

    here, there = training.first_steps(3)

    assert here.losses == pytest.approx(there.losses, rel=0.02)
    assert there.losses[0] == pytest.approx(math.log(512), abs=0.5)
    assert len(here.update) == len(there.update) > 0
