"""Training steps and products in TensorFlow, started but not waited for."""

from itertools import cycle
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from _cell import Cell
from _framework import Work
from _tensorflow_models import batches_of, model_of

_CHECKED = 64  # rows and columns of a product that are computed again in float64
_DTYPES = {
    "fp32": tf.float32,
    "tf32": tf.float32,
    "bf16": tf.bfloat16,
    "fp16": tf.float16,
    "fp64": tf.float64,
}


def work_of(cell: Cell) -> Work:
    """Return the training or the product of *cell*."""
    return Product(cell) if cell.kind == "operation" else Training(cell)


class OnDevice(Work):
    """What training and products have in common: the device."""

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is allocated yet."""
        self.cell = cell
        self.device = "/CPU:0" if cell.device == "cpu" else "/GPU:0"
        self.last: Any = None

    def synchronise(self) -> None:
        """Wait for the device: for all its streams, then for the last result."""
        if self.cell.device == "cpu":
            return  # a graph on the CPU is done when its call returns
        if self.cell.device == "cuda":
            tf.test.experimental.sync_devices()
        if self.last is not None:
            # A value must arrive, whatever a plug-in thinks of synchronising.
            tf.reshape(self.last, [-1])[0].numpy()

    def kinds(self, tensors: list[Any]) -> set[str]:
        """Return where *tensors* are; a GPU is the one that the cell asked for."""
        gpu = self.cell.device if self.cell.device != "cpu" else "gpu"
        found = {tf.DeviceSpec.from_string(t.device).device_type for t in tensors}
        return {{"CPU": "cpu", "GPU": gpu}.get(kind, "other") for kind in found}

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


class Training(OnDevice):
    """Forward, backward and the optimiser in one graph, over a few batches in turn."""

    def build(self) -> None:
        """Build the network and its optimiser on the device."""
        facts = self.cell.parameters
        with tf.device(self.device):
            self.model = model_of(self.cell)
            optimiser = getattr(keras.optimizers, facts["optimizer"])(
                learning_rate=facts["learning_rate"]
            )
            if self.cell.precision == "fp16":
                optimiser = keras.optimizers.LossScaleOptimizer(optimiser)
            optimiser.build(self.model.trainable_variables)
        self.train = self._graph(optimiser)

    def _graph(self, optimiser: Any) -> Any:
        model = self.model
        criterion = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

        # Keras would turn XLA on for CUDA alone, and compare compilers with it.
        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator]
        def train(inputs: Any, labels: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = criterion(labels, model(inputs, training=True))
                scaled = optimiser.scale_loss(loss)
            gradients = tape.gradient(scaled, model.trainable_variables)
            optimiser.apply(gradients, model.trainable_variables)
            return loss

        return train

    def make_data(self) -> None:
        """Put random batches on the device."""
        double = self.cell.precision == "fp64"
        batches = []
        with tf.device(self.device):
            for inputs, labels in batches_of(self.cell):
                wide = double and inputs.dtype == np.float32
                typed = inputs.astype(np.float64) if wide else inputs
                batches.append((tf.constant(typed), tf.constant(labels)))
        self.pool = len(batches)
        self.batches = cycle(batches)

    def step(self) -> None:
        """Start one training step."""
        inputs, labels = next(self.batches)
        with tf.device(self.device):
            self.last = self.train(inputs, labels)

    def loss(self) -> float:
        """Return the loss of the last step; waits for it."""
        return float(self.last.numpy())

    def parameter_count(self) -> int:
        """Return all parameters; Keras counts statistics of normalisation as well."""
        return int(self.model.count_params())

    def placed_on(self) -> set[str]:
        """Return where the parameters and the loss are."""
        weights = [weight.value for weight in self.model.weights]
        return self.kinds([self.last, *weights])

    def notes(self) -> dict[str, Any]:
        """Return how many batches took turns."""
        return {"batches": self.pool}


class Product(OnDevice):
    """C = A B in a graph of its own, so that no operand is folded into a constant."""

    def build(self) -> None:
        """Make the graph; it is traced by the first step."""

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator]
        def product(a: Any, b: Any) -> Any:
            return tf.matmul(a, b)

        self.product = product

    def make_data(self) -> None:
        """Draw A and B from N(0, 1) / sqrt(M), so no product overflows."""
        size, dtype = self.cell.size, _DTYPES[self.cell.precision]
        source = np.random.default_rng(self.cell.seed)
        with tf.device(self.device):
            self.a, self.b = (
                tf.cast(source.standard_normal((size, size)) / size**0.5, dtype)
                for _ in range(2)
            )

    def step(self) -> None:
        """Start one product."""
        with tf.device(self.device):
            self.last = self.product(self.a, self.b)

    def placed_on(self) -> set[str]:
        """Return where operands and result are."""
        return self.kinds([self.a, self.b, self.last])

    def relative_error(self) -> float:
        """Compute a corner of C again in float64; return its largest deviation."""
        rows, columns = _doubled(self.a[:_CHECKED]), _doubled(self.b[:, :_CHECKED])
        exact = rows @ columns
        corner = _doubled(self.last[:_CHECKED, :_CHECKED])
        return float(abs(corner - exact).max() / abs(exact).max())


def _doubled(tensor: Any) -> Any:
    # Converted by NumPy: Metal has no float64 to cast to.
    return tensor.numpy().astype(np.float64)
