"""The networks of the catalogue in Keras."""

from typing import Any

import keras
from _cell import Cell
from _tensorflow_transformers import bert_large, distilbert
from _tensorflow_vision import (
    Facts,
    alexnet,
    logits,
    mnist_cnn,
    ready,
    resnet9,
    resnet18,
)
from keras import layers

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
