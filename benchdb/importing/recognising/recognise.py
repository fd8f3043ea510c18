"""What words of other people mean: a chip, our workload, a framework, a device.

Each function returns what a whole text names, and ``None`` where it names nothing that
we know, or several things: then the source's own word is all there is.
"""

import re
from collections.abc import Mapping
from functools import cache

from benchdb.catalogue import workloads
from benchdb.exchange.lines import Device
from benchdb.importing.recognising.chips import (
    TEXT_LIMIT,
    RecognisedChip,
    chip,
    chips,
    tidied,
)
from benchdb.importing.recognising.frameworks import framework, framework_version
from benchdb.importing.recognising.sizes import model
from benchdb.importing.recognising.systems import os
from benchdb.importing.recognising.words import meant, named, patterns

_DROPPED = re.compile(r"[^a-z0-9\u0080-\U0010ffff]+")
# Words around the name of a workload that do not make it another one.
_AROUND = re.compile(
    r"\.(?:py|ipynb)$|[\s_-]+(?:model|network|net|training|train|script|benchmark|bench"
    r"|模型|训练|모델|학습|モデル|学習)$|[\s_-]*\(\s*(?:training|train)\s*\)$",
    re.IGNORECASE,
)
_WORKLOADS: Mapping[str, tuple[str, ...]] = {
    "lstm": ("lstm",),
    "mnist": ("mnist", "mnist mlp", "mlp mnist"),
    "mnist-cnn": ("mnist cnn", "cnn mnist", "mnist convnet", "cnn on mnist"),
    "resnet50": ("resnet50", "rn50", "resnet50 v1", "resnet50 v1.5"),
    "resnet18": ("resnet18", "rn18"),
    "mobilenetv2": ("mobilenet v2",),
    "distilbert": (
        "distilbert",
        "distilbert base",
        "distilbert base uncased",
        "huggingface distilbert",
    ),
    "bert-large": ("bert large", "bert large uncased", "huggingface bert large"),
    "efficientnet-b0": ("efficientnet b0", "effnet b0"),
    "mobilenetv2-cifar10": ("mobilenet v2 cifar10", "mobilenet v2 on cifar10"),
    "matmul": (
        "matmul",
        "mat mul",
        "gemm",
        "sgemm",
        "hgemm",
        "dgemm",
        "matrix multiplication",
        "matrix multiply",
        "matrix product",
        "matrix matrix multiplication",
        "matrixmultiplikation",
        "matrizenmultiplikation",
        "matrixprodukt",
        "multiplication de matrices",
        "produit matriciel",
        "multiplicación de matrices",
        "행렬곱",
        "행렬 곱셈",
        "矩阵乘法",
        "矩阵乘",
        "行列積",
    ),
    "elementwise": ("elementwise", "elementwise addition", "elementwise add"),
    "bandwidth": ("bandwidth", "memory bandwidth", "speicherbandbreite", "内存带宽"),
    "conv": ("conv", "conv2d", "convolution", "faltung", "卷积", "합성곱"),
}


def workload(text: str) -> str | None:
    """Return our name of the workload; ``None`` for one that we do not have.

    ``ResNet-50 inference`` is none: ours are training steps.
    """
    if len(text) > TEXT_LIMIT:
        return None
    name = tidied(text)
    while (shorter := _AROUND.sub("", name)) != name and shorter:
        name = shorter
    return _known_workloads().get(_key(name))


@cache
def _known_workloads() -> dict[str, str]:
    known = {_key(name): name for name in workloads()}
    known |= {_key(one.title): name for name, one in workloads().items()}
    return known | {_key(a): name for name, also in _WORKLOADS.items() for a in also}


def _key(name: str) -> str:
    return _DROPPED.sub("", name.casefold())


_NEGATED = re.compile(
    r"(?<![a-z])(?:no|non|not|without|w/o|ohne|kein\w*|sans|sin|disabled|off)(?![a-z])"
)
_DEVICES = patterns(
    {
        "metal": ("mps", "metal", "metal performance shaders"),
        "cuda": (r"cuda(?::\d+)?",),
        "cpu": (r"cpus?(?::\d+)?",),
        "rocm": ("rocm", "hip"),
        "vulkan": ("vulkan",),
        "opencl": ("opencl",),
        "sycl": ("sycl", "oneapi", "xpu"),
        "npu": ("npu", "ane", "neural engine", "apple neural engine"),
        "tpu": (r"tpu(?: ?v\d\w?)?",),
    }
)
_GPU = re.compile(r"(?<![a-z])gpus?(?![a-z])", re.IGNORECASE)


def device(text: str, on: RecognisedChip | None = None) -> Device | None:
    """Return the back end that *text* names.

    ``GPU`` names none, unless it is known whose it is: *on* a chip of Apple it is
    ``metal``, on a card of NVIDIA ``cuda``. ``CPU/GPU`` and ``without GPU`` name none.
    """
    plain = tidied(text).casefold() if len(text) <= TEXT_LIMIT else ""
    if _NEGATED.search(plain):
        return None
    found = meant(plain, _DEVICES)
    if not _GPU.search(plain):
        return _DEVICE_NAMES.get(found or "")
    if found == "cpu":  # CPU/GPU
        return None
    if found is None and on is not None and not named(plain, _DEVICES):
        return _GPU_OF.get(on.vendor)
    return _DEVICE_NAMES.get(found or "")


_DEVICE_NAMES: dict[str, Device] = {
    "metal": "metal",
    "cuda": "cuda",
    "cpu": "cpu",
    "rocm": "rocm",
    "vulkan": "vulkan",
    "opencl": "opencl",
    "sycl": "sycl",
    "npu": "npu",
    "tpu": "tpu",
}
_GPU_OF: dict[str, Device] = {"Apple": "metal", "NVIDIA": "cuda", "Google": "tpu"}

_PRECISIONS = patterns(
    {
        "fp16": ("fp16", "fp-16", "float16", "half", "half precision", "f16", "fp 16"),
        "fp32": (
            "fp32",
            "fp-32",
            "fp 32",
            "float32",
            "f32",
            "single",
            "single precision",
            "full precision",
        ),
        "fp64": ("fp64", "fp-64", "float64", "f64", "double", "double precision"),
        "bf16": ("bf16", "bfloat16", "bfloat 16"),
        "tf32": ("tf32", "tensorfloat-32", "tensorfloat32"),
        "fp8": ("fp8", "float8", r"fp8[ _-]?e[45]m[23]", "f8"),
        "int8": ("int8", "i8", "w8a8"),
        "int4": ("int4", "i4"),
    }
)
_MIXED = re.compile(r"(?<![a-z])(?:mixed|amp|gemischt|混合精度)(?![a-z])")
_QUANTISED = re.compile(r"i?q\d(?:_[a-z0-9]{1,4}){0,2}|\d-?bits?")


def precision(text: str) -> str | None:
    """Return ``fp16``, ``bf16`` …; ``fp16-mixed`` and ``mixed`` for mixed precision.

    Quantisations keep their own names in lower case: ``q4_k_m``, ``4-bit``.
    """
    if len(text) > TEXT_LIMIT:
        return None
    plain = tidied(text).casefold().replace("mixed_", "mixed ")
    found = meant(plain, _PRECISIONS)
    if _MIXED.search(plain):
        return f"{found}-mixed" if found in ("fp16", "bf16") else _mixed(plain)
    if found is None and _QUANTISED.fullmatch(plain):
        return plain.removesuffix("s")
    return found


def _mixed(plain: str) -> str | None:
    return None if named(plain, _PRECISIONS) else "mixed"


__all__ = [
    "RecognisedChip",
    "chip",
    "chips",
    "device",
    "framework",
    "framework_version",
    "model",
    "os",
    "precision",
    "workload",
]
