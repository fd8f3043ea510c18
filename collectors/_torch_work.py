"""Training steps and products in PyTorch, started but not waited for."""

from contextlib import AbstractContextManager, nullcontext
from itertools import cycle
from typing import Any

import torch
from _cell import Cell
from _framework import Work
from _torch_models import batches_of, model_of

_DEVICES = {"cpu": "cpu", "metal": "mps", "cuda": "cuda"}
_KINDS = {"cpu": "cpu", "mps": "metal", "cuda": "cuda"}
_DTYPES = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "fp64": torch.float64,
}
_CHECKED = 64  # rows and columns of a product that are computed again in float64


class OnDevice(Work):
    """What training and products have in common: the device."""

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is allocated yet."""
        self.cell = cell
        self.device = _DEVICES[cell.device]
        self.dtype = _DTYPES[cell.precision]

    def synchronise(self) -> None:
        """Wait for the device; the CPU is never behind."""
        if self.device == "cuda":
            torch.cuda.synchronize()
        elif self.device == "mps":
            torch.mps.synchronize()

    def memory(self) -> dict[str, int | str]:
        """Return the peaks of PyTorch's own counters, where it has them."""
        names = ("peak_device_allocated_bytes", "peak_device_reserved_bytes")
        if self.device == "cuda":
            peaks = (
                torch.cuda.max_memory_allocated(),
                torch.cuda.max_memory_reserved(),
            )
            return dict(zip(names, peaks, strict=True))
        if self.device == "mps":
            return dict.fromkeys(names, "PyTorch counts no peaks on Metal")
        return {}

    def notes(self) -> dict[str, Any]:
        """Return what Metal holds at the end; it is no peak."""
        if self.device != "mps":
            return {}
        return {
            "device_memory_at_end": {
                "allocated_bytes": torch.mps.current_allocated_memory(),
                "driver_allocated_bytes": torch.mps.driver_allocated_memory(),
            }
        }


class Training(OnDevice):
    """Forward, backward and the optimiser, over a few batches in turn."""

    def __init__(self, cell: Cell) -> None:
        """Make the autocast context; RuntimeError where the device has none."""
        super().__init__(cell)
        self.mixed = cell.precision in ("bf16", "fp16")
        self.autocast: AbstractContextManager[Any] = (
            torch.autocast(self.device, self.dtype) if self.mixed else nullcontext()
        )
        scaled = cell.precision == "fp16" and self.device == "cuda"
        self.scaler = torch.amp.GradScaler("cuda") if scaled else None

    def build(self) -> None:
        """Build the network in training mode on the device, and its optimiser."""
        # Mixed precision keeps the parameters in float32.
        dtype = torch.float32 if self.mixed else self.dtype
        self.model = model_of(self.cell).to(self.device, dtype).train()
        facts = self.cell.parameters
        optimiser = {"SGD": torch.optim.SGD, "Adam": torch.optim.Adam}
        self.optimiser = optimiser[facts["optimizer"]](
            self.model.parameters(), lr=facts["learning_rate"]
        )
        self.criterion = torch.nn.CrossEntropyLoss()
        self.synchronise()

    def make_data(self) -> None:
        """Put random batches on the device."""
        wanted = torch.float64 if self.dtype == torch.float64 else torch.float32
        batches = []
        for inputs, labels in batches_of(self.cell):
            typed = inputs.to(wanted) if inputs.is_floating_point() else inputs
            batches.append((typed.to(self.device), labels.to(self.device)))
        self.pool = len(batches)
        self.batches = cycle(batches)
        self.synchronise()

    def step(self) -> None:
        """Start one training step."""
        inputs, labels = next(self.batches)
        self.optimiser.zero_grad(set_to_none=True)
        with self.autocast:
            loss = self.criterion(self.model(inputs), labels)
        if self.scaler is None:
            loss.backward()
            self.optimiser.step()
        else:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimiser)
            self.scaler.update()
        self.last = loss.detach()

    def loss(self) -> float:
        """Return the loss of the last step; waits for it."""
        return float(self.last.item())

    def parameter_count(self) -> int:
        """Return the trained parameters; statistics of normalisation are not."""
        return sum(parameter.numel() for parameter in self.model.parameters())

    def placed_on(self) -> set[str]:
        """Return where the parameters and the loss are."""
        tensors = [self.last, *self.model.parameters()]
        return {_KINDS.get(tensor.device.type, "other") for tensor in tensors}

    def notes(self) -> dict[str, Any]:
        """Return how many batches took turns."""
        return super().notes() | {"batches": self.pool}


class Product(OnDevice):
    """C = A B, again and again into the same C."""

    def make_data(self) -> None:
        """Draw A and B from N(0, 1) / sqrt(M), so no product overflows."""
        size = self.cell.size
        # First, so that a matrix too large fails before any is drawn.
        self.c = torch.empty(size, size, device=self.device, dtype=self.dtype)
        source = torch.Generator().manual_seed(self.cell.seed)
        self.a, self.b = (
            (torch.randn(size, size, generator=source) / size**0.5).to(
                self.device, self.dtype
            )
            for _ in range(2)
        )
        self.synchronise()

    def step(self) -> None:
        """Start one product."""
        torch.mm(self.a, self.b, out=self.c)

    def placed_on(self) -> set[str]:
        """Return where operands and result are."""
        tensors = (self.a, self.b, self.c)
        return {_KINDS.get(tensor.device.type, "other") for tensor in tensors}

    def relative_error(self) -> float:
        """Compute a corner of C again in float64; return its largest deviation."""
        rows, columns = self.a[:_CHECKED].cpu(), self.b[:, :_CHECKED].cpu()
        exact = rows.double() @ columns.double()
        corner = self.c[:_CHECKED, :_CHECKED].cpu().double()
        return float((corner - exact).abs().max() / exact.abs().max())
