"""Labelled images, and the bytes of their files, plain or packed, within bounds."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

CLASSES = 10  # of MNIST and of CIFAR-10
TRY = "download it again"
# Half as much again as the largest that there is: a CIFAR-10 batch pickled again by
# Python 3 has 46 MB, and both of CIFAR-10's archives have 186 MB unpacked.
_MOST_BYTES = 2**26
_MOST_UNPACKED = 2**28
_MOST_MEMBERS = 100  # the archives have 9, or 18 with what macOS adds to them
_GZIP = b"\x1f\x8b"


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
    exists = False
    with suppress(OSError):  # too long a name, or a folder that is not ours
        exists = folder.is_dir()
    if not exists:
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


def digest_of(files: Iterable[tuple[str, bytes]]) -> str:
    """Return the SHA-256 over names, sizes and bytes of files."""
    digest = hashlib.sha256()
    for name, content in files:
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedIOBase]:
    """Open a file, unpacked if it is gzip; whatever is wrong with it is a DataError.

    Its name is not asked: browsers unpack what they download, and some keep the name.
    """
    try:
        with path.open("rb") as plain:
            packed = plain.peek(2)[:2] == _GZIP
            yield gzip.GzipFile(fileobj=plain) if packed else plain
    except (DataError, MemoryError):
        raise
    # gzip and tarfile have their own errors, and let others through.
    except Exception as failure:
        # Not all of an OSError: it ends with the path.
        text = getattr(failure, "strerror", None) or str(failure)
        words = " ".join((text or type(failure).__name__).split())[:200]
        raise DataError(f"{path.name} cannot be read ({words}); {TRY}") from failure


def read(path: Path) -> bytes:
    """Return the content of one batch."""
    with opened(path) as stream:
        content = stream.read(_MOST_BYTES + 1)
    return _checked(path.name, content)


def _checked(name: str, content: bytes) -> bytes:
    if not content:
        raise DataError(f"{name} is empty; {TRY}")
    if len(content) > _MOST_BYTES:
        raise DataError(f"{name} is larger than any batch of images; {TRY}")
    return content


def members(path: Path, names: Collection[str]) -> dict[str, bytes]:
    """Return the files called *names* in a tar archive; none is unpacked to disk.

    Only regular files count, wherever in the archive, but not outside of it.
    """
    contents: dict[str, bytes] = {}
    with opened(path) as stream:
        bounded = _Bounded(stream, path.name)
        # As a stream, which cannot be sent backwards by a size below 0.
        with tarfile.open(fileobj=bounded, mode="r|") as archive:
            for number, member in enumerate(archive):
                if number >= _MOST_MEMBERS:
                    raise DataError(f"{path.name} holds too many files; {TRY}")
                place = PurePosixPath(member.name)
                regular = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
                outside = place.is_absolute() or ".." in place.parts
                if place.name not in names or outside or not regular:
                    continue
                if place.name in contents:
                    raise DataError(f"{path.name} holds {place.name} twice; {TRY}")
                file = archive.extractfile(member)
                content = file.read(_MOST_BYTES + 1) if file else b""
                contents[place.name] = _checked(place.name, content)
        while bounded.read(2**20):
            pass  # the checksum of gzip comes last
    return contents


class _Bounded(io.RawIOBase):
    """A stream that ends with a DataError if it goes on for too long."""

    def __init__(self, stream: io.BufferedIOBase, name: str) -> None:
        """Read from *stream*, which is called *name*."""
        self._stream, self._name, self._left = stream, name, _MOST_UNPACKED

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, at most *size*; all that is left if it is below 0."""
        most = self._left + 1
        content = self._stream.read(most if size < 0 else min(size, most))
        self._left -= len(content)
        if self._left < 0:
            raise DataError(f"{self._name} unpacks to far too much; {TRY}")
        return content
