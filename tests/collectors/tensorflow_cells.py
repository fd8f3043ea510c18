"""Cells of TensorFlow in this process, as small as they can be."""

import gc
import importlib
import os
from dataclasses import replace
from functools import cache
from typing import Any

from harness.cells import Cell, Choices, cells_of
from with_tensorflow import TensorFlow

_OPERANDS: dict[str, dict[str, tuple[Any, ...]]] = {
    "matmul": {"size": (96,)},
    "elementwise": {"size": (96,)},
    "bandwidth": {"size": (96,)},
}


@cache
def tensorflow() -> TensorFlow:
    """Return the framework, imported, the variables that it sets taken back.

    Programs that other tests start are not to find them.
    """
    before = dict(os.environ)
    framework = TensorFlow()
    framework.load(None)
    # On a busy machine threads that wait for each other take most of the time.
    threading = importlib.import_module("tensorflow").config.threading
    threading.set_intra_op_parallelism_threads(1)
    threading.set_inter_op_parallelism_threads(1)
    os.environ.clear()
    os.environ.update(before)
    # Workers look for garbage several times each; half a million objects stay for good.
    gc.collect()
    gc.freeze()
    return framework


def cell_of(
    workload: str,
    precision: str = "fp32",
    *,
    compiler: str = "graph",
    setting: str | None = None,
    folder: str | None = None,
    **parameters: Any,
) -> Cell:
    """Return the first cell of a workload; *parameters* need be no choices of it."""
    choices = Choices(
        "cpu",
        "smoke",
        (precision,),
        compiler=compiler,
        setting=setting,
        axes=_OPERANDS.get(workload, {}),
        data_folder=folder,
    )
    framework = tensorflow()
    cell = next(cells_of(workload, choices, framework.name, framework.compilers))
    return replace(cell, parameters=cell.parameters | parameters)


def started(cell: Cell) -> Any:
    """Return the work of a cell, ready for its first step."""
    tensorflow().configure(cell)
    work: Any = tensorflow().prepare(cell)
    work.build()
    work.make_data()
    return work


def losses_of(work: Any, steps: int) -> list[float]:
    """Return the losses of the next steps."""
    losses = []
    for _ in range(steps):
        work.step()
        losses.append(work.loss())
    return losses
