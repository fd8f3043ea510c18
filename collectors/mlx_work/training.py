"""Training steps in MLX, started but not waited for, and their reference."""

import gc
from collections.abc import Iterator
from typing import Any

import mlx.core as mx
import numpy as np
from harness.cells import Cell, SeedPlan
from harness.framework import FirstSteps
from mlx import nn, optimizers
from mlx.utils import tree_flatten, tree_unflatten
from training import Trained, followed, reference_cells
from training_data.batches import image_shape, random_batches
from training_data.files import Images

from mlx_work.device import COMPILED, DTYPES, MlxTensors, type_name
from mlx_work.models import model_of, without_dropout

# MLX corrects the first steps of Adam only if asked; PyTorch and Keras always do.
_OPTIMISERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "SGD": (optimizers.SGD, {}),
    "Adam": (optimizers.Adam, {"bias_correction": True}),
    "AdamW": (optimizers.AdamW, {"bias_correction": True}),
}
Weights = list[tuple[str, Any]]  # by name


class Training(Trained, MlxTensors):
    """A network, its optimiser and its loss in MLX.

    Mixed precision, for which MLX has no switch: parameters and optimiser in float32,
    cast for forward and backward of each step; normalisation and loss in float32.
    """

    def __init__(self, cell: Cell) -> None:
        """Note the types: what is kept, and what is computed in."""
        super().__init__(cell)
        own = DTYPES[cell.precision]
        self.kept = own if cell.precision == "fp64" else mx.float32
        self.half = None if own == self.kept else own

    def build(self) -> None:
        """Build the network in training mode, and its optimiser."""
        self.network = self.untrained()
        kind, options = _OPTIMISERS[self.cell.parameters["optimizer"]]
        rate = self.cell.parameters["learning_rate"]
        self.optimiser = kind(learning_rate=rate, **options)
        self.optimiser.init(self.network.trainable_parameters())
        self.gradients = nn.value_and_grad(self.network, self.loss_of)
        self.state = [self.network.state, self.optimiser.state, mx.random.state]
        mx.eval(self.state)
        self.compute = self._step
        if self.cell.compiler == COMPILED:
            self.compute = mx.compile(self._step, inputs=self.state, outputs=self.state)

    def untrained(self) -> Any:
        """Return the network, its parameters in the type that is kept."""
        network = model_of(self.cell)
        network.set_dtype(self.kept)
        return network

    def arranged(self, inputs: Any, labels: Any) -> tuple[Any, Any]:
        """Return a batch as arrays, computed."""
        kind = mx.int32 if inputs.dtype.kind == "i" else self.kept
        batch = mx.array(inputs, kind), mx.array(labels, mx.int32)
        mx.eval(batch)
        return batch

    def loss_of(self, inputs: Any, labels: Any) -> Any:
        """Return the loss of a batch, in float32 or wider."""
        weights = self.weights()
        if self.half is not None:
            self._take([(name, array.astype(self.half)) for name, array in weights])
            if self.cell.kind != "transformer":
                inputs = inputs.astype(self.half)
        logits = self.network(inputs)
        self._take(weights)
        self.output_type = logits.dtype
        wide = logits.astype(self.kept)
        return nn.losses.cross_entropy(wide, labels, reduction="mean")

    def weights(self) -> Weights:
        """Return parameters, frozen ones too; statistics of normalisation are none."""
        every = tree_flatten(self.network.parameters())
        return [(name, array) for name, array in every if ".running_" not in name]

    def _take(self, weights: Weights) -> None:
        self.network.update(tree_unflatten(weights))

    def _step(self, inputs: Any, labels: Any) -> Any:
        loss, gradients = self.gradients(inputs, labels)
        self.optimiser.update(self.network, gradients)
        return loss

    def train(self, inputs: Any, labels: Any) -> None:
        """Start one training step: all that it changes is computed, not only a loss."""
        self.last = self.compute(inputs, labels)
        mx.async_eval(self.last, self.state)

    def product(self, a: Any, b: Any) -> Any:
        """Return A B as the network multiplies."""
        type_ = self.half or self.kept
        return self.matmul(a.astype(type_), b.astype(type_))

    def one_pass(self, plan: SeedPlan, images: Images) -> Iterator[tuple[Any, Any]]:
        """Yield each image once, in shuffled batches; the last one may be smaller.

        The device enlarges what is in memory; no processes are started for it.
        """
        self.about["loader"] = "none: images are in memory, enlarged by the device"
        side, channels = image_shape(self.cell)
        count = min(plan.samples, len(images.labels))
        order = np.random.default_rng(self.cell.seed).permutation(count)
        for first in range(0, count, self.cell.batch_size):
            rows = order[first : first + self.cell.batch_size]
            pixels = mx.array(images.pixels[rows]).astype(self.kept) / 255
            times = side / pixels.shape[1]
            if times != 1:
                pixels = nn.Upsample(times, mode="linear")(pixels)
            grey = channels // pixels.shape[-1]
            yield (
                mx.repeat(pixels, grey, axis=-1) if grey > 1 else pixels,
                mx.array(images.labels[rows], mx.int32),
            )

    def loss(self) -> float:
        """Return the loss of the last step; waits for it."""
        return float(self.last.item())

    def trained(self) -> list[float]:
        """Return the last matrix that the optimiser changes: that of the head."""
        changed = tree_flatten(self.network.trainable_parameters())
        *_, last = (array for _, array in changed if array.ndim > 1)
        return [*map(float, self.float64(last).ravel().tolist())]

    def parameter_count(self) -> int:
        """Return all parameters; statistics of normalisation are none."""
        return sum(array.size for _, array in self.weights())

    def tensors(self) -> list[Any]:
        """Return the loss, and all that a step changes."""
        state = tree_flatten([self.network.parameters(), self.optimiser.state])
        return [
            self.last,
            *(a for _, a in state if mx.issubdtype(a.dtype, mx.floating)),
        ]

    def types(self) -> set[str]:
        """Return the types of the parameters and of what the network returned."""
        kept = {type_name(array.dtype) for _, array in self.weights()}
        return {type_name(self.output_type), *kept}

    def first_steps(self, steps: int) -> tuple[FirstSteps, FirstSteps] | None:
        """Return the first steps here and in float32 on the CPU, from the same weights.

        Afterwards random numbers go on as before.
        """
        cell = self.cell
        if (cell.device, cell.precision, cell.compiler) == ("cpu", "fp32", "eager"):
            return None
        here, there = reference_cells(cell, cell.batch_size)
        kept = mx.array(mx.random.state[0])
        try:
            with mx.stream(mx.cpu):
                reference = _steps(type(self)(there), steps)
            return _steps(type(self)(here), steps), reference
        finally:
            mx.random.state[0] = kept


def _steps(training: Training, steps: int) -> FirstSteps:
    mx.random.seed(training.cell.seed)
    training.build()
    without_dropout(training.network)

    def losses() -> Iterator[float]:
        # Other samples every time: those once seen are learnt by heart.
        for batch in random_batches(training.cell, steps):
            training.train(*training.arranged(*batch))
            yield training.loss()

    trace = followed(losses(), training.trained)
    # Model and optimiser together are four times the weights.
    del training.network, training.optimiser, training.state, training.compute
    gc.collect()
    mx.clear_cache()
    return trace
