"""Stands in for PyTorch on Metal, as far as single operations need it."""

# ruff: noqa: A001 - names are PyTorch's

import os
from types import SimpleNamespace

import apple_gpu
import numpy as np
from number_types import bfloat16, float16, float32, float64, int64, uint8

from torch import nn, utils
from torch._absent import absent
from torch._tensor import Tensor, entrywise
from torch._tensor import product as _product

__all__ = [
    "Tensor",
    "bfloat16",
    "float16",
    "float32",
    "float64",
    "int64",
    "nn",
    "uint8",
    "utils",
]
__version__ = "2.15.0"
channels_last, contiguous_format = "channels_last", "contiguous_format"
version = SimpleNamespace(cuda=None, hip=None)
__config__ = SimpleNamespace(show=lambda: "Build settings: BLAS_INFO=accelerate, ")
cuda = SimpleNamespace(is_available=lambda: False)
optim = SimpleNamespace(SGD=absent("SGD"), Adam=absent("Adam"))
amp = SimpleNamespace(GradScaler=absent("GradScaler"))
autocast = absent("autocast")
backends = SimpleNamespace(
    cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False)),
    cudnn=SimpleNamespace(allow_tf32=True, benchmark=False),
    mps=SimpleNamespace(
        is_built=lambda: True,
        is_available=apple_gpu.there,
        get_name=lambda: apple_gpu.NAME,
        get_core_count=lambda: apple_gpu.CORES,
    ),
)
mps = SimpleNamespace(
    synchronize=apple_gpu.QUEUE.wait,
    empty_cache=lambda: None,
    current_allocated_memory=lambda: apple_gpu.QUEUE.allocated,
    driver_allocated_memory=lambda: apple_gpu.QUEUE.allocated + 2**20,
    recommended_max_memory=lambda: apple_gpu.MEMORY,
    manual_seed=lambda _seed: None,
)
if os.environ.get("FAKE_TORCH") == "old":  # what came after 2.4
    __version__ = "2.4.0"
    del backends.mps.get_name, mps.recommended_max_memory
_float32_precision = ["highest"]


def set_float32_matmul_precision(name):
    _float32_precision[0] = name


def get_float32_matmul_precision():
    return _float32_precision[0]


def get_num_threads():
    return 1


class Generator:
    def __init__(self):
        self.manual_seed(0)

    def manual_seed(self, seed):
        self.random = np.random.default_rng(seed)
        return self


default_generator = Generator()


def manual_seed(seed):
    return default_generator.manual_seed(seed)


def from_numpy(array):
    dtype = {"float64": float64, "float32": float32}[array.dtype.name]
    return Tensor(array, array.shape, dtype)


def empty(shape, *, device="cpu", dtype=float32):
    return Tensor(lambda: np.zeros(shape), shape, dtype, device)


def tensor(entries, dtype=int64):
    return Tensor(np.asarray(entries, dtype.kept_as), np.shape(entries), dtype)


def mm(a, b, out=None):
    return _product(a, b, out)


def add(a, b, out=None):
    return entrywise(np.add, (a, b), out)


def addcmul(c, a, b, out=None):
    return entrywise(lambda z, x, y: z + x * y, (c, a, b), out)


def compile(function, **_how):
    raise NotImplementedError("this torch is a fake: it compiles nothing")
