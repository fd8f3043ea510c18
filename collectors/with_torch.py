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
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import language
from fingerprint.macos import metal_obstacle
from harness.cells import Cell
from harness.framework import (
    DEVICES,
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

_VISION = (
    "resnet50 mobilenetv2 vgg16 alexnet resnet18 efficientnet-b0 mobilenetv2-cifar10"
)
_NO_METAL = "update macOS; if this is a virtual machine, measure on the Mac itself"


class Torch(Framework):
    """What the harness asks of a framework, for PyTorch."""

    name = "torch"
    title = "PyTorch"
    compilers = ("eager", "inductor", "inductor-graphs")
    counterparts: ClassVar = {"cuda": "inductor-graphs"}
    options: ClassVar = {
        "memory_format": ("contiguous", "channels_last"),
        "optimizer_implementation": ("default", "foreach", "fused"),
    }
    modules: ClassVar = {
        **dict.fromkeys((*WORKLOADS, *language.WORKLOADS), ("torch", "numpy")),
        **dict.fromkeys(_VISION.split(), ("torch", "numpy", "torchvision")),
        **dict.fromkeys(
            ("distilbert", "bert-large"), ("torch", "numpy", "transformers")
        ),
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

    def _metal_name(self) -> str | None:
        """Return the GPU's name; none before torch 2.9, where the chip is the best."""
        mps = self.torch.backends.mps
        return str(mps.get_name()) if hasattr(mps, "get_name") else None

    def precisions(self, device: str) -> tuple[str, ...]:
        """Return what the device computes in itself, nothing emulated."""
        if device == "cpu":
            return ("fp32", "bf16", "fp16", "fp64")
        if device == "metal":
            return ("fp32", "bf16", "fp16")
        return nvidia_precisions(self.torch.cuda.get_device_capability(0))

    def configure(self, cell: Cell) -> Setting:
        """Choose math modes and seeds, nothing left to a default."""
        torch = self.torch
        # Which imports PyTorch itself, so not before here.
        tensors: Any = importlib.import_module("torch_work.device")
        torch.manual_seed(cell.seed)
        tensors.set_tf32(on=cell.precision == "tf32")
        torch.backends.cudnn.benchmark = False
        switches = tensors.tf32_switches()
        mixed = cell.precision in ("bf16", "fp16") and cell.trains
        blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
        packages = {name: version(name) for name in self.modules[cell.workload]}
        packages["torch"] = torch.__version__  # with the build's suffix, +cpu or +cu130
        precision, name = cell.precision, None
        if cell.device == "cuda":
            packages["cuda"] = str(torch.version.cuda or torch.version.hip)
            packages["cudnn"] = str(torch.backends.cudnn.version())
            name = torch.cuda.get_device_name(0)
            if "tf32" in self.precisions("cuda"):
                on = switches["matmul_tf32"] or switches["cudnn_tf32"]
                precision = precision_in_effect(cell.precision, tf32=on)
        elif cell.device == "metal":
            name = self._metal_name()
        return Setting(
            compiler=cell.compiler,
            packages=packages,
            precision=precision,
            device_name=name,
            devices=tuple(self._limits(cell.device)),
            math={
                "autocast": cell.precision if mixed else None,
                **switches,
                "cudnn_benchmark": torch.backends.cudnn.benchmark,
                "blas": blas.group(1) if blas else None,
            },
            parameters=self._choices(cell),
        )

    def _limits(self, device: str) -> list[dict[str, Any]]:
        torch = self.torch
        if device == "metal":
            if not hasattr(torch.mps, "recommended_max_memory"):  # as in torch 2.4
                return []
            limit = torch.mps.recommended_max_memory()
            return [{"kind": "metal", "recommended_max_memory_bytes": limit}]
        if device == "cuda":
            facts = torch.cuda.get_device_properties(0)
            return [
                {
                    "kind": "cuda",
                    "name": facts.name,
                    "memory_bytes": facts.total_memory,
                    "compute_capability": f"{facts.major}.{facts.minor}",
                    "multiprocessors": facts.multi_processor_count,
                }
            ]
        return []

    def _choices(self, cell: Cell) -> dict[str, Any]:
        choices: dict[str, Any] = {"threads": self.torch.get_num_threads()}
        for name, values in self.options.items():
            if cell.offers(name):
                choices[name] = cell.parameters.get(name, values[0])
        if cell.kind in ("transformer", "inference"):
            choices["attention"] = "sdpa"
        if cell.precision == "fp16" and cell.trains:
            choices["grad_scaler"] = cell.device == "cuda"
        return choices

    def prepare(self, cell: Cell) -> Work:
        """Return the training or the operation of *cell*."""
        if cell.compiler == "inductor-graphs" and cell.device != "cuda":
            device = DEVICES[cell.device]
            raise UnsupportedError(
                f"there are no CUDA graphs on {device}; use inductor"
            )
        compiled = cell.compiler != "eager"
        if compiled and (obstacle := compiling_obstacle(cell.device)):
            raise UnsupportedError(obstacle)
        try:
            return super().prepare(cell)
        except RuntimeError as refusal:  # autocast that this device does not have
            raise UnsupportedError(str(refusal)) from refusal


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
