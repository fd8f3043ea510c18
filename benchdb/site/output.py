"""Files of a report: written, compared with what is there, and kept for another time.

The same database, program and options give the same bytes. What was made once is kept
in the user's cache; a report that is wanted again needs no library that makes pages.
Its facts are kept as well, from which another language is said without the database;
those of the database that ships with benchdb lie beside its templates (``make
facts``). Nothing of it lies in a database, which a stranger may have made.
"""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeVar, get_args

import msgspec

from benchdb import resources
from benchdb.errors import BenchdbError
from benchdb.files import replacing

Format = Literal["html", "markdown", "snippet", "csv", "json", "sqlite"]
FORMATS: tuple[Format, ...] = get_args(Format)
_MOST = 256 * 2**20  # bytes of a database that is read for its digest
_KEPT = 32  # reports and their facts, the newest
_LIBRARIES = ("babel", "jinja2")  # that decide about a page as well
_ENDING, _FACTS = ".report", ".facts"
Kind = TypeVar("Kind")


class File(msgspec.Struct, frozen=True):
    """A file of a report: its name below the report's folder."""

    name: str
    content: bytes


def write(files: Iterable[File], folder: Path) -> Iterator[tuple[Path, int]]:
    """Write the files into *folder*; yield each as it is written, with its bytes."""
    for file in files:
        path = folder / file.name
        if path.suffix == ".sqlite":
            from benchdb.report import database_file  # noqa: PLC0415

            database_file.write(path, file.content)
        else:
            with replacing(path) as stream:
                stream.write(file.content)
        yield path, len(file.content)


def differences(files: Iterable[File], folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file in *folder* that is not as it would be written, and why."""
    for file in files:
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


def state(database: Path) -> bytes | None:
    """Return the digest of every byte of a *database*.

    ``None`` for what is no file, is being written, or is too large to be read for it.
    Whoever has it open must close it first: SQLite would lose its locks.
    """
    whole = hashlib.sha256()
    try:
        if _size(database, "-journal") or database.stat().st_size > _MOST:
            return None
        log = [Path(f"{database}-wal")] if _size(database, "-wal") else []
        for path in (database, *log):
            with path.open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError:
        return None
    return whole.digest()


def key(of: bytes, options: str) -> str:
    """Return what is equal for files of a database *of* this state and *options* alone.

    Every byte of our program counts, so that no file is taken for another.
    """
    for library in _LIBRARIES:
        spec = find_spec(library)
        if spec and spec.origin:
            changed = Path(spec.origin).stat().st_mtime_ns
            options += f"\n{spec.origin} {changed}"
    about = repr((sys.version, options)).encode()
    return hashlib.sha256(resources.program() + of + about).hexdigest()


def key_of_facts(of: bytes, options: str) -> str:
    """Return the same for their facts, which Python and libraries do not change."""
    program = resources.program_of_facts()
    return hashlib.sha256(program + of + options.encode()).hexdigest()


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
    return _kept(cache / f"{name}{_ENDING}", tuple[File, ...])


def kept_facts(cache: Path, name: str, kind: type[Kind]) -> Kind | None:
    """Return facts of a *kind* that are kept so, or those that ship with benchdb."""
    shipped = resources.folder("reports") / "kept" / f"{name}{_FACTS}"
    return _kept(cache / shipped.name, kind) or _kept(shipped, kind, own=False)


def _kept(place: Path, kind: type[Kind], *, own: bool = True) -> Kind | None:
    with suppress(OSError, msgspec.DecodeError):
        if not own or place.stat().st_uid == os.getuid():
            return msgspec.msgpack.decode(place.read_bytes(), type=kind)
    return None


def keep(cache: Path, name: str, files: Sequence[File]) -> None:
    """Keep files under the key *name*, if the folder *cache* can be written to."""
    _keep(cache / f"{name}{_ENDING}", files)


def keep_facts(cache: Path, name: str, facts: object) -> None:
    """Keep *facts* likewise."""
    _keep(cache / f"{name}{_FACTS}", facts)


def _keep(place: Path, item: object) -> None:
    with suppress(OSError, BenchdbError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(place) as stream:
            stream.write(msgspec.msgpack.encode(item))
        forget(place.parent, _KEPT)


def forget(cache: Path, left: int = 0) -> None:
    """Delete what is kept in the folder *cache*, but for the newest."""
    with suppress(OSError):
        every = [it for it in cache.iterdir() if it.suffix in (_ENDING, _FACTS)]
        oldest = sorted(every, key=lambda it: it.stat().st_mtime, reverse=True)[left:]
        for place in oldest:
            place.unlink(missing_ok=True)
