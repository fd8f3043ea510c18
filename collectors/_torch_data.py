"""What the networks are fed with: random batches of their shapes, or real images."""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from _cell import Cell

# Rotating through several batches keeps small data from living in the cache and the
# loss from collapsing; a batch of images is large enough on its own.
_POOL_BYTES = 64 * 2**20
_POOL_BATCHES = 64
_VOCABULARY = 30522
_SHAPES = {"mnist": (28, 28, 1), "cifar10": (32, 32, 3)}


@dataclass(frozen=True)
class Pictures:
    """Images as a data set has them: NumPy's uint8 of (n, height, width, channels).

    *found* is what was read from files, with where it comes from; random ones have
    nothing of the kind.
    """

    pixels: Any
    labels: Any
    found: Any = None

    @property
    def about(self) -> dict[str, Any]:
        """Return which data it is, for the run's checks."""
        if self.found is None:
            return {}
        facts = {"name": self.found.name, "sha256": self.found.sha256}
        return {"data": facts | {"images": len(self.pixels)}}


def pictures_of(cell: Cell) -> Pictures | None:
    """Return the images that *cell* needs beside its batches, or instead of them.

    Those in the user's folder, or random ones for a pass over the data.
    """
    if cell.data_folder is not None:
        datasets: Any = importlib.import_module("_datasets")
        found = datasets.find(Path(cell.data_folder), cell.data)
        return Pictures(found.pixels, found.labels, found)
    plan = cell.seed_plan
    if plan is None or plan.kind != "epoch":
        return None
    return random_pictures(cell, plan.samples)


def random_pictures(cell: Cell, count: int) -> Pictures:
    """Return *count* images in the shape of the cell's data set, from its seed."""
    source = torch.Generator().manual_seed(cell.seed)
    shape = (count, *_SHAPES[str(cell.data)])
    pixels = torch.randint(256, shape, generator=source, dtype=torch.uint8)
    labels = torch.randint(cell.parameters["classes"], (count,), generator=source)
    return Pictures(pixels.numpy(), labels.numpy())


def batches_of(cell: Cell, pictures: Pictures | None = None) -> list[tuple[Any, Any]]:
    """Return batches of inputs and labels, on the CPU, from the cell's seed.

    They are random but for what was found in the user's folder.
    """
    if pictures is not None and pictures.found is not None:
        return _real_batches(cell, pictures.found)
    inputs = cell.batch_size * _sample_bytes(cell)
    return random_batches(cell, _pool(inputs))


def random_batches(cell: Cell, count: int) -> list[tuple[Any, Any]]:
    """Return *count* random batches, on the CPU, from the cell's seed."""
    source = torch.Generator().manual_seed(cell.seed)
    inputs = [_inputs(cell, source) for _ in range(count)]
    classes, rows = cell.parameters["classes"], (cell.batch_size,)
    return [(x, torch.randint(classes, rows, generator=source)) for x in inputs]


def _real_batches(cell: Cell, found: Any) -> list[tuple[Any, Any]]:
    images: Any = importlib.import_module("_images")
    rows, (side, channels) = cell.batch_size, _image(cell)
    batches = images.batches(
        found,
        batch_size=rows,
        side=side,
        channels=channels,
        channels_last=False,
        count=_pool(rows * _sample_bytes(cell), len(found.labels) // rows),
        seed=cell.seed,
        classes=cell.parameters["classes"],
    )
    return [(torch.from_numpy(x), torch.from_numpy(labels)) for x, labels in batches]


def _pool(batch_bytes: int, most: int = _POOL_BATCHES) -> int:
    return max(1, min(_POOL_BATCHES, most, _POOL_BYTES // batch_bytes))


def _sample_bytes(cell: Cell) -> int:
    if cell.kind == "transformer":
        return 8 * int(cell.parameters["sequence_length"])
    if cell.kind == "rnn":
        return 4 * int(cell.parameters["sequence_length"])
    side, channels = _image(cell)
    return 4 * channels * side**2


def _image(cell: Cell) -> tuple[int, int]:
    """Return side and channels of the images that the network takes."""
    if cell.kind == "mlp":
        return 28, 1
    return cell.parameters["image_size"], cell.parameters.get("channels", 3)


def _inputs(cell: Cell, source: Any) -> Any:
    facts, rows = cell.parameters, cell.batch_size
    match cell.kind:
        case "rnn":
            steps = facts["sequence_length"]
            x = torch.rand(rows, steps, 1, generator=source)
            lengths = torch.randint(5, steps + 1, (rows, 1), generator=source)
            x[torch.arange(steps) >= lengths] = -1.0
            return x
        case "mlp":
            return torch.rand(rows, 28, 28, generator=source)
        case "cnn":
            side, channels = _image(cell)
            return torch.rand(rows, channels, side, side, generator=source)
        case "transformer":
            shape = (rows, facts["sequence_length"])
            return torch.randint(_VOCABULARY, shape, generator=source)
        case other:
            raise NotImplementedError(f"no data for a {other}")
