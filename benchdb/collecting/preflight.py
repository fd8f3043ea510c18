"""What this machine can measure, and what would spoil a measurement now."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchdb import __version__
from benchdb.collecting.processes import Isolation, is_by_uv
from benchdb.collecting.programs import (
    Description,
    fingerprint,
    frameworks,
    meters,
    survey,
)
from benchdb.errors import BenchdbError
from benchdb.grading import BUSY_LOAD, load_per_cpu, number

Facts = Mapping[str, Any]

BUSY_GPU_PERCENT = 20
WAITING_FOR_MEMORY_PERCENT = 1
_SLOWED = ("hw_slowdown", "thermal", "power_brake")
# What they do to a measurement; libraries read them when they are imported.
VARIABLES = {
    "PYTORCH_ENABLE_MPS_FALLBACK": "lets PyTorch run on the CPU what Metal cannot",
    "PYTORCH_MPS_FAST_MATH": "changes PyTorch's arithmetic on Metal",
    "PYTORCH_MPS_PREFER_METAL": "changes which products PyTorch runs on Metal",
    "PYTORCH_NO_CUDA_MEMORY_CACHING": "makes PyTorch ask the driver for all memory",
    "CUDA_LAUNCH_BLOCKING": "makes every CUDA call wait",
    "NVIDIA_TF32_OVERRIDE": "overrides the precision that is asked for",
    "TF_ENABLE_ONEDNN_OPTS": "turns TensorFlow's usual kernels on or off",
    "TF_DETERMINISTIC_OPS": "makes TensorFlow choose slower kernels",
    "TF_CUDNN_DETERMINISTIC": "makes TensorFlow choose slower kernels",
    "TF_XLA_FLAGS": "may turn on a compiler",
    "XLA_FLAGS": "changes what XLA compiles",
    "OMP_NUM_THREADS": "limits the threads",
    "MKL_NUM_THREADS": "limits the threads",
    "OPENBLAS_NUM_THREADS": "limits the threads",
    "VECLIB_MAXIMUM_THREADS": "limits the threads",
}
# What says the same as nothing at all; of all others it is 0.
_USUAL = {"TF_ENABLE_ONEDNN_OPTS": "1", "NVIDIA_TF32_OVERRIDE": ""}


class Spoiler(msgspec.Struct, frozen=True):
    """Something that makes a figure worse, or another one, and what to do about it."""

    what: str
    advice: str


def spoilers(fingerprint: Facts) -> tuple[Spoiler, ...]:
    """Return what would spoil a measurement on the machine of this *fingerprint*."""
    conditions = fingerprint.get("conditions", {})
    variables = fingerprint.get("system", {}).get("variables", {})
    given = {name: variables.get(name, "") for name in VARIABLES}
    return (
        *_power_and_heat(conditions),
        *_other_work(conditions),
        *_system(conditions),
        *(
            Spoiler(f"{name}={value} {VARIABLES[name]}", f"unset {name}")
            for name, value in given.items()
            if value not in ("", _USUAL.get(name, "0"))
        ),
    )


def _power_and_heat(now: Facts) -> Iterator[Spoiler]:
    if now.get("power_source") == "battery":
        yield Spoiler("on battery", "plug it in")
    if now.get("low_power_mode") is True:
        yield Spoiler("Low Power Mode is on", "turn it off in System Settings, Battery")
    if now.get("power_mode") in ("low-power", "quiet"):
        yield Spoiler(f"the power mode is {now['power_mode']}", "choose a faster one")
    pressure = now.get("thermal_pressure")
    if pressure not in (None, "nominal"):
        yield Spoiler(f"the machine is hot (pressure {pressure})", "let it cool down")
    limit = number(now, "cpu_speed_limit_percent")
    if limit is not None and limit < 100:
        what = f"the CPU is held at {limit:.0f} % of its speed"
        yield Spoiler(what, "let it cool down")
    if now.get("fanless") is True:
        what = "this Mac has no fan: it slows down when it works for long"
        yield Spoiler(what, "let it cool down between measurements (--cool-down)")
    reasons = str(now.get("gpu_throttle_reasons", ""))
    if any(word in reasons for word in _SLOWED):
        yield Spoiler(f"the GPU is slowed down ({reasons})", "let it cool down")


def _other_work(now: Facts) -> Iterator[Spoiler]:
    if (load_per_cpu(now) or 0) > BUSY_LOAD:
        what = f"other work is running (load {now['load_1m']})"
        yield Spoiler(what, "end it, or wait for it")
    pressure = now.get("memory_pressure")
    if pressure in ("warning", "critical"):
        yield Spoiler(f"memory is short (pressure {pressure})", "close programs")
    waiting = number(now, "memory_pressure_percent") or 0
    if waiting > WAITING_FOR_MEMORY_PERCENT:
        what = f"memory is short (programs wait for it {waiting:.0f} % of the time)"
        yield Spoiler(what, "close programs")
    others = number(now, "gpu_other_processes")
    busy = number(now, "gpu_utilisation_percent") or 0
    if others:
        what = f"other programs use the GPU ({others:.0f})"
        yield Spoiler(what, "nvidia-smi lists them; end them, or wait for them")
    elif busy > BUSY_GPU_PERCENT:
        yield Spoiler(f"the GPU is busy ({busy:.0f} %)", "end what uses it")


def _system(now: Facts) -> Iterator[Spoiler]:
    if now.get("rosetta") is True:
        advice = "install a Python for arm64 (Apple silicon)"
        yield Spoiler("this Python runs under Rosetta", advice)
    if now.get("virtual") is True:
        what = "this is a virtual machine, which shares its processors"
        yield Spoiler(what, "measure on the machine itself where you can")


class Health(msgspec.Struct, frozen=True):
    """What can be measured here, with what meters, and what would spoil it now.

    *meters* are energy meters by device; *unknown* says what could not be found out,
    and why.
    """

    versions: Mapping[str, str]
    frameworks: tuple[Description, ...]
    meters: Mapping[str, Sequence[Mapping[str, Any]]]
    spoilers: tuple[Spoiler, ...]
    unknown: Mapping[str, str]

    @property
    def can_measure(self) -> bool:
        """Tell whether anything can be measured."""
        return any(
            device.available and framework.workloads
            for framework in self.frameworks
            for device in framework.devices.values()
        )


def health(*, isolated: Isolation = False) -> Health:
    """Ask all the collectors and the machine how they are."""
    unknown: dict[str, str] = {}
    machine: dict[str, Any] = {}
    energy: dict[str, list[dict[str, Any]]] = {}
    try:
        # An environment that uv makes takes long, and tells nothing else.
        machine = fingerprint(isolated=not is_by_uv(isolated) and isolated)
    except BenchdbError as error:
        unknown["machine"] = str(error)
    try:
        energy = meters(isolated=isolated)
    except BenchdbError as error:
        unknown["meters"] = str(error)
    names = ("os_name", "os_version", "os_build", "kernel", "architecture")
    system = machine.get("system", {})
    known = {name: str(system[name]) for name in names if name in system}
    python = str(system.get("python", platform.python_version()))
    return Health(
        versions={"benchdb": __version__, "python": python, **known},
        frameworks=tuple(survey(frameworks(), isolated=isolated)),
        meters=energy,
        spoilers=spoilers(machine),
        unknown=unknown,
    )
