# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "numpy>=1.26",
#   "tensorflow>=2.18; sys_platform != 'darwin'",
#   "tensorflow>=2.18,<2.20; sys_platform == 'darwin' and python_version < '3.13'",
#   "tensorflow-metal==1.2.0; sys_platform == 'darwin' and python_version < '3.13'",
#   "nvidia-ml-py>=12.535; sys_platform != 'darwin'",
#   "zeus-apple-silicon>=1.1; sys_platform == 'darwin' and platform_machine == 'arm64'",
# ]
# ///
"""Measure standard workloads with TensorFlow on the CPU, Metal or CUDA."""

import importlib
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

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
from harness.process import usable_cpus

_MODULES = ("tensorflow", "keras", "numpy")
# Later TensorFlows lack symbols that the last Metal plug-in needs.
_METAL_PAIR = (
    'pip install "tensorflow>=2.18,<2.20" tensorflow-metal==1.2.0, '
    "with Python 3.12 or older"
)
_POLICIES = {
    "fp32": "float32",
    "tf32": "float32",
    "bf16": "mixed_bfloat16",
    "fp16": "mixed_float16",
    "fp64": "float64",
}


class TensorFlow(Framework):
    """What the harness asks of a framework, for TensorFlow."""

    name = "tensorflow"
    title = "TensorFlow"
    modules: ClassVar = dict.fromkeys(WORKLOADS, _MODULES)
    compilers = ("graph", "xla", "eager")
    counterparts: ClassVar = {"cuda": "xla"}
    install = (
        _METAL_PAIR if commands.platform() == "darwin" else "pip install tensorflow"
    )

    def load(self, _workload: str | None) -> str:
        """Import TensorFlow and Keras; return TensorFlow's version."""
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        os.environ["KERAS_BACKEND"] = "tensorflow"
        # Keras writes its settings when it is imported; they are not the user's.
        with tempfile.TemporaryDirectory() as folder, quiet_stderr():
            os.environ["KERAS_HOME"] = folder
            self.tf: Any = importlib.import_module("tensorflow")
            self.keras: Any = importlib.import_module("keras")
        return str(self.tf.__version__)

    def devices(self) -> dict[str, Device]:
        """Return the CPU, and the GPU that TensorFlow would use."""
        with quiet_stderr():
            self.gpus = self.tf.config.list_physical_devices("GPU")
        cpu = Device(name=platform.processor() or platform.machine())
        return {"cpu": cpu, "metal": self._metal(), "cuda": self._cuda()}

    def _metal(self) -> Device:
        if obstacle := metal_obstacle():
            return Device(why=obstacle[0], install=obstacle[1])
        if self.gpus:
            return Device(name="Apple GPU")
        plugin = _installed("tensorflow-metal")
        text = f"tensorflow-metal {plugin}" if plugin else "no tensorflow-metal"
        why = f"TensorFlow {self.tf.__version__} finds no Metal device ({text})"
        return Device(why=why, install=_METAL_PAIR)

    def _cuda(self) -> Device:
        number = self.tf.__version__
        if not self.tf.test.is_built_with_cuda():
            why = f"TensorFlow {number} was built without CUDA"
            return Device(
                why=why, install='pip install "tensorflow[and-cuda]" on Linux'
            )
        if not self.gpus:
            why = f"TensorFlow {number} finds no CUDA device"
            install = 'check nvidia-smi, and pip install "tensorflow[and-cuda]"'
            return Device(why=why, install=install)
        details = self.tf.config.experimental.get_device_details(self.gpus[0])
        return Device(name=details.get("device_name"))

    def precisions(self, device: str) -> tuple[str, ...]:
        """Return what the device has kernels for."""
        if device == "cpu":
            return ("fp32", "bf16", "fp16", "fp64")
        if device == "metal":
            return ("fp32", "fp16")
        details = self.tf.config.experimental.get_device_details(self.gpus[0])
        return nvidia_precisions(details.get("compute_capability", (0, 0)))

    def configure(self, cell: Cell) -> Setting:
        """Choose device, math modes and seeds, before the runtime starts."""
        config = self.tf.config
        device = self.devices()[cell.device]
        config.set_visible_devices([] if cell.device == "cpu" else self.gpus[:1], "GPU")
        if cell.device == "cuda":
            # Else TensorFlow takes the whole card, whatever it needs.
            config.experimental.set_memory_growth(self.gpus[0], enable=True)
        config.experimental.enable_tensor_float_32_execution(cell.precision == "tf32")
        self.keras.config.set_dtype_policy(_POLICIES[cell.precision])
        self.keras.utils.set_random_seed(cell.seed)
        tf32 = config.experimental.tensor_float_32_execution_enabled()
        names = (*_MODULES, "tensorflow-metal", "tensorflow-macos")
        packages = {name: number for name in names if (number := _installed(name))}
        precision = cell.precision
        if cell.device == "cuda":
            build = self.tf.sysconfig.get_build_info()
            packages["cuda"] = build["cuda_version"]
            packages["cudnn"] = build["cudnn_version"]
            if "tf32" in self.precisions("cuda"):
                precision = precision_in_effect(cell.precision, tf32=tf32)
        return Setting(
            compiler=cell.compiler,
            packages=packages,
            precision=precision,
            device_name=device.name if cell.device == "cuda" else None,
            math={
                "policy": self.keras.config.dtype_policy().name,
                "tf32": tf32,
                "soft_device_placement": config.get_soft_device_placement(),
                "onednn": os.environ.get("TF_ENABLE_ONEDNN_OPTS", "default"),
                "jit_compile": cell.compiler == "xla",
            },
            parameters=self._choices(cell),
        )

    def _choices(self, cell: Cell) -> dict[str, Any]:
        threads = self.tf.config.threading.get_intra_op_parallelism_threads()
        choices: dict[str, Any] = {"threads": threads or usable_cpus()}
        if cell.offers("memory_format"):
            choices["memory_format"] = self.keras.config.image_data_format()
        if cell.kind == "transformer":
            choices["attention"] = "MultiHeadAttention of Keras"
        if cell.precision == "fp16" and cell.kind != "operation":
            choices["grad_scaler"] = True
        return choices

    def prepare(self, cell: Cell) -> Work:
        """Return the training or the operation of *cell*."""
        if cell.compiler == "xla" and cell.device == "metal":
            raise UnsupportedError("tensorflow-metal has no XLA; use graph or eager")
        return super().prepare(cell)


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Hold back what TensorFlow's libraries print, unless something goes wrong.

    Some of it comes before any log level is heeded.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        except BaseException:
            held.seek(0)
            os.write(kept, held.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)


if __name__ == "__main__":
    sys.exit(main(TensorFlow()))
