"""Training steps, once for all frameworks, over what each makes of a network.

A framework derives its ``class Training(Trained, <its tensors>)`` and gives ``build``,
``arranged``, ``train``, ``forward`` and ``enlarged`` (or ``one_pass``); ``changed``,
``parameter_count`` and ``tensors``; for the first steps ``build_alike``, and where they
need it ``reference`` and ``release``. Steps are started, not waited for.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import cycle
from operator import sub
from typing import Any

from harness.cells import Cell, SeedPlan
from harness.framework import Course, FirstSteps
from operations import Tensors, random_numbers
from training_data.batches import (
    batches_of,
    data_facts,
    images_of,
    random_batches,
    random_images,
)
from training_data.files import Images
from training_data.source_arrays import SourceArrays

# At the full rate Adam throws the loss of some networks into the hundreds within two
# steps, and what follows tells of chaos, not of the arithmetic.
_REFERENCE_RATE = 0.1
_REFERENCE_SAMPLES = 8
_LARGE_SAMPLES = 4  # of images as large as ImageNet's
_FEW_SAMPLES = {"bert-large": 2, "gpt2-train": 2, "llm-train": 1}
_FEW_TOKENS = 64  # of a text
# A frozen model of eight billion weights would be twice as large in float32.
_FEW_LAYERS = {"llm-train": 2}


class Trained(Tensors):
    """Forward, backward and the optimiser, over a few batches in turn."""

    shown_rows: int | None = None  # of a trained matrix that tell whether it moved

    def __init__(self, cell: Cell) -> None:
        """Note the cell; nothing is built yet."""
        super().__init__(cell)
        self.images: Images | None = None
        self.about: dict[str, Any] = {}

    def arranged(self, inputs: Any, labels: Any) -> tuple[Any, Any]:
        """Return a batch of NumPy's arrays as the network takes it, on the device."""
        raise NotImplementedError

    def train(self, inputs: Any, labels: Any) -> None:
        """Start one training step on a batch that is on the device."""
        raise NotImplementedError

    def forward(self, inputs: Any) -> None:
        """Start a forward pass alone on inputs that are on the device."""
        raise NotImplementedError

    def one_pass(self, plan: SeedPlan, images: Images) -> Iterable[tuple[Any, Any]]:
        """Yield each image once, in shuffled batches; the last one may be smaller.

        That is for frameworks without a loader: the device enlarges, by ``enlarged``.
        """
        self.about["loader"] = "none: the device enlarges what is in memory"
        order = random_numbers(self.cell.seed).permutation(len(images.labels))
        order = order[order < plan.samples]
        for first in range(0, len(order), self.cell.batch_size):
            rows = order[first : first + self.cell.batch_size]
            yield self.enlarged(images.pixels[rows], images.labels[rows])

    def enlarged(self, pixels: Any, labels: Any) -> tuple[Any, Any]:
        """Return a batch of bytes on the device: large images from 0 to 1, labels."""
        raise NotImplementedError

    def build_alike(self) -> None:
        """Build the same network every time, with nothing left to chance in a step."""
        raise NotImplementedError

    def reference(self) -> AbstractContextManager[Any]:
        """Return the context in which the reference is exact."""
        return nullcontext()

    @staticmethod
    def release() -> None:
        """Give back the memory of what is gone."""

    def loss(self) -> float:
        """Return the loss of the last step; waits for it."""
        return float(self.float64(self.last))

    def changed(self) -> Iterable[Any]:
        """Return the parameters that the optimiser changes, in order."""
        raise NotImplementedError

    def trained(self) -> list[float]:
        """Return the last matrix that changes, or the rows that tell: of the head."""
        *_, last = (item for item in self.changed() if len(item.shape) > 1)
        return [*map(float, self.float64(last[: self.shown_rows]).ravel())]

    def make_data(self) -> None:
        """Put batches on the device, and keep what a whole pass is to load."""
        self.images = images_of(self.cell)
        with self.scope():
            made = [self.arranged(*pair) for pair in batches_of(self.cell, self.images)]
        self.about |= data_facts(self.images) | {"batches": len(made)}
        self.batches = cycle(made)

    def step(self) -> None:
        """Start one training step."""
        self.train(*next(self.batches))

    def fit(self, plan: SeedPlan, course: Course) -> None:
        """Train on arrays of the host, moved batch by batch; *course* keeps time."""
        source = SourceArrays(self.cell, plan, self.images)
        self.follow(plan, course, source.epoch, source.validation())

    def follow(
        self,
        plan: SeedPlan,
        course: Course,
        epoch: Callable[[int], Iterable[tuple[Any, Any]]],
        validation: Sequence[tuple[Any, Any]] = (),
    ) -> None:
        """Train on the batches of each *epoch*, then pass over those of *validation*.

        Both are arrays of the host, of NumPy or of the framework.
        """
        for number in range(plan.warmup_epochs + plan.epochs):
            if number in (0, plan.warmup_epochs):
                course.begin("warmup" if number < plan.warmup_epochs else "seed")
            for step, batch in enumerate(epoch(number), 1):
                with self.scope():
                    inputs, labels = self.arranged(*batch)
                self.train(inputs, labels)
                if plan.looks(step):
                    self.loss()
                    self.forward(inputs)
                if course.reached(step):
                    break
            for batch in validation:
                with self.scope():
                    inputs, _ = self.arranged(*batch)
                self.forward(inputs)
            course.end()
            if course.over:
                return

    def epoch(self, plan: SeedPlan) -> int:
        """Train once on each image, loading included; return how many there were."""
        images = self.images or random_images(self.cell, plan.samples)
        done = 0
        for inputs, labels in self.one_pass(plan, images):
            self.train(inputs, labels)
            done += len(labels)
        return done

    def first_steps(self, steps: int) -> tuple[FirstSteps, FirstSteps] | None:
        """Return the first steps here and in float32 on the CPU, from the same weights.

        There are none to compare where the cell is its own reference.
        """
        cell = self.cell
        if (cell.device, cell.precision, cell.compiler) == ("cpu", "fp32", "eager"):
            return None
        here, there = reference_cells(cell, cell.batch_size)
        with self.reference():
            expected = type(self)(there).traced(steps)
        return type(self)(here).traced(steps), expected

    def traced(self, steps: int) -> FirstSteps:
        """Return the first steps of this training, which is gone afterwards."""
        self.build_alike()

        def losses() -> Iterator[float]:
            # Other samples every time: those once seen are learnt by heart, and nothing
            # is left of the loss to compare.
            for batch in random_batches(self.cell, steps):
                self.train(*self.arranged(*batch))
                yield self.loss()

        trace = followed(losses(), self.trained)
        # Model and optimiser together are four times the weights.
        self.__dict__.clear()
        gc.collect()
        self.release()
        return trace

    def notes(self) -> dict[str, Any]:
        """Return how many batches took turns, and where real images are from."""
        return super().notes() | self.about


def followed(losses: Iterable[float], head: Callable[[], list[float]]) -> FirstSteps:
    """Return the steps that *losses* takes as it is read; *head* gives the weights."""
    seen: list[float] = []
    update: list[float] = []
    before = head()
    for loss in losses:
        seen.append(loss)
        update = update or list(map(sub, head(), before))
    return FirstSteps(seen, update)


def reference_cells(cell: Cell, most: int = _REFERENCE_SAMPLES) -> tuple[Cell, Cell]:
    """Return the cell on a few samples, *most* at most, and its reference.

    So few that they show the arithmetic without taking minutes; the reference is on the
    CPU in float32, by no compiler and in the usual order and kernels.
    """
    facts = cell.parameters
    usual = _LARGE_SAMPLES if facts.get("image_size", 0) >= 224 else _REFERENCE_SAMPLES
    few = {
        "batch_size": min(most, _FEW_SAMPLES.get(cell.workload, usual)),
        "learning_rate": _REFERENCE_RATE * facts["learning_rate"],
    }
    if cell.counts_tokens:
        few["sequence_length"] = min(_FEW_TOKENS, facts["sequence_length"])
    if layers := _FEW_LAYERS.get(cell.workload):
        few["layers"] = layers
    plain = {"memory_format": "contiguous", "optimizer_implementation": "default"}
    here = replace(cell, parameters=facts | few)
    there = replace(here, device="cpu", precision="fp32", compiler="eager")
    return here, replace(there, parameters=here.parameters | plain)
