"""The networks of the catalogue in MLX, untrained: for images, text and sequences.

MLX brings layers and no networks: these are as torchvision and Hugging Face have them.
"""

from functools import partial
from typing import Any

import mlx.core as mx
from harness.cells import Cell
from mlx import nn
from networks import (
    DROPOUT,
    ENCODERS,
    EPSILON,
    POSITIONS,
    TOKEN_TYPES,
    Encoder,
    stacked,
)
from training_data.batches import VOCABULARY

_RESNETS = {"resnet18": (2, 2, 2, 2), "resnet50": (3, 4, 6, 3)}  # blocks of each stage
# Expansion, kernel, stride, channels and blocks of each stage, by the activation.
_MOBILE = {
    nn.ReLU6: "1 3 1 16 1, 6 3 2 24 2, 6 3 2 32 3, 6 3 2 64 4, 6 3 1 96 3, 6 3 2 160 3",
    nn.SiLU: "1 3 1 16 1, 6 3 2 24 2, 6 5 2 40 2, 6 3 2 80 3, 6 5 1 112 3, 6 5 2 192 4",
}
_SKIPPED = 0.2  # of the samples by the last block of EfficientNet; by the first, none


class Lstm(nn.Module):  # type: ignore[misc]
    """LSTM, Dense over the last real step: masking, as Keras does it on the right."""

    def __init__(self, units: int, classes: int) -> None:
        """Make the two layers."""
        super().__init__()
        self.lstm, self.head = nn.LSTM(1, units), nn.Linear(units, classes)

    def __call__(self, x: Any) -> Any:
        """Return the logits of (batch, steps, 1); padded steps hold -1."""
        lengths = (x[:, :, 0] != -1).sum(axis=1)
        states, _ = self.lstm(x)
        return self.head(states[mx.arange(len(x)), lengths - 1])


class BatchNorm(nn.BatchNorm):  # type: ignore[misc]
    """Normalisation in float32 at least: sums of halves would overflow."""

    def __call__(self, x: Any) -> Any:
        """Return *x* of (batch, height, width, channels) normalised, in its type."""
        half = x.dtype in (mx.float16, mx.bfloat16)
        return super().__call__(x.astype(mx.float32) if half else x).astype(x.dtype)


class Residual(nn.Module):  # type: ignore[misc]
    """Layers whose result is added to what went in, or to what *short* makes of it."""

    def __init__(self, body: list[Any], short: Any = (), after: Any = None) -> None:
        """Add to what *body* returns; *after* goes over the sum."""
        super().__init__()
        self.body, self.short = nn.Sequential(*body), nn.Sequential(*short)
        self.after = after or nn.Identity()

    def __call__(self, x: Any) -> Any:
        """Return the sum."""
        return self.after(self.short(x) + self.body(x))


class Weighted(nn.Module):  # type: ignore[misc]
    """Squeeze and excitation: channels weighted by what all are on average."""

    def __init__(self, width: int, inner: int) -> None:
        """Make the two layers between averages and weights."""
        super().__init__()
        dense = nn.Linear(width, inner), nn.SiLU(), nn.Linear(inner, width)
        self.weights = nn.Sequential(*dense, nn.Sigmoid())

    def __call__(self, x: Any) -> Any:
        """Return *x* of (batch, height, width, channels) weighted."""
        return x * self.weights(x.mean(axis=(1, 2), keepdims=True))


class Skipped(nn.Dropout):  # type: ignore[misc]
    """Stochastic depth: what a block adds is left out for some of the samples."""

    def __call__(self, x: Any) -> Any:
        """Return *x*, all of a sample or nothing."""
        return x * super().__call__(mx.ones((len(x), 1, 1, 1), x.dtype))


class Block(nn.Module):  # type: ignore[misc]
    """Attention and two dense layers, each added and normalised, as BERT has them."""

    def __init__(self, encoder: Encoder) -> None:
        """Make the layers."""
        super().__init__()
        width, self.heads = encoder.width, encoder.heads
        self.attend = [nn.Linear(width, width) for _ in range(4)]
        self.dense = [nn.Linear(width, encoder.inner), nn.Linear(encoder.inner, width)]
        self.norms = [nn.LayerNorm(width, EPSILON) for _ in range(2)]
        self.dropout = nn.Dropout(DROPOUT)
        self.out_dropout = nn.Dropout(encoder.attention_output_dropout)

    def __call__(self, x: Any) -> Any:
        """Return (batch, tokens, width) after both."""
        (first, second), (inner, outer) = self.norms, self.dense
        x = first(x + self.out_dropout(self.attention(x)))
        return second(x + self.dropout(outer(nn.gelu(inner(x)))))

    def attention(self, x: Any) -> Any:
        """Return what tokens see of each other, part of it dropped.

        The fused kernel of MLX drops nothing.
        """
        *inputs, out = self.attend
        parts = (layer(x).reshape(*x.shape[:2], self.heads, -1) for layer in inputs)
        queries, keys, values = (part.transpose(0, 2, 1, 3) for part in parts)
        scores = queries @ keys.transpose(0, 1, 3, 2) * queries.shape[-1] ** -0.5
        seen = self.dropout(mx.softmax(scores, axis=-1, precise=True)) @ values
        return out(seen.transpose(0, 2, 1, 3).reshape(x.shape))


class Classifier(nn.Module):  # type: ignore[misc]
    """DistilBERT or BERT with its head: a layer, dropout, logits."""

    def __init__(self, encoder: Encoder, classes: int) -> None:
        """Make embeddings, blocks and head."""
        super().__init__()
        width = encoder.width
        # No second sentence ever comes, and DistilBERT knows of none.
        rows = (VOCABULARY, POSITIONS, TOKEN_TYPES)[: 2 + encoder.sentences]
        self.embeddings = [nn.Embedding(count, width) for count in rows]
        blocks = (Block(encoder) for _ in range(encoder.layers))
        self.body = [nn.LayerNorm(width, EPSILON), nn.Dropout(DROPOUT), *blocks]
        activation = {"relu": nn.ReLU, "tanh": nn.Tanh}[encoder.activation]()
        layers = nn.Linear(width, width), activation, nn.Dropout(encoder.head_dropout)
        self.head = [*layers, nn.Linear(width, classes)]

    def __call__(self, ids: Any) -> Any:
        """Return the logits of (batch, tokens)."""
        words, positions, *sentences = self.embeddings
        x = words(ids) + positions.weight[: ids.shape[1]]
        x = nn.Sequential(*self.body)(sum((s.weight[0] for s in sentences), x))
        return nn.Sequential(*self.head)(x[:, 0])


def model_of(cell: Cell) -> Any:
    """Return the untrained network of *cell*, its weights drawn on the CPU.

    Frozen normalisation keeps its statistics, as Keras has it.
    """
    facts, classes = cell.parameters, cell.parameters["classes"]
    with mx.stream(mx.cpu):
        if cell.kind == "rnn":
            model = Lstm(facts["units"], classes)
        elif cell.workload in ENCODERS:
            model = Classifier(ENCODERS[cell.workload], classes)
        else:
            layers, width = _layers(cell)
            model = nn.Sequential(nn.Sequential(*layers), nn.Linear(width, classes))
        mx.eval(model.parameters())
    if facts.get("trainable") == "last":
        model.layers[0].freeze().eval()
    return model


def without_dropout(model: Any) -> Any:
    """Return *model* with nothing left to chance: no dropout, no skipped blocks."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module._p_1 = 1.0
    return model


def _layers(cell: Cell) -> tuple[list[Any], int]:
    """Return all layers but the last, and how many numbers they return."""
    name = cell.workload
    if name in _RESNETS:
        return _resnet(_RESNETS[name], deep=name == "resnet50")
    if name.startswith(("mobilenet", "efficientnet")):
        return _mobile(nn.SiLU if name == "efficientnet-b0" else nn.ReLU6), 1280
    layers: list[Any] = []
    for kind, inputs, width, sizes in stacked(name, cell.parameters):
        match kind:
            case "conv":
                layers += [_conv(inputs, width, *sizes), nn.ReLU()]
            case "normed":
                layers += _normed(inputs, width, *sizes, bias=True)
            case "pair":
                first, second = (_normed(width, width, 3, bias=True) for _ in "12")
                layers.append(Residual(first + second))
            case "dense":
                layers += [nn.Linear(inputs, width), nn.ReLU()]
            case "pool":
                layers.append(nn.MaxPool2d(*sizes))
            case _:
                layers.append(nn.Dropout(*sizes) if kind == "drop" else _flat)
    return layers, width


def _flat(x: Any) -> Any:
    return x.reshape(len(x), -1)


def _pooled(x: Any) -> Any:
    return x.mean(axis=(1, 2))


def _conv(inputs: int, outputs: int, *shape: int, **more: Any) -> Any:
    made = nn.Conv2d(inputs, outputs, *shape, **more)
    # As torchvision: MLX's own are so small that of a signal hardly anything is left.
    made.weight = nn.init.he_normal()(made.weight, mode="fan_out", gain=2**0.5)
    return made


def _normed(
    inputs: int, outputs: int, kernel: int, stride: int = 1, **more: Any
) -> Any:
    activation = more.pop("activation", nn.ReLU)
    facts = {"padding": kernel // 2, "bias": False} | more
    layers = [_conv(inputs, outputs, kernel, stride, **facts), BatchNorm(outputs)]
    return [*layers, activation()] if activation else layers


def _resnet(stages: tuple[int, ...], *, deep: bool) -> tuple[list[Any], int]:
    layers, inputs = [*_normed(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for stage, count in enumerate(stages):
        width, outputs = 64 << stage, (256 if deep else 64) << stage
        for stride in (2 if stage else 1, *[1] * (count - 1)):
            body = _normed(inputs, width, 1) if deep else []
            body += _normed(width if deep else inputs, width, 3, stride)
            body += _normed(width, outputs, 1 if deep else 3, activation=None)
            same = stride == 1 and inputs == outputs
            short = () if same else _normed(inputs, outputs, 1, stride, activation=None)
            layers.append(Residual(body, short, nn.ReLU()))
            inputs = outputs
    return [*layers, _pooled], inputs


def _mobile(activation: Any) -> list[Any]:
    """Return MobileNetV2, or EfficientNet-B0, which weights and skips as well."""
    weights, normed = activation is nn.SiLU, partial(_normed, activation=activation)
    layers, inputs, number = normed(3, 32, 3, 2), 32, 0
    for stage in (*_MOBILE[activation].split(", "), "6 3 1 320 1"):
        expansion, kernel, first, outputs, count = map(int, stage.split())
        for stride in (first, *[1] * (count - 1)):
            inner = expansion * inputs
            body = normed(inputs, inner, 1) if expansion > 1 else []
            body += normed(inner, inner, kernel, stride, groups=inner)
            body += [Weighted(inner, inputs // 4)] if weights else []
            body += _normed(inner, outputs, 1, activation=None)
            if stride == 1 and inputs == outputs:
                skipped = [Skipped(_SKIPPED * number / 16)] if weights else []
                body = [Residual(body + skipped)]
            layers += body
            inputs, number = outputs, number + 1
    return [*layers, *normed(320, 1280, 1), _pooled, nn.Dropout(0.2)]
