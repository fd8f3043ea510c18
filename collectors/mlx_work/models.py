"""The networks of the catalogue in MLX, untrained: for images, text and sequences.

MLX brings layers and no networks: these are as torchvision and Hugging Face have them.
"""

from functools import partial
from typing import Any

import mlx.core as mx
from encoders import DROPOUT, ENCODERS, EPSILON, POSITIONS, TOKEN_TYPES, Encoder
from harness.cells import Cell
from mlx import nn
from training_data.batches import VOCABULARY

_SKIPPED = 0.2  # of the samples by the last block of EfficientNet; by the first, none
# Of MobileNetV2 and EfficientNet-B0, by their activation: expansion, kernel, stride,
# channels and blocks of each stage.
_INVERTED = {
    nn.ReLU6: (
        *((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 3, 2, 32, 3), (6, 3, 2, 64, 4)),
        *((6, 3, 1, 96, 3), (6, 3, 2, 160, 3), (6, 3, 1, 320, 1)),
    ),
    nn.SiLU: (
        *((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3)),
        *((6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)),
    ),
}
_VGG = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))  # channels, convolutions
_RESNETS = {"resnet18": (2, 2, 2, 2), "resnet50": (3, 4, 6, 3)}


class Lstm(nn.Module):  # type: ignore[misc]
    """LSTM, Dense over the last real step: masking, as Keras does it on the right."""

    def __init__(self, units: int, classes: int) -> None:
        """Make the two layers."""
        super().__init__()
        self.lstm = nn.LSTM(1, units)
        self.head = nn.Linear(units, classes)

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

    def __init__(self, body: Any, short: Any = None, after: Any = None) -> None:
        """Add to what *body* returns; *after* goes over the sum."""
        super().__init__()
        self.body, self.short = nn.Sequential(*body), nn.Sequential(*short or ())
        self.after = after or nn.Identity()

    def __call__(self, x: Any) -> Any:
        """Return the sum."""
        return self.after(self.short(x) + self.body(x))


class Squeeze(nn.Module):  # type: ignore[misc]
    """Channels weighted by what all of them are on average."""

    def __init__(self, channels: int, inner: int) -> None:
        """Make the two layers between averages and weights."""
        super().__init__()
        self.reduce = nn.Linear(channels, inner)
        self.expand = nn.Linear(inner, channels)

    def __call__(self, x: Any) -> Any:
        """Return *x* of (batch, height, width, channels) weighted."""
        means = x.mean(axis=(1, 2), keepdims=True)
        return x * mx.sigmoid(self.expand(nn.silu(self.reduce(means))))


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
        self.query, self.key, self.value, self.out = (
            nn.Linear(width, width) for _ in range(4)
        )
        self.inner = nn.Linear(width, encoder.inner)
        self.outer = nn.Linear(encoder.inner, width)
        self.norms = [nn.LayerNorm(width, EPSILON) for _ in range(2)]
        self.dropout = nn.Dropout(DROPOUT)
        self.out_dropout = nn.Dropout(encoder.attention_output_dropout)

    def __call__(self, x: Any) -> Any:
        """Return (batch, tokens, width) after both."""
        x = self.norms[0](x + self.out_dropout(self.out(self.attention(x))))
        return self.norms[1](x + self.dropout(self.outer(nn.gelu(self.inner(x)))))

    def attention(self, x: Any) -> Any:
        """Return what tokens see of each other, part of it dropped.

        The fused kernel of MLX drops nothing.
        """
        batch, tokens, width = x.shape
        queries, keys, values = (
            layer(x).reshape(batch, tokens, self.heads, -1).transpose(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        )
        scores = queries @ keys.transpose(0, 1, 3, 2) * (width // self.heads) ** -0.5
        seen = self.dropout(mx.softmax(scores, axis=-1, precise=True)) @ values
        return seen.transpose(0, 2, 1, 3).reshape(x.shape)


class Classifier(nn.Module):  # type: ignore[misc]
    """DistilBERT or BERT with its head: a layer, dropout, logits."""

    def __init__(self, encoder: Encoder, classes: int) -> None:
        """Make embeddings, blocks and head."""
        super().__init__()
        width = encoder.width
        # No second sentence ever comes, and DistilBERT knows of none.
        rows = (VOCABULARY, POSITIONS, TOKEN_TYPES)[: 2 + encoder.sentences]
        self.embeddings = [nn.Embedding(count, width) for count in rows]
        self.first = [nn.LayerNorm(width, EPSILON), nn.Dropout(DROPOUT)]
        self.blocks = [Block(encoder) for _ in range(encoder.layers)]
        self.pooler, self.activation = nn.Linear(width, width), encoder.activation
        self.head_dropout = nn.Dropout(encoder.head_dropout)
        self.head = nn.Linear(width, classes)

    def __call__(self, ids: Any) -> Any:
        """Return the logits of (batch, tokens)."""
        words, positions, *sentences = self.embeddings
        x = words(ids) + positions.weight[: ids.shape[1]]
        for table in sentences:
            x = x + table.weight[0]
        for layer in (*self.first, *self.blocks):
            x = layer(x)
        activation = {"relu": nn.relu, "tanh": mx.tanh}[self.activation]
        return self.head(self.head_dropout(activation(self.pooler(x[:, 0]))))


def model_of(cell: Cell) -> Any:
    """Return the untrained network of *cell*, its weights drawn on the CPU.

    Frozen normalisation keeps its statistics, as Keras has it.
    """
    with mx.stream(mx.cpu):
        model = _network(cell)
        mx.eval(model.parameters())
    if cell.parameters.get("trainable") == "last":
        model.layers[0].freeze().eval()
    return model


def without_dropout(model: Any) -> Any:
    """Return *model* with nothing left to chance: no dropout, no skipped blocks."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module._p_1 = 1.0
    return model


def _network(cell: Cell) -> Any:
    facts, classes = cell.parameters, cell.parameters["classes"]
    match cell.workload:
        case "lstm":
            return Lstm(facts["units"], classes)
        case text if text in ENCODERS:
            return Classifier(ENCODERS[text], classes)
        case "mnist":
            hidden = facts["hidden"]
            layers, width = [_flat, *_dense(784, hidden)], hidden
            layers.append(nn.Dropout(facts["dropout"]))
        case "mnist-cnn":
            layers, width = _mnist_cnn(facts["channels"]), 128
        case "vgg16":
            layers, width = _vgg16(), 4096
        case "alexnet":
            layers, width = _alexnet(), 4096
        case "resnet9":
            layers, width = _resnet9(), 128
        case resnet if resnet in _RESNETS:
            layers, width = _resnet(_RESNETS[resnet], deep=resnet == "resnet50")
        case mobile:
            activation = nn.SiLU if mobile == "efficientnet-b0" else nn.ReLU6
            layers, width = _inverted(activation), 1280
    return nn.Sequential(nn.Sequential(*layers), nn.Linear(width, classes))


def _conv(inputs: int, outputs: int, kernel: int, stride: int = 1, **more: Any) -> Any:
    made = nn.Conv2d(inputs, outputs, kernel, stride, **{"padding": kernel // 2} | more)
    # As torchvision: MLX's own are so small that deep networks return hardly a signal.
    made.weight = nn.init.he_normal()(made.weight, mode="fan_out", gain=2**0.5)
    return made


def _normed(*sizes: int, activation: Any = nn.ReLU, **more: Any) -> list[Any]:
    convolution = _conv(*sizes, **{"bias": False} | more)
    return [convolution, BatchNorm(sizes[1]), *([activation()] if activation else ())]


def _flat(x: Any) -> Any:
    return x.reshape(len(x), -1)


def _pooled(x: Any) -> Any:
    return x.mean(axis=(1, 2))


def _dense(inputs: int, outputs: int) -> list[Any]:
    return [nn.Linear(inputs, outputs), nn.ReLU()]


def _mnist_cnn(channels: int) -> list[Any]:
    first, second = nn.Conv2d(channels, 32, 3), nn.Conv2d(32, 64, 3)
    convolutions = [first, nn.ReLU(), second, nn.ReLU(), nn.MaxPool2d(2)]
    return [*convolutions, _flat, *_dense(64 * 12 * 12, 128)]


def _vgg16() -> list[Any]:
    layers, inputs = [], 3
    for outputs, count in _VGG:
        for _ in range(count):
            layers += [_conv(inputs, outputs, 3), nn.ReLU()]
            inputs = outputs
        layers.append(nn.MaxPool2d(2))
    for inputs in (512 * 7 * 7, 4096):
        layers += [_flat, *_dense(inputs, 4096), nn.Dropout(0.5)]
    return layers


def _alexnet() -> list[Any]:
    pool = nn.MaxPool2d(3, 2)
    layers = [_conv(3, 64, 11, 4, padding=2), nn.ReLU(), pool]
    layers += [_conv(64, 192, 5), nn.ReLU(), pool]
    for inputs, outputs in ((192, 384), (384, 256), (256, 256)):
        layers += [_conv(inputs, outputs, 3), nn.ReLU()]
    layers += [pool, _flat]
    for inputs in (256 * 6 * 6, 4096):
        layers += [nn.Dropout(0.5), *_dense(inputs, 4096)]
    return layers


def _resnet9() -> list[Any]:
    normed = partial(_normed, bias=True)
    pairs = [Residual([*normed(n, n, 3), *normed(n, n, 3)]) for n in (32, 128)]
    layers = [*normed(3, 16, 7, 4), *normed(16, 32, 3, 2), pairs[0]]
    layers += [*normed(32, 64, 3, 2), *normed(64, 128, 3, 2), pairs[1]]
    return [*layers, _flat, *_dense(128, 128)]


def _resnet(blocks: tuple[int, ...], *, deep: bool) -> tuple[list[Any], int]:
    layers, inputs = [*_normed(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for stage, count in enumerate(blocks):
        width = 64 * 2**stage
        outputs = 4 * width if deep else width
        for stride in (min(stage, 1) + 1, *[1] * (count - 1)):
            body = [*_normed(inputs, width, 3, stride)]
            if deep:
                body = [*_normed(inputs, width, 1), *_normed(width, width, 3, stride)]
            body += _normed(width, outputs, 1 if deep else 3, activation=None)
            same = stride == 1 and inputs == outputs
            short = () if same else _normed(inputs, outputs, 1, stride, activation=None)
            layers.append(Residual(body, short, nn.ReLU()))
            inputs = outputs
    return [*layers, _pooled], inputs


def _inverted(activation: Any) -> list[Any]:
    """Return MobileNetV2, or EfficientNet-B0, which weights and skips as well."""
    weighted, normed = activation is nn.SiLU, partial(_normed, activation=activation)
    layers, inputs, stages = [*normed(3, 32, 3, 2)], 32, _INVERTED[activation]
    blocks = [
        (*s[:2], s[2] if i == 0 else 1, s[3]) for s in stages for i in range(s[4])
    ]
    for number, (expansion, kernel, stride, outputs) in enumerate(blocks):
        inner = expansion * inputs
        body = [] if expansion == 1 else [*normed(inputs, inner, 1)]
        body += normed(inner, inner, kernel, stride, groups=inner)
        body += [Squeeze(inner, inputs // 4)] if weighted else []
        body += _normed(inner, outputs, 1, activation=None)
        if stride == 1 and inputs == outputs:
            skipped = [Skipped(_SKIPPED * number / len(blocks))] if weighted else []
            body = [Residual([*body, *skipped])]
        layers += body
        inputs = outputs
    return [*layers, *normed(320, 1280, 1), _pooled, nn.Dropout(0.2)]
