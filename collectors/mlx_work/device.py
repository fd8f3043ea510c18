"""A cell in MLX: its device, and how its lazy arrays are computed when they are due.

An operation of MLX returns a graph; it is computed when somebody evaluates it. What is
started here is evaluated without waiting, and who waits evaluates nothing more: what
nobody started is still a graph afterwards, and ``place`` says so.
"""

import io
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from shutil import which
from typing import Any

import mlx.core as mx
import numpy as np
from fingerprint.macos import metal_kernels
from harness.cells import Cell
from harness.framework import UnsupportedError
from operations import PEAKS, Operation, Tensors

COMPILED = "mx.compile"
UNEVALUATED = "an unevaluated graph"
_TYPES = {"bf16": mx.bfloat16, "fp16": mx.float16, "fp64": mx.float64}
DTYPES = _TYPES | {"tf32": mx.float32, "fp32": mx.float32}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}  # the last name of float32


def started(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return *function* with its result being computed when it returns."""

    @wraps(function)
    def run(*operands: Any) -> Any:
        result = function(*operands)
        mx.async_eval(result)
        return result

    return run


class MlxTensors(Tensors):
    """MLX's arrays on the device of a cell, which is the default by now."""

    # On the CPU, too, MLX computes in a thread of its own.
    probe_sides = Tensors.probe_sides | {"cpu": 256}
    matmul = staticmethod(started(mx.matmul))
    add = staticmethod(started(mx.add))
    convolve = staticmethod(started(mx.conv2d))
    outputs_first = True

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is allocated yet. Raise what cannot be compiled."""
        if cell.compiler == COMPILED and cell.device == "cpu" and not which("g++"):
            # MLX itself would compile nothing, in silence.
            raise UnsupportedError("mx.compile needs g++ on the CPU; install one")
        super().__init__(cell)
        self.kept = DTYPES[cell.precision]  # the type of parameters and operands
        self.one_kernel = cell.compiler == COMPILED

    @staticmethod
    @started
    def multiply_add(a: Any, b: Any, c: Any) -> Any:
        """Return a b + c."""
        return a * b + c

    def tensor(self, array: Any, precision: str | None = None) -> Any:
        """Return an array in the cell's or another type, computed."""
        made = mx.array(array, DTYPES[precision] if precision else self.kept)
        mx.eval(made)
        return made

    def float64(self, tensor: Any) -> Any:
        """Return an array; only the CPU has float64, and it sees all memory."""
        return np.array(tensor.astype(mx.float64, stream=mx.cpu))

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return *function* as it is, or what MLX makes of its graph."""
        pure: Any = function
        return started(mx.compile(pure.__wrapped__)) if self.one_kernel else function

    def wait_for(self, tensor: Any) -> None:
        """Wait until all that was started is done; start nothing."""
        mx.synchronize()

    def place(self, tensor: Any) -> tuple[str, str]:
        """Return device and type. Arrays have no device: the one that computes has."""
        gpu = "cuda" if mx.cuda.is_available() else "metal"
        device = gpu if mx.default_device() == mx.Device(mx.gpu) else "cpu"
        return device if evaluated(tensor) else UNEVALUATED, type_name(tensor.dtype)

    def path(self) -> dict[str, str | None]:
        """Return what decides on Metal's kernels, by the SDK of MLX's library."""
        library = Path(mx.__file__).parent / "lib" / "libmlx.dylib"
        return metal_kernels(library) if self.cell.device == "metal" else {}

    def memory(self) -> dict[str, int | str]:
        """Return the peak of MLX's own counter; the CPU's memory is the system's."""
        if self.cell.device == "cpu":
            return {}
        kept = "MLX counts no peak of what it keeps"
        return dict(zip(PEAKS, (mx.get_peak_memory(), kept), strict=True))


class MlxOperation(Operation, MlxTensors):
    """An operation whose every step makes a new result."""


def evaluated(array: Any) -> bool:
    """Return whether *array* holds numbers: its graph has nothing left to compute."""
    graph = io.StringIO()
    mx.export_to_dot(graph, array)
    return "shape=rectangle" not in graph.getvalue()


def type_name(dtype: Any) -> str:
    """Return a type as PRECISIONS names it."""
    return _NAMES.get(dtype, str(dtype))
