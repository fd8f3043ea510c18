"""MNIST: pairs of IDX files, which have a header with sizes, then unsigned bytes."""

import hashlib
import importlib
import math
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training_data.files import (
    TRY,
    DataError,
    Images,
    add_file,
    check_folder,
    check_labels,
    is_file,
    opened,
    shown,
)

_SIDE = 28
_MOST_IMAGES = 70_000  # of both splits together
_SPLITS = {"train": "train", "test": "t10k"}
_UNSIGNED_BYTES = 8


def read_mnist(folder: Path, split: str = "train") -> Images:
    """Return the images of a *split*, train or test, in *folder* or its MNIST/raw."""
    check_folder(folder)
    if split not in _SPLITS:
        raise DataError(f"MNIST has no split {split!r}; it has {' and '.join(_SPLITS)}")
    prefix = _SPLITS[split]
    names = (f"{prefix}-images-idx3-ubyte", f"{prefix}-labels-idx1-ubyte")
    paths = _mnist_files(folder, names)
    contents = [_idx(path, count) for path, count in zip(paths, (3, 1), strict=True)]
    np: Any = importlib.import_module("numpy")
    pixels, labels = (
        np.frombuffer(content, np.uint8, offset=_header_size(count))
        for content, count in zip(contents, (3, 1), strict=True)
    )
    pixels = pixels.reshape(-1, _SIDE, _SIDE, 1)
    if len(pixels) != len(labels):
        raise DataError(
            f"{paths[0].name} has {len(pixels)} images and {paths[1].name} has "
            f"{len(labels)} labels; take both from the same source"
        )
    check_labels(paths[1].name, labels)
    digest = hashlib.sha256()
    for name, content in zip(names, contents, strict=True):
        add_file(digest, name, content)
    files = tuple(path.name for path in paths)
    wide = labels.astype(np.int64)
    return Images("mnist", pixels, wide, digest.hexdigest(), files)


def _mnist_files(folder: Path, names: Sequence[str]) -> list[Path]:
    lacking: list[str] = []
    for place in (folder, folder / "MNIST" / "raw"):
        found = {name: path for name in names if (path := _spelt(place, name))}
        if len(found) == len(names):
            return list(found.values())
        lacking = [name for name in names if name not in found] if found else lacking
    missing = " and ".join(lacking or names)
    raise DataError(
        f"no {missing} (with or without .gz) in {shown(folder)} or its MNIST/raw; "
        "give --data the folder that holds MNIST's original files"
    )


def _spelt(place: Path, name: str) -> Path | None:
    # Some programs that unpack a .gz write train-images.idx3-ubyte.
    dotted = name.replace("-idx", ".idx")
    spellings = (name, f"{name}.gz", dotted, f"{dotted}.gz")
    return next((place / s for s in spellings if is_file(place / s)), None)


def _header_size(dimensions: int) -> int:
    """Return the bytes of a header: a magic number, and a number for each dimension."""
    return 4 + 4 * dimensions


def _idx(path: Path, dimensions: int) -> bytes:
    """Return the file with its header, if it is as long as the header says.

    A file of more bytes, packed or not, is not read any further.
    """
    with opened(path) as stream:
        header = stream.read(_header_size(dimensions))
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
    if len(header) < _header_size(dimensions):
        raise DataError(f"{file} is cut short in its header; {TRY}")
    images, *sides = struct.unpack(f">{dimensions}I", header[4:])
    if not 0 < images <= _MOST_IMAGES or set(sides) - {_SIDE}:
        shape = " x ".join(map(str, (images, *sides)))
        raise DataError(f"{file} holds {shape} bytes, which is not MNIST; {TRY}")
    return math.prod((images, *sides))
