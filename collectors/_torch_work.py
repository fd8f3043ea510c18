"""From a cell to its work in PyTorch."""

from _cell import Cell
from _framework import UnsupportedError, Work
from _torch_operations import OPERATIONS
from _torch_setup import compiling_obstacle
from _torch_training import Training


def work_of(cell: Cell) -> Work:
    """Return the training or the operation of *cell*, not built yet."""
    obstacle = compiling_obstacle(cell.device) if cell.compiler == "inductor" else None
    if obstacle:
        raise UnsupportedError(obstacle)
    if cell.operation:
        return OPERATIONS[cell.workload](cell)
    try:
        return Training(cell)
    except RuntimeError as refusal:  # autocast that this device does not have
        raise UnsupportedError(str(refusal)) from refusal
