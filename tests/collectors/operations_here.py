"""Single operations measured by the worker of a collector in this process."""

from dataclasses import replace
from functools import cache
from typing import Any

import torch
from with_numpy import Numpy

from tests.collectors import tensorflow_cells, torch_cells
from tests.collectors.trained_here import Trained, train


@cache
def measured(
    framework: str, workload: str, precision: str = "fp32", size: int = 96
) -> Trained:
    """Return what the worker says of the smallest cell; a product has *size*."""
    changes: dict[str, Any] = {"size": size} if workload == "matmul" else {}
    if framework == "tensorflow":
        cell = tensorflow_cells.cell_of(workload, precision, **changes)
        return train(tensorflow_cells.tensorflow(), cell)
    cell = torch_cells.cell(workload, precision=precision, **changes)
    if framework == "numpy":
        return train(Numpy(), replace(cell, compiler="none"))
    kept = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return train(torch_cells.framework(), cell)
    finally:
        torch.set_num_threads(kept)
