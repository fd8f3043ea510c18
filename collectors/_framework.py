"""What a collector tells the harness about its framework; ``with_numpy.py`` is the
shortest example.

The harness calls, in this order: ``load`` (timed as import), ``devices``,
``configure``, ``prepare`` and then the methods of the ``Work`` it got. Until
``load`` nothing may import the framework: the supervisor has to start fast.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from _cell import Cell

DEVICES = {"cpu": "CPU", "metal": "Metal", "cuda": "CUDA"}
PRECISIONS = ("fp32", "tf32", "bf16", "fp16", "fp64")


class UnavailableError(Exception):
    """The framework or the device is not there; the text says what to install."""


class UnsupportedError(Exception):
    """The device cannot do this workload in this precision."""


@dataclass(frozen=True)
class Device:
    """A device as the framework sees it; if it is not there: why, and what to do."""

    name: str | None = None
    why: str | None = None
    install: str | None = None

    @property
    def available(self) -> bool:
        """Return whether something can be measured on it."""
        return self.why is None


@dataclass(frozen=True)
class Setting:
    """What is in effect once the framework is set up for a cell."""

    compiler: str
    packages: dict[str, str]
    device_name: str | None = None
    devices: tuple[dict[str, Any], ...] = ()
    math: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)


class Work:
    """One prepared cell. Override what the workload has; the rest stays unknown."""

    def build(self) -> None:
        """Build the model on the device."""

    def make_data(self) -> None:
        """Put the data on the device."""

    def step(self) -> None:
        """Start one step; do not wait for the device."""
        raise NotImplementedError

    def synchronise(self) -> None:
        """Wait until the device has done all that was started."""
        raise NotImplementedError

    def loss(self) -> float | None:
        """Return the loss of the last step; an operation has none."""
        return None

    def parameter_count(self) -> int | None:
        """Return how many parameters the model has."""
        return None

    def placed_on(self) -> set[str]:
        """Return the devices of parameters and result: cpu, metal or cuda."""
        raise NotImplementedError

    def relative_error(self) -> float | None:
        """Return the largest deviation of a block of the result from float64."""
        return None

    def memory(self) -> dict[str, int | str]:
        """Return device peaks by metric; a text says why one is not known."""
        return {}

    def notes(self) -> dict[str, Any]:
        """Return what else belongs into the run's checks."""
        return {}


class Framework(Protocol):
    """One framework, as the harness needs it."""

    name: str
    title: str
    install: str  # the command that brings all of the modules

    @property
    def modules(self) -> Mapping[str, tuple[str, ...]]:
        """Return what each workload imports."""
        ...

    def load(self, workload: str | None) -> str:
        """Import what *workload* needs; return the framework's version."""
        ...

    def devices(self) -> dict[str, Device]:
        """Return cpu, metal and cuda as found."""
        ...

    def precisions(self, device: str) -> tuple[str, ...]:
        """Return what can be asked of a device that is there."""
        ...

    def configure(self, cell: Cell) -> Setting:
        """Choose device, math modes and seeds; say what is in effect."""
        ...

    def prepare(self, cell: Cell) -> Work:
        """Return the cell as work that is not built yet."""
        ...
