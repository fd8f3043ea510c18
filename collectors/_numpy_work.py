"""Single operations in NumPy, again and again into the same result."""

from time import perf_counter
from typing import Any

import numpy as np
from _cell import Cell
from _framework import Work

_DTYPES = {"fp32": np.float32, "fp64": np.float64, "fp16": np.float16}
_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
_CHECKED = 64  # rows and columns of a result that are computed again in float64
_PROBED = 512  # rows and columns of the product that shows the math in effect


def work_of(cell: Cell) -> Work:
    """Return the operation of *cell*."""
    return _OPERATIONS[cell.workload](cell)


class Operation(Work):
    """An operation on square matrices of N(0, 1) entries, on the CPU."""

    operands = 2
    passes: int | None = None  # matrices read or written by one step

    def __init__(self, cell: Cell) -> None:
        """Draw nothing yet: making data has its own clock."""
        self.cell = cell
        self.dtype = np.dtype(_DTYPES[cell.precision])
        self.scale = 1.0

    def operate(self, result: Any, *matrices: Any) -> None:
        """Compute the result in its place."""
        raise NotImplementedError

    def corner(self, *matrices: Any) -> Any:
        """Return a corner of the result, computed in float64."""
        near = (matrix[:_CHECKED, :_CHECKED].astype(np.float64) for matrix in matrices)
        result = np.empty((min(_CHECKED, self.cell.size),) * 2)
        self.operate(result, *near)
        return result

    def make_data(self) -> None:
        """Draw the operands."""
        # First, so that a matrix too large fails before any is drawn.
        self.result = self._empty()
        source = np.random.default_rng(self.cell.seed)
        self.trials = np.random.default_rng([self.cell.seed, 1])
        self.matrices = [
            self._drawn(source, self.cell.size, self.scale)
            for _ in range(self.operands)
        ]

    def _empty(self) -> Any:
        return np.empty((self.cell.size, self.cell.size), self.dtype)

    def _drawn(self, source: Any, size: int, scale: float) -> Any:
        # NumPy draws no float16.
        wide = np.float64 if self.cell.precision == "fp64" else np.float32
        entries = source.standard_normal((size, size), dtype=wide)
        if scale != 1:
            entries *= wide(scale)
        return entries.astype(self.dtype, copy=False)

    def step(self) -> None:
        """Compute once."""
        self.operate(self.result, *self.matrices)

    def synchronise(self) -> None:
        """Do nothing: NumPy returns when the result is there."""

    def trial(self) -> tuple[float, float]:
        """Do it once on new operands, into new memory; there is nothing to wait for."""
        fresh = [self._drawn(self.trials, self.cell.size, 1) for _ in self.matrices]
        started = perf_counter()
        self.operate(self._empty(), *fresh)
        seconds = perf_counter() - started
        return seconds, seconds

    def placed_on(self) -> set[str]:
        """Return the only place there is."""
        return {"cpu"}

    def types(self) -> set[str]:
        """Return the types of operands and result."""
        return {_NAMES[array.dtype] for array in (self.result, *self.matrices)}

    def expected_types(self) -> set[str]:
        """Return the type of the cell's precision."""
        return {self.cell.precision}

    def relative_error(self) -> float:
        """Compute a corner of the result again in float64; return its deviation."""
        corner = self.result[:_CHECKED, :_CHECKED]
        return _deviation(corner, self.corner(*self.matrices))

    def math_error(self) -> float:
        """Return how far a product in the cell's type is from the same in float64."""
        source = np.random.default_rng(self.cell.seed)
        a, b = (self._drawn(source, _PROBED, 1) for _ in range(2))
        return _deviation(a @ b, a.astype(np.float64) @ b.astype(np.float64))

    def bytes_per_step(self) -> int | None:
        """Return the bytes of the matrices read and written, where memory is all."""
        if self.passes is None:
            return None
        return int(self.passes * self.cell.size**2 * self.dtype.itemsize)


def _deviation(found: Any, exact: Any) -> float:
    return float(abs(found - exact).max() / abs(exact).max())


class Product(Operation):
    """C = A B, of entries from N(0, 1) / sqrt(M), so no product overflows."""

    def __init__(self, cell: Cell) -> None:
        """Note the scale."""
        super().__init__(cell)
        self.scale = cell.size**-0.5

    def operate(self, result: Any, *matrices: Any) -> None:
        """Multiply."""
        np.matmul(*matrices, out=result)

    def corner(self, *matrices: Any) -> Any:
        """Return a corner of C, from whole rows and columns."""
        a, b = matrices
        return a[:_CHECKED].astype(np.float64) @ b[:, :_CHECKED].astype(np.float64)


class Sum(Operation):
    """C = A + B."""

    passes = 3

    def operate(self, result: Any, *matrices: Any) -> None:
        """Add."""
        np.add(*matrices, out=result)


class MultiplyAdd(Operation):
    """D = A B + C, entry by entry, in two passes: the product is written and read."""

    operands = 3
    passes = 6

    def operate(self, result: Any, *matrices: Any) -> None:
        """Multiply, then add in place."""
        a, b, c = matrices
        np.multiply(a, b, out=result)
        np.add(result, c, out=result)


_OPERATIONS: dict[str, type[Operation]] = {
    "matmul": Product,
    "elementwise": Sum,
    "bandwidth": MultiplyAdd,
}
