"""Single operations of every framework, measured by its worker in this process."""

from dataclasses import replace
from functools import cache
from typing import Any

from harness.cells import Cell
from harness.framework import Framework
from with_numpy import Numpy

from tests.collectors import mlx_cells, tensorflow_cells, torch_cells
from tests.collectors.trained_here import Trained, train

FRAMEWORKS = ("numpy", "torch", "tensorflow", "mlx")


def chosen(name: str, workload: str, precision: str = "fp32", **changes: Any) -> Cell:
    """Return the smallest cell; *changes* are of its parameters, or its compiler."""
    if name == "tensorflow":
        return tensorflow_cells.cell_of(workload, precision, **changes)
    cell = torch_cells.cell(workload, precision=precision, **changes)
    own = {"numpy": "none", "mlx": changes.get("compiler", "eager")}
    return replace(cell, compiler=own.get(name, cell.compiler))


def loaded(name: str) -> Framework:
    """Return the framework, imported."""
    if name == "tensorflow":
        return tensorflow_cells.tensorflow()
    if name == "mlx":
        return mlx_cells.framework()
    framework = torch_cells.framework() if name == "torch" else Numpy()
    framework.load("matmul")
    return framework


@cache
def stepped(name: str, workload: str, precision: str = "fp32", **changes: Any) -> Any:
    """Return the work of a cell after its first step; tests leave it as it is."""
    return fresh(name, workload, precision, **changes)


def fresh(name: str, workload: str, precision: str = "fp32", **changes: Any) -> Any:
    """Return the same, for a test to change."""
    framework, cell = loaded(name), chosen(name, workload, precision, **changes)
    framework.configure(cell)
    work = framework.prepare(cell)
    work.build()
    work.make_data()
    work.step()
    work.synchronise()
    return work


@cache
def measured(name: str, workload: str, precision: str = "fp32", **changes: Any):
    """Return what the worker says of the smallest cell."""
    cell = chosen(name, workload, precision, **changes)
    trained: Trained = train(loaded(name), cell)
    return trained
