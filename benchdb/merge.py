"""Import: merge files into a database, idempotently and atomically."""

import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from benchdb.errors import BenchdbError, ExchangeError, UsageError, failure_message
from benchdb.exchange.reader import BadLine
from benchdb.importing.intake import STANDARD_INPUT, Intake, files, intake
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.maps import LoadedMap
from benchdb.importing.provenance import NOTHING, About
from benchdb.store import (
    documents,
    editions,
    findings,
    forgetting,
    machines,
    reader_process,
    rows,
)
from benchdb.store.batches import Batch, batches
from benchdb.store.database import rehearsing, writing
from benchdb.store.documents import Fingerprint, Reader, RefusedFile
from benchdb.store.write import Writer

BAD_KEPT = 10_000  # bad lines of one file that are told and kept; the rest is counted


# Gives the digests of those rows of runs that answer what was planned here.
Answers = Callable[[Connection, Sequence[tuple[Any, ...]]], set[str]]


class How(msgspec.Struct, frozen=True):
    """How files are read: by which map, and what is known about them.

    Whatever *answers* does not name was contributed.
    """

    map_: LoadedMap | None = None
    about: About = NOTHING
    answers: Answers | None = None


class Outcome(msgspec.Struct, frozen=True):
    """What one file brought: its runs, how many of them were new, and its bad lines.

    *bad* are the first ``BAD_KEPT`` of *bad_count*. *error* says why the file was not
    read at all; *known* that it was read before; *nothing* why it has no run, where its
    map says so. *importer* is what read it; *otherwise* that it read this document
    otherwise before, and nothing says which of the two is the newer. *outdates* are the
    runs of each other source, by its slug, that it proposes to mark as out of date;
    *heard* the runs of sources that count in no comparison until they are accepted;
    *forgotten* how many runs, and how many sources, are to stay away.
    """

    path: Path
    runs: int = 0
    added: int = 0
    bad: tuple[BadLine, ...] = ()
    bad_count: int = 0
    known: bool = False
    error: str | None = None
    nothing: str | None = None
    importer: str | None = None
    otherwise: bool = False
    outdates: Mapping[str, int] = {}
    heard: Mapping[str, int] = {}
    forgotten: tuple[int, int] = (0, 0)

    @property
    def clean(self) -> bool:
        """Tell whether everything in the file was taken."""
        return self.error is None and not self.bad_count


def import_files(
    engine: Engine, chosen: Sequence[Path], how: How | None = None
) -> Iterator[Outcome]:
    """Import the files, each in one transaction; yield an outcome for each."""

    def take(path: Path) -> Outcome:
        much = _is_much([path])
        with _open(path) as stream, writing(engine, much=much) as connection:
            return _merge(connection, stream, path, how or How())

    for path in chosen:
        yield _attempt(path, take)


def import_together(
    engine: Engine, chosen: Sequence[Path], how: How, *, rehearse: bool = False
) -> list[Outcome]:
    """Import all files in one transaction, or nothing if one of them is not clean.

    With *rehearse* nothing is kept either way: the outcomes tell what would happen.
    """

    def take(path: Path) -> Outcome:
        with _open(path) as stream, connection.begin_nested():
            return _merge(connection, stream, path, how)

    kept = rehearsing(engine) if rehearse else writing(engine, much=_is_much(chosen))
    with kept as connection:
        outcomes = [_attempt(path, take) for path in chosen]
        if not all(outcome.clean for outcome in outcomes):
            connection.rollback()
    return outcomes


def retry(engine: Engine, file: RefusedFile) -> Outcome:
    """Read a file with refused records again, from what was kept of it."""

    def take(path: Path) -> Outcome:
        with writing(engine) as connection:
            content = documents.kept(connection, file.sha256)
            if content is None:
                raise ExchangeError("it was not kept; import the file again")
            map_ = None
            if file.map_sha256 is not None:
                text = documents.kept(connection, file.map_sha256) or b""
                try:
                    map_ = maps.parse(text, file.importer.removeprefix("map "))
                except UsageError as error:  # the rules for maps may have changed
                    raise ExchangeError(str(error)) from error
            how = How(map_, msgspec.convert(file.about, About))
            return _merge(connection, io.BytesIO(content), path, how)

    return _attempt(Path(file.name), take)


def import_or_raise(engine: Engine, paths: Sequence[Path]) -> int:
    """Import *paths*, all of which must be clean; return how many runs were new."""
    added = 0
    for outcome in import_files(engine, files(paths)):
        if not outcome.clean:
            why = outcome.error or outcome.bad[0].reason
            raise BenchdbError(f"{outcome.path}: {why}")
        added += outcome.added
    return added


def _attempt(path: Path, take: Callable[[Path], Outcome]) -> Outcome:
    """Return what became of a file: the one net for what is wrong with it.

    The others still land. Raise what is no fault of the file.
    """
    try:
        return take(path)
    except ExchangeError as error:
        return Outcome(path, error=str(error))
    except (BenchdbError, SQLAlchemyError):
        raise
    except OSError as error:
        return Outcome(path, error=f"cannot be read: {error.strerror or error}")
    except Exception as error:  # a bug of ours, or no memory
        return Outcome(path, error=failure_message(error))


def _is_much(paths: Iterable[Path]) -> bool:
    try:
        sizes = [one.stat().st_size for one in paths if one.is_file()]
        return sum(sizes) >= reader_process.LARGE
    except OSError:  # it has a line of its own, soon
        return False


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
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


def _merge(connection: Connection, stream: IO[bytes], path: Path, how: How) -> Outcome:
    name = "standard input"
    if path != STANDARD_INPUT:  # a name of other bytes than UTF-8 is no text
        name = path.name.encode(errors="surrogateescape").decode(errors="replace")
    file = documents.fingerprint(stream, name)
    read = intake(stream, name, map_=how.map_, about=how.about)
    told = {} if read.document is None else msgspec.to_builtins(how.about)
    about = {name: fact for name, fact in told.items() if fact}
    map_sha256 = None if read.map_ is None else read.map_.sha256
    reader = Reader(read.importer, read.version, map_sha256, about)
    runs_before = documents.known_file(connection, file, reader)
    if runs_before is not None and not forgetting.pending(connection):
        documents.rename(connection, file, reader)
        return Outcome(path, runs=runs_before, known=True, importer=read.importer)
    taken = _FileImport(connection, Writer(connection), how.answers)
    if read.document is None and reader_process.worthwhile(stream, file.size):
        with reader_process.reading(stream) as all_batches:
            taken.take(all_batches)
    else:
        taken.take(batches(read.items))
    _require_unchanged(file, read, stream)
    documents.record(connection, file, reader, taken.runs)
    documents.brought(connection, file, reader, taken.brought)
    documents.refuse(connection, file, reader, taken.bad)
    left_out = taken.writer.left_out
    if taken.bad or (read.document is not None and not left_out.any):
        _keep(connection, file, read, stream)
    brought = taken.brought.keys()
    newer = editions.proposed_by(connection, brought) if brought else ()
    heard = editions.heard(connection, brought) if brought else ()
    return Outcome(
        path,
        runs=taken.runs,
        added=taken.writer.runs_added,
        bad=tuple(taken.bad),
        bad_count=taken.bad_count,
        known=runs_before is not None
        and not taken.writer.runs_added
        and not left_out.any,
        nothing=read.nothing,
        importer=read.importer,
        otherwise=any(editions.otherwise(connection, one) for one in taken.sources),
        outdates=documents.runs_by_slug(connection, {one.outdated for one in newer}),
        heard=documents.runs_by_slug(connection, {one.newer for one in heard}),
        forgotten=(len(left_out.runs), len(left_out.sources)),
    )


def _require_unchanged(file: Fingerprint, read: Intake, stream: IO[bytes]) -> None:
    """Refuse a file whose bytes were not those of its fingerprint when it was read."""
    if read.document is not None:
        sha256 = read.document.sha256
    else:
        stream.seek(0)
        sha256 = documents.fingerprint(stream, file.name).sha256
    if sha256 != file.sha256:
        raise ExchangeError(
            "changed while it was read; nothing of it was taken, import it again when "
            "nothing writes to it"
        )


def _keep(
    connection: Connection, file: Fingerprint, read: Intake, stream: IO[bytes]
) -> None:
    """Keep a foreign or partly refused file and its map: ``show`` leads there."""
    if file.size <= documents.KEPT_LIMIT:
        content = read.document.content if read.document else stream.read()
        documents.keep(connection, file.name, content)
    if read.map_ is not None:
        documents.keep(connection, read.map_.name, read.map_.text.encode())


class _FileImport(msgspec.Struct):
    """What was taken of one file so far; *sources* are digests.

    *brought* are those of all source lines, with the version of what read each. Runs of
    a source are judged together at the end, others as they come.
    """

    connection: Connection
    writer: Writer
    answers: Answers | None = None
    runs: int = 0
    bad: list[BadLine] = []
    bad_count: int = 0
    sources: set[str] = set()
    brought: dict[str, str] = {}

    def take(self, all_batches: Iterable[Batch]) -> None:
        changes = self.writer.changes
        for batch in all_batches:
            self.runs += batch.runs
            self.bad_count += len(batch.bad)
            self.bad += batch.bad[: BAD_KEPT - len(self.bad)]
            self.sources |= batch.sources
            self.brought |= {
                row["digest"]: row["importer_version"] or ""
                for row in batch.rows.get("source", [])
                if isinstance(row, dict)
            }
            if self.answers is not None and "run" in batch.rows:
                given = [tuple(row) for row in batch.rows["run"]]
                own = self.answers(self.connection, given)
                batch.rows["run"] = [
                    rows.as_mine(row) if row[0] in own else row for row in given
                ]
            there = self.writer.write(batch.rows)
            out = self.writer.left_out.runs
            new = [one for one in batch.findings if one.run not in out]
            judged = [one for one in batch.alone if one not in out]
            changes.touch(findings.keep_alone(self.connection, judged, there, new))
        self.writer.flush()
        again = findings.refresh(self.connection, sources=self.sources, runs=set())
        changes.touch(again)
        machines.flag_foreign_ids(self.connection)
        changes.refresh()
