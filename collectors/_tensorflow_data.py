"""What the networks are fed with: random data of their shapes, or real images."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from _cell import Cell, SeedPlan
from _datasets import Images, find
from _images import batches
from _tensorflow_transformers import VOCABULARY

# Rotating through several batches keeps small data from living in the cache and the
# loss from collapsing; a batch of images is large enough on its own.
_POOL_BYTES = 64 * 2**20
_POOL_BATCHES = 64
_SHAPES = {"mnist": (28, 28, 1), "cifar10": (32, 32, 3)}


@dataclass(frozen=True, eq=False)
class Bytes:
    """Images as a data set has them: uint8 (n, height, width, channels), labels."""

    pixels: Any
    labels: Any


def real_images(cell: Cell) -> Images | None:
    """Return the images in the folder that was given; None without one."""
    if cell.data is None or cell.data_folder is None:
        return None
    return find(Path(cell.data_folder), cell.data)


def batches_of(cell: Cell, images: Images | None) -> list[tuple[Any, Any]]:
    """Return batches of inputs and labels as arrays, drawn by the cell's seed."""
    if images is not None:
        return _real_batches(cell, images)
    source = np.random.default_rng(cell.seed)
    first = random_batch(cell, source)
    more = range(_pool(first[0].nbytes) - 1)
    return [first, *(random_batch(cell, source) for _ in more)]


def _pool(batch_bytes: int) -> int:
    return max(1, min(_POOL_BATCHES, _POOL_BYTES // batch_bytes))


def _real_batches(cell: Cell, images: Images) -> list[tuple[Any, Any]]:
    facts, rows = cell.parameters, cell.batch_size
    side, channels = _image_shape(cell)
    there = max(1, len(images.labels) // rows)
    made = batches(
        images,
        batch_size=rows,
        side=side,
        channels=channels,
        channels_last=True,
        count=min(_pool(4 * rows * channels * side**2), there),
        seed=cell.seed,
        classes=facts["classes"],
    )
    shape = (rows, *input_shape(cell))
    return [(x.reshape(shape), labels.astype(np.int32)) for x, labels in made]


def _image_shape(cell: Cell) -> tuple[int, int]:
    facts = cell.parameters
    if cell.kind == "mlp":
        return 28, 1
    return facts["image_size"], facts.get("channels", 3)


def input_shape(cell: Cell) -> tuple[int, ...]:
    """Return the shape of one input."""
    match cell.kind:
        case "rnn":
            return (cell.parameters["sequence_length"], 1)
        case "mlp":
            return (28, 28)
        case "cnn":
            side, channels = _image_shape(cell)
            return (side, side, channels)
        case "transformer":
            return (cell.parameters["sequence_length"],)
        case other:
            raise NotImplementedError(f"no data for a {other}")


def random_batch(cell: Cell, source: Any) -> tuple[Any, Any]:
    """Return one batch of random inputs and labels."""
    shape = (cell.batch_size, *input_shape(cell))
    labels = source.integers(
        cell.parameters["classes"], size=cell.batch_size, dtype=np.int32
    )
    if cell.kind == "transformer":
        return source.integers(VOCABULARY, size=shape, dtype=np.int32), labels
    x = source.random(shape, dtype=np.float32)
    if cell.kind == "rnn":
        lengths = source.integers(5, shape[1] + 1, size=(cell.batch_size, 1))
        x[np.arange(shape[1]) >= lengths] = -1.0
    return x, labels


def bytes_of(cell: Cell, count: int, images: Images | None) -> Bytes:
    """Return *count* images as a data set has them, real or random."""
    if images is not None:
        labels = images.labels[:count].astype(np.int32)
        return Bytes(images.pixels[:count], labels)
    source = np.random.default_rng(cell.seed)
    shape = (count, *_SHAPES[str(cell.data)])
    pixels = source.integers(256, size=shape, dtype=np.uint8)
    labels = source.integers(cell.parameters["classes"], size=count, dtype=np.int32)
    return Bytes(pixels, labels)


def one_pass(cell: Cell, plan: SeedPlan, images: Bytes, turn: int) -> Any:
    """Return a tf.data pipeline over the images, shuffled, the last batch smaller.

    With loader processes there are as many threads, which deliver images as the
    network takes them; without, bytes are gathered when they are asked for.
    """
    # Pipelines run on the CPU; a GPU would be asked for every image.
    with tf.device("/CPU:0"):
        pixels, labels = tf.constant(images.pixels), tf.constant(images.labels)
    count = min(plan.samples, len(images.labels))
    rows = tf.data.Dataset.range(count).shuffle(count, seed=cell.seed + turn)

    def gathered(chosen: Any) -> tuple[Any, Any]:
        return tf.gather(pixels, chosen), tf.gather(labels, chosen)

    def finished(chosen: Any) -> tuple[Any, Any]:
        image, label = gathered(chosen)
        return network_input(cell, image), label

    if not plan.loader_processes:
        return rows.batch(cell.batch_size).map(gathered)
    made = rows.map(finished, num_parallel_calls=plan.loader_processes)
    options = tf.data.Options()
    options.threading.private_threadpool_size = plan.loader_processes
    # As many batches ahead as PyTorch's loader prepares.
    ahead = 2 * plan.loader_processes
    return made.batch(cell.batch_size).prefetch(ahead).with_options(options)


def network_input(cell: Cell, pixels: Any) -> Any:
    """Return bytes, of one image or many, as the network takes them: from 0 to 1."""
    side, channels = _image_shape(cell)
    resized = tf.image.resize(tf.cast(pixels, tf.float32) / 255, (side, side))
    repeats = channels // pixels.shape[-1]
    return tf.repeat(resized, repeats, axis=-1) if repeats > 1 else resized
