"""The first steps of a training, here and in float32 on the CPU."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from _cell import Cell
from _framework import REFERENCE_RATE, FirstSteps, followed
from _torch_data import random_batches
from _torch_models import without_dropout
from _torch_setup import without_tf32

_SAMPLES = 8
_LARGE_SAMPLES = 4  # of images as large as ImageNet's
_FEW_SAMPLES = {"bert-large": 2}
# The usual 65536 overflows at first, and a step left out looks like other arithmetic.
_FIRST_SCALE = 1024.0


def compared_steps(
    training: Callable[[Cell], Any], cell: Cell, steps: int
) -> tuple[FirstSteps, FirstSteps]:
    """Return the first *steps* steps on a few samples: here, and the reference.

    *training* makes a work of a cell. Weights come from the cell's seed both times
    and nothing is left to chance; afterwards random numbers go on as before.
    """
    here = replace(
        cell,
        parameters=cell.parameters
        | {
            "batch_size": samples_of(cell),
            "learning_rate": REFERENCE_RATE * cell.parameters["learning_rate"],
        },
    )
    plain = {"memory_format": "contiguous", "optimizer_implementation": "default"}
    there = replace(
        here,
        device="cpu",
        precision="fp32",
        compiler="eager",
        parameters=here.parameters | plain,
    )
    with _random_numbers_kept():
        with without_tf32(torch):
            reference = _steps(training(there), steps)
        return _steps(training(here), steps), reference


def samples_of(cell: Cell) -> int:
    """Return how many samples show the arithmetic without taking minutes."""
    large = cell.parameters.get("image_size", 0) >= 224
    usual = _LARGE_SAMPLES if large else _SAMPLES
    return min(cell.batch_size, _FEW_SAMPLES.get(cell.workload, usual))


def _steps(training: Any, steps: int) -> FirstSteps:
    # Not torch.manual_seed, which would seed the GPU as well.
    torch.default_generator.manual_seed(training.cell.seed)
    training.build()
    without_dropout(training.network)
    if training.scaler is not None:
        training.scaler = torch.amp.GradScaler("cuda", init_scale=_FIRST_SCALE)
    found = followed(_losses(training, steps), training.trained)
    training.release()
    return found


def _losses(training: Any, steps: int) -> Iterator[float]:
    # Other samples every time: those once seen are learnt by heart, and nothing is
    # left of the loss to compare.
    for batch in random_batches(training.cell, steps):
        training.train(*training.placed(*batch))
        yield training.loss()


@contextmanager
def _random_numbers_kept() -> Iterator[None]:
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)
