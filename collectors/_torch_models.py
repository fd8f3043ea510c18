"""The networks of the catalogue in PyTorch, and random data of their shapes."""

import importlib
from typing import Any

import torch
from _cell import Cell
from torch import nn

# Rotating through several batches keeps small data from living in the cache and the
# loss from collapsing; a batch of images is large enough on its own.
_POOL_BYTES = 64 * 2**20
_POOL_BATCHES = 64
_VOCABULARY = 30522


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


def model_of(cell: Cell) -> Any:
    """Return the untrained network of *cell*, on the CPU."""
    facts = cell.parameters
    match cell.workload:
        case "lstm":
            return Lstm(facts["units"], facts["classes"])
        case "mnist":
            return nn.Sequential(
                nn.Flatten(),
                nn.Linear(784, facts["hidden"]),
                nn.ReLU(),
                nn.Dropout(facts["dropout"]),
                nn.Linear(facts["hidden"], facts["classes"]),
            )
        case "distilbert":
            return _distilbert(facts["classes"])
        case "resnet50" | "mobilenetv2":
            models: Any = importlib.import_module("torchvision.models")
            name = {"resnet50": "resnet50", "mobilenetv2": "mobilenet_v2"}
            return getattr(models, name[cell.workload])(num_classes=facts["classes"])
        case other:
            raise NotImplementedError(f"PyTorch has no model for {other}")


def _distilbert(classes: int) -> Any:
    transformers: Any = importlib.import_module("transformers")
    config = transformers.DistilBertConfig(num_labels=classes)
    return Logits(
        transformers.AutoModelForSequenceClassification.from_config(
            config, attn_implementation="sdpa"
        )
    )


def batches_of(cell: Cell) -> list[tuple[Any, Any]]:
    """Return random batches of inputs and labels, on the CPU, from the cell's seed."""
    source = torch.Generator().manual_seed(cell.seed)
    first = _inputs(cell, source)
    size = first.numel() * first.element_size()
    count = max(1, min(_POOL_BATCHES, _POOL_BYTES // size))
    inputs = [first, *(_inputs(cell, source) for _ in range(count - 1))]
    classes, rows = cell.parameters["classes"], (cell.batch_size,)
    return [(x, torch.randint(classes, rows, generator=source)) for x in inputs]


def _inputs(cell: Cell, source: Any) -> Any:
    facts, rows = cell.parameters, cell.batch_size
    match cell.kind:
        case "rnn":
            steps = facts["sequence_length"]
            x = torch.rand(rows, steps, 1, generator=source)
            lengths = torch.randint(5, steps + 1, (rows, 1), generator=source)
            x[torch.arange(steps) >= lengths] = -1.0
            return x
        case "mlp":
            return torch.rand(rows, 28, 28, generator=source)
        case "cnn":
            side = facts["image_size"]
            return torch.rand(rows, 3, side, side, generator=source)
        case "transformer":
            shape = (rows, facts["sequence_length"])
            return torch.randint(_VOCABULARY, shape, generator=source)
        case other:
            raise NotImplementedError(f"no data for a {other}")
