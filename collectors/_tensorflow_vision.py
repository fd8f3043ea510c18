"""Networks for images in Keras: ready ones with a head, and those it does not have."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import layers

Facts = Mapping[str, Any]


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
