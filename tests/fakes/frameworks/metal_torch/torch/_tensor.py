"""Tensors: on the CPU as NumPy has them, on Metal not computed until looked at."""

import math
import weakref
from dataclasses import dataclass

import apple_gpu
import numpy as np
from number_types import DType, float32, float64


@dataclass(frozen=True)
class Device:
    type: str

    def __str__(self):
        return self.type


class Tensor:
    """Entries that are known, or a function that knows how to compute them."""

    def __init__(self, entries, shape, dtype, device="cpu"):
        self.shape, self.dtype, self.device = tuple(shape), dtype, Device(device)
        self._entries = entries
        if device == "mps":
            self._allocate()

    def _allocate(self):
        if self.dtype == float64:
            raise TypeError(
                "Cannot convert a MPS Tensor to float64 dtype as the MPS framework "
                "doesn't support float64. Please use float32 instead."
            )
        count = self.numel() * self.element_size()
        if not apple_gpu.QUEUE.allocate(count):
            held = apple_gpu.QUEUE.allocated / 2**30
            raise RuntimeError(
                f"MPS backend out of memory (MPS allocated: {held:.2f} GiB, other "
                f"allocations: 0 bytes). Tried to allocate {count / 2**30:.2f} GiB."
            )
        weakref.finalize(self, apple_gpu.QUEUE.free, count)

    def numel(self):
        return math.prod(self.shape)

    def element_size(self):
        return self.dtype.itemsize

    def entries(self):
        """Return them as an array, now that somebody looks."""
        if callable(self._entries):
            self._entries = self.dtype.rounded(self._entries())
        return self._entries

    def compute_later(self, function):
        """Forget the entries for those that *function* will return."""
        self._entries = function

    def to(self, *wanted):
        device, dtype = self.device.type, self.dtype
        for one in wanted:
            if isinstance(one, DType):
                dtype = one
            else:
                device = str(one)
        if self.device.type == "mps" and device == "cpu":
            apple_gpu.QUEUE.wait()
        return Tensor(self.entries, self.shape, dtype, device)

    def cpu(self):
        return self.to("cpu")

    def double(self):
        return self.to(float64)

    def numpy(self):
        return self.entries()

    def contiguous(self, **_wanted):
        return self

    def item(self):
        return self.cpu().entries().item()

    def __float__(self):
        return float(self.item())

    def __getitem__(self, index):
        shape = np.empty(self.shape, "bool")[index].shape
        device = self.device.type
        return Tensor(lambda: self.entries()[index], shape, self.dtype, device)

    def detach(self):
        return self

    def dim(self):
        return len(self.shape)


def on_device(function, shape, operands, out, **work):
    """Return *function* of *operands*, computed now or, on Metal, when looked at."""
    first = operands[0]
    device = first.device.type
    if {operand.device.type for operand in operands} != {device}:
        raise RuntimeError("Expected all tensors to be on the same device")
    result = Tensor(None, shape, first.dtype, device) if out is None else out

    def computed():
        wide = [_wide(operand) for operand in operands]
        return function(*wide)

    if device == "mps":
        apple_gpu.QUEUE.start(**work)
        result.compute_later(computed)
    else:
        result.compute_later(computed)
        result.entries()
    return result


def _wide(operand):
    """Return entries in a type that NumPy computes in itself, and quickly."""
    entries = operand.entries()
    return entries if operand.dtype in (float64, float32) else entries.astype("float32")


def product(a, b, out=None):
    (rows, inner), (_, columns) = a.shape, b.shape
    work = {"operations": 2 * rows * inner * columns}
    factor = apple_gpu.FACTOR if a.device.type == "mps" else 1
    return on_device(
        lambda x, y: x @ y * x.dtype.type(factor), (rows, columns), (a, b), out, **work
    )


def entrywise(function, operands, out=None):
    moved = (len(operands) + 1) * operands[0].numel() * operands[0].element_size()
    return on_device(function, operands[0].shape, operands, out, moved=moved)
