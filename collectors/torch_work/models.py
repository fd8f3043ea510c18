"""The networks of the catalogue in PyTorch, untrained."""

import importlib
from collections.abc import Callable
from typing import Any

import torch
from harness.cells import Cell
from networks import layers_of
from torch import nn

_VISION = {
    "resnet50": "resnet50",
    "mobilenetv2": "mobilenet_v2",
    "mobilenetv2-cifar10": "mobilenet_v2",
    "vgg16": "vgg16",
    "alexnet": "alexnet",
    "resnet18": "resnet18",
    "efficientnet-b0": "efficientnet_b0",
}
_TRANSFORMERS: dict[str, tuple[str, dict[str, int]]] = {
    "distilbert": ("DistilBertConfig", {}),
    "bert-large": (
        "BertConfig",
        {
            "hidden_size": 1024,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "intermediate_size": 4096,
        },
    ),
}


class Lstm(nn.Module):  # type: ignore[misc]
    """LSTM, Dense over the last real step: masking, as Keras does it on the right."""

    def __init__(self, units: int, classes: int) -> None:
        """Make the two layers."""
        super().__init__()
        self.lstm = nn.LSTM(1, units, batch_first=True)
        self.head = nn.Linear(units, classes)

    def forward(self, x: Any) -> Any:
        """Return the logits of (batch, steps, 1); padded steps hold -1."""
        lengths = (x[:, :, 0] != -1).sum(dim=1)
        states, _ = self.lstm(x)
        rows = torch.arange(x.shape[0], device=x.device)
        return self.head(states[rows, lengths - 1])


class Logits(nn.Module):  # type: ignore[misc]
    """A Hugging Face classifier that returns its logits, as the others do."""

    def __init__(self, model: Any) -> None:
        """Wrap *model*."""
        super().__init__()
        self.model = model

    def forward(self, ids: Any) -> Any:
        """Return the logits of (batch, tokens)."""
        return self.model(input_ids=ids).logits


class Residual(nn.Module):  # type: ignore[misc]
    """Layers whose result is added to what went in."""

    def __init__(self, *layers: Any) -> None:
        """Put *layers* one after the other."""
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        """Return *x* and what the layers make of it, added."""
        return x + self.layers(x)


def model_of(cell: Cell) -> Any:
    """Return the untrained network of *cell* in training mode, on the CPU.

    Frozen normalisation keeps its statistics, as Keras has it.
    """
    model = _network(cell).train()
    if cell.parameters.get("trainable") == "last":
        model.features.requires_grad_(requires_grad=False).eval()
    return model


def without_dropout(model: Any) -> Any:
    """Return *model* with nothing left to chance: no dropout, no skipped blocks.

    Attention reads the probability of a Dropout as well.
    """
    for module in model.modules():
        if type(module).__name__ in {"Dropout", "StochasticDepth"}:
            module.p = 0.0
    return model


def _network(cell: Cell) -> Any:
    facts, classes = cell.parameters, cell.parameters["classes"]
    match cell.workload:
        case "lstm":
            return Lstm(facts["units"], classes)
        case "mnist" | "mnist-cnn" | "resnet9" as stack:
            layers, width = layers_of(stack, facts, _STACKED)
            return nn.Sequential(*layers, nn.Linear(width, classes))
        case transformer if transformer in _TRANSFORMERS:
            transformers: Any = importlib.import_module("transformers")
            name, sizes = _TRANSFORMERS[transformer]
            config = getattr(transformers, name)(num_labels=classes, **sizes)
            classifier = transformers.AutoModelForSequenceClassification
            return Logits(classifier.from_config(config, attn_implementation="sdpa"))
    models: Any = importlib.import_module("torchvision.models")
    return getattr(models, _VISION[cell.workload])(num_classes=classes)


def _conv_bn(
    inputs: int, outputs: int, kernel: int, stride: int = 1
) -> tuple[Any, ...]:
    convolution = nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2)
    return convolution, nn.BatchNorm2d(outputs), nn.ReLU()


# By kind of layer, of inputs, outputs and other sizes.
_STACKED: dict[str, Callable[..., Any]] = {
    "conv": lambda *sizes: (nn.Conv2d(*sizes), nn.ReLU()),
    "normed": _conv_bn,
    "pair": lambda _, width: [
        Residual(*_conv_bn(width, width, 3), *_conv_bn(width, width, 3))
    ],
    "dense": lambda *sizes: (nn.Linear(*sizes), nn.ReLU()),
    "pool": lambda _inputs, _outputs, *sizes: (nn.MaxPool2d(*sizes),),
    "drop": lambda _inputs, _outputs, share: (nn.Dropout(share),),
    "flat": lambda *_sizes: (nn.Flatten(),),
}
