"""Networks for images in Keras: ready ones with a head, and those it does not have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import keras
from harness.cells import Cell
from keras import layers
from training_data.batches import VOCABULARY

Facts = Mapping[str, Any]
_POSITIONS, _TOKEN_TYPES = 512, 2
_DROPOUT, _EPSILON = 0.1, 1e-12


def logits(classes: int) -> Any:
    """Return the last layer, without an activation.

    Mixed precision ends in float32, or the loss would lose most of its digits.
    """
    policy = keras.config.dtype_policy()
    return layers.Dense(classes, dtype=policy.variable_dtype)


def ready(name: str, facts: Facts) -> Any:
    """Return a network of keras.applications, untrained, with a new head."""
    shape = _shape(facts)
    body = getattr(keras.applications, name)(
        weights=None, include_top=False, input_shape=shape
    )
    head = _HEADS.get(name, _pooled)(facts["classes"])
    # Without an input, older Keras would not build it before the first batch.
    return keras.Sequential([keras.Input(shape), body, *head])


def _shape(facts: Facts) -> tuple[int, int, int]:
    return (facts["image_size"], facts["image_size"], facts.get("channels", 3))


def _pooled(classes: int) -> list[Any]:
    return [layers.GlobalAveragePooling2D(), logits(classes)]


def _pooled_with_dropout(classes: int) -> list[Any]:
    return [layers.GlobalAveragePooling2D(), layers.Dropout(0.2), logits(classes)]


def _flat(classes: int) -> list[Any]:
    inner = [layers.Dense(4096, activation="relu") for _ in range(2)]
    return [layers.Flatten(), *inner, logits(classes)]


# The heads that these networks have in keras.applications, but for the softmax.
_HEADS = {"VGG16": _flat, "EfficientNetB0": _pooled_with_dropout}


def mnist_cnn(facts: Facts) -> Any:
    """Return two convolutions, pooling, two dense layers."""
    return keras.Sequential(
        [
            keras.Input(_shape(facts)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            logits(facts["classes"]),
        ]
    )


def alexnet(facts: Facts) -> Any:
    """Return AlexNet in one tower; from 224 x 224 it has 6 x 6 left, as it wants."""
    return keras.Sequential(
        [
            keras.Input(_shape(facts)),
            layers.ZeroPadding2D(2),
            layers.Conv2D(64, 11, strides=4, activation="relu"),
            layers.MaxPooling2D(3, 2),
            layers.Conv2D(192, 5, padding="same", activation="relu"),
            layers.MaxPooling2D(3, 2),
            layers.Conv2D(384, 3, padding="same", activation="relu"),
            layers.Conv2D(256, 3, padding="same", activation="relu"),
            layers.Conv2D(256, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(3, 2),
            layers.Flatten(),
            layers.Dropout(0.5),
            layers.Dense(4096, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(4096, activation="relu"),
            logits(facts["classes"]),
        ]
    )


def resnet18(facts: Facts) -> Any:
    """Return ResNet-18 as torchvision has it: four pairs of blocks, no biases."""
    images = keras.Input(_shape(facts))
    x = layers.ReLU()(_normalised(images, 64, 7, stride=2))
    # Nothing is below zero here, so padding with zeros is padding with nothing.
    x = layers.MaxPooling2D(3, 2)(layers.ZeroPadding2D(1)(x))
    for stage, width in enumerate((64, 128, 256, 512)):
        x = _block(x, width, stride=1 if stage == 0 else 2)
        x = _block(x, width, stride=1)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(images, logits(facts["classes"])(x))


def _block(x: Any, width: int, *, stride: int) -> Any:
    short = x if stride == 1 else _normalised(x, width, 1, stride=stride)
    inner = layers.ReLU()(_normalised(x, width, 3, stride=stride))
    outer = _normalised(inner, width, 3)
    return layers.ReLU()(short + outer)


def resnet9(facts: Facts) -> Any:
    """Return ResNet9 as the Needle course has it; its convolutions have biases."""
    images = keras.Input(_shape(facts))
    x = _activated(images, 16, 7, stride=4)
    x = _activated(x, 32, 3, stride=2)
    x = x + _activated(_activated(x, 32, 3), 32, 3)
    x = _activated(x, 64, 3, stride=2)
    x = _activated(x, 128, 3, stride=2)
    x = x + _activated(_activated(x, 128, 3), 128, 3)
    x = layers.Dense(128, activation="relu")(layers.Flatten()(x))
    return keras.Model(images, logits(facts["classes"])(x))


def _activated(x: Any, width: int, kernel: int, *, stride: int = 1) -> Any:
    return layers.ReLU()(_normalised(x, width, kernel, stride=stride, bias=True))


def _normalised(
    x: Any, width: int, kernel: int, *, stride: int = 1, bias: bool = False
) -> Any:
    padding = "same"
    if stride > 1:
        # "same" would pad the right and the bottom more; PyTorch pads all alike.
        x = layers.ZeroPadding2D(kernel // 2)(x)
        padding = "valid"
    x = layers.Conv2D(width, kernel, stride, padding=padding, use_bias=bias)(x)
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)(x)


@dataclass(frozen=True)
class _Encoder:
    """The measures of an encoder."""

    width: int
    heads: int
    layers: int
    inner: int
    attention_output_dropout: float


_DISTILBERT = _Encoder(768, 12, 6, 3072, attention_output_dropout=0.0)
_BERT_LARGE = _Encoder(1024, 16, 24, 4096, attention_output_dropout=_DROPOUT)


class Positions(layers.Layer):  # type: ignore[misc]
    """Adds a learnt vector for each position."""

    def build(self, shape: tuple[int, ...]) -> None:
        """Make a vector for every position that the network was designed for."""
        self.table = self.add_weight(shape=(_POSITIONS, shape[-1]), name="table")

    def call(self, x: Any) -> Any:
        """Return *x* of (batch, tokens, width) with the vectors added."""
        return x + self.table[: x.shape[1]]


class FirstSentence(layers.Layer):  # type: ignore[misc]
    """Adds the learnt vector of a first sentence; no second one ever comes."""

    def build(self, shape: tuple[int, ...]) -> None:
        """Make a vector for either sentence."""
        self.table = self.add_weight(shape=(_TOKEN_TYPES, shape[-1]), name="table")

    def call(self, x: Any) -> Any:
        """Return *x* of (batch, tokens, width) with the vector added."""
        return x + self.table[0]


def distilbert(facts: Facts) -> Any:
    """Return DistilBERT with its head: Dense, ReLU, dropout 0.2, logits."""
    ids = keras.Input((facts["sequence_length"],), dtype="int32")
    x = Positions()(layers.Embedding(VOCABULARY, _DISTILBERT.width)(ids))
    x = _encoded(_DISTILBERT, x)
    x = layers.Dense(_DISTILBERT.width, activation="relu")(x[:, 0])
    x = layers.Dropout(0.2)(x)
    return keras.Model(ids, logits(facts["classes"])(x))


def bert_large(facts: Facts) -> Any:
    """Return BERT-large with its pooler, dropout and logits."""
    ids = keras.Input((facts["sequence_length"],), dtype="int32")
    x = Positions()(layers.Embedding(VOCABULARY, _BERT_LARGE.width)(ids))
    x = _encoded(_BERT_LARGE, FirstSentence()(x))
    x = layers.Dense(_BERT_LARGE.width, activation="tanh")(x[:, 0])
    x = layers.Dropout(_DROPOUT)(x)
    return keras.Model(ids, logits(facts["classes"])(x))


def _encoded(encoder: _Encoder, x: Any) -> Any:
    x = layers.LayerNormalization(epsilon=_EPSILON)(x)
    x = layers.Dropout(_DROPOUT)(x)
    for _ in range(encoder.layers):
        x = _layer(encoder, x)
    return x


def _layer(encoder: _Encoder, x: Any) -> Any:
    attention = layers.MultiHeadAttention(
        encoder.heads, encoder.width // encoder.heads, dropout=_DROPOUT
    )
    attended = attention(x, x)
    if encoder.attention_output_dropout:
        attended = layers.Dropout(encoder.attention_output_dropout)(attended)
    x = layers.LayerNormalization(epsilon=_EPSILON)(x + attended)
    inner = layers.Dense(encoder.inner, activation="gelu")(x)
    outer = layers.Dropout(_DROPOUT)(layers.Dense(encoder.width)(inner))
    return layers.LayerNormalization(epsilon=_EPSILON)(x + outer)


_APPLICATIONS = {
    "resnet50": "ResNet50",
    "mobilenetv2": "MobileNetV2",
    "mobilenetv2-cifar10": "MobileNetV2",
    "vgg16": "VGG16",
    "efficientnet-b0": "EfficientNetB0",
}
_OWN = {
    "mnist-cnn": mnist_cnn,
    "alexnet": alexnet,
    "resnet18": resnet18,
    "resnet9": resnet9,
    "distilbert": distilbert,
    "bert-large": bert_large,
}


def model_of(cell: Cell) -> Any:
    """Return the untrained network of *cell*, frozen where that is wanted."""
    model = _network(cell)
    if cell.parameters.get("trainable") == "last":
        # What Keras does not train, it normalises with what it has learnt so far.
        for layer in model.layers[:-1]:
            layer.trainable = False
    return model


def _network(cell: Cell) -> Any:
    facts, name = cell.parameters, cell.workload
    if name in _APPLICATIONS:
        return ready(_APPLICATIONS[name], facts)
    if name in _OWN:
        return _OWN[name](facts)
    if name == "lstm":
        return _lstm(facts, use_cudnn=uses_cudnn(cell))
    if name == "mnist":
        return _mlp(facts)
    raise NotImplementedError(f"TensorFlow has no model for {name}")


def uses_cudnn(cell: Cell) -> bool:
    """Return whether an LSTM may use cuDNN's, as Keras does by itself.

    XLA cannot; and a reference on the CPU must not, though there is a GPU.
    """
    return cell.device != "cpu" and cell.compiler != "xla"


def _lstm(facts: Facts, *, use_cudnn: bool) -> Any:
    return keras.Sequential(
        [
            keras.Input((facts["sequence_length"], 1)),
            layers.Masking(mask_value=-1.0),
            layers.LSTM(facts["units"], use_cudnn="auto" if use_cudnn else False),
            logits(facts["classes"]),
        ]
    )


def _mlp(facts: Facts) -> Any:
    return keras.Sequential(
        [
            keras.Input((28, 28)),
            layers.Flatten(),
            layers.Dense(facts["hidden"], activation="relu"),
            layers.Dropout(facts["dropout"]),
            logits(facts["classes"]),
        ]
    )
