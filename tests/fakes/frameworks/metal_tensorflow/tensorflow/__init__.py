"""Stands in for TensorFlow with or without its Metal plug-in, for single operations."""

from types import SimpleNamespace

import apple_gpu
from number_types import bfloat16, float16, float32, float64

from tensorflow._state import NotFoundError, fail_as_asked, plugin_installed
from tensorflow._tensor import Tensor, add, cast, device, matmul, reshape

fail_as_asked()

__all__ = [
    "Tensor",
    "add",
    "bfloat16",
    "cast",
    "device",
    "float16",
    "float32",
    "float64",
    "matmul",
    "reshape",
]
__version__ = "2.19.1"
_METAL = SimpleNamespace(name="/physical_device:GPU:0", device_type="GPU")
_switches = {"tf32": True}


def _gpus(kind):
    found = kind == "GPU" and plugin_installed() and apple_gpu.there()
    return [_METAL] if found else []


def _kind(place):
    return SimpleNamespace(device_type=place.rsplit(":", 2)[1])


def function(python, **_how):
    return python


DeviceSpec = SimpleNamespace(from_string=_kind)
errors = SimpleNamespace(NotFoundError=NotFoundError)
test = SimpleNamespace(is_built_with_cuda=lambda: False)
config = SimpleNamespace(
    list_physical_devices=_gpus,
    set_visible_devices=lambda _devices, _kind: None,
    get_soft_device_placement=lambda: True,
    threading=SimpleNamespace(get_intra_op_parallelism_threads=lambda: 0),
    experimental=SimpleNamespace(
        enable_tensor_float_32_execution=lambda on: _switches.update(tf32=on),
        tensor_float_32_execution_enabled=lambda: _switches["tf32"],
    ),
)
