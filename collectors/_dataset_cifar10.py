"""CIFAR-10: five training batches, published as records of bytes and as pickles."""

import hashlib
import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _dataset import (
    TRY,
    DataError,
    Images,
    add_file,
    check_folder,
    check_labels,
    is_file,
    shown,
)
from _dataset_files import members, read
from _dataset_pickle import PIXELS, unpickled


@dataclass(frozen=True)
class _Version:
    """One of the two versions in which CIFAR-10 is published."""

    batches: tuple[str, ...]
    folder: str
    archive: str
    parse: Callable[[str, bytes], tuple[Any, Any]]


def _parse_binary(file: str, content: bytes) -> tuple[Any, Any]:
    np: Any = importlib.import_module("numpy")
    record = 1 + PIXELS
    if len(content) % record:
        raise DataError(
            f"{file} has {len(content)} bytes, no multiple of {record}; {TRY}"
        )
    records = np.frombuffer(content, np.uint8).reshape(-1, record)
    return records[:, 1:], records[:, 0]


def _parse_python(file: str, content: bytes) -> tuple[Any, Any]:
    np: Any = importlib.import_module("numpy")
    pixels, labels = unpickled(file, content)
    rows = np.frombuffer(pixels, np.uint8).reshape(-1, PIXELS)
    return rows, np.array(labels, np.int64)


_NUMBERED = tuple(f"data_batch_{number}" for number in range(1, 6))
_VERSIONS = (
    _Version(
        tuple(f"{name}.bin" for name in _NUMBERED),
        "cifar-10-batches-bin",
        "cifar-10-binary.tar",
        _parse_binary,
    ),
    _Version(_NUMBERED, "cifar-10-batches-py", "cifar-10-python.tar", _parse_python),
)


def read_cifar10(folder: Path) -> Images:
    """Return the five training batches from *folder*, its subfolder or an archive."""
    check_folder(folder)
    lacking: list[str] = []
    for version in _VERSIONS:
        for place in (folder, folder / version.folder):
            absent = [name for name in version.batches if not is_file(place / name)]
            if not absent:
                contents = (read(place / name) for name in version.batches)
                return _cifar10(version, contents, version.batches)
            lacking = absent if len(absent) < len(version.batches) else lacking
    for version in _VERSIONS:
        for archive in (f"{version.archive}.gz", version.archive):
            if is_file(folder / archive):
                return _cifar10_inside(version, folder / archive)
    if lacking:
        raise DataError(
            f"CIFAR-10 in {shown(folder)} lacks {', '.join(lacking)}; "
            "all five training batches are needed"
        )
    raise DataError(
        f"no CIFAR-10 in {shown(folder)}; give --data the folder that holds "
        "cifar-10-binary.tar.gz or cifar-10-python.tar.gz, or what is in it"
    )


def _cifar10_inside(version: _Version, archive: Path) -> Images:
    found = members(archive, version.batches)
    if absent := [name for name in version.batches if name not in found]:
        raise DataError(f"{archive.name} lacks {', '.join(absent)}; {TRY}")
    # Each is let go when it has been read: together they are as large as the images.
    contents = (found.pop(name) for name in version.batches)
    return _cifar10(version, contents, (archive.name,))


def _cifar10(
    version: _Version, contents: Iterable[bytes], files: tuple[str, ...]
) -> Images:
    np: Any = importlib.import_module("numpy")
    digest = hashlib.sha256()
    pixels: Any = None
    labels = []
    named = zip(version.batches, contents, strict=True)
    for number, (name, content) in enumerate(named):
        add_file(digest, name, content)
        rows, said = version.parse(name, content)
        _check_batch(name, rows, said)
        if pixels is None:
            shape = (len(version.batches), len(rows), 32, 32, 3)
            pixels = np.empty(shape, np.uint8)
        if len(rows) != len(pixels[0]):
            raise DataError(
                f"{name} has {len(rows)} images and {version.batches[0]} has "
                f"{len(pixels[0])}; take all five from the same source"
            )
        # Published as planes of red, green and blue.
        pixels[number] = rows.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        labels.append(said.astype(np.int64))
    merged = pixels.reshape(-1, 32, 32, 3)
    return Images("cifar10", merged, np.concatenate(labels), digest.hexdigest(), files)


def _check_batch(name: str, rows: Any, labels: Any) -> None:
    if len(rows) == 0:
        raise DataError(f"{name} has no images; {TRY}")
    if len(rows) != len(labels):
        raise DataError(
            f"{name} has {len(rows)} images and {len(labels)} labels; {TRY}"
        )
    check_labels(name, labels)
