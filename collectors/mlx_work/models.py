"""The networks of the catalogue in MLX, untrained: for images, text and sequences.

MLX brings layers and no networks: these are as torchvision and Hugging Face have them.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import mlx.core as mx
import networks
from harness.cells import Cell
from mlx import nn
from networks import DROPOUT, ENCODERS, EPSILON, TOKEN_TYPES, Encoder
from training_data.batches import VOCABULARY

_POOLED = partial(mx.mean, axis=(1, 2))
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


class Weighted(nn.Sequential):  # type: ignore[misc]
    """Squeeze and excitation: channels weighted by what all are on average."""

    def __call__(self, x: Any) -> Any:
        """Return *x* of (batch, height, width, channels) weighted."""
        return x * super().__call__(x.mean(axis=(1, 2), keepdims=True))


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
        """Return what tokens see of each other; fused kernels would drop no part."""
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
        rows = VOCABULARY, networks.POSITIONS, *encoder.sentences * [TOKEN_TYPES]
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
    if name in ("resnet18", "resnet50"):
        return [*_resnet(name)], 512 if name == "resnet18" else 2048
    if name.startswith(("mobilenet", "efficientnet")):
        return [*_mobile(name.removesuffix("-cifar10"))], 1280
    return networks.layers_of(name, cell.parameters, _STACKED)


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


def _resnet(name: str) -> Any:
    yield from (*_normed(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1))
    for inputs, width, outputs, stride in networks.residual_blocks(name):
        deep, same = outputs > width, stride == 1 and inputs == outputs
        body = _normed(inputs, width, 1) if deep else []
        body += _normed(width if deep else inputs, width, 3, stride)
        body += _normed(width, outputs, 1 if deep else 3, activation=None)
        short = () if same else _normed(inputs, outputs, 1, stride, activation=None)
        yield Residual(body, short, nn.ReLU())
    yield _POOLED


def _mobile(name: str) -> Any:
    """Yield MobileNetV2, or EfficientNet-B0, which weights and skips as well."""
    weighs = name == "efficientnet-b0"
    normed = partial(_normed, activation=nn.SiLU if weighs else nn.ReLU6)
    yield from normed(3, 32, 3, 2)
    for number, block in enumerate(networks.inverted_blocks(name)):
        inputs, inner, outputs, kernel, stride = block
        body = normed(inputs, inner, 1) if inner > inputs else []
        body += normed(inner, inner, kernel, stride, groups=inner)
        if weighs:
            few = nn.Linear(inner, inputs // 4), nn.SiLU()
            body += [Weighted(*few, nn.Linear(inputs // 4, inner), nn.Sigmoid())]
        body += _normed(inner, outputs, 1, activation=None)
        skipped = [Skipped(_SKIPPED * number / 16)] if weighs else []
        same = stride == 1 and inputs == outputs
        yield from [Residual(body + skipped)] if same else body
    yield from (*normed(320, 1280, 1), _POOLED, nn.Dropout(0.2))


# By kind of layer, of inputs, outputs and other sizes.
_STACKED: dict[str, Callable[..., Any]] = {
    "conv": lambda *sizes: [_conv(*sizes), nn.ReLU()],
    "normed": partial(_normed, bias=True),
    "pair": lambda _, width: [
        Residual([made for _ in "12" for made in _normed(width, width, 3, bias=True)])
    ],
    "dense": lambda *sizes: [nn.Linear(*sizes), nn.ReLU()],
    "pool": lambda _inputs, _outputs, *sizes: [nn.MaxPool2d(*sizes)],
    "drop": lambda _inputs, _outputs, share: [nn.Dropout(share)],
    "flat": lambda *_sizes: [partial(mx.flatten, start_axis=1)],
}
