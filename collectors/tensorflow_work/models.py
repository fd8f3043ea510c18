"""The networks of the catalogue in Keras, untrained: for images, text and sequences."""

from typing import Any

import keras
from harness.cells import Cell
from keras import layers
from networks import (
    DROPOUT,
    ENCODERS,
    EPSILON,
    POSITIONS,
    TOKEN_TYPES,
    Encoder,
    residual_blocks,
)
from training_data.batches import VOCABULARY, image_shape

_APPLICATIONS = {
    "resnet50": "ResNet50",
    "mobilenetv2": "MobileNetV2",
    "mobilenetv2-cifar10": "MobileNetV2",
    "vgg16": "VGG16",
    "efficientnet-b0": "EfficientNetB0",
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
    facts, classes = cell.parameters, cell.parameters["classes"]
    match cell.workload:
        case "lstm":
            return keras.Sequential(
                [
                    keras.Input((facts["sequence_length"], 1)),
                    layers.Masking(mask_value=-1.0),
                    layers.LSTM(facts["units"], use_cudnn=uses_cudnn(cell)),
                    logits(classes),
                ]
            )
        case "mnist":
            return keras.Sequential(
                [
                    keras.Input((28, 28)),
                    layers.Flatten(),
                    layers.Dense(facts["hidden"], activation="relu"),
                    layers.Dropout(facts["dropout"]),
                    logits(classes),
                ]
            )
        case text if text in ENCODERS:
            return _classifier(ENCODERS[text], facts["sequence_length"], classes)
    side, channels = image_shape(cell)
    images = keras.Input((side, side, channels))
    own = {
        "mnist-cnn": _mnist_cnn,
        "alexnet": _alexnet,
        "resnet18": _resnet18,
        "resnet9": _resnet9,
    }
    if cell.workload in own:
        return own[cell.workload](images, classes)
    return _application(_APPLICATIONS[cell.workload], images, classes)


def uses_cudnn(cell: Cell) -> str | bool:
    """Return whether an LSTM may use cuDNN's, as Keras does by itself.

    XLA cannot; and a reference on the CPU must not, though there is a GPU.
    """
    return "auto" if cell.device != "cpu" and cell.compiler != "xla" else False


def logits(classes: int) -> Any:
    """Return the last layer, without an activation.

    Mixed precision ends in float32, or the loss would lose most of its digits.
    """
    policy = keras.config.dtype_policy()
    return layers.Dense(classes, dtype=policy.variable_dtype)


def _application(name: str, images: Any, classes: int) -> Any:
    """Return a network of keras.applications, with its own head but the softmax."""
    body = getattr(keras.applications, name)(
        weights=None, include_top=False, input_shape=images.shape[1:]
    )
    head = [layers.GlobalAveragePooling2D()]
    if name == "EfficientNetB0":
        head.append(layers.Dropout(0.2))
    elif name == "VGG16":
        inner = [layers.Dense(4096, activation="relu") for _ in range(2)]
        head = [layers.Flatten(), *inner]
    # Without an input, older Keras would not build it before the first batch.
    return keras.Sequential([images, body, *head, logits(classes)])


def _mnist_cnn(images: Any, classes: int) -> Any:
    return keras.Sequential(
        [
            images,
            layers.Conv2D(32, 3, activation="relu"),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            logits(classes),
        ]
    )


def _alexnet(images: Any, classes: int) -> Any:
    """Return AlexNet in one tower; from 224 x 224 it has 6 x 6 left, as it wants."""
    return keras.Sequential(
        [
            images,
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
            logits(classes),
        ]
    )


def _resnet18(images: Any, classes: int) -> Any:
    """Return ResNet-18 as torchvision has it: four pairs of blocks, no biases."""
    x = layers.ReLU()(_normalised(images, 64, 7, stride=2))
    # Nothing is below zero here, so padding with zeros is padding with nothing.
    x = layers.MaxPooling2D(3, 2)(layers.ZeroPadding2D(1)(x))
    for block in residual_blocks("resnet18"):
        width, stride = block.width, block.stride
        short = x if stride == 1 else _normalised(x, width, 1, stride=stride)
        inner = layers.ReLU()(_normalised(x, width, 3, stride=stride))
        x = layers.ReLU()(short + _normalised(inner, width, 3))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(images, logits(classes)(x))


def _resnet9(images: Any, classes: int) -> Any:
    """Return ResNet9 as the Needle course has it; its convolutions have biases."""

    def activated(x: Any, width: int, kernel: int = 3, stride: int = 1) -> Any:
        return layers.ReLU()(_normalised(x, width, kernel, stride=stride, bias=True))

    x = activated(activated(images, 16, 7, 4), 32, 3, 2)
    x = x + activated(activated(x, 32), 32)
    x = activated(activated(x, 64, 3, 2), 128, 3, 2)
    x = x + activated(activated(x, 128), 128)
    x = layers.Dense(128, activation="relu")(layers.Flatten()(x))
    return keras.Model(images, logits(classes)(x))


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


class Added(layers.Layer):  # type: ignore[misc]
    """Adds learnt vectors: one for each position, or that of a first sentence."""

    def __init__(self, rows: int, *, each: bool) -> None:
        """Learn *rows*, and add to *each* token its own, else the first to all."""
        super().__init__()
        self.rows, self.each = rows, each

    def build(self, shape: tuple[int, ...]) -> None:
        """Make all the vectors that the network was designed for."""
        self.table = self.add_weight(shape=(self.rows, shape[-1]), name="table")

    def call(self, x: Any) -> Any:
        """Return *x* of (batch, tokens, width) with the vectors added."""
        return x + self.table[: x.shape[1] if self.each else 1]


def _classifier(encoder: Encoder, tokens: int, classes: int) -> Any:
    """Return DistilBERT or BERT with its head: a layer, dropout, logits."""
    ids = keras.Input((tokens,), dtype="int32")
    x = layers.Embedding(VOCABULARY, encoder.width)(ids)
    x = Added(POSITIONS, each=True)(x)
    if encoder.sentences:  # no second one ever comes
        x = Added(TOKEN_TYPES, each=False)(x)
    x = layers.LayerNormalization(epsilon=EPSILON)(x)
    x = layers.Dropout(DROPOUT)(x)
    for _ in range(encoder.layers):
        attention = layers.MultiHeadAttention(
            encoder.heads, encoder.width // encoder.heads, dropout=DROPOUT
        )
        attended = attention(x, x)
        if encoder.attention_output_dropout:
            attended = layers.Dropout(encoder.attention_output_dropout)(attended)
        x = layers.LayerNormalization(epsilon=EPSILON)(x + attended)
        inner = layers.Dense(encoder.inner, activation="gelu")(x)
        outer = layers.Dropout(DROPOUT)(layers.Dense(encoder.width)(inner))
        x = layers.LayerNormalization(epsilon=EPSILON)(x + outer)
    x = layers.Dense(encoder.width, activation=encoder.activation)(x[:, 0])
    x = layers.Dropout(encoder.head_dropout)(x)
    return keras.Model(ids, logits(classes)(x))
