"""PyTorch's trainings, run by hand on the CPU, and how PyTorch is set up for them."""

import pytest
import torch
from harness.framework import UnsupportedError, failure_status
from torch.nn import functional
from torch_work.device import set_tf32, without_tf32
from torch_work.execution import attention_seen
from training import reference_cells
from with_torch import compiling_obstacle

from tests.collectors.torch_cells import cell, configured, prepared, started


def test_a_frozen_body_gets_no_gradient_and_keeps_its_statistics():
    work = started(cell("mobilenetv2-cifar10", trainable="last", batch_size=2))

    body, head = work.network.features, work.network.classifier
    statistics = body[0][1].running_mean
    assert all(weight.grad is None for weight in body.parameters())
    assert all(weight.grad is not None for weight in head.parameters())
    assert not statistics.any()
    assert work.parameter_count() == work.cell.parameter_count
    assert len(work.optimiser.param_groups[0]["params"]) == 2


def test_a_network_trained_whole_moves_its_statistics():
    work = started(cell("mobilenetv2-cifar10", trainable="all", batch_size=2))

    assert work.network.features[0][1].running_mean.any()


def test_mixed_precision_of_an_lstm_is_refused_where_the_processor_has_none():
    chosen = cell("lstm", precision="bf16", batch_size=2)

    if torch.ops.mkldnn._is_mkldnn_bf16_supported():
        work = started(chosen)
        assert work.types() == work.expected_types() == {"fp32", "bf16"}
    else:
        with pytest.raises(RuntimeError) as refusal:
            started(chosen)
        assert failure_status(refusal.value) == "unsupported"


def test_the_order_of_images_in_memory_is_what_was_asked_for():
    chosen = cell("resnet9", batch_size=4, memory_format="channels_last")
    work = started(chosen)

    inputs, _ = next(work.batches)
    last = torch.channels_last
    assert inputs.is_contiguous(memory_format=last)
    assert work.network[0].weight.is_contiguous(memory_format=last)
    assert configured(chosen).parameters["memory_format"] == "channels_last"


@pytest.mark.parametrize("implementation", ["foreach", "fused"])
def test_the_optimiser_is_the_one_asked_for(implementation):
    chosen = cell("mnist", optimizer_implementation=implementation)
    work = started(chosen)

    assert work.optimiser.defaults[implementation] is True
    recorded = configured(chosen).parameters["optimizer_implementation"]
    assert recorded == implementation


# PyTorch's own compiler imports what PyTorch calls deprecated.
@pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")
@pytest.mark.parametrize("compiler", ["eager", "inductor"])
def test_a_compiled_network_is_the_same_network(compiler):
    chosen = cell("mnist", compiler=compiler)
    work = prepared(chosen)
    work.build()

    assert (work.model is work.network) == (compiler == "eager")
    assert work.parameter_count() == chosen.parameter_count
    assert configured(chosen).compiler == compiler


def test_a_compiler_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")

    assert "no-such-compiler" in str(compiling_obstacle("cpu"))
    with pytest.raises(UnsupportedError, match="install one"):
        prepared(cell("mnist", compiler="inductor"))


def test_a_python_without_its_headers_cannot_compile(monkeypatch, tmp_path):
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))

    assert compiling_obstacle("cpu") == (
        "torch.compile needs Python's headers; install python3-dev"
    )


def test_tf32_is_off_for_a_while_only():
    set_tf32(on=True)
    with without_tf32():
        within = torch.get_float32_matmul_precision()
    after = torch.get_float32_matmul_precision()
    set_tf32(on=False)

    assert (within, after) == ("highest", "high")


def test_choices_are_recorded_only_where_they_mean_something():
    recorded = {
        name: set(configured(cell(name)).parameters)
        for name in ("resnet9", "mnist", "conv", "matmul")
    }

    assert recorded["resnet9"] >= {"memory_format", "optimizer_implementation"}
    assert "memory_format" not in recorded["mnist"]
    assert recorded["conv"] == {"threads", "memory_format"}
    assert recorded["matmul"] == {"threads"}


@pytest.mark.parametrize("workload", ["matmul", "mnist"])
def test_a_product_tells_float32_from_bfloat16(workload):
    errors = {
        precision: prepared(cell(workload, precision=precision)).math_error()
        for precision in ("fp64", "fp32", "bf16")
    }

    assert errors["fp64"] < 1e-14 < errors["fp32"] < 1e-5
    assert 1e-3 < errors["bf16"] < 3e-2


def test_the_reference_leaves_everything_as_it_was():
    work = started(cell("mnist", precision="bf16"))
    set_tf32(on=True)
    kept = torch.get_rng_state(), work.loss(), work.network[1].weight.clone()

    work.first_steps(1)

    assert torch.equal(torch.get_rng_state(), kept[0])
    assert torch.get_float32_matmul_precision() == "high"
    assert work.loss() == kept[1]
    assert torch.equal(work.network[1].weight, kept[2])
    set_tf32(on=False)


def test_the_reference_takes_a_few_samples():
    large = cell("bert-large", batch_size=16), cell("vgg16", batch_size=64)

    few = [reference_cells(chosen)[1].batch_size for chosen in large]
    assert few == [2, 4]
    assert reference_cells(cell("lstm"))[1].batch_size == 8
    assert reference_cells(cell("lstm"), 1)[1].batch_size == 1


def test_attention_says_which_of_its_kernels_it_chooses():
    query, key, value = torch.randn(3, 1, 2, 16, 8, requires_grad=True)
    usual = functional.scaled_dot_product_attention

    with attention_seen() as fused:
        functional.scaled_dot_product_attention(query, key, value)
    with attention_seen() as plain:
        functional.scaled_dot_product_attention(query, key, value, dropout_p=0.1)

    assert (fused, plain) == ({"flash"}, {"math"})
    assert functional.scaled_dot_product_attention is usual


def test_a_transformer_tells_its_attention_and_a_network_of_images_nothing():
    assert started(cell("distilbert", batch_size=1)).path()["attention"] in {
        "flash",
        "math",
    }
    assert started(cell("resnet9", batch_size=2)).path() == {}


def test_graphs_of_cuda_are_refused_where_there_are_none():
    with pytest.raises(UnsupportedError, match="no CUDA graphs on CPU; use inductor"):
        prepared(cell("mnist", compiler="inductor-graphs"))
