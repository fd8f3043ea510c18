"""What networks are fed with: random data of their shapes, or real images.

Arrays of NumPy, the channels of images last; a framework makes its tensors of them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import language
import numpy as np
from harness.cells import Cell

from training_data.cifar10 import read_cifar10
from training_data.files import DataError, Images
from training_data.mnist import read_mnist

Batch = tuple[Any, Any]  # inputs and labels

# Rotating through several batches keeps small data from living in the cache and the
# loss from collapsing; a batch of images is large enough on its own.
_POOL_BYTES = 64 * 2**20
_POOL_BATCHES = 64
VOCABULARY = 30522
_SHAPES = {"mnist": (28, 28, 1), "cifar10": (32, 32, 3)}
READERS: dict[str, Callable[[Path], Images]] = {
    "mnist": read_mnist,
    "cifar10": read_cifar10,
}


def images_of(cell: Cell) -> Images | None:
    """Return the images that *cell* needs beside its batches, or instead of them.

    Those in the user's folder, or random ones for a pass over the data.
    """
    if cell.data is not None and cell.data_folder is not None:
        return READERS[cell.data](Path(cell.data_folder))
    plan = cell.seed_plan
    if plan is None or plan.kind != "epoch":
        return None
    return random_images(cell, plan.samples)


def random_images(cell: Cell, count: int) -> Images:
    """Return *count* images in the shape of the cell's data set, from its seed."""
    source = np.random.default_rng(cell.seed)
    shape = (count, *_SHAPES[str(cell.data)])
    pixels = source.integers(256, size=shape, dtype=np.uint8)
    labels = source.integers(cell.parameters["classes"], size=count)
    return Images("random", pixels, labels, sha256="", files=())


def data_facts(images: Images | None) -> dict[str, Any]:
    """Return which real images a run was fed with, for its checks."""
    if images is None or not images.files:
        return {}
    facts = {"name": images.name, "sha256": images.sha256}
    return {"data": facts | {"images": len(images.labels)}}


def batches_of(cell: Cell, images: Images | None = None) -> list[Batch]:
    """Return batches from the cell's seed, random but for what the user has."""
    rows = cell.batch_size
    if images is None or not images.files:
        (inputs, _), *_ = random_batches(cell, 1)
        return random_batches(cell, _pool(inputs.nbytes))
    side, channels = image_shape(cell)
    most = max(1, len(images.labels) // rows)
    made = batches(
        images,
        batch_size=rows,
        side=side,
        channels=channels,
        count=min(_pool(4 * rows * channels * side**2), most),
        seed=cell.seed,
        classes=cell.parameters["classes"],
    )
    return [(x.reshape(rows, *input_shape(cell)), labels) for x, labels in made]


def _pool(batch_bytes: int) -> int:
    return max(1, min(_POOL_BATCHES, _POOL_BYTES // batch_bytes))


def image_shape(cell: Cell) -> tuple[int, int]:
    """Return side and channels of the images that the network takes."""
    if cell.kind == "mlp":
        return 28, 1
    return cell.parameters["image_size"], cell.parameters.get("channels", 3)


def input_shape(cell: Cell) -> tuple[int, ...]:
    """Return the shape of one input."""
    match cell.kind:
        case "rnn":
            return (cell.parameters["sequence_length"], 1)
        case "mlp":
            return (28, 28)
        case "cnn":
            side, channels = image_shape(cell)
            return (side, side, channels)
        case "transformer":
            return (cell.parameters["sequence_length"],)
        case other:
            raise NotImplementedError(f"no data for a {other}")


def random_batches(cell: Cell, count: int) -> list[Batch]:
    """Return *count* random batches from the cell's seed."""
    source = np.random.default_rng(cell.seed)
    rows, shape = cell.batch_size, (cell.batch_size, *input_shape(cell))

    if cell.counts_tokens:  # the next token of each
        vocabulary = language.shape_of(cell.workload, cell.parameters).vocabulary
        texts = (rows, shape[1] + 1)
        drawn = (source.integers(vocabulary, size=texts) for _ in range(count))
        return [(ids[:, :-1].copy(), ids[:, 1:].reshape(-1)) for ids in drawn]

    def inputs() -> Any:
        if cell.kind == "transformer":
            return source.integers(VOCABULARY, size=shape)
        x = source.random(shape, dtype=np.float32)
        if cell.kind == "rnn":
            lengths = source.integers(5, shape[1] + 1, size=(rows, 1))
            x[np.arange(shape[1]) >= lengths] = -1.0
        return x

    classes = cell.parameters["classes"]
    return [(inputs(), source.integers(classes, size=rows)) for _ in range(count)]


def batches(  # noqa: PLR0913 - what a network wants to be fed with
    images: Images,
    *,
    batch_size: int,
    side: int,
    channels: int,
    count: int,
    seed: int,
    classes: int | None = None,
) -> list[Batch]:
    """Return *count* random batches in which no image comes twice.

    Each is (images as float32 from 0 to 1, labels as int64); images are square, with
    *side* pixels, and only those chosen are converted. *classes* leaves out the images
    of other classes than the first so many, for a network that knows no more.
    """
    there = images.pixels.shape[-1]
    if there not in (1, channels):
        raise DataError(
            f"{images.name} has {there} channels and {channels} are wanted; "
            "only grey images can be given another number"
        )
    usable = np.flatnonzero(images.labels < (classes or np.inf))
    if batch_size * count > len(usable):
        raise DataError(
            f"{images.name} has {len(usable)} usable images, too few for {count} "
            f"batches of {batch_size}; use smaller batches or the whole data set"
        )
    order = np.random.default_rng(seed).permutation(usable)
    made = []
    for rows in order[: batch_size * count].reshape(count, batch_size):
        planes = np.moveaxis(images.pixels[rows], -1, 1).astype(np.float32)
        planes /= 255
        wanted = np.repeat(resized(planes, side), channels // there, axis=1)
        inputs = np.ascontiguousarray(np.moveaxis(wanted, 1, -1))
        made.append((inputs, images.labels[rows]))
    return made


def resized(planes: Any, side: int) -> Any:
    """Return (n, channels, height, width) as side x side, bilinearly.

    As PyTorch and TensorFlow do it: the centres of pixels are at halves, the corners
    are not aligned, and nothing is smoothed before it is made smaller.
    """
    height, width = planes.shape[-2:]
    # Products with few weights, where indexing would copy the images four times.
    return _weights(height, side) @ planes @ _weights(width, side).T


def _weights(size: int, side: int) -> Any:
    """Return (side, size): what each old pixel of a line adds to each new one."""
    places = np.maximum((np.arange(side) + 0.5) * size / side - 0.5, 0)
    before = np.minimum(places.astype(np.int64), size - 1)
    after = np.minimum(before + 1, size - 1)
    share = places - before
    weights: Any = np.zeros((side, size), np.float32)
    rows = np.arange(side)
    weights[rows, before] = 1 - share
    weights[rows, after] += share
    return weights
