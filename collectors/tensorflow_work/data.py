"""One pass over a data set by tf.data: loading is part of it."""

from typing import Any

import tensorflow as tf
from harness.cells import Cell, SeedPlan
from training_data.batches import image_shape
from training_data.files import Images


def one_pass(cell: Cell, plan: SeedPlan, images: Images, turn: int) -> Any:
    """Return a tf.data pipeline over the images, shuffled, the last batch smaller.

    With loader processes there are as many threads, which deliver images as the
    network takes them; without, bytes are gathered when they are asked for.
    """
    # Pipelines run on the CPU; a GPU would be asked for every image.
    with tf.device("/CPU:0"):
        pixels = tf.constant(images.pixels[: plan.samples])
        labels = tf.constant(images.labels[: plan.samples], tf.int32)
    count = len(labels)
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
    side, channels = image_shape(cell)
    resized = tf.image.resize(tf.cast(pixels, tf.float32) / 255, (side, side))
    repeats = channels // pixels.shape[-1]
    return tf.repeat(resized, repeats, axis=-1) if repeats > 1 else resized
