"""Import: merge exchange files into a database, idempotently and atomically."""

import hashlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, Engine, select

from benchdb.errors import BenchdbError, ExchangeError, UsageError
from benchdb.exchange import reader
from benchdb.exchange.reader import BadLine, LoneSource, SourceClaim
from benchdb.store import rows
from benchdb.store.database import writing
from benchdb.store.tables import imported_file
from benchdb.store.write import Writer

STANDARD_INPUT = Path("-")


@dataclass(frozen=True)
class Outcome:
    """What one file brought: its runs, how many of them were new, and its bad lines.

    *error* says why the file was not read at all; *known* that it was read before.
    """

    path: Path
    runs: int = 0
    added: int = 0
    bad: tuple[BadLine, ...] = ()
    known: bool = False
    error: str | None = None

    @property
    def clean(self) -> bool:
        """Tell whether everything in the file was taken."""
        return self.error is None and not self.bad


def import_paths(
    engine: Engine, paths: Sequence[Path], *, location: str = "the database"
) -> Iterator[Outcome]:
    """Import *paths* one after another, each in one transaction; yield outcomes.

    Folders stand for the ``.jsonl`` files below them, see ``files``.
    """
    for path in files(paths):
        try:
            with _opened(path) as stream:
                yield _import_stream(engine, stream, path, location)
        except ExchangeError as error:
            yield Outcome(path, error=str(error))
        except OSError as error:
            yield Outcome(path, error=f"cannot be read: {error.strerror}")


def files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that *paths* stand for; ``UsageError`` if one is not there."""
    chosen: list[Path] = []
    for path in paths:
        if path != STANDARD_INPUT and not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        if path.is_dir():
            found = sorted(path.rglob("*.jsonl"))
            if not found:
                raise UsageError(f"no .jsonl files in {path}")
            chosen += found
        else:
            chosen.append(path)
    return chosen


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Give a seekable stream; standard input is kept on disk once it grows."""
    if path != STANDARD_INPUT:
        with path.open("rb") as stream:
            yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=2**24) as spool:
        for chunk in iter(lambda: sys.stdin.buffer.read(2**20), b""):
            spool.write(chunk)
        spool.seek(0)
        yield spool


def _import_stream(
    engine: Engine, stream: IO[bytes], path: Path, location: str
) -> Outcome:
    fingerprint = _Fingerprint.of(stream)
    stream.seek(0)
    with writing(engine, location) as connection:
        known = _known(connection, fingerprint.sha256)
        if known is not None:
            return Outcome(path, runs=known, known=True)
        return _merge(connection, stream, path, fingerprint)


@dataclass(frozen=True)
class _Fingerprint:
    sha256: str
    size: int
    lines: int

    @classmethod
    def of(cls, stream: IO[bytes]) -> "_Fingerprint":
        digest, size, lines = hashlib.sha256(), 0, 0
        for chunk in iter(lambda: stream.read(2**20), b""):
            digest.update(chunk)
            size += len(chunk)
            lines += chunk.count(b"\n")
        return cls(digest.hexdigest(), size, lines)


def _known(connection: Connection, sha256: str) -> int | None:
    query = select(imported_file.c.runs).where(imported_file.c.sha256 == sha256)
    found: int | None = connection.scalar(query)
    return found


def _merge(
    connection: Connection, stream: IO[bytes], path: Path, fingerprint: _Fingerprint
) -> Outcome:
    writer, runs, bad = Writer(connection), 0, []
    for item in reader.read(stream):
        match item:
            case BadLine():
                bad.append(item)
            case LoneSource():
                writer.add(rows.of_source(item.source))
            case SourceClaim():
                writer.add(rows.of_claim(item.claim, item.source))
            case _:
                runs += 1
                writer.add(rows.of_record(item))
    if not bad:
        # A file with bad lines is read again next time, so that they are told again.
        row = {
            "sha256": fingerprint.sha256,
            "bytes": fingerprint.size,
            "lines": fingerprint.lines,
            "runs": runs,
        }
        writer.add({"imported_file": [row]})
    writer.flush()
    return Outcome(path, runs=runs, added=writer.runs_added, bad=tuple(bad))


def import_or_raise(engine: Engine, paths: Sequence[Path]) -> int:
    """Import *paths*, all of which must be clean; return how many runs were new."""
    added = 0
    for outcome in import_paths(engine, paths):
        if not outcome.clean:
            why = outcome.error or outcome.bad[0].reason
            raise BenchdbError(f"{outcome.path}: {why}")
        added += outcome.added
    return added
