"""The networks of the catalogue in Keras, and random data of their shapes."""

from typing import Any

import keras
import numpy as np
from _cell import Cell
from keras import layers

# Rotating through several batches keeps small data from living in the cache and the
# loss from collapsing; a batch of images is large enough on its own.
_POOL_BYTES = 64 * 2**20
_POOL_BATCHES = 64

# DistilBERT as its authors configured it.
_VOCABULARY, _POSITIONS, _WIDTH, _HEADS, _LAYERS, _INNER = 30522, 512, 768, 12, 6, 3072
_DROPOUT, _HEAD_DROPOUT, _EPSILON = 0.1, 0.2, 1e-12


class Positions(layers.Layer):  # type: ignore[misc]
    """Adds a learnt vector for each position."""

    def build(self, shape: tuple[int, ...]) -> None:
        """Make a vector for every position that the network was designed for."""
        self.table = self.add_weight(shape=(_POSITIONS, shape[-1]), name="table")

    def call(self, x: Any) -> Any:
        """Return *x* of (batch, tokens, width) with the vectors added."""
        return x + self.table[: x.shape[1]]


def model_of(cell: Cell) -> Any:
    """Return the untrained network of *cell*."""
    facts = cell.parameters
    match cell.workload:
        case "lstm":
            return keras.Sequential(
                [
                    keras.Input((facts["sequence_length"], 1)),
                    layers.Masking(mask_value=-1.0),
                    layers.LSTM(facts["units"]),
                    _logits(facts["classes"]),
                ]
            )
        case "mnist":
            return keras.Sequential(
                [
                    keras.Input((28, 28)),
                    layers.Flatten(),
                    layers.Dense(facts["hidden"], activation="relu"),
                    layers.Dropout(facts["dropout"]),
                    _logits(facts["classes"]),
                ]
            )
        case "resnet50":
            return _headed(keras.applications.ResNet50, facts)
        case "mobilenetv2":
            return _headed(keras.applications.MobileNetV2, facts)
        case "distilbert":
            return _distilbert(facts["sequence_length"], facts["classes"])
        case other:
            raise NotImplementedError(f"TensorFlow has no model for {other}")


def _logits(classes: int) -> Any:
    # Mixed precision ends in float32, or the loss would lose most of its digits.
    policy = keras.config.dtype_policy()
    return layers.Dense(classes, dtype=policy.variable_dtype)


def _headed(application: Any, facts: dict[str, Any]) -> Any:
    shape = (facts["image_size"], facts["image_size"], 3)
    body = application(weights=None, include_top=False, input_shape=shape)
    return keras.Sequential(
        [body, layers.GlobalAveragePooling2D(), _logits(facts["classes"])]
    )


def _distilbert(tokens: int, classes: int) -> Any:
    ids = keras.Input((tokens,), dtype="int32")
    x = Positions()(layers.Embedding(_VOCABULARY, _WIDTH)(ids))
    x = layers.LayerNormalization(epsilon=_EPSILON)(x)
    x = layers.Dropout(_DROPOUT)(x)
    for _ in range(_LAYERS):
        x = _encoder(x)
    x = layers.Dense(_WIDTH, activation="relu")(x[:, 0])
    x = layers.Dropout(_HEAD_DROPOUT)(x)
    return keras.Model(ids, _logits(classes)(x))


def _encoder(x: Any) -> Any:
    attention = layers.MultiHeadAttention(_HEADS, _WIDTH // _HEADS, dropout=_DROPOUT)
    x = layers.LayerNormalization(epsilon=_EPSILON)(x + attention(x, x))
    inner = layers.Dense(_INNER, activation="gelu")(x)
    outer = layers.Dropout(_DROPOUT)(layers.Dense(_WIDTH)(inner))
    return layers.LayerNormalization(epsilon=_EPSILON)(x + outer)


def batches_of(cell: Cell) -> list[tuple[Any, Any]]:
    """Return random batches of inputs and labels as arrays, from the cell's seed."""
    source = np.random.default_rng(cell.seed)
    first = _inputs(cell, source)
    count = max(1, min(_POOL_BATCHES, _POOL_BYTES // first.nbytes))
    inputs = [first, *(_inputs(cell, source) for _ in range(count - 1))]
    classes, rows = cell.parameters["classes"], cell.batch_size
    return [(x, source.integers(classes, size=rows, dtype=np.int32)) for x in inputs]


def _inputs(cell: Cell, source: Any) -> Any:
    facts, rows = cell.parameters, cell.batch_size
    match cell.kind:
        case "rnn":
            steps = facts["sequence_length"]
            x = source.random((rows, steps, 1), dtype=np.float32)
            lengths = source.integers(5, steps + 1, size=(rows, 1))
            x[np.arange(steps) >= lengths] = -1.0
            return x
        case "mlp":
            return source.random((rows, 28, 28), dtype=np.float32)
        case "cnn":
            side = facts["image_size"]
            return source.random((rows, side, side, 3), dtype=np.float32)
        case "transformer":
            shape = (rows, facts["sequence_length"])
            return source.integers(_VOCABULARY, size=shape, dtype=np.int32)
        case other:
            raise NotImplementedError(f"no data for a {other}")
