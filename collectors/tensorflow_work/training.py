"""Training steps in TensorFlow, started but not waited for, and their reference."""

import gc
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import keras
import tensorflow as tf
from harness.cells import Cell, SeedPlan
from harness.framework import Course, FirstSteps
from keras import layers
from training import Trained, followed, reference_cells
from training_data.batches import random_batches, random_images

from tensorflow_work.device import NAMES, TensorFlowTensors, compiled
from tensorflow_work.fitting import batches_of_sequences, fit_arrays, fit_once
from tensorflow_work.models import model_of

Step = Callable[[Any, Any], Any]
_OVERFLOWS = 16  # from the first scale, 2 ** 15, to below one


class Training(Trained, TensorFlowTensors):
    """A network, its optimiser and its loss in Keras."""

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is built yet."""
        super().__init__(cell)
        # Mixed precision is fed with float32.
        self.wide = tf.float64 if cell.precision == "fp64" else tf.float32

    def build(self) -> None:
        """Build the network and its optimiser on the device."""
        with self.scope():
            self.model = model_of(self.cell)
            self.optimiser = optimiser_of(self.cell, self.model)
        step = training_step(self.model, self.optimiser)
        self.train_step = compiled(step, self.cell.compiler)

    def arranged(self, inputs: Any, labels: Any) -> tuple[Any, Any]:
        """Return a batch as tensors on the device of the context.

        Those of tf.data stay where they are, as for a loop over it: a step moves them.
        """
        if tf.is_tensor(inputs):
            return tf.cast(inputs, self.wide), labels
        whole = inputs.dtype.kind == "i"
        made = tf.constant(inputs, tf.int32 if whole else self.wide)
        return made, tf.constant(labels, tf.int32)

    def train(self, inputs: Any, labels: Any) -> None:
        """Start one training step on a batch that is on the device."""
        with self.scope():
            self.last = self.train_step(inputs, labels)

    def forward(self, inputs: Any) -> None:
        """Start a forward pass alone, not compiled: as scripts look at a network."""
        with self.scope():
            self.seen = self.model(inputs, training=True)

    def fit(self, plan: SeedPlan, course: Course) -> None:
        """Let Keras train on what the source gave to ``fit``.

        The source's LSTM has a loop of its own, which takes batches from tf.data.
        """
        if plan.data_path == "sequences":
            self._follow_sequences(plan, course)
        else:
            fit_arrays(self, plan, course)

    def _follow_sequences(self, plan: SeedPlan, course: Course) -> None:
        batches = iter(batches_of_sequences(self.cell))
        self.follow(plan, course, lambda _: islice(batches, plan.steps_per_epoch))

    def epoch(self, plan: SeedPlan) -> int:
        """Let Keras pass once over images that tf.data loads; return how many."""
        images = self.images or random_images(self.cell, plan.samples)
        self.about["loader"] = "threads of tf.data"
        return fit_once(self, plan, images)

    def first_steps(self, steps: int) -> tuple[FirstSteps, FirstSteps] | None:
        """Return the first steps of two networks with the same weights, here and there.

        The reference runs eagerly. A graph that XLA does not compile runs the same
        kernels on the CPU, so that in float32 is the reference as well.
        """
        cell = self.cell
        if (cell.device, cell.precision) == ("cpu", "fp32") and cell.compiler != "xla":
            return None
        here, there = reference_cells(cell)
        (batch,) = random_batches(here, 1)
        state = random.getstate()  # Keras takes its seeds from Python's generator
        try:
            with _strict_float32():
                expected, weights = _steps(Training(there), batch, steps, None)
            gc.collect()
            losses, _ = _steps(Training(here), batch, steps, weights)
        finally:
            random.setstate(state)
        gc.collect()
        return losses, expected

    def changed(self) -> list[Any]:
        """Return Keras's trainable variables."""
        return [variable.value for variable in self.model.trainable_variables]

    def parameter_count(self) -> int:
        """Return all parameters; Keras counts statistics of normalisation as well."""
        return int(self.model.count_params())

    def tensors(self) -> list[Any]:
        """Return the parameters and the loss."""
        weights = (weight.value for weight in self.model.weights)
        # EfficientNet counts the images it was adapted to: no number to compute with.
        return [self.last, *(w for w in weights if w.dtype.is_floating)]

    def types(self) -> set[str]:
        """Return the types of parameters and loss, and those that layers compute in."""
        layers = (layer for layer in self.model._flatten_layers() if layer.weights)
        computed = {NAMES[tf.as_dtype(layer.compute_dtype)] for layer in layers}
        return super().types() | computed


def optimiser_of(cell: Cell, model: Any) -> Any:
    """Return the optimiser of *cell*, with its state for *model*."""
    facts = cell.parameters
    optimiser = getattr(keras.optimizers, facts["optimizer"])(
        learning_rate=facts["learning_rate"]
    )
    if cell.precision == "fp16":
        optimiser = keras.optimizers.LossScaleOptimizer(optimiser)
    optimiser.build(model.trainable_variables)
    return optimiser


def training_step(model: Any, optimiser: Any) -> Step:
    """Return a function from inputs and labels to the loss, which trains as it goes."""
    trained = model.trainable_variables
    watched = [variable.value for variable in trained]
    criterion = keras.losses.sparse_categorical_crossentropy

    def train(inputs: Any, labels: Any) -> Any:
        # Else a tape follows frozen layers too, and goes back through them.
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(watched)
            scores = model(inputs, training=True)
            loss = tf.reduce_mean(criterion(labels, scores, from_logits=True))
            scaled = optimiser.scale_loss(loss)
        optimiser.apply(tape.gradient(scaled, trained), trained)
        return loss

    return train


def _steps(
    training: Training, batch: tuple[Any, Any], steps: int, weights: Any
) -> tuple[FirstSteps, Any]:
    """Return the first steps and the weights from which they came."""
    cell = training.cell
    with training.scope():
        model = training.model = model_of(cell)
        for layer in model._flatten_layers():
            if isinstance(layer, layers.Dropout):
                layer.rate = 0.0
        if weights is not None:
            model.set_weights(weights)
        start = model.get_weights() if weights is None else None
        optimiser = optimiser_of(cell, model)
        train = compiled(training_step(model, optimiser), cell.compiler)
        arranged = training.arranged(*batch)
        losses = (_applied(train, optimiser, *arranged) for _ in range(steps))
        return followed(losses, training.trained), start


def _applied(train: Step, optimiser: Any, inputs: Any, labels: Any) -> float:
    """Return the loss of the next step that changes the weights.

    One whose scaled gradients overflow in float16 changes only their scale.
    """
    updates = getattr(optimiser, "inner_optimizer", optimiser).iterations
    before = int(updates.numpy())
    loss = float(train(inputs, labels))
    for _ in range(_OVERFLOWS):
        if int(updates.numpy()) > before:
            break
        loss = float(train(inputs, labels))
    return loss


@contextmanager
def _strict_float32() -> Iterator[None]:
    math = tf.config.experimental
    policy, tf32 = keras.config.dtype_policy(), math.tensor_float_32_execution_enabled()
    keras.config.set_dtype_policy("float32")
    math.enable_tensor_float_32_execution(enabled=False)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(policy)
        math.enable_tensor_float_32_execution(enabled=tf32)
