"""Batches of floating-point images for a network, from the bytes of a data set."""

import importlib
from typing import Any

from _datasets import DataError, Images


def batches(  # noqa: PLR0913 - what a network wants to be fed with
    images: Images,
    *,
    batch_size: int,
    side: int,
    channels: int,
    channels_last: bool,
    count: int,
    seed: int,
    classes: int | None = None,
) -> list[tuple[Any, Any]]:
    """Return *count* random batches in which no image comes twice.

    Each is (images as float32 from 0 to 1, labels as int64); images are square, with
    *side* pixels, and only those chosen are converted. *classes* leaves out the images
    of other classes than the first so many, for a network that knows no more.
    """
    np: Any = importlib.import_module("numpy")
    _check_channels(images, channels)
    usable = np.arange(len(images.labels))
    if classes is not None:
        usable = usable[images.labels < classes]
    if batch_size * count > len(usable):
        raise DataError(
            f"{images.name} has {len(usable)} usable images, too few for {count} "
            f"batches of {batch_size}; use smaller batches or the whole data set"
        )
    order = np.random.default_rng(seed).permutation(usable)
    chosen = order[: batch_size * count].reshape(count, batch_size)
    made = []
    for rows in chosen:
        planes = resized(_planes(images.pixels[rows]), side)
        wanted = np.repeat(planes, channels // planes.shape[1], axis=1)
        if channels_last:
            wanted = np.ascontiguousarray(np.moveaxis(wanted, 1, -1))
        made.append((wanted, images.labels[rows]))
    return made


def _check_channels(images: Images, channels: int) -> None:
    there = images.pixels.shape[-1]
    if there not in (1, channels):
        raise DataError(
            f"{images.name} has {there} channels and {channels} are wanted; "
            "only grey images can be given another number"
        )


def _planes(pixels: Any) -> Any:
    np: Any = importlib.import_module("numpy")
    planes = np.moveaxis(pixels, -1, 1).astype(np.float32)
    planes /= 255
    return planes


def resized(planes: Any, side: int) -> Any:
    """Return (n, channels, height, width) as side x side, bilinearly.

    As PyTorch and TensorFlow do it: the centres of pixels are at halves, the corners
    are not aligned, and nothing is smoothed before it is made smaller.
    """
    height, width = planes.shape[-2:]
    # Products with few weights, where indexing would copy the images four times.
    return _weights(height, side) @ planes @ _weights(width, side).T


def _weights(size: int, side: int) -> Any:
    """Return (side, size): what each old pixel of a line adds to each new one."""
    np: Any = importlib.import_module("numpy")
    places = np.maximum((np.arange(side) + 0.5) * size / side - 0.5, 0)
    before = np.minimum(places.astype(np.int64), size - 1)
    after = np.minimum(before + 1, size - 1)
    share = places - before
    weights = np.zeros((side, size), np.float32)
    rows = np.arange(side)
    weights[rows, before] = 1 - share
    weights[rows, after] += share
    return weights
