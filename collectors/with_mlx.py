# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "numpy>=1.26",
#   "mlx>=0.30; sys_platform == 'darwin' and platform_machine == 'arm64'",
#   "mlx[cpu]>=0.30; sys_platform == 'linux'",
#   "nvidia-ml-py>=12.535; sys_platform != 'darwin'",
#   "zeus-apple-silicon>=1.1; sys_platform == 'darwin' and platform_machine == 'arm64'",
# ]
# ///
"""Measure standard workloads with MLX on the CPU, Metal or CUDA."""

import importlib
import os
import platform
import shutil
import sys
from importlib.metadata import distributions
from typing import Any, ClassVar

import language
from fingerprint import commands
from fingerprint.macos import metal_obstacle
from harness.cells import Cell
from harness.framework import (
    WORKLOADS,
    Device,
    Framework,
    Setting,
    UnsupportedError,
    Work,
    nvidia_precisions,
    precision_in_effect,
)
from harness.main import main

_TF32 = "MLX_ENABLE_TF32"
_ON_LINUX = 'pip install "mlx[cpu]", or "mlx[cuda13]" for an NVIDIA card'
_ON_MACS = "pip install mlx, on Apple silicon with macOS 14 or newer"
_NO_METAL = "update macOS; if this is a virtual machine, measure on the Mac itself"


class Mlx(Framework):
    """What the harness asks of a framework, for MLX."""

    name = "mlx"
    title = "MLX"
    modules: ClassVar = dict.fromkeys(
        (*WORKLOADS, *language.WORKLOADS), ("mlx.core", "numpy")
    )
    compilers = ("eager", "mx.compile")
    install = _ON_MACS if commands.platform() == "darwin" else _ON_LINUX

    def load(self, _workload: str | None) -> str:
        """Import MLX; return its version."""
        self.mx: Any = importlib.import_module("mlx.core")
        return str(self.mx.__version__)

    def devices(self) -> dict[str, Device]:
        """Return the CPU, and the GPU that MLX would use."""
        cpu = Device(name=platform.processor() or platform.machine())
        return {"cpu": cpu, "metal": self._metal(), "cuda": self._cuda()}

    def _metal(self) -> Device:
        if obstacle := metal_obstacle():
            return Device(why=obstacle[0], install=obstacle[1])
        if not self.mx.metal.is_available():
            why = f"MLX {self.mx.__version__} finds no Metal device on this macOS"
            return Device(why=why, install=_NO_METAL)
        return Device(name=self._facts().get("device_name") or "Apple GPU")

    def _cuda(self) -> Device:
        mx = self.mx
        if not mx.cuda.is_available():
            why = f"MLX {mx.__version__} was built without CUDA"
            return Device(why=why, install='pip install "mlx[cuda13]" on Linux')
        if mx.device_count(mx.gpu) == 0:
            why = f"MLX {mx.__version__} finds no CUDA device"
            return Device(why=why, install="check NVIDIA's driver with nvidia-smi")
        return Device(name=self._facts().get("device_name"))

    def _facts(self) -> dict[str, Any]:
        """Return what MLX knows of the GPU."""
        return dict(self.mx.device_info(self.mx.gpu))

    def precisions(self, device: str) -> tuple[str, ...]:
        """Return what MLX computes in; it has float64 on the CPU alone."""
        if device == "cpu":
            return ("fp32", "bf16", "fp16", "fp64")
        if device == "metal":
            return ("fp32", "bf16", "fp16")
        facts = self._facts()
        major, minor = (facts[f"compute_capability_{n}"] for n in ("major", "minor"))
        return tuple(p for p in nvidia_precisions((major, minor)) if p != "fp64")

    def configure(self, cell: Cell) -> Setting:
        """Choose device, math modes and seed, nothing left to a default."""
        mx, gpu = self.mx, cell.device != "cpu"
        # MLX reads it once, with the first product.
        os.environ[_TF32] = str(int(cell.precision == "tf32"))
        mx.set_default_device(mx.gpu if gpu else mx.cpu)
        mx.enable_compile()  # whatever MLX_DISABLE_COMPILE says
        mx.random.seed(cell.seed)
        packages = {
            one.metadata["Name"]: one.version
            for one in distributions()
            if one.metadata["Name"].startswith(("mlx", "numpy"))
        }
        precision = cell.precision
        if cell.device == "cuda":
            tf32 = os.environ[_TF32] == "1"
            precision = precision_in_effect(cell.precision, tf32=tf32)
        facts = self._facts() if gpu else {}
        mixed = cell.precision in ("bf16", "fp16") and cell.trains
        return Setting(
            compiler=cell.compiler,
            packages=packages,
            precision=precision,
            device_name=facts.get("device_name"),
            devices=({"kind": cell.device} | facts,) if gpu else (),
            math={
                "tf32": os.environ[_TF32] == "1",
                "mixed": "float32 parameters, cast for each step" if mixed else None,
            },
            parameters=self._choices(cell),
        )

    def _choices(self, cell: Cell) -> dict[str, Any]:
        choices: dict[str, Any] = {}
        if cell.offers("memory_format"):
            choices["memory_format"] = "channels_last"
        if cell.counts_tokens:
            choices["attention"] = "sdpa"
        elif cell.kind == "transformer":
            choices["attention"] = "products and softmax, with dropout"
        if cell.precision == "fp16" and cell.trains:
            choices["grad_scaler"] = False
        return choices

    def prepare(self, cell: Cell) -> Work:
        """Return the training or the operation of *cell*."""
        lacks = cell.device == "cpu" and not shutil.which("g++")
        if cell.compiler != "eager" and lacks:
            # Else it compiles nothing, in silence.
            raise UnsupportedError("mx.compile needs g++ on the CPU; install one")
        module, name = "training", "Training"
        if cell.operation:
            module, name = "device", "MlxOperation"
        elif cell.counts_tokens:
            module, name = "language", "Finetuning" if cell.trains else "Writing"
        works: Any = importlib.import_module(f"mlx_work.{module}")
        return getattr(works, name)(cell)  # type: ignore[no-any-return]


if __name__ == "__main__":
    sys.exit(main(Mlx()))
