"""The measures of networks, for frameworks that do not bring them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

POSITIONS, TOKEN_TYPES = 512, 2
DROPOUT, EPSILON = 0.1, 1e-12


class Encoder(NamedTuple):
    """The measures of an encoder, and what its head does."""

    width: int
    heads: int
    layers: int
    inner: int
    attention_output_dropout: float
    sentences: bool
    activation: str
    head_dropout: float


ENCODERS = {
    "distilbert": Encoder(
        *(768, 12, 6, 3072, 0.0), sentences=False, activation="relu", head_dropout=0.2
    ),
    "bert-large": Encoder(
        *(1024, 16, 24, 4096, DROPOUT),
        sentences=True,
        activation="tanh",
        head_dropout=DROPOUT,
    ),
}

# Layers with their sizes: outputs first, then kernel, stride and padding; "normed" is a
# convolution with normalisation, "pair" two of them whose result is added to what went
# in, "dense" is followed by ReLU.
_STACKS = {
    "mnist": "flat 784, dense {hidden}, drop {dropout}",
    "mnist-cnn": "conv 32 3, conv 64 3, pool 2 2, flat 9216, dense 128",
    "alexnet": "conv 64 11 4 2, pool 3 2, conv 192 5 1 2, pool 3 2, conv 384 3 1 1, "
    "conv 256 3 1 1, conv 256 3 1 1, pool 3 2, flat 9216, drop 0.5, dense 4096, "
    "drop 0.5, dense 4096",
    "vgg16": "conv 64 3 1 1, conv 64 3 1 1, pool 2 2, conv 128 3 1 1, conv 128 3 1 1, "
    + "pool 2 2, conv 256 3 1 1, conv 256 3 1 1, conv 256 3 1 1, "
    + "pool 2 2, conv 512 3 1 1, conv 512 3 1 1, conv 512 3 1 1, " * 2
    + "pool 2 2, flat 25088, dense 4096, drop 0.5, dense 4096, drop 0.5",
    "resnet9": "normed 16 7 4, normed 32 3 2, pair 32, normed 64 3 2, normed 128 3 2, "
    "pair 128, flat 128, dense 128",
}
_RESNETS = {"resnet18": (2, 2, 2, 2), "resnet50": (3, 4, 6, 3)}  # blocks of each stage
# Expansion, kernel, stride, channels and blocks of each stage.
_INVERTED = {
    "mobilenetv2": "1 3 1 16 1, 6 3 2 24 2, 6 3 2 32 3, 6 3 2 64 4, 6 3 1 96 3, "
    "6 3 2 160 3, 6 3 1 320 1",
    "efficientnet-b0": "1 3 1 16 1, 6 3 2 24 2, 6 5 2 40 2, 6 3 2 80 3, 6 5 1 112 3, "
    "6 5 2 192 4, 6 3 1 320 1",
}
Layer = tuple[str, int, int, list[Any]]  # kind, inputs, outputs, other sizes


def stacked(workload: str, facts: Mapping[str, Any]) -> Iterator[Layer]:
    """Yield all layers but the last of a network that is a mere stack of them."""
    width = facts.get("channels", 3)
    for kind, *words in map(str.split, _STACKS[workload].format(**facts).split(", ")):
        sizes: list[Any] = [float(word) if "." in word else int(word) for word in words]
        inputs = width
        if kind not in ("pool", "drop"):
            width = sizes.pop(0)
        yield kind, inputs, width, sizes


def layers_of(
    workload: str, facts: Mapping[str, Any], made: Mapping[str, Callable[..., Any]]
) -> tuple[list[Any], int]:
    """Return the layers of such a stack, and how many numbers the last one returns.

    *made* makes those of a kind, of inputs, outputs and other sizes.
    """
    layers: list[Any] = []
    width = 0
    for kind, inputs, width, sizes in stacked(workload, facts):
        layers += made[kind](inputs, width, *sizes)
    return layers, width


class ResidualBlock(NamedTuple):
    """Channels that go in, inside and out; *width* and *stride* are of its 3 x 3."""

    inputs: int
    width: int
    outputs: int
    stride: int


def residual_blocks(workload: str) -> Iterator[ResidualBlock]:
    """Yield the blocks of a ResNet, between its first pooling and its last."""
    inputs = 64
    for stage, count in enumerate(_RESNETS[workload]):
        width = 64 << stage
        outputs = 4 * width if workload == "resnet50" else width
        for stride in (2 if stage else 1, *[1] * (count - 1)):
            yield ResidualBlock(inputs, width, outputs, stride)
            inputs = outputs


class InvertedBlock(NamedTuple):
    """Channels that go in, inside and out; *kernel*, *stride* are of the middle one."""

    inputs: int
    inner: int
    outputs: int
    kernel: int
    stride: int


def inverted_blocks(workload: str) -> Iterator[InvertedBlock]:
    """Yield the blocks of MobileNetV2 or EfficientNet-B0, behind 32 channels."""
    inputs = 32
    for stage in _INVERTED[workload].split(", "):
        expansion, kernel, first, outputs, count = map(int, stage.split())
        for stride in (first, *[1] * (count - 1)):
            yield InvertedBlock(inputs, expansion * inputs, outputs, kernel, stride)
            inputs = outputs
