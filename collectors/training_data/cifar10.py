"""CIFAR-10: five training batches, published as records of bytes and as pickles.

A pickle is a program. It is read as text is read, and nothing that it names is called:
this one may make lists, dicts and numbers; the array that it asks NumPy for is noted as
the bytes it would have been made from.
"""

import io
import pickle
import pickletools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training_data.files import (
    TRY,
    DataError,
    Images,
    check_folder,
    check_labels,
    digest_of,
    is_file,
    members,
    read,
    shown,
)

PIXELS = 3072  # red, green and blue of 32 x 32

# What Python 2 and 3 write for such a batch with protocols 2 to 4.
_OPERATIONS = (
    "PROTO FRAME STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 "
    "BINSTRING SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINUNICODE SHORT_BINUNICODE "
    "EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM SETITEMS "
    "EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 "
    "BINPUT LONG_BINPUT MEMOIZE BINGET LONG_BINGET "
    "GLOBAL STACK_GLOBAL REDUCE BUILD"
)
# Hashing a tuple of tuples goes as deep as they do, until the stack is used up: at
# more than 100,000 in 8 MB. Names of files as bytes take a tuple for each image.
_MOST_TUPLES = 10_100


class _Wanted:
    """Something that a pickle asks for: with which arguments, in which state."""

    def __init__(self, *arguments: Any) -> None:
        """Note the arguments."""
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        """Note the state."""
        self.state = state


class _Array(_Wanted):
    """An array."""


class _Type(_Wanted):
    """The type of an array's elements."""


class _Encoded(_Wanted):
    """Bytes, which protocol 2 of Python 3 writes as a text to be encoded."""


_STAND_INS: dict[tuple[str, str], type[_Wanted]] = {
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
    ("_codecs", "encode"): _Encoded,
}


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, file: str) -> None:
        # Python 2 had no texts here: what it called strings are bytes.
        super().__init__(io.BytesIO(content), encoding="bytes")
        self._file = file

    def find_class(self, module: str, name: str, /) -> type[_Wanted]:
        try:
            return _STAND_INS[module, name]
        except KeyError:
            wanted = ascii(f"{module[:60]}.{name[:60]}")
            raise DataError(
                f"{self._file} asks for {wanted}, which no batch of CIFAR-10 needs; "
                f"it was not run; {TRY} from a source that you trust"
            ) from None


def unpickled(file: str, content: bytes) -> tuple[bytes, list[int]]:
    """Return the pixels of a batch, PIXELS bytes an image, and its labels.

    *file* is what the batch is called in a DataError.
    """
    try:
        _check_operations(file, content)
        batch = _Unpickler(content, file).load()
        named = {
            key if isinstance(key, str) else _bytes(key).decode("ascii"): value
            for key, value in batch.items()
        }
        pixels, labels = _pixels(named["data"]), named["labels"]
    except (DataError, MemoryError):
        raise
    # The documentation of pickle lists some errors, and says that there are others.
    except Exception as failure:
        raise DataError(f"{file} is no batch of CIFAR-10; {TRY}") from failure
    if not isinstance(labels, list) or not all(type(n) is int for n in labels):
        raise DataError(f"{file} has labels that are no whole numbers; {TRY}")
    return pixels, labels


def _check_operations(file: str, content: bytes) -> None:
    allowed = frozenset(_OPERATIONS.split())
    tuples, end = 0, 0
    operations = enumerate(pickletools.genops(content))
    for number, (operation, argument, start) in operations:
        # A memo is a table: a large index alone would fill the memory.
        beyond = operation.name == "LONG_BINPUT" and int(argument or 0) > number
        tuples += operation.name.startswith("TUPLE")
        if operation.name not in allowed or beyond or tuples > _MOST_TUPLES:
            raise DataError(
                f"{file} does what no batch of CIFAR-10 does "
                f"({operation.name} at byte {start}); {TRY}"
            )
        end = start or 0
    if end + 1 != len(content):
        raise DataError(f"{file} goes on after its end; {TRY}")


def _bytes(value: Any) -> bytes:
    match value:
        case bytes():
            return value
        case _Encoded(arguments=(str(text), "latin1")):
            return text.encode("latin-1")
    raise TypeError(f"{type(value).__name__} is no bytes")


def _pixels(array: Any) -> bytes:
    match array:
        case _Array(
            state=(
                _,
                (int(images), columns),
                _Type(arguments=("u1" | b"u1", *_)),
                False,
                content,
            )
        ) if columns == PIXELS:
            pixels = _bytes(content)
            if len(pixels) == images * PIXELS:
                return pixels
    raise TypeError("no array of bytes, 3072 an image")


@dataclass(frozen=True)
class _Version:
    """One of the two versions in which CIFAR-10 is published."""

    name: str
    suffix: str
    folder: str

    @property
    def batches(self) -> list[str]:
        """Return the names of the five training batches."""
        return [f"data_batch_{number}{self.suffix}" for number in range(1, 6)]

    def parse(self, file: str, content: bytes) -> tuple[Any, Any]:
        """Return pixels (images, 3072) and labels of a batch."""
        if self.name == "python":
            pixels, labels = unpickled(file, content)
            rows = np.frombuffer(pixels, np.uint8).reshape(-1, PIXELS)
            return rows, np.array(labels, np.int64)
        size = 1 + PIXELS
        if len(content) % size:
            raise DataError(
                f"{file} has {len(content)} bytes, no multiple of {size}; {TRY}"
            )
        records = np.frombuffer(content, np.uint8).reshape(-1, size)
        return records[:, 1:], records[:, 0].astype(np.int64)


_VERSIONS = (
    _Version("binary", ".bin", "cifar-10-batches-bin"),
    _Version("python", "", "cifar-10-batches-py"),
)


def read_cifar10(folder: Path) -> Images:
    """Return the five training batches from *folder*, its subfolder or an archive."""
    check_folder(folder)
    lacking: list[str] = []
    for version in _VERSIONS:
        names = version.batches
        for place in (folder, folder / version.folder):
            absent = [name for name in names if not is_file(place / name)]
            if not absent:
                contents = (read(place / name) for name in names)
                return _cifar10(version, contents, tuple(names))
            lacking = absent if len(absent) < len(names) else lacking
    for version in _VERSIONS:
        for ending in (".tar.gz", ".tar"):
            archive = folder / f"cifar-10-{version.name}{ending}"
            if is_file(archive):
                files = members(archive, version.batches)
                if absent := [n for n in version.batches if n not in files]:
                    raise DataError(f"{archive.name} lacks {', '.join(absent)}; {TRY}")
                # Each is let go when it has been read: together they are as large as
                # the images.
                contents = (files.pop(name) for name in version.batches)
                return _cifar10(version, contents, (archive.name,))
    if lacking:
        raise DataError(
            f"CIFAR-10 in {shown(folder)} lacks {', '.join(lacking)}; "
            "all five training batches are needed"
        )
    raise DataError(
        f"no CIFAR-10 in {shown(folder)}; give --data the folder that holds "
        "cifar-10-binary.tar.gz or cifar-10-python.tar.gz, or what is in it"
    )


def _cifar10(
    version: _Version, contents: Iterable[bytes], files: tuple[str, ...]
) -> Images:
    pixels: Any = None
    labels = []
    names = version.batches

    def parsed() -> Iterator[tuple[str, bytes]]:
        nonlocal pixels
        for number, (name, content) in enumerate(zip(names, contents, strict=True)):
            rows, classes = version.parse(name, content)
            if len(rows) == 0:
                raise DataError(f"{name} has no images; {TRY}")
            if len(rows) != len(classes):
                has = f"{len(rows)} images and {len(classes)} labels"
                raise DataError(f"{name} has {has}; {TRY}")
            check_labels(name, classes)
            if pixels is None:
                pixels = np.empty((len(names), len(rows), 32, 32, 3), np.uint8)
            if len(rows) != len(pixels[0]):
                raise DataError(
                    f"{name} has {len(rows)} images and {names[0]} has "
                    f"{len(pixels[0])}; take all five from the same source"
                )
            # Published as planes of red, green and blue.
            pixels[number] = rows.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
            labels.append(classes)
            yield name, content

    digest = digest_of(parsed())
    merged = pixels.reshape(-1, 32, 32, 3)
    return Images("cifar10", merged, np.concatenate(labels), digest, files)
