"""One pass over a data set, as the sources did it: loading is part of it."""

import ctypes
import multiprocessing
import signal
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from harness.cells import Cell, SeedPlan
from torch.nn.functional import interpolate
from torch.utils.data import DataLoader
from training_data.files import Images

_PR_SET_PDEATHSIG = 1


class GreyImages:
    """Grey images, each enlarged and given three channels when it is asked for."""

    def __init__(self, images: Images, count: int, side: int) -> None:
        """Take the first *count*; they will be *side* pixels wide and high."""
        self.pixels = images.pixels[:count, :, :, 0]
        self.labels = images.labels[:count]
        self.side = side

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        # Copied: PyTorch warns of arrays that may not be written to, as files' are.
        grey = torch.tensor(self.pixels[index])[None, None]
        return _enlarged(grey, self.side)[0].expand(3, -1, -1), int(self.labels[index])


def one_pass(
    images: Images, plan: SeedPlan, cell: Cell, device: str
) -> Iterator[tuple[Any, Any]]:
    """Yield each image once, in shuffled batches; the last one may be smaller.

    Where the source had loader processes they make the images, and the batches are
    on the CPU; else the device enlarges what is already in memory.
    """
    if plan.loader_processes:
        return _loaded(images, plan, cell)
    return _gathered(images, plan, cell, device)


def start_method() -> str:
    """Return how loader processes start: by Python's default, as the source's did."""
    return str(multiprocessing.get_start_method())


def _loaded(images: Images, plan: SeedPlan, cell: Cell) -> Iterator[tuple[Any, Any]]:
    grey = GreyImages(images, plan.samples, cell.parameters["image_size"])
    with warnings.catch_warnings():
        # More processes than processors, and a fork beside threads: the source's way.
        warnings.simplefilter("ignore")
        loader = DataLoader(
            grey,
            batch_size=cell.batch_size,
            shuffle=True,
            num_workers=plan.loader_processes,
            generator=torch.Generator().manual_seed(cell.seed),
            worker_init_fn=_end_with_parent,
        )
        batches = iter(loader)
    yield from batches


def _gathered(
    images: Images, plan: SeedPlan, cell: Cell, device: str
) -> Iterator[tuple[Any, Any]]:
    source = torch.Generator().manual_seed(cell.seed)
    count = min(plan.samples, len(images.labels))
    order = torch.randperm(count, generator=source)
    for rows in order.split(cell.batch_size):
        chosen = rows.numpy()
        pixels = torch.from_numpy(images.pixels[chosen]).to(device)
        large = _enlarged(pixels.permute(0, 3, 1, 2), cell.parameters["image_size"])
        yield large, torch.from_numpy(images.labels[chosen])


def _enlarged(images: Any, side: int) -> Any:
    """Return uint8 images of (n, channels, height, width) as floats in [0, 1]."""
    floats = images.float() / 255
    if images.shape[-1] == side:
        return floats
    return interpolate(floats, size=(side, side), mode="bilinear", align_corners=False)


def _end_with_parent(_number: int) -> None:
    # PyTorch's own watch looks every five seconds; elsewhere it has to do.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
