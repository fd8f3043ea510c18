# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "numpy>=1.26", "torch>=2.4", "torchvision>=0.19", "transformers>=5",
#   "nvidia-ml-py>=12.535; sys_platform != 'darwin'",
#   "zeus-apple-silicon>=1.1; sys_platform == 'darwin' and platform_machine == 'arm64'",
# ]
# ///
"""Measure standard workloads with PyTorch on the CPU, Metal (MPS) or CUDA."""

import importlib
import os
import platform
import re
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from fingerprint.macos import metal_obstacle
from harness.cells import Cell
from harness.framework import Device, Setting, UnsupportedError, Work
from harness.main import main

_PLAIN = ("torch", "numpy")
_VISION = (*_PLAIN, "torchvision")
_TRANSFORMERS = (*_PLAIN, "transformers")
_FORMATS = ("contiguous", "channels_last")
_NO_METAL = "update macOS; if this is a virtual machine, measure on the Mac itself"
_OPTIMISERS = ("default", "foreach", "fused")
_FORCED = {"0": "fp32", "1": "tf32"}


class Torch:
    """What the harness asks of a framework, for PyTorch."""

    name = "torch"
    title = "PyTorch"
    compilers: ClassVar = ("eager", "inductor")
    options: ClassVar = {
        "memory_format": _FORMATS,
        "optimizer_implementation": _OPTIMISERS,
    }
    modules: ClassVar = {
        "lstm": _PLAIN,
        "mnist": _PLAIN,
        "mnist-cnn": _PLAIN,
        "resnet50": _VISION,
        "mobilenetv2": _VISION,
        "distilbert": _TRANSFORMERS,
        "bert-large": _TRANSFORMERS,
        "matmul": _PLAIN,
        "vgg16": _VISION,
        "alexnet": _VISION,
        "resnet18": _VISION,
        "efficientnet-b0": _VISION,
        "mobilenetv2-cifar10": _VISION,
        "resnet9": _PLAIN,
        "elementwise": _PLAIN,
        "bandwidth": _PLAIN,
        "conv": _PLAIN,
    }
    install = 'pip install torch torchvision "transformers>=5" numpy'

    def load(self, workload: str | None) -> str:
        """Import PyTorch and the models of *workload*; return PyTorch's version."""
        # Models are made from their configuration; nothing may be looked up.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        self.torch: Any = importlib.import_module("torch")
        modules = self.modules.get(workload or "", ())
        if "transformers" in modules or "torchvision" in modules:
            # Transformers imports torchvision too, if it is there.
            self._kept = import_torchvision(self.torch)
        if "transformers" in modules:
            name = "distilbert" if workload == "distilbert" else "bert"
            importlib.import_module(f"transformers.models.{name}")
        return str(self.torch.__version__)

    def devices(self) -> dict[str, Device]:
        """Return the CPU, and the GPU that PyTorch would use."""
        cpu = Device(name=platform.processor() or platform.machine())
        return {"cpu": cpu, "metal": self._metal(), "cuda": self._cuda()}

    def _metal(self) -> Device:
        if obstacle := metal_obstacle():
            return Device(why=obstacle[0], install=obstacle[1])
        mps, number = self.torch.backends.mps, self.torch.__version__
        if not mps.is_built():
            why = f"torch {number} was built without MPS"
            return Device(why=why, install="install PyTorch's own wheel for macOS")
        if not mps.is_available():
            why = f"torch {number} finds no Metal device on this macOS"
            return Device(why=why, install=_NO_METAL)
        return Device(name=self._metal_name() or "Apple GPU")

    def _cuda(self) -> Device:
        torch = self.torch
        if torch.version.cuda is None and torch.version.hip is None:
            why = f"torch {torch.__version__} was built without CUDA"
            return Device(why=why, install="install a CUDA build of torch")
        if not torch.cuda.is_available():
            why = f"torch {torch.__version__} finds no CUDA device"
            return Device(why=why, install="check NVIDIA's driver with nvidia-smi")
        return Device(name=torch.cuda.get_device_name(0))

    def precisions(self, device: str) -> tuple[str, ...]:
        """Return what the device computes in itself, nothing emulated."""
        if device == "cpu":
            return ("fp32", "bf16", "fp16", "fp64")
        if device == "metal":
            return ("fp32", "bf16", "fp16")
        # TF32 and bf16 came with compute capability 8.
        ampere = self.torch.cuda.get_device_capability(0) >= (8, 0)
        return ("fp32", *(("tf32", "bf16") if ampere else ()), "fp16", "fp64")

    def configure(self, cell: Cell) -> Setting:
        """Choose math modes and seeds, nothing left to a default."""
        torch = self.torch
        # Which imports PyTorch itself, so not before here.
        self.tensors: Any = importlib.import_module("torch_work.device")
        torch.manual_seed(cell.seed)
        self.tensors.set_tf32(on=cell.precision == "tf32")
        torch.backends.cudnn.benchmark = False
        return Setting(
            compiler=cell.compiler,
            packages=self._packages(cell),
            precision=self._precision(cell),
            device_name=self._device_name(cell.device),
            devices=tuple(self._limits(cell.device)),
            math=self._math(cell),
            parameters=self._choices(cell),
        )

    def _device_name(self, device: str) -> str | None:
        if device == "cuda":
            return self.devices()["cuda"].name
        return self._metal_name() if device == "metal" else None

    def _metal_name(self) -> str | None:
        """Return the GPU's name; none before torch 2.9, where the chip is the best."""
        mps = self.torch.backends.mps
        return str(mps.get_name()) if hasattr(mps, "get_name") else None

    def _precision(self, cell: Cell) -> str:
        """Return what the switches say now, or NVIDIA's own variable."""
        asked = cell.precision
        usual = asked in ("fp32", "tf32") and cell.device == "cuda"
        if not usual or "tf32" not in self.precisions("cuda"):
            return asked
        return float32_in_effect(self.tensors.tf32_switches(), os.environ)

    def _packages(self, cell: Cell) -> dict[str, str]:
        torch = self.torch
        found = {name: version(name) for name in self.modules[cell.workload]}
        found["torch"] = torch.__version__  # with the build's suffix, +cpu or +cu130
        if cell.device == "cuda":
            found["cuda"] = str(torch.version.cuda or torch.version.hip)
            found["cudnn"] = str(torch.backends.cudnn.version())
        return found

    def _limits(self, device: str) -> list[dict[str, Any]]:
        torch = self.torch
        if device == "metal":
            if not hasattr(torch.mps, "recommended_max_memory"):  # as in torch 2.4
                return []
            limit = torch.mps.recommended_max_memory()
            return [{"kind": "metal", "recommended_max_memory_bytes": limit}]
        if device == "cuda":
            facts = torch.cuda.get_device_properties(0)
            capability = f"{facts.major}.{facts.minor}"
            return [
                {
                    "kind": "cuda",
                    "name": facts.name,
                    "memory_bytes": facts.total_memory,
                    "compute_capability": capability,
                    "multiprocessors": facts.multi_processor_count,
                }
            ]
        return []

    def _math(self, cell: Cell) -> dict[str, Any]:
        torch = self.torch
        mixed = cell.precision in ("bf16", "fp16") and not cell.operation
        blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
        return {
            "autocast": cell.precision if mixed else None,
            **self.tensors.tf32_switches(),
            "cudnn_benchmark": torch.backends.cudnn.benchmark,
            "blas": blas.group(1) if blas else None,
        }

    def _choices(self, cell: Cell) -> dict[str, Any]:
        choices: dict[str, Any] = {"threads": self.torch.get_num_threads()}
        chosen = cell.parameters
        for name, values in self.options.items():
            if cell.offers(name):
                choices[name] = chosen.get(name, values[0])
        if cell.kind == "transformer":
            choices["attention"] = "sdpa"
        if cell.precision == "fp16" and not cell.operation:
            choices["grad_scaler"] = cell.device == "cuda"
        return choices

    def prepare(self, cell: Cell) -> Work:
        """Return the training or the operation of *cell*."""
        compiled = cell.compiler == "inductor"
        if compiled and (obstacle := compiling_obstacle(cell.device)):
            raise UnsupportedError(obstacle)
        module = "torch_work." + ("device" if cell.operation else "training")
        works: Any = importlib.import_module(module)
        kind = works.TorchOperation if cell.operation else works.Training
        try:
            return kind(cell)  # type: ignore[no-any-return]
        except RuntimeError as refusal:  # autocast that this device does not have
            raise UnsupportedError(str(refusal)) from refusal


def float32_in_effect(
    switches: Mapping[str, Any], environment: Mapping[str, str]
) -> str:
    """Return what float32 is on an NVIDIA GPU that has TF32: fp32 or tf32.

    NVIDIA's libraries heed their variable whatever a program sets.
    """
    if forced := _FORCED.get(environment.get("NVIDIA_TF32_OVERRIDE", "")):
        return forced
    on = switches["matmul_tf32"] or switches["cudnn_tf32"]
    return "tf32" if on else "fp32"


def compiling_obstacle(device: str) -> str | None:
    """Return why nothing can be compiled for *device* and what to install, or None."""
    if device == "cuda":
        if find_spec("triton"):
            return None
        return "torch.compile needs Triton for CUDA; pip install triton"
    # PyTorch looks for the same; Metal's kernels are started from C++ as well.
    usual = "clang++" if sys.platform == "darwin" else "g++"
    compiler = os.environ.get("CXX", usual)
    if not shutil.which(compiler):
        lack = f"a C++ compiler and finds no {compiler}; install one"
        return f"torch.compile needs {lack}"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "torch.compile needs Python's headers; install python3-dev"
    return None


def import_torchvision(torch: Any) -> Any:
    """Import torchvision; return what must be kept alive for it, if anything.

    Beside a CPU build of PyTorch its compiled part may not load, and its import then
    fails for want of two operators. No model here uses them; declared, they do.
    """
    try:
        importlib.import_module("torchvision")
    except ImportError:
        return None
    except RuntimeError as failure:
        if "torchvision::nms" not in str(failure):
            raise
    else:
        return None
    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(
            f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
        )
    importlib.import_module("torchvision")
    return library


if __name__ == "__main__":
    sys.exit(main(Torch()))
