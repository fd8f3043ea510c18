"""One training step in TensorFlow: forward, backward and the optimiser."""

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf
from _cell import Cell

Step = Callable[[Any, Any], Any]


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
