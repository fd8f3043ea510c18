"""A cell in PyTorch: its device, with clock and memory, and what it computes with."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from harness.cells import Cell
from operations import PEAKS, Operation, Shape, Tensors
from torch.nn.functional import conv2d

from torch_work.execution import cuda_kernels, metal_path

_DEVICES = {"cpu": "cpu", "metal": "mps", "cuda": "cuda"}
_KINDS = {"cpu": "cpu", "mps": "metal", "cuda": "cuda"}
_DTYPES = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "fp64": torch.float64,
}
GRAPHS = "inductor-graphs"  # whose kernels the host starts all at once
_NAMES = {dtype: name for name, dtype in _DTYPES.items() if name != "tf32"}


class TorchTensors(Tensors):
    """PyTorch's tensors on the device of a cell."""

    channels_first = one_kernel = True

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is allocated yet."""
        super().__init__(cell)
        self.device = _DEVICES[cell.device]
        self.dtype = _DTYPES[cell.precision]
        self.kept = self.dtype  # the type of parameters and operands
        self.polled: dict[str, int] = {}

    # What is compiled has to be Python, none of PyTorch's own functions.
    @staticmethod
    def matmul(a: Any, b: Any, out: Any = None) -> Any:
        """Return A B."""
        return torch.mm(a, b, out=out)

    @staticmethod
    def add(a: Any, b: Any, out: Any = None) -> Any:
        """Return A + B."""
        return torch.add(a, b, out=out)

    @staticmethod
    def multiply_add(a: Any, b: Any, c: Any, out: Any = None) -> Any:
        """Return a b + c."""
        return torch.addcmul(c, a, b, out=out)

    @staticmethod
    def convolve(images: Any, weights: Any) -> Any:
        """Return the convolution, without padding or bias."""
        return conv2d(images, weights)

    @property
    def memory_format(self) -> Any:
        """Return the order of images in memory."""
        asked = self.cell.parameters.get("memory_format")
        last = asked == "channels_last"
        return torch.channels_last if last else torch.contiguous_format

    def tensor(self, array: Any, precision: str | None = None) -> Any:
        """Return an array on the device; images in the order asked for."""
        dtype = _DTYPES[precision] if precision else self.kept
        made = torch.from_numpy(array).to(self.device, dtype)
        images = made.dim() == 4
        return made.contiguous(memory_format=self.memory_format) if images else made

    def float64(self, tensor: Any) -> Any:
        """Return an array, converted on the CPU."""
        return tensor.detach().cpu().double().numpy()

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return *function*, or what inductor makes of it."""
        if self.cell.compiler == "eager":
            return function
        # One kernel for all shapes would replace the better ones of the full batch as
        # soon as a smaller one has been seen.
        mode = "reduce-overhead" if self.cell.compiler == GRAPHS else None
        made: Callable[..., Any] = torch.compile(function, dynamic=False, mode=mode)
        return made

    def wait_for(self, tensor: Any) -> None:
        """Wait for the device; the CPU is never behind."""
        if self.device == "cuda":
            torch.cuda.synchronize()
        elif self.device == "mps":
            torch.mps.synchronize()

    def place(self, tensor: Any) -> tuple[str, str]:
        """Return device and type of *tensor*."""
        return _KINDS.get(tensor.device.type, "other"), type_name(tensor.dtype)

    def step_times(self, steps: int) -> list[float] | None:
        """Return seconds between CUDA's events around each step; others have none."""
        if self.device != "cuda":
            return None
        event = partial(torch.cuda.Event, enable_timing=True)
        pairs = [(event(), event()) for _ in range(steps)]
        for started, done in pairs:
            started.record()
            self.step()
            done.record()
        self.synchronise()
        return [started.elapsed_time(done) / 1000 for started, done in pairs]

    def kernels(self, steps: int) -> list[tuple[str, float, float]] | None:
        """Return what CUDA computed in so many steps; nothing tells it elsewhere."""
        if self.device != "cuda":
            return None
        return cuda_kernels(self, steps)

    def path(self) -> dict[str, str | None]:
        """Return what Metal was offered, and how cuDNN chooses among its algorithms."""
        if self.device == "mps":
            return metal_path()
        if self.device == "cuda" and self.cell.offers("memory_format"):
            search = "by trial" if torch.backends.cudnn.benchmark else "by heuristics"
            return {"cudnn": f"{torch.backends.cudnn.version()}, chosen {search}"}
        return {}

    def memory(self) -> dict[str, int | str]:
        """Return the peaks of PyTorch's own counters, where it has them."""
        if self.device == "cuda":
            now = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
            return dict(zip(PEAKS, now, strict=True))
        if self.device == "mps":
            return dict.fromkeys(PEAKS, "PyTorch counts no peaks on Metal")
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


class TorchOperation(Operation, TorchTensors):
    """An operation into the same result, where PyTorch has a way to say so."""

    def empty(self, shape: Shape) -> Any:
        """Return a tensor; None where the result would only be copied to it."""
        if self.cell.workload == "conv" or self.cell.compiler != "eager":
            return None
        return torch.empty(shape, device=self.device, dtype=self.dtype)


def type_name(dtype: Any) -> str:
    """Return a type as PRECISIONS names it."""
    return _NAMES.get(dtype, str(dtype))


def set_tf32(*, on: bool) -> None:
    """Allow TF32 everywhere or nowhere; PyTorch's defaults differ by operation."""
    with warnings.catch_warnings():
        # From 2.9 on these have newer names, which older releases do not know.
        warnings.simplefilter("ignore")
        torch.set_float32_matmul_precision("high" if on else "highest")
        torch.backends.cuda.matmul.allow_tf32 = on
        torch.backends.cudnn.allow_tf32 = on


def tf32_switches() -> dict[str, Any]:
    """Return the switches as they read now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "matmul_tf32": torch.backends.cuda.matmul.allow_tf32,
            "cudnn_tf32": torch.backends.cudnn.allow_tf32,
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
        }


@contextmanager
def without_tf32() -> Iterator[None]:
    """Compute float32 as float32 for a while, on the CPU as well."""
    kept = tf32_switches()
    set_tf32(on=False)
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.set_float32_matmul_precision(kept["float32_matmul_precision"])
            torch.backends.cudnn.allow_tf32 = kept["cudnn_tf32"]
