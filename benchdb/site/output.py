"""Files of a report: written, compared with what is there, and kept for another time.

The same database, program and options give the same bytes. What was made once is kept
in the user's cache; a report that is wanted again needs no library that makes pages.
Nothing of it lies in a database, which a stranger may have made.
"""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, get_args

import msgspec

from benchdb import resources
from benchdb.errors import BenchdbError
from benchdb.files import replacing

Format = Literal["html", "markdown", "snippet", "csv", "json", "sqlite"]
FORMATS: tuple[Format, ...] = get_args(Format)
_MOST = 256 * 2**20  # bytes of a database that is read for its digest
_KEPT = 16  # reports, the newest
_LIBRARIES = ("babel", "jinja2")  # that decide about a page as well
_ENDING = ".report"


class File(msgspec.Struct, frozen=True):
    """A file of a report: its name below the report's folder."""

    name: str
    content: bytes


def write(found: Iterable[File], folder: Path) -> Iterator[tuple[Path, int]]:
    """Write the files into *folder*; yield each as it is written, with its bytes."""
    for file in found:
        path = folder / file.name
        if path.suffix == ".sqlite":
            from benchdb.report import database_file  # noqa: PLC0415

            database_file.write(path, file.content)
        else:
            with replacing(path) as stream:
                stream.write(file.content)
        yield path, len(file.content)


def differences(found: Iterable[File], folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file in *folder* that is not as it would be written, and why."""
    for file in found:
        path = folder / file.name
        try:
            same = path.read_bytes() == file.content
        except FileNotFoundError:
            yield path, "is missing"
        except OSError as error:
            yield path, f"cannot be read ({error.strerror})"
        else:
            if not same:
                yield path, "differs from the database"


def key(database: Path, options: str) -> str | None:
    """Return what is equal for reports of the same *database* and *options* alone.

    Every byte of the database counts, and of our program, so that no file is taken for
    another. ``None`` for what is no file, is being written, or is too large to be read
    for it. Whoever has it open must close it first: SQLite would lose its locks.
    """
    whole = hashlib.sha256(resources.program())
    try:
        if _size(database, "-journal") or database.stat().st_size > _MOST:
            return None
        for library in _LIBRARIES:
            spec = find_spec(library)
            place = Path(spec.origin) if spec and spec.origin else database
            options += f"\n{place} {place.stat().st_mtime_ns}"
        whole.update(repr((sys.version, options)).encode())
        log = [Path(f"{database}-wal")] if _size(database, "-wal") else []
        for path in (database, *log):
            with path.open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError:
        return None
    return whole.hexdigest()


def _size(database: Path, ending: str) -> int:
    """Return the bytes of what SQLite has beside a database while it is written."""
    try:
        return Path(f"{database}{ending}").stat().st_size
    except FileNotFoundError:
        return 0


def kept(cache: Path, name: str) -> Sequence[File] | None:
    """Return the files kept in the folder *cache* under the key *name*, if there are.

    Only what this user wrote counts.
    """
    place = cache / f"{name}{_ENDING}"
    with suppress(OSError, msgspec.DecodeError):
        if place.stat().st_uid == os.getuid():
            return msgspec.msgpack.decode(place.read_bytes(), type=tuple[File, ...])
    return None


def keep(cache: Path, name: str, found: Sequence[File]) -> None:
    """Keep files under the key *name*, if the folder *cache* can be written to."""
    with suppress(OSError, BenchdbError):
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(cache / f"{name}{_ENDING}") as stream:
            stream.write(msgspec.msgpack.encode(found))
        forget(cache, _KEPT)


def forget(cache: Path, left: int = 0) -> None:
    """Delete the reports in the folder *cache*, but for the newest."""
    with suppress(OSError):
        every = cache.glob(f"*{_ENDING}")
        oldest = sorted(every, key=lambda it: it.stat().st_mtime, reverse=True)[left:]
        for place in oldest:
            place.unlink(missing_ok=True)
