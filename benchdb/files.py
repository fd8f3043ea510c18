"""Write files so that a reader sees the old one or the new one, never half of one."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from benchdb.errors import BenchdbError, UsageError

SQLITE_MAGIC = b"SQLite format 3\x00"


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Give a binary stream that becomes *path* when the block ends without error.

    A link is followed; a pipe or device is written to, not replaced. A database is
    never overwritten.
    """
    try:
        target = path.resolve()
        _refuse_database(target)
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as stream:
                yield stream
            return
        with _whole(target) as stream:
            yield stream
    except OSError as error:
        raise BenchdbError(f"cannot write {path}: {error.strerror}") from error


@contextmanager
def _whole(target: Path) -> Iterator[IO[bytes]]:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=target.parent, prefix=".benchdb-")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes files private; a report is for others to read.
        Path(unfinished).chmod(0o666 & ~_umask())
        Path(unfinished).replace(target)
    finally:
        Path(unfinished).unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder that becomes *path* when the block ends without error.

    Otherwise nothing is left of it. A folder that has something in it is never touched.
    """
    try:
        target = path.resolve()
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise UsageError(f"{path} is there and not empty; name a new folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        room = Path(tempfile.mkdtemp(dir=target.parent, prefix=".benchdb-"))
        try:
            yield room
            room.chmod(0o777 & ~_umask())
            room.rename(target)  # an empty folder gives way
        finally:
            shutil.rmtree(room, ignore_errors=True)
    except OSError as error:
        raise BenchdbError(f"cannot write {path}: {error.strerror}") from error


def _refuse_database(target: Path) -> None:
    if target.is_file():
        with target.open("rb") as stream:
            if stream.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC:
                raise BenchdbError(f"{target.name} is a database; name another file")


def claim(unfinished: Path, path: Path) -> None:
    """Give the finished file its name, unless another process was first."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            unfinished.rename(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
