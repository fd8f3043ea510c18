"""Single operations in PyTorch, started but not waited for."""

import math
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

import torch
from _cell import Cell
from _torch_device import OnDevice
from torch.nn.functional import conv2d

_CHECKED = 64  # rows and columns of a result that are computed again in float64
_CHECKED_OUTPUTS = 8  # rows, columns and channels of a convolution, likewise


# Functions of their own, for one that is compiled has to be Python.
def _product(a: Any, b: Any, out: Any = None) -> Any:
    return torch.mm(a, b, out=out)


def _sum(a: Any, b: Any, out: Any = None) -> Any:
    return torch.add(a, b, out=out)


def _multiply_add(a: Any, b: Any, c: Any, out: Any = None) -> Any:
    return torch.addcmul(c, a, b, out=out)


def _convolution(images: Any, kernels: Any) -> Any:
    return conv2d(images, kernels)


class Operation(OnDevice):
    """An operation on fixed operands, again and again into the same result."""

    apply: ClassVar[Callable[..., Any]]
    bound_by_memory: ClassVar = False

    def __init__(self, cell: Cell) -> None:
        """Note the cell, and where random numbers come from."""
        super().__init__(cell)
        self.source = torch.Generator().manual_seed(cell.seed)

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return the shapes of the operands: matrices, but for a convolution."""
        return ((self.cell.size, self.cell.size),) * 2

    def scales(self) -> tuple[float, ...]:
        """Return what N(0, 1) is divided by, for each operand."""
        return (1.0,) * len(self.shapes())

    def block(self) -> tuple[Any, Any]:
        """Return a block of the result, and the same computed again in float64."""
        raise NotImplementedError

    def room(self) -> Any:
        """Return the tensor that every step writes to, or None."""
        return torch.empty(self.shapes()[0], device=self.device, dtype=self.dtype)

    def build(self) -> None:
        """Take the operation as it is, or compiled; that happens in the first step."""
        self.function = self.apply
        if self.cell.compiler == "inductor":
            self.function = torch.compile(self.apply, dynamic=False)

    def make_data(self) -> None:
        """Draw the operands."""
        # First, so that a matrix too large fails before any is drawn.
        self.result = self.room()
        self.operands = self.drawn(self.scales())
        chosen = {"out": self.result}
        if self.result is None or self.cell.compiler == "inductor":
            # A compiled operation would copy its result to where it is asked to be.
            chosen = {}
        self.launch = partial(self.function, *self.operands, **chosen)
        self.synchronise()

    def drawn(self, scales: tuple[float, ...]) -> tuple[Any, ...]:
        """Return new operands on the device."""
        shapes = zip(self.shapes(), scales, strict=True)
        return tuple(self._operand(shape, scale) for shape, scale in shapes)

    def _operand(self, shape: tuple[int, ...], scale: float) -> Any:
        entries = torch.randn(shape, generator=self.source).div_(scale)
        return entries.to(self.device, self.dtype)

    def step(self) -> None:
        """Start the operation once."""
        self.result = self.launch()

    def trial(self) -> tuple[float, float]:
        """Do it once on new operands; return seconds without and with waiting."""
        operands = self.drawn((1.0,) * len(self.shapes()))
        self.synchronise()
        started = perf_counter()
        result = self.function(*operands)
        called = perf_counter() - started
        self.synchronise()
        waited = perf_counter() - started
        del result
        return called, waited

    def tensors(self) -> list[Any]:
        """Return operands and result."""
        return [*self.operands, self.result]

    def relative_error(self) -> float:
        """Return the largest deviation of a block from float64."""
        found, exact = self.block()
        return float((_exact(found) - exact).abs().max() / exact.abs().max())

    def bytes_per_step(self) -> int | None:
        """Return what one kernel reads and writes: each entry of each matrix once."""
        if not self.bound_by_memory:
            return None
        entries: int = sum(tensor.numel() for tensor in self.tensors())
        return entries * self.dtype.itemsize  # type: ignore[no-any-return]

    def corners(self) -> list[Any]:
        """Return a corner of every operand and of the result, in float64."""
        return [_exact(tensor[:_CHECKED, :_CHECKED]) for tensor in self.tensors()]


class Product(Operation):
    """C = A B."""

    apply = staticmethod(_product)

    def scales(self) -> tuple[float, ...]:
        """Return the square root of M, so that no product overflows."""
        return (self.cell.size**0.5,) * 2

    def block(self) -> tuple[Any, Any]:
        """Return a corner of C, and the rows and columns it is made of multiplied."""
        a, b = self.operands
        exact = _exact(a[:_CHECKED]) @ _exact(b[:, :_CHECKED])
        return self.result[:_CHECKED, :_CHECKED], exact


class Sum(Operation):
    """C = A + B, entry by entry."""

    apply = staticmethod(_sum)
    bound_by_memory = True

    def block(self) -> tuple[Any, Any]:
        """Return a corner of C, and those of A and B added."""
        a, b, found = self.corners()
        return found, a + b


class MultiplyAdd(Operation):
    """D = A B + C, entry by entry, in one kernel."""

    apply = staticmethod(_multiply_add)
    bound_by_memory = True

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return the shape of the matrices three times."""
        return ((self.cell.size, self.cell.size),) * 3

    def block(self) -> tuple[Any, Any]:
        """Return a corner of D, and those of A, B and C multiplied and added."""
        a, b, c, found = self.corners()
        return found, a * b + c


class Convolution(Operation):
    """Images and kernels N(0, 1), the latter divided so that the result is as well."""

    apply = staticmethod(_convolution)

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return the shapes of images and kernels, channels before rows."""
        facts = self.cell.parameters
        channels, side = facts["channels"], facts["image_size"]
        kernel = facts["kernel_size"]
        return (
            (self.cell.batch_size, channels, side, side),
            (channels, channels, kernel, kernel),
        )

    def scales(self) -> tuple[float, ...]:
        """Return the square root of how many products make an entry."""
        _, (_, *each) = self.shapes()
        return 1.0, math.prod(each) ** 0.5

    def room(self) -> None:
        """Return None: PyTorch has no way to say where a convolution goes."""

    def _operand(self, shape: tuple[int, ...], scale: float) -> Any:
        made = super()._operand(shape, scale)
        return made.contiguous(memory_format=self.memory_format)

    def block(self) -> tuple[Any, Any]:
        """Return a corner of some channels of the first image, here and exactly."""
        images, kernels = self.operands
        some = _CHECKED_OUTPUTS
        needed = some + kernels.shape[-1] - 1
        corner = _exact(images[:1, :, :needed, :needed])
        return self.result[:1, :some, :some, :some], conv2d(
            corner, _exact(kernels[:some])
        )


OPERATIONS = {
    "matmul": Product,
    "elementwise": Sum,
    "bandwidth": MultiplyAdd,
    "conv": Convolution,
}


def _exact(tensor: Any) -> Any:
    # On the CPU: Metal has no float64.
    return tensor.cpu().double()
