"""MNIST: pairs of IDX files, which have a header with sizes, then unsigned bytes."""

import math
import struct
from pathlib import Path

import numpy as np

from training_data.files import (
    TRY,
    DataError,
    Images,
    check_folder,
    check_labels,
    digest_of,
    is_file,
    opened,
    shown,
)

NAMES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte")
_SIDE = 28
_MOST_IMAGES = 70_000  # of both splits together
_UNSIGNED_BYTES = 8


def read_mnist(folder: Path) -> Images:
    """Return the training images in *folder* or its MNIST/raw."""
    check_folder(folder)
    lacking: list[str] = []
    for place in (folder, folder / "MNIST" / "raw"):
        paths = {name: path for name in NAMES if (path := _spelt(place, name))}
        if len(paths) == len(NAMES):
            return _images(*paths.values())
        lacking = [name for name in NAMES if name not in paths] if paths else lacking
    missing = " and ".join(lacking or NAMES)
    raise DataError(
        f"no {missing} (with or without .gz) in {shown(folder)} or its MNIST/raw; "
        "give --data the folder that holds MNIST's original files"
    )


def _spelt(place: Path, name: str) -> Path | None:
    # Some programs that unpack a .gz write train-images.idx3-ubyte.
    dotted = name.replace("-idx", ".idx")
    spellings = (name, f"{name}.gz", dotted, f"{dotted}.gz")
    return next((place / s for s in spellings if is_file(place / s)), None)


def _images(images: Path, labels: Path) -> Images:
    contents = (_idx(images, 3), _idx(labels, 1))
    pixels = np.frombuffer(contents[0], np.uint8, offset=16)
    pixels = pixels.reshape(-1, _SIDE, _SIDE, 1)
    classes = np.frombuffer(contents[1], np.uint8, offset=8)
    if len(pixels) != len(classes):
        raise DataError(
            f"{images.name} has {len(pixels)} images and {labels.name} has "
            f"{len(classes)} labels; take both from the same source"
        )
    check_labels(labels.name, classes)
    digest = digest_of(zip(NAMES, contents, strict=True))
    files = (images.name, labels.name)
    return Images("mnist", pixels, classes.astype(np.int64), digest, files)


def _idx(path: Path, dimensions: int) -> bytes:
    """Return the file with its header, if it is as long as the header says.

    A file of more bytes, packed or not, is not read any further.
    """
    with opened(path) as stream:
        header = stream.read(4 + 4 * dimensions)  # a magic number, and the sizes
        size = _size(path.name, header, dimensions)
        body = stream.read(size + 1)
    if len(body) > size:
        raise DataError(
            f"{path.name} goes on after the {size} bytes that its header names; {TRY}"
        )
    if len(body) < size:
        raise DataError(
            f"{path.name} is cut short: {len(body)} bytes where its header names "
            f"{size}; {TRY}"
        )
    return header + body


def _size(file: str, header: bytes, dimensions: int) -> int:
    if not header:
        raise DataError(f"{file} is empty; {TRY}")
    if not header.startswith(bytes((0, 0, _UNSIGNED_BYTES, dimensions))):
        raise DataError(f"{file} is no IDX file of {dimensions} dimensions; {TRY}")
    if len(header) < 4 + 4 * dimensions:
        raise DataError(f"{file} is cut short in its header; {TRY}")
    images, *sides = struct.unpack(f">{dimensions}I", header[4:])
    if not 0 < images <= _MOST_IMAGES or set(sides) - {_SIDE}:
        shape = " x ".join(map(str, (images, *sides)))
        raise DataError(f"{file} holds {shape} bytes, which is not MNIST; {TRY}")
    return math.prod((images, *sides))
