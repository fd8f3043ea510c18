"""PyTorch's single operations, run by hand on the CPU."""

from collections.abc import Iterator

import pytest
import torch
from harness.gates import ERROR_TOLERANCE

from tests.collectors.torch_cells import OPERATIONS, cell, started


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """On a busy machine threads that wait for each other take most of the time."""
    kept = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(kept)


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16", "fp64"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_result_of_an_operation_is_right(operation, precision):
    work = started(cell(operation, precision=precision))

    assert work.relative_error() <= ERROR_TOLERANCE[precision]
    assert work.types() == work.expected_types() == {precision}
    assert work.placed_on() == {"cpu"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_wrong_result_is_found_out(operation):
    work = started(cell(operation))

    work.last += 0.5

    assert work.relative_error() > ERROR_TOLERANCE["bf16"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_trial_is_timed_with_and_without_waiting(operation):
    work = started(cell(operation))
    before = work.last.clone()

    called, waited = work.trial()

    assert 0 < called <= waited
    assert torch.equal(work.last, before)


def test_every_trial_has_operands_of_its_own():
    work = started(cell("elementwise"))

    first, second = (work._operands(work.trials, [1.0, 1.0]) for _ in range(2))

    assert not torch.equal(first[0], second[0])
    assert float(first[0].std()) == pytest.approx(1, abs=0.05)


def test_bytes_are_counted_where_memory_is_the_limit():
    moved = {name: started(cell(name)).bytes_per_step() for name in OPERATIONS}

    assert moved["elementwise"] == 12 * 96**2
    assert moved["bandwidth"] == 16 * 96**2
    assert (moved["matmul"], moved["conv"]) == (None, None)


def test_half_a_type_moves_half_the_bytes():
    assert started(cell("bandwidth", precision="bf16")).bytes_per_step() == 8 * 96**2


def test_a_convolution_has_an_order_as_well():
    work = started(cell("conv", memory_format="channels_last"))

    assert work.last.is_contiguous(memory_format=torch.channels_last)
    assert work.relative_error() <= ERROR_TOLERANCE["fp32"]


def test_the_cpu_has_no_clock_of_its_own_and_is_never_behind():
    work = started(cell("matmul"))

    assert work.step_times(3) is None
    assert work.wait_probe() is None
    assert work.memory() == {}
