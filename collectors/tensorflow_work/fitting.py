"""Keras's ``fit`` on what the sources gave to it: arrays of the host, or tf.data."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Protocol

import keras
import tensorflow as tf
from harness.cells import Cell, SeedPlan
from harness.framework import Course
from training_data.batches import image_shape
from training_data.files import Images
from training_data.source_arrays import SHUFFLED_SEQUENCES, SourceArrays, sequences


class Trained(Protocol):
    """A network that is built, with its optimiser."""

    cell: Cell
    model: Any
    optimiser: Any
    images: Images | None
    last: Any  # the loss


class EpochEnds(keras.callbacks.Callback):  # type: ignore[misc]
    """Keeps the time of epochs as Keras tells them, and ends them when it is up."""

    # Keras need not wait for it after each batch, as it did not for the source.
    async_safe = True

    def __init__(self, work: Trained, course: Course) -> None:
        """Leave the loss of each epoch to *work*, its time to *course*."""
        super().__init__()
        self.work, self.course = work, course

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Count the batch; its number is from 0."""
        if self.course.reached(batch + 1):
            self.model.stop_training = True

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Take the epoch's loss and time; what it was judged by is done as well."""
        self.work.last = tf.constant(logs["loss"], tf.float32)
        self.course.end()


def fit_arrays(work: Trained, plan: SeedPlan, course: Course) -> None:
    """Call ``fit`` as the source did: once to warm up, if it did so, then on the clock.

    What was random there is drawn anew; the optimiser goes on from where it is.
    """
    arrays = SourceArrays(work.cell, plan, work.images)
    with tf.device("/CPU:0"):
        given = _given(work.cell, plan, arrays)
    metrics = ["accuracy"] if plan.validation_samples else None
    _compile(work, metrics)
    for phase, epochs in (("warmup", plan.warmup_epochs), ("seed", plan.epochs)):
        if epochs and not course.over:
            course.begin(phase)
            ends = EpochEnds(work, course)
            # As the scripts did: a line an epoch where a warm-up came first.
            verbose = 2 if phase == "seed" and plan.warmup_epochs else 1
            with _unseen():
                work.model.fit(
                    **given, epochs=epochs, verbose=verbose, callbacks=[ends]
                )


def _given(cell: Cell, plan: SeedPlan, arrays: SourceArrays) -> dict[str, Any]:
    if plan.data_path == "pipeline":
        made = _scaled(arrays.pixels(arrays.count))
        batches = made.cache().shuffle(arrays.count).batch(cell.batch_size)
        ready = batches.prefetch(tf.data.AUTOTUNE)
        given: dict[str, Any] = {"x": ready, "shuffle": False}  # it has done so
        if plan.validation_samples:
            judged = _scaled(arrays.pixels(plan.validation_samples))
            held = judged.batch(cell.batch_size).cache()
            given["validation_data"] = held.prefetch(tf.data.AUTOTUNE)
        return given
    inputs, labels = arrays.whole
    if plan.data_path == "repeated":  # tensors there, arrays of NumPy elsewhere
        inputs, labels = tf.constant(inputs), tf.constant(labels)
    return {"x": inputs, "y": labels, "batch_size": cell.batch_size}


def _scaled(images: tuple[Any, Any]) -> Any:
    """Return a pipeline that makes floats from 0 to 1 of bytes, image by image."""
    raw = tf.data.Dataset.from_tensor_slices(images)
    return raw.map(_from_bytes, num_parallel_calls=tf.data.AUTOTUNE)


def _from_bytes(pixels: Any, label: Any) -> tuple[Any, Any]:
    return tf.cast(pixels, tf.float32) / 255, label


def fit_once(work: Trained, plan: SeedPlan, images: Images) -> int:
    """Call ``fit`` for one epoch of *images* that tf.data loads; return how many."""
    with tf.device("/CPU:0"):  # a GPU would be asked for every image
        batches = loaded(work.cell, plan, images)
    _compile(work, None)
    with _unseen():
        history = work.model.fit(batches, shuffle=False, verbose=1)
    work.last = tf.constant(history.history["loss"][-1], tf.float32)
    return min(plan.samples, len(images.labels))


def _compile(work: Trained, metrics: list[str] | None) -> None:
    """Let Keras train as the cell does: by the same compiler and optimiser."""
    work.model.compile(
        optimizer=work.optimiser,
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=metrics,
        run_eagerly=work.cell.compiler == "eager",
        # Keras would turn XLA on for CUDA alone.
        jit_compile=work.cell.compiler == "xla",
    )


@contextmanager
def _unseen() -> Iterator[None]:
    """Let Keras print what it did for the source, where nobody reads it."""
    nowhere = Path(os.devnull)
    with nowhere.open("w", encoding="utf-8") as unread, redirect_stdout(unread):
        yield


def batches_of_sequences(cell: Cell) -> Any:
    """Return tf.data over a generator in Python, shuffled and one batch ahead."""
    shape = (cell.parameters["sequence_length"], 1)
    kinds = tf.TensorSpec(shape, tf.float32), tf.TensorSpec((), tf.int32)
    with tf.device("/CPU:0"):
        drawn = tf.data.Dataset.from_generator(
            lambda: sequences(cell), output_signature=kinds
        )
        mixed = drawn.repeat().shuffle(SHUFFLED_SEQUENCES, seed=cell.seed)
        return mixed.batch(cell.batch_size).prefetch(1)


def loaded(cell: Cell, plan: SeedPlan, images: Images) -> Any:
    """Return a tf.data pipeline over the images, shuffled, the last batch smaller.

    As many threads as the source had loader processes deliver images as the network
    takes them; where it had none, tf.data decides how many.
    """
    pixels = tf.constant(images.pixels[: plan.samples])
    labels = tf.constant(images.labels[: plan.samples], tf.int32)
    count = len(labels)

    def finished(chosen: Any) -> tuple[Any, Any]:
        image, label = tf.gather(pixels, chosen), tf.gather(labels, chosen)
        return network_input(cell, image), label

    rows = tf.data.Dataset.range(count).shuffle(count, seed=cell.seed)
    threads = plan.loader_processes
    made = rows.map(finished, num_parallel_calls=threads or tf.data.AUTOTUNE)
    batches = made.batch(cell.batch_size)
    if not threads:
        return batches.prefetch(tf.data.AUTOTUNE)
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    # As many batches ahead as PyTorch's loader prepares.
    return batches.prefetch(2 * threads).with_options(options)


def network_input(cell: Cell, pixels: Any) -> Any:
    """Return bytes, of one image or many, as the network takes them: from 0 to 1."""
    side, channels = image_shape(cell)
    resized = tf.image.resize(tf.cast(pixels, tf.float32) / 255, (side, side))
    repeats = channels // pixels.shape[-1]
    return tf.repeat(resized, repeats, axis=-1) if repeats > 1 else resized
