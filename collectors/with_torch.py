# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "numpy>=1.26", "torch>=2.4", "torchvision>=0.19", "transformers>=5",
# ]
# ///
"""Measure standard workloads with PyTorch on the CPU, Metal (MPS) or CUDA."""

import importlib
import os
import platform
import re
import sys
import warnings
from importlib.metadata import version
from typing import Any, ClassVar

from _apple import metal_obstacle
from _cell import Cell
from _framework import Device, Setting, UnsupportedError, Work
from _harness import main

_VISION = ("torch", "numpy", "torchvision")


class Torch:
    """What the harness asks of a framework, for PyTorch."""

    name = "torch"
    title = "PyTorch"
    modules: ClassVar = {
        "lstm": ("torch", "numpy"),
        "mnist": ("torch", "numpy"),
        "resnet50": _VISION,
        "mobilenetv2": _VISION,
        "distilbert": ("torch", "numpy", "transformers"),
        "matmul": ("torch", "numpy"),
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
            importlib.import_module("transformers.models.distilbert")
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
            return Device(why=why, install="update macOS")
        # get_name came with torch 2.9.
        return Device(name=mps.get_name() if hasattr(mps, "get_name") else "Apple GPU")

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
        torch.manual_seed(cell.seed)
        set_tf32(torch, on=cell.precision == "tf32")
        torch.backends.cudnn.benchmark = False
        return Setting(
            compiler="eager",
            packages=self._packages(cell),
            device_name=None
            if cell.device == "cpu"
            else self.devices()[cell.device].name,
            devices=tuple(self._limits(cell.device)),
            math=self._math(cell),
            parameters=self._choices(cell),
        )

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
        mixed = cell.precision in ("bf16", "fp16") and cell.kind != "operation"
        blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
        return {
            "autocast": cell.precision if mixed else None,
            "matmul_tf32": torch.backends.cuda.matmul.allow_tf32,
            "cudnn_tf32": torch.backends.cudnn.allow_tf32,
            "cudnn_benchmark": torch.backends.cudnn.benchmark,
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
            "blas": blas.group(1) if blas else None,
        }

    def _choices(self, cell: Cell) -> dict[str, Any]:
        choices: dict[str, Any] = {"threads": self.torch.get_num_threads()}
        if cell.kind == "cnn":
            choices["memory_format"] = "contiguous"
        if cell.kind == "transformer":
            choices["attention"] = "sdpa"
        if cell.precision == "fp16" and cell.kind != "operation":
            choices["grad_scaler"] = cell.device == "cuda"
        return choices

    def prepare(self, cell: Cell) -> Work:
        """Return the training or the product of *cell*."""
        work: Any = importlib.import_module("_torch_work")
        if cell.kind == "operation":
            return work.Product(cell)  # type: ignore[no-any-return]
        try:
            return work.Training(cell)  # type: ignore[no-any-return]
        except RuntimeError as refusal:  # autocast that this device does not have
            raise UnsupportedError(str(refusal)) from refusal


def set_tf32(torch: Any, *, on: bool) -> None:
    """Allow TF32 everywhere or nowhere; PyTorch's defaults differ by operation."""
    with warnings.catch_warnings():
        # From 2.9 on these have newer names, which older releases do not know.
        warnings.simplefilter("ignore")
        torch.set_float32_matmul_precision("high" if on else "highest")
        torch.backends.cuda.matmul.allow_tf32 = on
        torch.backends.cudnn.allow_tf32 = on


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
