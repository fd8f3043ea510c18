"""A cell in TensorFlow: its device, with its memory, and what it computes with."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import tensorflow as tf
from fingerprint.macos import metal_kernels
from harness.cells import Cell
from operations import PEAKS, Operation, Tensors

DTYPES = {
    "fp32": tf.float32,
    "tf32": tf.float32,
    "bf16": tf.bfloat16,
    "fp16": tf.float16,
    "fp64": tf.float64,
}
NAMES = {dtype: name for name, dtype in DTYPES.items() if name != "tf32"}


def compiled(function: Any, compiler: str, signature: Any = None) -> Any:
    """Return *function* as *compiler* runs it: graph, xla, or eager as it is."""
    if compiler == "eager":
        return function
    # Keras would turn XLA on for CUDA alone, and compare compilers with it.
    xla = compiler == "xla"
    return tf.function(function, jit_compile=xla, input_signature=signature)


class TensorFlowTensors(Tensors):
    """TensorFlow's tensors on the device of a cell."""

    matmul = staticmethod(tf.matmul)
    add = staticmethod(tf.add)

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is allocated yet."""
        super().__init__(cell)
        self.device = "/CPU:0" if cell.device == "cpu" else "/GPU:0"
        self.one_kernel = cell.compiler == "xla"  # only XLA makes one of two

    @staticmethod
    def multiply_add(a: Any, b: Any, c: Any) -> Any:
        """Return a b + c."""
        return a * b + c

    @staticmethod
    def convolve(images: Any, weights: Any) -> Any:
        """Return the convolution, without padding or bias."""
        return tf.nn.conv2d(images, weights, strides=1, padding="VALID")

    def scope(self) -> AbstractContextManager[Any]:
        """Return the device, on which tensors are made and functions run."""
        return tf.device(self.device)  # type: ignore[no-any-return]

    def tensor(self, array: Any, precision: str | None = None) -> Any:
        """Return an array on the device, in the cell's or another type."""
        return tf.cast(array, DTYPES[precision or self.cell.precision])

    def float64(self, tensor: Any) -> Any:
        """Return an array; NumPy converts, for Metal has no float64."""
        return tensor.numpy().astype("float64")

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return *function* as the cell's compiler runs it, on the device."""
        run = compiled(function, self.cell.compiler)

        def on_device(*operands: Any) -> Any:
            with self.scope():
                return run(*operands)

        return on_device

    def wait_for(self, tensor: Any) -> None:
        """Wait for the device, for all its streams, then for *tensor*."""
        if self.cell.device == "cpu":
            return  # on the CPU a call returns when its work is done
        if self.cell.device == "cuda":
            tf.test.experimental.sync_devices()
        if tensor is not None:
            # A value must arrive, whatever a plug-in thinks of synchronising.
            tf.reshape(tensor, [-1])[0].numpy()

    def place(self, tensor: Any) -> tuple[str, str]:
        """Return device and type; a GPU is the one that the cell asked for."""
        gpu = self.cell.device if self.cell.device != "cpu" else "gpu"
        kind = tf.DeviceSpec.from_string(tensor.device).device_type
        device = {"CPU": "cpu", "GPU": gpu}.get(kind, "other")
        return device, NAMES.get(tensor.dtype, tensor.dtype.name)

    def path(self) -> dict[str, str | None]:
        """Return what decides on Metal's kernels, by the SDK of the plugin."""
        if self.cell.device != "metal":
            return {}
        packages = Path(tf.__file__).parents[1]
        plugin = packages / "tensorflow-plugins" / "libmetal_plugin.dylib"
        return metal_kernels(plugin)

    def memory(self) -> dict[str, int | str]:
        """Return the peak of TensorFlow's own counter, where it has one."""
        if self.cell.device == "cuda":
            peak = int(tf.config.experimental.get_memory_info("GPU:0")["peak"])
            return dict(zip(PEAKS, (peak, "TensorFlow does not count it"), strict=True))
        if self.cell.device == "metal":
            return dict.fromkeys(PEAKS, "tensorflow-metal counts no memory")
        return {}


class TensorFlowOperation(Operation, TensorFlowTensors):
    """An operation whose every step makes a new result."""
