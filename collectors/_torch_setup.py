"""How PyTorch is set up: torchvision, TF32, and what compiling needs.

Nothing here imports PyTorch; it is handed in by who did.
"""

import importlib
import os
import shutil
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_FORCED = {"0": "fp32", "1": "tf32"}


def set_tf32(torch: Any, *, on: bool) -> None:
    """Allow TF32 everywhere or nowhere; PyTorch's defaults differ by operation."""
    with warnings.catch_warnings():
        # From 2.9 on these have newer names, which older releases do not know.
        warnings.simplefilter("ignore")
        torch.set_float32_matmul_precision("high" if on else "highest")
        torch.backends.cuda.matmul.allow_tf32 = on
        torch.backends.cudnn.allow_tf32 = on


@contextmanager
def without_tf32(torch: Any) -> Iterator[None]:
    """Compute float32 as float32 for a while, on the CPU as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    set_tf32(torch, on=False)
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.set_float32_matmul_precision(kept[0])
            torch.backends.cudnn.allow_tf32 = kept[1]


def tf32_switches(torch: Any) -> dict[str, Any]:
    """Return the switches as they read now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "matmul_tf32": torch.backends.cuda.matmul.allow_tf32,
            "cudnn_tf32": torch.backends.cudnn.allow_tf32,
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
        }


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
