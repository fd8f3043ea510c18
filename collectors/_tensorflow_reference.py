"""The first steps of a network, here and on the CPU in float32: they should agree."""

import gc
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from _cell import Cell
from _framework import REFERENCE_RATE, FirstSteps, followed
from _tensorflow_data import random_batch
from _tensorflow_models import model_of
from _tensorflow_step import Step, optimiser_of, training_step
from _tensorflow_work import compiled
from keras import layers

_SAMPLES, _SAMPLES_OF_LARGE_IMAGES = 8, 4
_SAMPLES_OF = {"bert-large": 2}
_OVERFLOWS = 16  # from the first scale, 2 ** 15, to below one


def steps_here_and_there(
    cell: Cell, device: str, steps: int
) -> tuple[FirstSteps, FirstSteps] | None:
    """Return the first steps on *device* and on the CPU; None if that is the same.

    The reference runs eagerly. A graph that XLA does not compile runs the same kernels
    on the CPU, so that in float32 is the reference as well.
    """
    if (cell.device, cell.precision) == ("cpu", "fp32") and cell.compiler != "xla":
        return None
    here = replace(
        cell,
        parameters=cell.parameters
        | {
            "batch_size": _samples(cell),
            "learning_rate": REFERENCE_RATE * cell.parameters["learning_rate"],
        },
    )
    there = replace(here, device="cpu", precision="fp32", compiler="eager")
    batch = random_batch(here, np.random.default_rng(cell.seed))
    with _as_before():
        with _strict_float32():
            expected, weights = _steps(there, "/CPU:0", batch, steps, None)
        gc.collect()
        found, _ = _steps(here, device, batch, steps, weights)
    gc.collect()
    return found, expected


def _samples(cell: Cell) -> int:
    large = cell.parameters.get("image_size", 0) >= 224
    usual = _SAMPLES_OF_LARGE_IMAGES if large else _SAMPLES
    return _SAMPLES_OF.get(cell.workload, usual)


def head_of(model: Any) -> list[float]:
    """Return the last matrix that training changes."""
    *_, last = (one for one in model.trainable_variables if len(one.shape) > 1)
    return [*map(float, last.numpy().ravel().tolist())]


def _steps(
    cell: Cell, device: str, batch: tuple[Any, Any], steps: int, weights: Any
) -> tuple[FirstSteps, Any]:
    """Return the first steps and the weights from which they came."""
    with tf.device(device):
        model = model_of(cell)
        for layer in model._flatten_layers():
            if isinstance(layer, layers.Dropout):
                layer.rate = 0.0
        if weights is not None:
            model.set_weights(weights)
        start = model.get_weights() if weights is None else None
        optimiser = optimiser_of(cell, model)
        train = compiled(training_step(model, optimiser), cell.compiler)
        inputs, labels = (tf.constant(array) for array in batch)
        if cell.precision == "fp64" and inputs.dtype == tf.float32:
            inputs = tf.cast(inputs, tf.float64)
        losses = (_applied(train, optimiser, inputs, labels) for _ in range(steps))
        return followed(losses, partial(head_of, model)), start


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
def _as_before() -> Iterator[None]:
    # Keras takes its seeds from Python's generator.
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)


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
