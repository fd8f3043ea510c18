"""What a collector tells the harness about its framework.

``with_numpy.py`` is the shortest example.

The harness calls, in this order: ``load`` (timed as import), ``devices``,
``configure``, ``prepare`` and then the methods of the ``Work`` it got. Until
``load`` nothing may import the framework: the supervisor has to start fast.
"""

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from harness.cells import Cell, SeedPlan
from harness.privacy import redact

DEVICES = {"cpu": "CPU", "metal": "Metal", "cuda": "CUDA"}
PRECISIONS = ("fp32", "tf32", "bf16", "fp16", "fp64")
WORKLOADS = (  # of the catalogue; most frameworks have all of them
    *("lstm", "mnist", "mnist-cnn", "resnet50", "mobilenetv2", "distilbert"),
    *("bert-large", "matmul", "vgg16", "alexnet", "resnet18", "efficientnet-b0"),
    *("mobilenetv2-cifar10", "resnet9", "elementwise", "bandwidth", "conv"),
)
_OUT_OF_MEMORY_TYPES = {"MemoryError", "OutOfMemoryError", "ResourceExhaustedError"}
_OUT_OF_MEMORY_TEXTS = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
    "Invalid buffer size",  # Metal: one buffer larger than any may be
    "[malloc] Unable to allocate",  # MLX, on CPU and GPU
    "[metal::malloc] Attempting to allocate",
)
_UNSUPPORTED_TYPES = {"NotImplementedError", "UnimplementedError"}
_UNSUPPORTED_TEXTS = (
    "could not create a primitive",  # oneDNN
    "not implemented for",
    "got unsupported data type",  # MLX
    "Cannot convert a MPS Tensor to float64",
    "BFloat16 is not supported on MPS",
    "BFloat16 is only supported on MacOS 14",
)


class UnavailableError(Exception):
    """The framework or the device is not there; the text says what to install."""


class UnsupportedError(Exception):
    """The device cannot do this workload in this precision."""


class DoesNotFitError(MemoryError):
    """More memory would be needed than is there; the text says how much."""


@dataclass(frozen=True)
class Device:
    """A device as the framework sees it; if it is not there: why, and what to do."""

    name: str | None = None
    why: str | None = None
    install: str | None = None


@dataclass(frozen=True)
class FirstSteps:
    """Losses of the first steps, and how the first changed the head's weights."""

    losses: list[float]
    update: list[float]


@dataclass(frozen=True)
class Setting:
    """What is in effect once the framework is set up for a cell.

    *precision* is what the switches really say: fp32 with TF32 on is tf32.
    """

    compiler: str
    packages: dict[str, str]
    precision: str | None = None
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

    def step_times(self, steps: int) -> list[float] | None:
        """Return seconds of steps, not waited for, by the device's own clock if any."""
        return None

    def fit(self, plan: SeedPlan, course: "Course") -> None:
        """Run the source's epochs on arrays of the host; *course* keeps their time."""
        raise NotImplementedError

    def epoch(self, plan: SeedPlan) -> int:
        """Start a pass over the data as the source did; return how many samples."""
        raise NotImplementedError

    def trial(self) -> tuple[float, float]:
        """Do one operation anew; return seconds until it returns, and is done."""
        raise NotImplementedError

    def loss(self) -> float | None:
        """Return the loss of the last step; an operation has none."""
        return None

    def trained(self) -> list[float]:
        """Return the last matrix of weights that training changes; [] without any."""
        return []

    def parameter_count(self) -> int | None:
        """Return how many parameters the model has."""
        return None

    def placed_on(self) -> set[str]:
        """Return the devices of parameters and result: cpu, metal or cuda."""
        raise NotImplementedError

    def types(self) -> set[str]:
        """Return the types of parameters and result, as PRECISIONS names them."""
        raise NotImplementedError

    def expected_types(self) -> set[str]:
        """Return what the types have to be in the precision of the cell."""
        raise NotImplementedError

    def relative_error(self) -> float | None:
        """Return the largest deviation of a block of the result from float64."""
        return None

    def math_error(self) -> float | None:
        """Return the deviation of a product of N(0, 1) entries, in the math in effect.

        Of 512 x 512 matrices in the cell's own types, against float64, relative to
        the largest entry: it tells fp32 from tf32, whatever the switches say.
        """
        return None

    def first_steps(self, steps: int) -> tuple[FirstSteps, FirstSteps] | None:
        """Return the first steps here and of the same model on the CPU in float32.

        Same weights, same few samples, no dropout, same optimiser at a tenth of its
        rate; nothing of what is being measured is touched. None where this cell is
        the reference itself.
        """
        return None

    def error_tolerance(self) -> float | None:
        """Return what ``relative_error`` may be; None for what the precision allows."""
        return None

    def wait_probe(self) -> tuple[float, float] | None:
        """Return seconds of large products, started and done; None if never behind."""
        return None

    def read_probe(self) -> tuple[float, float] | None:
        """Return seconds until products are waited for, and until a result is read.

        Where a device is never behind the second is hardly longer.
        """
        return None

    def bytes_per_step(self) -> int | None:
        """Return the bytes really moved by one step of an operation bound by memory."""
        return None

    def kernels(self, steps: int) -> list[tuple[str, float, float]] | None:
        """Return what the device computed in so many *steps*, by a profiler if any.

        Names, with begin and end in seconds of the profiler's clock.
        """
        return None

    def path(self) -> dict[str, str | None]:
        """Return which of several ways the work took; None for what nobody can tell."""
        return {}

    def memory(self) -> dict[str, int | str]:
        """Return device peaks by metric; a text says why one is not known."""
        return {}

    def notes(self) -> dict[str, Any]:
        """Return what else belongs into the run's checks."""
        return {}


class Course(Protocol):
    """The clock of epochs, which also says when they have to end."""

    over: bool  # the time is up: no batch may follow

    def begin(self, phase: str) -> None:
        """Start the clock of an epoch of the "warmup" or of the "seed"."""

    def reached(self, steps: int) -> bool:
        """Take how many *steps* of the epoch are done; return whether it is over."""

    def end(self) -> None:
        """Read the loss, stop the clock of the epoch and start that of the next."""


class Framework(Protocol):
    """One framework, as the harness needs it: derive from this."""

    name: str
    title: str
    install: str  # the command that brings all of the modules
    # The ways in which it can run a model, its usual one first.
    compilers: ClassVar[tuple[str, ...]]
    # What each workload imports.
    modules: ClassVar[Mapping[str, tuple[str, ...]]]
    # What else can be chosen: memory_format, optimizer_implementation. A choice arrives
    # in the cell's parameters; the first value is the default.
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    # By device the compiler that has the host start less: for work that is bound by it.
    counterparts: ClassVar[Mapping[str, str]] = {}

    def load(self, workload: str | None) -> str:
        """Import what *workload* needs; return the framework's version."""

    def devices(self) -> dict[str, Device]:
        """Return cpu, metal and cuda as found."""

    def precisions(self, device: str) -> tuple[str, ...]:
        """Return what can be asked of a device that is there."""

    def configure(self, cell: Cell) -> Setting:
        """Choose device, math modes and seeds; say what is in effect."""

    def prepare(self, cell: Cell) -> Work:
        """Return the cell as work that is not built yet, from the framework's package.

        Refuse before what it cannot do.
        """
        module, name = "training", "Training"
        if cell.operation:
            module, name = "device", f"{type(self).__name__}Operation"
        elif cell.counts_tokens:
            module, name = "language", "Finetuning" if cell.trains else "Writing"
        works: Any = importlib.import_module(f"{self.name}_work.{module}")
        return getattr(works, name)(cell)  # type: ignore[no-any-return]


def failure_status(failure: Exception) -> str:
    """Return oom, unsupported or failed for what a framework raised."""
    types = {kind.__name__ for kind in type(failure).__mro__}
    message = str(failure)
    if types & _OUT_OF_MEMORY_TYPES or any(t in message for t in _OUT_OF_MEMORY_TEXTS):
        return "oom"
    if types & _UNSUPPORTED_TYPES or any(t in message for t in _UNSUPPORTED_TEXTS):
        return "unsupported"
    return "failed"


def first_line(failure: Exception) -> str:
    """Return the first line of what went wrong; frameworks add pages to it."""
    # Cut only then: half a path may not look like one.
    return redact(str(failure).strip().partition("\n")[0][:5000])[:500]


def nvidia_precisions(capability: tuple[int, int]) -> tuple[str, ...]:
    """Return what a card computes in: TF32 and bf16 came with compute capability 8."""
    ampere = ("tf32", "bf16") if capability >= (8, 0) else ()
    return ("fp32", *ampere, "fp16", "fp64")


def precision_in_effect(asked: str, *, tf32: bool) -> str:
    """Return what *asked* is with the switch for TF32 where it is.

    NVIDIA's libraries obey their own variable, whatever the switch says.
    """
    if asked not in ("fp32", "tf32"):
        return asked
    override = os.environ.get("NVIDIA_TF32_OVERRIDE")
    return "tf32" if {"0": False, "1": True}.get(override or "", tf32) else "fp32"


def load_framework(framework: Framework, workload: str | None) -> str:
    """Import the framework; return its version.

    An import can fail in ways beyond ImportError: a Metal plugin that does not fit
    its TensorFlow raises TensorFlow's own NotFoundError.
    """
    try:
        return framework.load(workload)
    except Exception as failure:
        raise UnavailableError(
            f"{framework.title} cannot be imported ({first_line(failure)}); "
            f"install it anew with: {framework.install}"
        ) from failure
