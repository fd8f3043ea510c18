"""What the sources trained on: arrays of the host, as each of their scripts made them.

A plan names the path of its data: ``repeated`` (one random example as often as an epoch
has samples), ``images`` (bytes divided by 255, in float64), ``pipeline`` (the same in
float32, made once) or ``sequences`` (a generator in Python, shuffled in a buffer).
"""

import random
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from harness.cells import Cell, SeedPlan

from training_data.batches import Batch, input_shape, random_images
from training_data.files import Images

SHUFFLED_SEQUENCES = 5000  # in the buffer of the source
_LARGEST = 10_000  # number of a sequence
_TOKENS = 1000  # that the source's example is drawn from
_PADDING = -1.0


class SourceArrays:
    """The data of a source's epochs, whole on the host, and their batches."""

    def __init__(self, cell: Cell, plan: SeedPlan, images: Images | None) -> None:
        """Note what an epoch of *plan* needs, of the user's *images* if any."""
        self.cell, self.plan, self.images = cell, plan, images
        self.count = plan.samples_of(plan.steps_per_epoch, cell.batch_size)

    @cached_property
    def whole(self) -> Batch:
        """Return all inputs and labels of an epoch; of sequences there are none."""
        if self.plan.data_path != "repeated":
            return self.of_images(self.count)
        source = np.random.default_rng(self.cell.seed)
        shape = (1, *input_shape(self.cell))
        if self.cell.kind == "transformer":
            example = source.integers(_TOKENS, size=shape)
        else:
            example = source.random(shape, dtype=np.float32)
        label = source.integers(self.cell.parameters["classes"], size=1)
        return np.repeat(example, self.count, 0), np.repeat(label, self.count)

    def pixels(self, count: int) -> Batch:
        """Return images in bytes, again and again where the user has too few."""
        images = self.images or random_images(self.cell, count)
        rows: Any = np.arange(count) % len(images.labels)
        shape = (count, *input_shape(self.cell))
        return images.pixels[rows].reshape(shape), images.labels[rows]

    def of_images(self, count: int) -> Batch:
        """Return images from 0 to 1."""
        pixels, labels = self.pixels(count)
        kind = np.float64 if self.plan.data_path == "images" else np.float32
        return pixels / kind(255), labels

    def validation(self) -> list[Batch]:
        """Return the batches of the data that the source judged its epochs by."""
        count, size = self.plan.validation_samples, self.cell.batch_size
        if not count:
            return []
        inputs, labels = self.of_images(count)
        starts = range(0, count, size)
        return [(inputs[at : at + size], labels[at : at + size]) for at in starts]

    def epoch(self, number: int) -> Iterator[Batch]:
        """Yield the batches of an epoch in a new order, the last one may be smaller."""
        size = self.cell.batch_size
        if self.plan.data_path == "sequences":
            yield from islice(self._sequences, self.plan.steps_per_epoch)
            return
        order = np.random.default_rng((self.cell.seed, number)).permutation(self.count)
        for start in range(0, self.count, size):
            rows = order[start : start + size]
            inputs, labels = (array[rows] for array in self.whole)
            if inputs.dtype == np.float64:  # Keras narrows each batch, not the whole
                inputs = inputs.astype(np.float32)
            yield inputs, labels

    @cached_property
    def _sequences(self) -> Iterator[Batch]:
        drawn, source = sequences(self.cell), _dice(self.cell.seed)
        waiting = list(islice(drawn, SHUFFLED_SEQUENCES))
        while True:
            batch = []
            for new in islice(drawn, self.cell.batch_size):
                place = source.randrange(len(waiting))
                batch.append(waiting[place])
                waiting[place] = new
            inputs, labels = zip(*batch, strict=True)
            yield np.stack(inputs), np.array(labels)


def _dice(seed: int) -> random.Random:
    """Return Python's own generator, as the source's script asked it."""
    return random.Random(seed)  # noqa: S311 - data, not a secret


def sequences(cell: Cell) -> Iterator[tuple[Any, int]]:
    """Yield sequences, each drawn by itself: (steps, 1) float32, and linear or random.

    Of 5 or more numbers from 0 to 1; the rest is padding. A label of 0 is for linear.
    """
    source, numbers = _dice(cell.seed), np.random.default_rng(cell.seed)
    steps = cell.parameters["sequence_length"]
    while True:
        length, is_linear = source.randint(5, steps), source.random() < 0.5
        row: Any
        if is_linear:
            row = source.randint(0, _LARGEST - length) + np.arange(length)
        else:
            row = numbers.integers(_LARGEST, size=length)
        padded: Any = np.full((steps, 1), _PADDING, np.float32)
        padded[:length, 0] = row / _LARGEST
        yield padded, int(not is_linear)
