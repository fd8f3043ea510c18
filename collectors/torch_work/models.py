"""The networks of the catalogue in PyTorch, untrained."""

import importlib
from collections.abc import Mapping
from typing import Any

import torch
from harness.cells import Cell
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
    """Return the untrained network of *cell*, on the CPU."""
    facts = cell.parameters
    match cell.workload:
        case "lstm":
            return Lstm(facts["units"], facts["classes"])
        case "mnist":
            return _mnist(facts)
        case "mnist-cnn":
            return _mnist_cnn(facts)
        case "resnet9":
            return _resnet9(facts)
        case transformer if transformer in _TRANSFORMERS:
            return _classifier(transformer, facts)
        case vision if vision in _VISION:
            models: Any = importlib.import_module("torchvision.models")
            return getattr(models, _VISION[vision])(num_classes=facts["classes"])
        case other:
            raise NotImplementedError(f"PyTorch has no model for {other}")


def ready_to_train(model: Any, cell: Cell) -> Any:
    """Return *model* in training mode, what the cell does not train frozen.

    Frozen normalisation keeps its statistics, as Keras has it.
    """
    model.train()
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


def _mnist(facts: Mapping[str, Any]) -> Any:
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(784, facts["hidden"]),
        nn.ReLU(),
        nn.Dropout(facts["dropout"]),
        nn.Linear(facts["hidden"], facts["classes"]),
    )


def _mnist_cnn(facts: Mapping[str, Any]) -> Any:
    return nn.Sequential(
        nn.Conv2d(facts["channels"], 32, 3),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * 12 * 12, 128),
        nn.ReLU(),
        nn.Linear(128, facts["classes"]),
    )


def _resnet9(facts: Mapping[str, Any]) -> Any:
    return nn.Sequential(
        *_conv_bn(3, 16, 7, 4),
        *_conv_bn(16, 32, 3, 2),
        Residual(*_conv_bn(32, 32, 3, 1), *_conv_bn(32, 32, 3, 1)),
        *_conv_bn(32, 64, 3, 2),
        *_conv_bn(64, 128, 3, 2),
        Residual(*_conv_bn(128, 128, 3, 1), *_conv_bn(128, 128, 3, 1)),
        nn.Flatten(),
        nn.Linear(128, 128),
        nn.ReLU(),
        nn.Linear(128, facts["classes"]),
    )


def _conv_bn(inputs: int, outputs: int, kernel: int, stride: int) -> tuple[Any, ...]:
    convolution = nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2)
    return convolution, nn.BatchNorm2d(outputs), nn.ReLU()


def _classifier(workload: str, facts: Mapping[str, Any]) -> Any:
    transformers: Any = importlib.import_module("transformers")
    name, sizes = _TRANSFORMERS[workload]
    config = getattr(transformers, name)(num_labels=facts["classes"], **sizes)
    return Logits(
        transformers.AutoModelForSequenceClassification.from_config(
            config, attn_implementation="sdpa"
        )
    )
