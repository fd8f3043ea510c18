"""How devices and frameworks are written: alike in every language, page and table."""

_DEVICES = {
    "cpu": "CPU",
    "cuda": "CUDA",
    "metal": "Metal",
    "npu": "NPU",
    "opencl": "OpenCL",
    "rocm": "ROCm",
    "sycl": "SYCL",
    "tpu": "TPU",
    "vulkan": "Vulkan",
}
_FRAMEWORKS = {
    "jax": "JAX",
    "mlx": "MLX",
    "needle": "Needle",
    "numpy": "NumPy",
    "tensorflow": "TensorFlow",
    "torch": "PyTorch",
}
FRAMEWORKS = tuple(_FRAMEWORKS)
PRECISIONS = ("fp64", "fp32", "tf32", "bf16", "fp16")


def device_title(device: str) -> str:
    """Return a device as its technology is called."""
    return _DEVICES.get(device, device)


def framework_title(framework: str) -> str:
    """Return a framework as its makers write it; a version may follow the token."""
    name, space, version = framework.partition(" ")
    return _FRAMEWORKS.get(name, name) + space + version


def system_title(accelerator: str | None, device: str, framework: str) -> str:
    """Return in English what a report calls a system, with its framework."""
    return " · ".join(
        (
            accelerator or "chip not stated",
            "device not stated" if device == "unknown" else device_title(device),
            "framework not stated"
            if framework == "unknown"
            else framework_title(framework),
        )
    )
