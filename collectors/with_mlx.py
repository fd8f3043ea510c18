# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "numpy>=1.26",
#   "mlx>=0.31; sys_platform == 'darwin' and platform_machine == 'arm64'",
#   "mlx[cpu]>=0.31; sys_platform == 'linux'",
#   "nvidia-ml-py>=12.535; sys_platform != 'darwin'",
#   "zeus-apple-silicon>=1.1; sys_platform == 'darwin' and platform_machine == 'arm64'",
# ]
# ///
"""Measure standard workloads with MLX on the CPU, Metal or CUDA."""

import importlib
import os
import platform
import sys
from importlib.metadata import distributions
from typing import Any, ClassVar

import language
from fingerprint.macos import metal_obstacle
from harness.cells import Cell
from harness.framework import (
    WORKLOADS,
    Device,
    Framework,
    Setting,
    nvidia_precisions,
    precision_in_effect,
)
from harness.main import main

# What MLX says of a GPU, but for what names this very card.
_GPU_FACTS = """device_name architecture total_memory memory_size max_buffer_length
max_recommended_working_set_size compute_capability_major compute_capability_minor"""


class Mlx(Framework):
    """What the harness asks of a framework, for MLX."""

    name = "mlx"
    title = "MLX"
    modules: ClassVar = dict.fromkeys(
        (*WORKLOADS, *language.WORKLOADS), ("mlx", "numpy")
    )
    compilers = ("eager", "mx.compile")
    install = (
        'pip install numpy mlx on Apple silicon, "mlx[cpu]" on Linux, "mlx[cuda13]" '
        "for an NVIDIA card; there is no MLX for Intel Macs"
    )
    counterparts: ClassVar = dict.fromkeys(("metal", "cuda"), "mx.compile")

    def load(self, _workload: str | None) -> str:
        """Import MLX; return its version."""
        self.mx: Any = importlib.import_module("mlx.core")
        return str(self.mx.__version__)

    def devices(self) -> dict[str, Device]:
        """Return the CPU, and the GPU that MLX would use."""
        devices = {"cpu": Device(name=platform.processor() or platform.machine())}
        for device in ("metal", "cuda"):
            obstacle = self._obstacle(device)
            name = None if obstacle else self._facts()["device_name"]
            devices[device] = Device(name, *(obstacle or ()))
        return devices

    def _obstacle(self, device: str) -> tuple[str, str] | None:
        mx, title = self.mx, f"MLX {self.mx.__version__}"
        if device == "metal":
            update = "update macOS; in a virtual machine, measure on the Mac itself"
            none = f"{title} finds no Metal device on this macOS", update
            return metal_obstacle() or (None if mx.metal.is_available() else none)
        if not mx.cuda.is_available():
            return f"{title} was built without CUDA", 'pip install "mlx[cuda13]"'
        if not mx.device_count(mx.gpu):
            return f"{title} finds no CUDA device", "check NVIDIA's driver"
        return None

    def _facts(self) -> dict[str, Any]:
        known = self.mx.device_info(self.mx.gpu)
        return {name: known[name] for name in _GPU_FACTS.split() if name in known}

    def precisions(self, device: str) -> tuple[str, ...]:
        """Return what MLX computes in; it has float64 on the CPU alone."""
        if device != "cuda":
            halves = ("fp32", "bf16", "fp16")
            return (*halves, "fp64") if device == "cpu" else halves
        facts = self._facts()
        major, minor = (facts[f"compute_capability_{n}"] for n in ("major", "minor"))
        return tuple(p for p in nvidia_precisions((major, minor)) if p != "fp64")

    def configure(self, cell: Cell) -> Setting:
        """Choose device, math modes and seed, nothing left to a default."""
        mx, device, asked = self.mx, cell.device, cell.precision
        tf32 = asked == "tf32"
        os.environ["MLX_ENABLE_TF32"] = str(int(tf32))  # read at the first product
        mx.set_default_device(mx.cpu if device == "cpu" else mx.gpu)
        mx.enable_compile()  # whatever MLX_DISABLE_COMPILE says
        mx.random.seed(cell.seed)
        parts = {part.metadata["Name"]: part.version for part in distributions()}
        facts = {} if device == "cpu" else self._facts()
        choices: dict[str, Any] = {}
        if cell.offers("memory_format"):
            choices["memory_format"] = "channels_last"
        if cell.counts_tokens:
            choices["attention"] = "sdpa"
        elif cell.kind == "transformer":
            choices["attention"] = "products and softmax, with dropout"
        if asked == "fp16" and cell.trains:
            choices["grad_scaler"] = False
        cast = asked in ("bf16", "fp16") and cell.trains
        in_effect = precision_in_effect(asked, tf32=tf32) if device == "cuda" else asked
        return Setting(
            compiler=cell.compiler,
            packages={n: v for n, v in parts.items() if n.startswith(("mlx", "numpy"))},
            precision=in_effect,
            device_name=facts.get("device_name"),
            devices=({"kind": device} | facts,) if facts else (),
            math={"tf32": tf32, "cast_each_step": asked if cast else None},
            parameters=choices,
        )


if __name__ == "__main__":
    sys.exit(main(Mlx()))
