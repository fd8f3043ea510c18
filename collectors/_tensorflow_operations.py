"""Single operations in TensorFlow: operands stay, each step makes a new result."""

from math import prod
from typing import Any

import numpy as np
import tensorflow as tf
from _cell import Cell
from _framework import Work
from _tensorflow_work import OnDevice, compiled, deviation, doubled, normal

_CHECKED = 64  # rows and columns of a result that are computed again in float64
_CHECKED_SIDE = 8  # rows, columns and channels of a convolution, likewise

Shape = tuple[int, ...]


def work_of(cell: Cell) -> Work:
    """Return the operation of *cell*."""
    return _OPERATIONS[cell.workload](cell)


class Operation(OnDevice):
    """An operation on fixed operands. Nothing is folded: they are its arguments."""

    passes: int | None = None  # matrices read or written by one step

    def shapes(self) -> list[tuple[Shape, float]]:
        """Return the shape of each operand and what N(0, 1) is multiplied by."""
        raise NotImplementedError

    def operation(self, *operands: Any) -> Any:
        """Return the result."""
        raise NotImplementedError

    def corner(self) -> tuple[Any, Any]:
        """Return a block of the last result, and the same computed in float64."""
        raise NotImplementedError

    def build(self) -> None:
        """Prepare the operation for its compiler; the first step traces it."""
        self.operate = compiled(self.operation, self.cell.compiler)
        self.trials = np.random.default_rng([self.cell.seed, 1])

    def make_data(self) -> None:
        """Draw the operands."""
        source = np.random.default_rng(self.cell.seed)
        with tf.device(self.device):
            self.operands = [
                normal(source, shape, scale, self.dtype)
                for shape, scale in self.shapes()
            ]

    def step(self) -> None:
        """Start the operation once."""
        with tf.device(self.device):
            self.last = self.operate(*self.operands)

    def trial(self) -> tuple[float, float]:
        """Do it once on operands from N(0, 1) that are new, and there."""
        with tf.device(self.device):
            fresh = [
                normal(self.trials, shape, 1, self.dtype) for shape, _ in self.shapes()
            ]
            for operand in fresh:
                self.wait_for(operand)
            return self.waited_for(lambda: self.operate(*fresh))

    def placed_on(self) -> set[str]:
        """Return where operands and result are."""
        return self.kinds([*self.operands, self.last])

    def types(self) -> set[str]:
        """Return the types of operands and result."""
        return self.types_of([*self.operands, self.last])

    def relative_error(self) -> float:
        """Compute a block of the result again in float64; return its deviation."""
        return deviation(*self.corner())

    def bytes_per_step(self) -> int | None:
        """Return the bytes of the matrices read and written, where memory is all."""
        if self.passes is None:
            return None
        shape, _ = self.shapes()[0]
        return self.passes * prod(shape) * int(self.dtype.size)


class Product(Operation):
    """C = A B, of entries from N(0, 1) / sqrt(M), so no product overflows."""

    def shapes(self) -> list[tuple[Shape, float]]:
        """Return two square matrices."""
        size = self.cell.size
        return [((size, size), size**-0.5)] * 2

    def operation(self, *operands: Any) -> Any:
        """Return the product."""
        return tf.matmul(*operands)

    def corner(self) -> tuple[Any, Any]:
        """Return a corner of C."""
        a, b = self.operands
        exact = doubled(a[:_CHECKED]) @ doubled(b[:, :_CHECKED])
        return doubled(self.last[:_CHECKED, :_CHECKED]), exact


class Sum(Operation):
    """C = A + B."""

    passes = 3

    def shapes(self) -> list[tuple[Shape, float]]:
        """Return two square matrices."""
        return [((self.cell.size, self.cell.size), 1.0)] * 2

    def operation(self, *operands: Any) -> Any:
        """Return the sum."""
        a, b = operands
        return a + b

    def corner(self) -> tuple[Any, Any]:
        """Return a corner of C."""
        corners = (doubled(x[:_CHECKED, :_CHECKED]) for x in self.operands)
        return doubled(self.last[:_CHECKED, :_CHECKED]), sum(corners)


class MultiplyAdd(Operation):
    """D = A B + C, entry by entry."""

    def __init__(self, cell: Cell) -> None:
        """Count what is moved: only XLA makes one pass of it."""
        super().__init__(cell)
        # Two kernels write the product and read it again.
        self.passes = 4 if cell.compiler == "xla" else 6

    def shapes(self) -> list[tuple[Shape, float]]:
        """Return three square matrices."""
        return [((self.cell.size, self.cell.size), 1.0)] * 3

    def operation(self, *operands: Any) -> Any:
        """Return the product plus the third."""
        a, b, c = operands
        return a * b + c

    def corner(self) -> tuple[Any, Any]:
        """Return a corner of D."""
        a, b, c = (doubled(x[:_CHECKED, :_CHECKED]) for x in self.operands)
        return doubled(self.last[:_CHECKED, :_CHECKED]), a * b + c


class Convolution(Operation):
    """A convolution without padding or bias, channels last."""

    def shapes(self) -> list[tuple[Shape, float]]:
        """Return images, and weights from N(0, 1) / sqrt(fan-in)."""
        facts = self.cell.parameters
        side, channels, kernel = (
            facts[name] for name in ("image_size", "channels", "kernel_size")
        )
        images = (self.cell.batch_size, side, side, channels)
        fan_in = kernel * kernel * channels
        return [(images, 1.0), ((kernel, kernel, channels, channels), fan_in**-0.5)]

    def operation(self, *operands: Any) -> Any:
        """Return what the weights make of the images."""
        images, weights = operands
        return tf.nn.conv2d(images, weights, strides=1, padding="VALID")

    def corner(self) -> tuple[Any, Any]:
        """Return a corner of the first image, of some of its channels."""
        images, weights = self.operands
        kernel, near = weights.shape[0], _CHECKED_SIDE
        seen = doubled(images[0, : near + kernel - 1, : near + kernel - 1])
        windows = np.lib.stride_tricks.sliding_window_view(
            seen, (kernel, kernel), axis=(0, 1)
        )
        exact = np.einsum("yxcij,ijco->yxo", windows, doubled(weights[..., :near]))
        return doubled(self.last[0, :near, :near, :near]), exact


_OPERATIONS: dict[str, type[Operation]] = {
    "matmul": Product,
    "elementwise": Sum,
    "bandwidth": MultiplyAdd,
    "conv": Convolution,
}
