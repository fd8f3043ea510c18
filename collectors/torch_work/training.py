"""Training steps in PyTorch, started but not waited for, and their reference."""

import gc
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import cycle
from typing import Any

import torch
from harness.cells import Cell, SeedPlan
from harness.framework import (
    FirstSteps,
    UnsupportedError,
    followed,
    reference_cells,
)
from training_data.batches import (
    batches_of,
    data_facts,
    images_of,
    random_batches,
    random_images,
)
from training_data.files import Images

from torch_work.data import one_pass, start_method
from torch_work.device import TorchTensors, type_name, without_tf32
from torch_work.models import model_of, ready_to_train, without_dropout

# The usual 65536 overflows at first, and a step left out looks like other arithmetic.
_FIRST_SCALE = 1024.0
_OPTIMISERS = {"SGD": torch.optim.SGD, "Adam": torch.optim.Adam}


class Training(TorchTensors):
    """Forward, backward and the optimiser, over a few batches in turn."""

    def __init__(self, cell: Cell) -> None:
        """Make the autocast context; RuntimeError where the device has none."""
        super().__init__(cell)
        self.mixed = cell.precision in ("bf16", "fp16")
        self.autocast: AbstractContextManager[Any] = nullcontext()
        if self.mixed:
            self.autocast = torch.autocast(self.device, self.dtype)
        # Mixed precision keeps the parameters in float32.
        self.kept = torch.float32 if self.mixed else self.dtype
        scaled = cell.precision == "fp16" and self.device == "cuda"
        self.scaler = torch.amp.GradScaler("cuda") if scaled else None
        self.images: Images | None = None
        self.about: dict[str, Any] = {}

    def build(self) -> None:
        """Build the network in training mode on the device, and its optimiser."""
        network = ready_to_train(model_of(self.cell), self.cell)
        self.network = network.to(self.device, self.kept)
        if self.cell.kind == "cnn":
            self.network.to(memory_format=self.memory_format)
        self.model = self.compiled(self.network)
        self.optimiser = self._optimiser()
        self.criterion = torch.nn.CrossEntropyLoss()
        self.synchronise()

    def _optimiser(self) -> Any:
        facts = self.cell.parameters
        asked = facts.get("optimizer_implementation", "default")
        chosen = {} if asked == "default" else {asked: True}
        trained = [p for p in self.network.parameters() if p.requires_grad]
        try:
            return _OPTIMISERS[facts["optimizer"]](
                trained, lr=facts["learning_rate"], **chosen
            )
        except RuntimeError as refusal:
            raise UnsupportedError(str(refusal)) from refusal

    def make_data(self) -> None:
        """Put batches on the device; keep the images of a whole pass at hand."""
        self.images = images_of(self.cell)
        self.about |= data_facts(self.images)
        batches = [self.arranged(*pair) for pair in batches_of(self.cell, self.images)]
        self.about["batches"] = len(batches)
        self.batches = cycle(batches)
        self.synchronise()

    def arranged(self, inputs: Any, labels: Any) -> tuple[Any, Any]:
        """Return a batch of arrays on the device, channels before rows and columns."""
        inputs = torch.from_numpy(inputs)
        if self.cell.kind == "cnn":
            inputs = inputs.permute(0, 3, 1, 2)
        return self.placed(inputs, torch.from_numpy(labels))

    def placed(self, inputs: Any, labels: Any) -> tuple[Any, Any]:
        """Return a batch on the device, in the type that the network takes."""
        if inputs.is_floating_point():
            inputs = inputs.to(self.device, self.kept)
        if self.cell.kind == "cnn":
            inputs = inputs.contiguous(memory_format=self.memory_format)
        return inputs.to(self.device), labels.to(self.device)

    def product(self, a: Any, b: Any) -> Any:
        """Return A B as the network multiplies."""
        with self.autocast:
            return self.matmul(a, b)

    def step(self) -> None:
        """Start one training step."""
        self.train(*next(self.batches))

    def train(self, inputs: Any, labels: Any) -> None:
        """Start one training step on a batch that is on the device."""
        self.optimiser.zero_grad(set_to_none=True)
        with self.autocast:
            outputs = self.model(inputs)
            loss = self.criterion(outputs, labels)
        if self.scaler is None:
            loss.backward()
            self.optimiser.step()
        else:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimiser)
            self.scaler.update()
        self.output_type = outputs.dtype
        self.last = loss.detach()

    def epoch(self, plan: SeedPlan) -> int:
        """Train once on each image; return how many there were."""
        images = self.images or random_images(self.cell, plan.samples)
        if plan.loader_processes:
            self.about["loader"] = {
                "processes": plan.loader_processes,
                "start_method": start_method(),
            }
        done = 0
        for inputs, labels in one_pass(images, plan, self.cell, self.device):
            self.train(*self.placed(inputs, labels))
            done += len(labels)
        self.synchronise()
        return done

    def release(self) -> None:
        """Give model and optimiser back: together they are four times the weights."""
        del self.network, self.model, self.optimiser, self.last
        gc.collect()
        if self.device == "cuda":
            torch.cuda.empty_cache()
        elif self.device == "mps":
            torch.mps.empty_cache()

    def loss(self) -> float:
        """Return the loss of the last step; waits for it."""
        self.poll()
        return float(self.last.item())

    def trained(self) -> list[float]:
        """Return the last matrix that the optimiser has: that of the head."""
        parameters = self.optimiser.param_groups[-1]["params"]
        *_, last = (one for one in parameters if one.dim() > 1)
        return [*map(float, last.detach().cpu().flatten().tolist())]

    def parameter_count(self) -> int:
        """Return all parameters, frozen ones too; statistics of normalisation not."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    def tensors(self) -> list[Any]:
        """Return the parameters and the loss."""
        return [self.last, *self.network.parameters()]

    def types(self) -> set[str]:
        """Return the types of the parameters and of what the network returned."""
        parameters = {type_name(p.dtype) for p in self.network.parameters()}
        return {type_name(self.output_type), *parameters}

    def notes(self) -> dict[str, Any]:
        """Return how many batches took turns, and where real images are from."""
        return super().notes() | self.about

    def first_steps(self, steps: int) -> tuple[FirstSteps, FirstSteps] | None:
        """Return the first steps here and in float32 on the CPU.

        Weights come from the cell's seed both times and nothing is left to chance;
        afterwards random numbers go on as before.
        """
        cell = self.cell
        if (cell.device, cell.precision, cell.compiler) == ("cpu", "fp32", "eager"):
            return None
        here, there = reference_cells(cell, cell.batch_size)
        with _random_numbers_kept():
            with without_tf32():
                reference = _steps(Training(there), steps)
            return _steps(Training(here), steps), reference


def _steps(training: Training, steps: int) -> FirstSteps:
    # Not torch.manual_seed, which would seed the GPU as well.
    torch.default_generator.manual_seed(training.cell.seed)
    training.build()
    without_dropout(training.network)
    if training.scaler is not None:
        training.scaler = torch.amp.GradScaler("cuda", init_scale=_FIRST_SCALE)
    found = followed(_losses(training, steps), training.trained)
    training.release()
    return found


def _losses(training: Training, steps: int) -> Iterator[float]:
    # Other samples every time: those once seen are learnt by heart, and nothing is
    # left of the loss to compare.
    for batch in random_batches(training.cell, steps):
        training.train(*training.arranged(*batch))
        yield training.loss()


@contextmanager
def _random_numbers_kept() -> Iterator[None]:
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)
