"""Write files so that a reader sees the old one or the new one, never half of one."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from benchdb.errors import BenchdbError, UsageError

SQLITE_MAGIC = b"SQLite format 3\x00"
_UNFINISHED = ".benchdb-unfinished-"
_FORGOTTEN = 24 * 3600  # seconds without a change; nobody writes so slowly


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
    sweep(target.parent)
    handle, unfinished = tempfile.mkstemp(dir=target.parent, prefix=_UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as stream:
            _lock(handle)
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
        with unfinished_folder(target.parent) as room:
            yield room
            room.chmod(0o777 & ~_umask())
            room.rename(target)  # an empty folder gives way
    except OSError as error:
        raise BenchdbError(f"cannot write {path}: {error.strerror}") from error


@contextmanager
def unfinished_folder(parent: Path) -> Iterator[Path]:
    """Give a folder in *parent* for what is not finished yet, and remove it after."""
    sweep(parent)
    room = tempfile.mkdtemp(dir=parent, prefix=_UNFINISHED)
    handle = os.open(room, os.O_RDONLY)
    try:
        _lock(handle)
        yield Path(room)
    finally:
        os.close(handle)
        shutil.rmtree(room, ignore_errors=True)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other builds out of *folder*, which is made where it is missing.

    Raise ``BenchdbError`` where another one is at work, and ``UsageError`` for a file.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except FileExistsError:
        raise UsageError(f"{folder} is a file; name a folder") from None
    except OSError as error:
        raise BenchdbError(f"cannot write {folder}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BenchdbError(
                f"another build writes into {folder}; build again when it has ended"
            ) from None
        except OSError:  # on some network shares nothing can be locked
            pass
        yield
    finally:
        os.close(handle)


def sweep(folder: Path) -> None:
    """Remove what killed processes left unfinished in *folder* a day ago or longer.

    Whoever still writes holds a lock on it, however long it takes.
    """
    for path in folder.glob(f"{_UNFINISHED}*"):
        with suppress(OSError):  # in use, gone meanwhile, or somebody else's
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time.time() - _changed(path) > _FORGOTTEN:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            finally:
                os.close(handle)


def _changed(path: Path) -> float:
    return max(entry.stat().st_mtime for entry in (path, *path.rglob("*")))


def _lock(handle: int) -> None:
    with suppress(OSError):  # on some network shares nothing can be locked
        fcntl.flock(handle, fcntl.LOCK_EX)


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
