"""What the readers of all data sets share."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLASSES = 10  # of MNIST and of CIFAR-10
TRY = "download it again"


class DataError(Exception):
    """Files of a data set that are missing, or are not what they should be."""


@dataclass(frozen=True, eq=False)
class Images:
    """Labelled images: pixels (n, height, width, channels) uint8, labels (n,) int64.

    *sha256* is over names and bytes of what was read, unpacked: the same for .gz and
    plain files. *files* are the names of the files on disk, without folders.
    """

    name: str
    pixels: Any
    labels: Any
    sha256: str
    files: tuple[str, ...]


def check_folder(folder: Path) -> None:
    """Raise DataError if *folder* is none."""
    found = False
    with suppress(OSError):  # too long a name, or a folder that is not ours
        found = folder.is_dir()
    if not found:
        raise DataError(f"{shown(folder)} is no folder that can be read")


def shown(folder: Path) -> str:
    """Return the folder's own name only: what is above it may name its owner."""
    return repr(folder.name) if folder.name else "the folder given"


def is_file(path: Path) -> bool:
    """Return whether there is a file that can be reached."""
    with suppress(OSError):
        return path.is_file()
    return False


def check_labels(file: str, labels: Any) -> None:
    """Raise DataError for a label, a number from 0, that stands for no class."""
    if labels.min() < 0 or labels.max() >= CLASSES:
        raise DataError(f"{file} has a label beyond 0 to {CLASSES - 1}; {TRY}")


def add_file(digest: Any, name: str, content: bytes) -> None:
    """Add the name of a file, its size and its bytes to a SHA-256."""
    digest.update(f"{name} {len(content)}\n".encode())
    digest.update(content)
