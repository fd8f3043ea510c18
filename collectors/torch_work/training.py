"""Training steps in PyTorch, started but not waited for, and their reference."""

import ctypes
import importlib
import multiprocessing
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy
import torch
from harness.cells import Cell, SeedPlan
from harness.framework import FirstSteps, UnsupportedError
from torch.utils.data import DataLoader
from training import Trained
from training_data.batches import image_shape
from training_data.files import Images

from torch_work.device import TorchTensors, type_name, without_tf32
from torch_work.execution import attention_kernels
from torch_work.models import model_of, without_dropout

# The usual 65536 overflows at first, and a step left out looks like other arithmetic.
_FIRST_SCALE = 1024.0
_OPTIMISERS = {
    "SGD": torch.optim.SGD,
    "Adam": torch.optim.Adam,
    "AdamW": torch.optim.AdamW,
}
_PR_SET_PDEATHSIG = 1


class Training(Trained, TorchTensors):
    """A network, its optimiser and its loss in PyTorch."""

    def __init__(self, cell: Cell) -> None:
        """Make the autocast context; RuntimeError where the device has none."""
        super().__init__(cell)
        mixed = cell.precision in ("bf16", "fp16")
        self.autocast: AbstractContextManager[Any] = nullcontext()
        if mixed:
            self.autocast = torch.autocast(self.device, self.dtype)
        # Mixed precision keeps the parameters in float32.
        self.kept = torch.float32 if mixed else self.dtype
        scaled = cell.precision == "fp16" and self.device == "cuda"
        self.scaler = torch.amp.GradScaler("cuda") if scaled else None

    def build(self) -> None:
        """Build the network in training mode on the device, and its optimiser."""
        self.network = self.untrained()
        if self.cell.kind == "cnn":
            self.network.to(memory_format=self.memory_format)
        self.model = self.compiled(self.network)
        facts = self.cell.parameters
        asked = facts.get("optimizer_implementation", "default")
        chosen = {} if asked == "default" else {asked: True}
        trained = [p for p in self.network.parameters() if p.requires_grad]
        try:
            self.optimiser = _OPTIMISERS[facts["optimizer"]](
                trained, lr=facts["learning_rate"], **chosen
            )
        except RuntimeError as refusal:
            raise UnsupportedError(str(refusal)) from refusal
        self.criterion = torch.nn.CrossEntropyLoss()
        self.synchronise()

    def untrained(self) -> Any:
        """Return the network on the device."""
        return model_of(self.cell).to(self.device, self.kept)

    def make_data(self) -> None:
        """Put batches on the device, and wait until they are there."""
        super().make_data()
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

    def forward(self, inputs: Any) -> None:
        """Start a forward pass alone."""
        with torch.no_grad(), self.autocast:
            self.seen = self.model(inputs)

    def one_pass(self, plan: SeedPlan, images: Images) -> Iterator[tuple[Any, Any]]:
        """Yield each image once, in shuffled batches; the last one may be smaller.

        PyTorch's loader asks for image after image, in as many processes as the source
        had, or in this one.
        """
        # By Python's default, as the source's did.
        method = str(multiprocessing.get_start_method())
        processes = plan.loader_processes
        started = {"start_method": method} if processes else {}
        self.about["loader"] = {"processes": processes, **started}
        for inputs, labels in self._loaded(plan, images):
            yield self.placed(inputs, labels)

    def _loaded(self, plan: SeedPlan, images: Images) -> Any:
        side, channels = image_shape(self.cell)
        with warnings.catch_warnings():
            # More processes than processors, and a fork beside threads: as the source.
            warnings.simplefilter("ignore")
            return iter(
                DataLoader(
                    LoadedImages(images, plan.samples, side, channels),
                    batch_size=self.cell.batch_size,
                    shuffle=True,
                    num_workers=plan.loader_processes,
                    generator=torch.Generator().manual_seed(self.cell.seed),
                    worker_init_fn=_end_with_parent if plan.loader_processes else None,
                )
            )

    def loss(self) -> float:
        """Return the loss of the last step; waits for it."""
        self.poll()
        return super().loss()

    def changed(self) -> Any:
        """Return the parameters of the optimiser's last group."""
        return self.optimiser.param_groups[-1]["params"]

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

    def path(self) -> dict[str, str | None]:
        """Return the kernel of attention as well, which a pass over a batch shows."""
        facts = super().path()
        if self.cell.kind == "transformer":
            inputs, _ = next(self.batches)
            with self.autocast:
                facts["attention"] = attention_kernels(lambda: self.network(inputs))
        return facts

    def first_steps(self, steps: int) -> tuple[FirstSteps, FirstSteps] | None:
        """Return them; afterwards random numbers go on as before."""
        state = torch.get_rng_state()
        try:
            return super().first_steps(steps)
        finally:
            torch.set_rng_state(state)

    def build_alike(self) -> None:
        """Build from the cell's seed, without dropout."""
        # Not torch.manual_seed, which would seed the GPU as well.
        torch.default_generator.manual_seed(self.cell.seed)
        self.build()
        without_dropout(self.network)
        if self.scaler is not None:
            self.scaler = torch.amp.GradScaler("cuda", init_scale=_FIRST_SCALE)

    def reference(self) -> AbstractContextManager[Any]:
        """Return the context in which float32 is not TF32."""
        return without_tf32()

    @staticmethod
    def release() -> None:
        """Give back what PyTorch keeps of GPUs that it has used."""
        torch.cuda.empty_cache()
        if torch.backends.mps.is_available():
            torch.mps.empty_cache()


class LoadedImages:
    """Images that are made when they are asked for, as torchvision's transforms do it.

    Pillow enlarges a picture and gives a grey one three channels; its bytes become
    floats from 0 to 1, channels first.
    """

    def __init__(self, images: Images, count: int, side: int, channels: int) -> None:
        """Take the first *count*; they will be *side* pixels wide and high."""
        self.pixels, self.labels = images.pixels[:count], images.labels[:count]
        self.side, self.channels = side, channels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        # Copied: PyTorch warns of arrays that may not be written to, as files' are.
        picture = torch.tensor(self._picture(self.pixels[index]))
        return picture.permute(2, 0, 1).contiguous() / 255, int(self.labels[index])

    def _picture(self, pixels: Any) -> Any:
        if pixels.shape == (self.side, self.side, self.channels):
            return pixels
        # A loader's process asks for no more of torchvision than this.
        image: Any = importlib.import_module("PIL.Image")
        grey = pixels.shape[-1] == 1
        picture = image.fromarray(pixels[:, :, 0] if grey else pixels)
        large = picture.resize((self.side, self.side), image.Resampling.BILINEAR)
        return numpy.asarray(large.convert("RGB") if grey else large)


def _end_with_parent(_number: int) -> None:
    # PyTorch's own watch looks every five seconds; elsewhere it has to do.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
