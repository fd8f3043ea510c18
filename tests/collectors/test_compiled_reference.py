"""What a compiler made is compared with the reference, not what it was made from."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from tensorflow_work import training

from tests.collectors import tensorflow_cells, torch_cells
from tests.collectors.trained_here import cell_of, train


def test_a_compiler_that_computes_something_else_fails(
    monkeypatch: pytest.MonkeyPatch,
):
    def wrong(network: torch.nn.Module, *, dynamic: bool) -> Any:
        assert dynamic is False
        return lambda inputs: 1.5 * network(inputs)

    monkeypatch.setattr(torch, "compile", wrong)
    framework = torch_cells.framework("mnist")
    cell = cell_of(framework, "mnist", {})
    eager, compiled = (
        train(framework, replace(cell, compiler=compiler))
        for compiler in ("eager", "inductor")
    )

    assert eager.checks["gates"]["reference_loss"]["status"] == "not-applicable"
    gate = compiled.checks["gates"]["reference_loss"]
    assert compiled.status == "failed"
    assert (gate["status"], gate["compiler"]) == ("failed", "inductor")


def test_a_graph_that_computes_something_else_fails(monkeypatch: pytest.MonkeyPatch):
    def wrong(step: Any, compiler: str, _signature: Any = None) -> Any:
        return step if compiler == "eager" else lambda *batch: 1.5 * step(*batch)

    monkeypatch.setattr(training, "compiled", wrong)
    tensorflow = tensorflow_cells.tensorflow()
    cell = tensorflow_cells.cell_of("mnist", "bf16", compiler="graph", batch_size=2)

    gate = train(tensorflow, cell).checks["gates"]["reference_loss"]

    assert (gate["status"], gate["compiler"]) == ("failed", "graph")


def check_agreement(work: Any) -> None:
    here, reference = work.first_steps(3)

    assert here.losses == pytest.approx(reference.losses, rel=1e-5)
    assert here.update == pytest.approx(reference.update, abs=1e-6)
    assert len(set(reference.losses)) == 3


# PyTorch's own compiler imports what PyTorch calls deprecated.
@pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")
def test_what_inductor_makes_agrees_with_the_reference():
    cell = torch_cells.cell("mnist", compiler="inductor", batch_size=2)

    check_agreement(torch_cells.prepared(cell))


def test_what_xla_makes_agrees_with_the_reference():
    cell = tensorflow_cells.cell_of("mnist", compiler="xla", batch_size=2)

    check_agreement(tensorflow_cells.started(cell))
