"""Import: merge exchange files into a database, idempotently and atomically."""

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
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


def import_files(engine: Engine, chosen: Sequence[Path]) -> Iterator[Outcome]:
    """Import the files, each in one transaction; yield an outcome for each."""
    for path in chosen:
        try:
            with _opened(path) as stream:
                yield _import_stream(engine, stream, path)
        except ExchangeError as error:
            yield Outcome(path, error=str(error))
        except OSError as error:
            yield Outcome(path, error=f"cannot be read: {error.strerror or error}")


def files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that *paths* stand for: a folder is the ``.jsonl`` ones below.

    Raise ``UsageError`` if a path is not there, or a folder has none.
    """
    return [file for path in paths for file in _below(path)]


def _below(path: Path) -> list[Path]:
    try:
        if path != STANDARD_INPUT and not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        if not path.is_dir():
            return [path]
        found = sorted(file for file in path.rglob("*.jsonl") if file.is_file())
    except OSError as error:
        raise UsageError(f"cannot look into {path}: {error.strerror}") from error
    if not found:
        raise UsageError(f"no .jsonl files in {path}")
    return found


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Give a seekable stream; what comes through a pipe is kept on disk meanwhile."""
    with ExitStack() as stack:
        stream: IO[bytes] = sys.stdin.buffer
        if path != STANDARD_INPUT:
            stream = stack.enter_context(path.open("rb"))
        if not stream.seekable():
            spool = stack.enter_context(tempfile.SpooledTemporaryFile(max_size=2**24))
            shutil.copyfileobj(stream, spool)
            spool.seek(0)
            stream = spool
        yield stream


def _import_stream(engine: Engine, stream: IO[bytes], path: Path) -> Outcome:
    fingerprint = _Fingerprint.of(stream)
    stream.seek(0)
    with writing(engine) as connection:
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
    for outcome in import_files(engine, files(paths)):
        if not outcome.clean:
            why = outcome.error or outcome.bad[0].reason
            raise BenchdbError(f"{outcome.path}: {why}")
        added += outcome.added
    return added
