"""Training steps in TensorFlow, started but not waited for."""

from itertools import cycle
from typing import Any

import numpy as np
import tensorflow as tf
from _cell import Cell, SeedPlan
from _framework import FirstSteps, Work
from _tensorflow_data import (
    Bytes,
    batches_of,
    bytes_of,
    input_shape,
    network_input,
    one_pass,
    real_images,
)
from _tensorflow_models import model_of
from _tensorflow_reference import head_of, steps_here_and_there
from _tensorflow_step import optimiser_of, training_step
from _tensorflow_work import NAMES, OnDevice, compiled


def work_of(cell: Cell) -> Work:
    """Return the training of *cell*."""
    return Training(cell)


class Training(OnDevice):
    """Forward, backward and the optimiser, over a few batches in turn."""

    def __init__(self, cell: Cell) -> None:
        """Note which type the inputs have; mixed precision is fed with float32."""
        super().__init__(cell)
        self.wide = tf.float64 if cell.precision == "fp64" else tf.float32
        self.epochs = 0
        self.loadable: Bytes | None = None
        self.data: dict[str, Any] = {}

    def build(self) -> None:
        """Build the network and its optimiser on the device."""
        with tf.device(self.device):
            self.model = model_of(self.cell)
            optimiser = optimiser_of(self.cell, self.model)
        step = training_step(self.model, optimiser)
        self.train = compiled(step, self.cell.compiler, self._signature())

    def _signature(self) -> Any:
        """Return the inputs without a batch size, where an epoch ends with a smaller.

        As Keras does in fit(): to trace that one anew would take longer than the epoch.
        """
        plan = self.cell.seed_plan
        if plan is None or plan.kind != "epoch":
            return None
        inputs = tf.TensorSpec((None, *input_shape(self.cell)), self.wide)
        return [inputs, tf.TensorSpec((None,), tf.int32)]

    def make_data(self) -> None:
        """Put batches on the device, and keep what an epoch is to load."""
        images, plan = real_images(self.cell), self.cell.seed_plan
        with tf.device(self.device):
            batches = [
                (self._typed(inputs), tf.constant(labels))
                for inputs, labels in batches_of(self.cell, images)
            ]
        self.pool = len(batches)
        self.batches = cycle(batches)
        if plan is not None and plan.kind == "epoch":
            self.loadable = bytes_of(self.cell, plan.samples, images)
        if images is not None:
            count = len(images.labels)
            self.data = {"name": images.name, "sha256": images.sha256, "images": count}

    def _typed(self, inputs: Any) -> Any:
        whole = np.issubdtype(inputs.dtype, np.integer)
        return tf.constant(inputs, None if whole else self.wide)

    def step(self) -> None:
        """Start one training step."""
        inputs, labels = next(self.batches)
        with tf.device(self.device):
            self.last = self.train(inputs, labels)

    def epoch(self, plan: SeedPlan) -> int:
        """Train once on every image, loaded by tf.data, the last batch smaller."""
        if self.loadable is None:
            raise ValueError(f"{self.cell.workload} has no epoch to load")
        done = 0
        self.epochs += 1
        loaded = one_pass(self.cell, plan, self.loadable, self.epochs)
        for inputs, labels in loaded:
            with tf.device(self.device):
                moved = tf.identity(inputs)
                if moved.dtype == tf.uint8:
                    moved = network_input(self.cell, moved)
                self.last = self.train(tf.cast(moved, self.wide), tf.identity(labels))
            done += labels.shape[0]
        self.synchronise()
        return done

    def loss(self) -> float:
        """Return the loss of the last step; waits for it."""
        return float(self.last.numpy())

    def first_steps(self, steps: int) -> tuple[FirstSteps, FirstSteps] | None:
        """Return the first steps of two fresh networks, here and on the CPU."""
        return steps_here_and_there(self.cell, self.device, steps)

    def trained(self) -> list[float]:
        """Return the last matrix that the optimiser changes: that of the head."""
        return head_of(self.model)

    def parameter_count(self) -> int:
        """Return all parameters; Keras counts statistics of normalisation as well."""
        return int(self.model.count_params())

    def _numbers(self) -> list[Any]:
        weights = (weight.value for weight in self.model.weights)
        # EfficientNet counts the images it was adapted to: no number to compute with.
        return [self.last, *(w for w in weights if w.dtype.is_floating)]

    def placed_on(self) -> set[str]:
        """Return where the parameters and the loss are."""
        return self.kinds(self._numbers())

    def types(self) -> set[str]:
        """Return the types of parameters and loss, and those that layers compute in."""
        layers = (one for one in self.model._flatten_layers() if one.weights)
        computed = {NAMES[tf.as_dtype(layer.compute_dtype)] for layer in layers}
        return self.types_of(self._numbers()) | computed

    def expected_types(self) -> set[str]:
        """Return two types in mixed precision: parameters stay in float32."""
        return {"fp64" if self.cell.precision == "fp64" else "fp32"} | (
            super().expected_types()
        )

    def notes(self) -> dict[str, Any]:
        """Return how many batches took turns, and where images come from."""
        found: dict[str, Any] = {"batches": self.pool}
        if self.loadable is not None:
            found["loader"] = "threads of tf.data"
        return found | ({"data": self.data} if self.data else {})
