"""What every work in PyTorch has in common: the device, its clock and its memory."""

from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Any

import torch
from _cell import Cell
from _framework import Work

_DEVICES = {"cpu": "cpu", "metal": "mps", "cuda": "cuda"}
_KINDS = {"cpu": "cpu", "mps": "metal", "cuda": "cuda"}
_DTYPES = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "fp64": torch.float64,
}
_NAMES = {
    torch.float32: "fp32",
    torch.bfloat16: "bf16",
    torch.float16: "fp16",
    torch.float64: "fp64",
}
_PEAKS = ("peak_device_allocated_bytes", "peak_device_reserved_bytes")
_MATH_SIZE = 512
_PROBE_SIZES = {"cuda": 4096, "mps": 2048}
_PROBE_PRODUCTS = 10


class OnDevice(Work):
    """What training and operations have in common: the device."""

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is allocated yet."""
        self.cell = cell
        self.device = _DEVICES[cell.device]
        self.dtype = _DTYPES[cell.precision]
        self.kept = self.dtype  # the type of parameters and operands
        self.autocast: AbstractContextManager[Any] = nullcontext()
        self.polled: dict[str, int] = {}

    @property
    def memory_format(self) -> Any:
        """Return the order of images in memory."""
        asked = self.cell.parameters.get("memory_format")
        last = asked == "channels_last"
        return torch.channels_last if last else torch.contiguous_format

    def tensors(self) -> list[Any]:
        """Return parameters, or operands, and the result."""
        raise NotImplementedError

    def placed_on(self) -> set[str]:
        """Return where they are."""
        return {_KINDS.get(tensor.device.type, "other") for tensor in self.tensors()}

    def types(self) -> set[str]:
        """Return the types they have."""
        return {type_name(tensor.dtype) for tensor in self.tensors()}

    def expected_types(self) -> set[str]:
        """Return the one type that the precision stands for."""
        return {type_name(self.dtype)}

    def synchronise(self) -> None:
        """Wait for the device; the CPU is never behind."""
        if self.device == "cuda":
            torch.cuda.synchronize()
        elif self.device == "mps":
            torch.mps.synchronize()

    def step_times(self, steps: int) -> list[float] | None:
        """Return seconds between CUDA's events around each step; others have none."""
        if self.device != "cuda":
            return None
        pairs = [(_event(), _event()) for _ in range(steps)]
        for started, done in pairs:
            started.record()
            self.step()
            done.record()
        self.synchronise()
        return [started.elapsed_time(done) / 1000 for started, done in pairs]

    def math_error(self) -> float:
        """Multiply as the cell does; return the largest deviation from float64."""
        drawn = torch.float64 if self.dtype == torch.float64 else torch.float32
        source = torch.Generator().manual_seed(self.cell.seed)
        shape = (_MATH_SIZE, _MATH_SIZE)
        a, b = (torch.randn(shape, generator=source, dtype=drawn) for _ in range(2))
        with self.autocast:
            found = a.to(self.device, self.kept) @ b.to(self.device, self.kept)
        exact = a.double() @ b.double()
        return float((found.cpu().double() - exact).abs().max() / exact.abs().max())

    def wait_probe(self) -> tuple[float, float] | None:
        """Return seconds of large products, launched and done; None on the CPU."""
        if self.device not in _PROBE_SIZES:
            return None
        size = _PROBE_SIZES[self.device]
        source = torch.Generator().manual_seed(self.cell.seed)
        drawn = (torch.randn(size, size, generator=source) for _ in range(2))
        a, b = (matrix.to(self.device) for matrix in drawn)
        self._products(a, b)
        return self._products(a, b)

    def _products(self, a: Any, b: Any) -> tuple[float, float]:
        self.synchronise()
        started = perf_counter()
        for _ in range(_PROBE_PRODUCTS):
            torch.mm(a, b)
        launched = perf_counter() - started
        self.synchronise()
        return launched, perf_counter() - started

    def memory(self) -> dict[str, int | str]:
        """Return the peaks of PyTorch's own counters, where it has them."""
        if self.device == "cuda":
            now = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
            return dict(zip(_PEAKS, now, strict=True))
        if self.device == "mps":
            return dict.fromkeys(_PEAKS, "PyTorch counts no peaks on Metal")
        return {}

    def poll(self) -> None:
        """Look at what Metal holds now: between two looks there may be more."""
        if self.device != "mps":
            return
        now = {
            "allocated_bytes": torch.mps.current_allocated_memory(),
            "driver_allocated_bytes": torch.mps.driver_allocated_memory(),
        }
        self.polled = {name: max(now[name], self.polled.get(name, 0)) for name in now}

    def loss(self) -> float | None:
        """Return None: only a training has a loss."""
        self.poll()
        return None

    def notes(self) -> dict[str, Any]:
        """Return the most that Metal was seen to hold; it is no peak."""
        self.poll()
        return {"device_memory_polled": self.polled} if self.polled else {}


def type_name(dtype: Any) -> str:
    """Return a type as PRECISIONS names it."""
    return _NAMES.get(dtype, str(dtype))


def _event() -> Any:
    return torch.cuda.Event(enable_timing=True)
