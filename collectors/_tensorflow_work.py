"""What training and single operations have in common: the device."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import tensorflow as tf
from _cell import Cell
from _framework import Work

DTYPES = {
    "fp32": tf.float32,
    "tf32": tf.float32,
    "bf16": tf.bfloat16,
    "fp16": tf.float16,
    "fp64": tf.float64,
}
NAMES = {dtype: name for name, dtype in DTYPES.items() if name != "tf32"}
_PROBED = 512  # rows and columns of the product that shows the math in effect
_WAITED_FOR = 10  # products
_WAITED_SIDE = {"metal": 2048, "cuda": 4096}


def compiled(function: Any, compiler: str, signature: Any = None) -> Any:
    """Return *function* as *compiler* runs it: graph, xla, or eager as it is."""
    if compiler == "eager":
        return function
    # Keras would turn XLA on for CUDA alone, and compare compilers with it.
    xla = compiler == "xla"
    return tf.function(function, jit_compile=xla, input_signature=signature)


def normal(source: Any, shape: tuple[int, ...], scale: float, dtype: Any) -> Any:
    """Return N(0, 1) entries times *scale* from NumPy's generator, as a tensor.

    Drawn no wider than needed: the largest operands have a gigabyte in float32.
    """
    wide = np.float64 if dtype == tf.float64 else np.float32
    entries = source.standard_normal(shape, dtype=wide)
    if scale != 1:
        entries *= wide(scale)
    return tf.cast(entries, dtype)


def doubled(tensor: Any) -> Any:
    """Return *tensor* as a float64 array; NumPy converts, for Metal has no float64."""
    return tensor.numpy().astype(np.float64)


def deviation(found: Any, exact: Any) -> float:
    """Return the largest deviation relative to the largest exact entry."""
    return float(abs(found - exact).max() / abs(exact).max())


class OnDevice(Work):
    """A cell on its device."""

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is allocated yet."""
        self.cell = cell
        self.device = "/CPU:0" if cell.device == "cpu" else "/GPU:0"
        self.dtype = DTYPES[cell.precision]
        self.last: Any = None

    def synchronise(self) -> None:
        """Wait for the device: for all its streams, then for the last result."""
        self.wait_for(self.last)

    def wait_for(self, tensor: Any) -> None:
        """Wait for the device, then for *tensor*."""
        if self.cell.device == "cpu":
            return  # on the CPU a call returns when its work is done
        if self.cell.device == "cuda":
            tf.test.experimental.sync_devices()
        if tensor is not None:
            # A value must arrive, whatever a plug-in thinks of synchronising.
            tf.reshape(tensor, [-1])[0].numpy()

    def kinds(self, tensors: list[Any]) -> set[str]:
        """Return where *tensors* are; a GPU is the one that the cell asked for."""
        gpu = self.cell.device if self.cell.device != "cpu" else "gpu"
        found = {tf.DeviceSpec.from_string(t.device).device_type for t in tensors}
        return {{"CPU": "cpu", "GPU": gpu}.get(kind, "other") for kind in found}

    def types_of(self, tensors: list[Any]) -> set[str]:
        """Return the types of *tensors* as the harness names them."""
        return {NAMES.get(tensor.dtype, tensor.dtype.name) for tensor in tensors}

    def expected_types(self) -> set[str]:
        """Return the type of the cell's precision; TF32 is a way to use float32."""
        return {NAMES[self.dtype]}

    def math_error(self) -> float:
        """Return how far a product in the cell's type is from the same in float64."""
        source = np.random.default_rng(self.cell.seed)
        with tf.device(self.device):
            a, b = (normal(source, (_PROBED, _PROBED), 1, self.dtype) for _ in range(2))
            found = tf.matmul(a, b)
        return deviation(doubled(found), doubled(a) @ doubled(b))

    def wait_probe(self) -> tuple[float, float] | None:
        """Return seconds until products are started, and until they are done."""
        if self.cell.device == "cpu":
            return None
        side = _WAITED_SIDE[self.cell.device]
        source = np.random.default_rng(self.cell.seed)
        with tf.device(self.device):
            a, b = (normal(source, (side, side), 1, tf.float32) for _ in range(2))

            def products() -> Any:
                for _ in range(_WAITED_FOR):
                    found = tf.matmul(a, b)
                return found

            self.waited_for(products)
            return self.waited_for(products)

    def waited_for(self, start: Callable[[], Any]) -> tuple[float, float]:
        """Return seconds until *start* returns, and until its result is there."""
        started = perf_counter()
        result = start()
        returned = perf_counter()
        self.wait_for(result)
        return returned - started, perf_counter() - started

    def memory(self) -> dict[str, int | str]:
        """Return the peak of TensorFlow's own counter, where it has one."""
        allocated, reserved = (
            "peak_device_allocated_bytes",
            "peak_device_reserved_bytes",
        )
        if self.cell.device == "cuda":
            peak = int(tf.config.experimental.get_memory_info("GPU:0")["peak"])
            return {allocated: peak, reserved: "TensorFlow does not count it"}
        if self.cell.device == "metal":
            why = "tensorflow-metal counts no memory"
            return {allocated: why, reserved: why}
        return {}
