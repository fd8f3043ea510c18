"""Import: merge files into a database, idempotently and atomically."""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from benchdb.errors import BenchdbError, ExchangeError, UsageError, failure_message
from benchdb.exchange.reader import BadLine
from benchdb.importing import bundled
from benchdb.importing.bundled import Bundle
from benchdb.importing.intake import (
    MUCH,
    STANDARD_INPUT,
    Intake,
    UnexplainedError,
    files,
    intake,
    open_file,
    size,
)
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
    signers,
    withdrawing,
)
from benchdb.store.batches import Batch, batches
from benchdb.store.database import rehearsing, writing
from benchdb.store.documents import Fingerprint, Reader, RefusedFile
from benchdb.store.import_history import FilePart, Import, begin
from benchdb.store.signed_machines import flag_contradicting_signers
from benchdb.store.standing import Brought, Experience, Spans
from benchdb.store.tables import signature
from benchdb.store.write import Writer

BAD_KEPT = 10_000  # bad lines of one file that are told and kept; the rest is counted
_LOT = 50  # files that share a transaction, if they are not MUCH


# Gives the digests of those rows of runs that answer what was planned here.
Answers = Callable[[Connection, Sequence[tuple[Any, ...]]], set[str]]


class How(msgspec.Struct, frozen=True):
    """How files are read: by which map, and what is known about them.

    Some of them may have *maps* of their own; *agreed* is a folder with maps of others.
    Unless *known*, documents are read by those alone. With *signed* only bundles are
    taken that somebody known here signed.
    Whatever *answers* does not name was contributed. What comes is noted as part of
    *import_*, which can be taken back; *experience* learns what was known before.
    """

    map_: LoadedMap | None = None
    about: About = NOTHING
    answers: Answers | None = None
    import_: Import | None = None
    experience: Experience | None = None
    maps: Mapping[Path, LoadedMap] = {}
    agreed: Path | None = None
    known: bool = True
    signed: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """What one file brought: its runs, how many of them were new, and its bad lines.

    *bad* are the first ``BAD_KEPT`` of *bad_count*. *error* says why the file was not
    read at all, as *unexplained* where no map is known; *known* that it was read
    before; *nothing* why it has no run, where its map says so. *importer* is what read
    it; *otherwise* that it read this document otherwise before, and nothing says which
    of the two is the newer. *outdates* are the runs of each other source, by its slug,
    that it proposes to mark as out of date; *heard* the runs of sources that count in
    no comparison until they are accepted; *forgotten* how many runs, and how many
    sources, are to stay away. *spans* are what the new runs of a document of others
    say. *bundle* tells who signed it, where it is one. *retractions* were new as well.
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
    spans: Spans = {}
    unexplained: bool = False
    bundle: Bundle | None = None
    retractions: int = 0

    @property
    def clean(self) -> bool:
        """Tell whether everything in the file was taken."""
        return self.error is None and not self.bad_count


def import_files(
    engine: Engine, chosen: Sequence[Path], how: How | None = None
) -> Iterator[Outcome]:
    """Import the files; yield an outcome for each.

    Each is taken whole or not at all. Small ones share a transaction: what follows from
    the runs is derived once for all of them.
    """
    how = how or How()
    for some in _lots(chosen):
        lot = _take_lot(engine, some, how) if len(some) > 1 else None
        if lot is None:
            yield from (_attempt(path, _alone(engine, how)) for path in some)
        else:
            yield from lot.outcomes
            if lot.end is not None:
                raise lot.end


def _lots(chosen: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield the files, small ones that follow each other together."""
    lot: list[Path] = []
    total = 0
    for path in chosen:
        bytes_ = size(path)
        if lot and (total + bytes_ > MUCH or len(lot) == _LOT):
            yield lot
            lot, total = [], 0
        lot.append(path)
        total += bytes_
    if lot:
        yield lot


def _alone(engine: Engine, how: How) -> Callable[[Path], Outcome]:
    def take(path: Path) -> Outcome:
        much = size(path) >= reader_process.LARGE
        with open_file(path) as stream, writing(engine, much=much) as connection:
            landing = _Landing(connection, how)
            outcome = landing.take(stream, path)
            landing.finish()
            return outcome

    return take


class _Lot(msgspec.Struct, frozen=True):
    """What became of files that shared a transaction; *end* is what ended it early."""

    outcomes: Sequence[Outcome]
    end: BaseException | None = None


def _take_lot(engine: Engine, some: Sequence[Path], how: How) -> _Lot | None:
    """Import files in one transaction; return None if one failed while it was written.

    Then nothing of them is there.
    """
    with writing(engine) as connection:
        landing = _Landing(connection, how)
        end: BaseException | None = None
        outcomes: list[Outcome] = []

        def take(path: Path) -> Outcome:
            with open_file(path) as stream:
                return landing.take(stream, path)

        for path in some:
            landing.wrote = False
            try:
                outcomes.append(_attempt(path, take))
            except (KeyboardInterrupt, SystemExit) as error:
                if landing.wrote or not outcomes:
                    raise
                end = error  # what was taken before stays
                break
            if outcomes[-1].error is not None and landing.wrote:
                connection.rollback()
                return None
        if landing.finished(some[0]).error is not None:
            connection.rollback()
            return None
    return _Lot(outcomes, end)


def import_together(
    engine: Engine, chosen: Sequence[Path], how: How, *, rehearse: bool = False
) -> list[Outcome]:
    """Import all files in one transaction, or nothing if one of them is not clean.

    With *rehearse* nothing is kept either way: the outcomes tell what would happen.
    """

    def take(path: Path) -> Outcome:
        with open_file(path) as stream, connection.begin_nested():
            return landing.take(stream, path)

    much = sum(map(size, chosen)) >= reader_process.LARGE
    kept = rehearsing(engine) if rehearse else writing(engine, much=much)
    with kept as connection:
        landing = _Landing(connection, how)
        outcomes = [_attempt(path, take) for path in chosen]
        if all(outcome.clean for outcome in outcomes):
            finished = landing.finished(chosen[-1])
            outcomes[-1] = outcomes[-1] if finished.error is None else finished
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
            about = msgspec.convert(file.about, About)
            landing = _Landing(connection, How(map_, about, import_=begin()))
            outcome = landing.take(io.BytesIO(content), path)
            landing.finish()
            return outcome

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
        open_ = isinstance(error, UnexplainedError)
        return Outcome(path, error=str(error), unexplained=open_)
    except (BenchdbError, SQLAlchemyError):
        raise
    except OSError as error:
        return Outcome(path, error=f"cannot be read: {error.strerror or error}")
    except Exception as error:  # a bug of ours, or no memory
        return Outcome(path, error=failure_message(error))


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


class _Landing:
    """Files that land in one transaction: each is taken, then all are finished.

    *wrote* tells that something was written since it was set to False. Runs of a source
    are judged together at the end, others as they come.
    """

    def __init__(self, connection: Connection, how: How) -> None:
        """Begin with no file."""
        self._connection, self._how = connection, how
        self._writer = Writer(connection)
        self._sources: set[str] = set()
        self._signed: set[str] = set()
        self._known = signers.known_signers(connection)
        self.wrote = False

    def take(self, stream: IO[bytes], path: Path) -> Outcome:
        """Write what a file brings, of a bundle all or nothing, but what follows."""
        required = self._how.signed
        with bundled.opened(stream, self._known, required=required) as (lines, bundle):
            outcome = self._take(lines, path, bundle)
        return msgspec.structs.replace(outcome, bundle=bundle)

    def _take(self, stream: IO[bytes], path: Path, bundle: Bundle | None) -> Outcome:
        connection, how = self._connection, self._how
        name = "standard input"
        if path != STANDARD_INPUT:  # a name of other bytes than UTF-8 is no text
            name = path.name.encode(errors="surrogateescape").decode(errors="replace")
        file = documents.fingerprint(stream, name)
        map_ = how.maps.get(path, how.map_) if bundle is None else None
        read = intake(
            stream,
            name,
            map_=map_,
            about=how.about,
            agreed=how.agreed,
            known=how.known,
        )
        reader = _reader(read, how.about)
        part = FilePart(connection, how.import_, documents.key(file, reader), name)
        runs_before = documents.known_file(connection, file, reader)
        part.look_at_file(file, reader)
        seal = None if bundle is None else bundle.seal
        if seal is not None:
            part.look(signature, signature.c.digest == seal.digest)
        there = seal is None or signers.is_recorded(connection, seal.digest)
        if runs_before is not None and there and not forgetting.pending(connection):
            documents.rename(connection, file, reader)
            part.close()
            return Outcome(path, runs=runs_before, known=True, importer=read.importer)
        taken = _Taken(signed=None if seal is None else set())
        taken.mine = bundle is not None and bundle.mine
        if read.document is not None and how.experience is not None:
            taken.figures = Brought(how.experience)
        if read.document is None and reader_process.worthwhile(stream, file.size):
            with reader_process.reading(stream) as all_batches:
                self._write(all_batches, taken, part)
        elif file.size <= MUCH:  # what cannot be read is known before a row is
            self._write(list(batches(read.items)), taken, part)
        else:
            self._write(batches(read.items), taken, part)
        _require_unchanged(file, read, stream)
        documents.record(connection, file, reader, taken.runs)
        documents.brought(connection, file, reader, taken.brought)
        documents.refuse(connection, file, reader, taken.bad)
        if seal is not None:
            signers.record(connection, seal, taken.signed or ())
            self._signed |= taken.signed or set()
        left_out = self._writer.left_out
        if taken.bad or (read.document is not None and not left_out.any):
            _keep(connection, file, read, stream)
        part.close()
        return self._outcome(path, read, taken, known=runs_before is not None)

    def _write(
        self, all_batches: Iterable[Batch], taken: "_Taken", part: FilePart
    ) -> None:
        writer = self._writer
        before, withdrawn = writer.runs_added, writer.retractions_added
        for batch in all_batches:
            taken.signatures = withdrawing.check(batch, taken.signatures)
            taken.note(batch)
            given = [tuple(row) for row in batch.rows.get("run", ())]
            named = {row[0] for row in given}
            own = signers.measured(given) if taken.mine else set()
            if self._how.answers is not None and given:
                own |= self._how.answers(self._connection, given)
            if own:
                batch.rows["run"] = [
                    rows.as_mine(row) if row[0] in own else row for row in given
                ]
            part.look_at(batch.rows)
            if taken.figures is not None:
                taken.figures.prepare(self._connection, batch.rows)
            self.wrote = True
            there = writer.write(batch.rows)
            out = writer.left_out.runs
            part.note_runs(named - out, there)
            if taken.signed is not None:
                taken.signed |= named - out
            if taken.figures is not None:
                taken.figures.note(batch.rows, there | out)
            new = [finding for finding in batch.findings if finding.run not in out]
            judged = [text for text in batch.alone if text not in out]
            kept = findings.keep_alone(self._connection, judged, there, new)
            writer.changes.touch(kept)
        writer.land()
        taken.added = writer.runs_added - before
        taken.retractions = writer.retractions_added - withdrawn
        self._sources |= taken.sources

    def _outcome(
        self, path: Path, read: Intake, taken: "_Taken", *, known: bool
    ) -> Outcome:
        connection, left_out = self._connection, self._writer.left_out
        self._writer.left_out = forgetting.LeftOut(connection)
        brought = taken.brought.keys()
        newer = editions.proposed_by(connection, brought) if brought else ()
        heard = editions.heard(connection, brought) if brought else ()
        return Outcome(
            path,
            runs=taken.runs,
            added=taken.added,
            bad=tuple(taken.bad),
            bad_count=taken.bad_count,
            known=known and not taken.added and not left_out.any,
            nothing=read.nothing,
            importer=read.importer,
            otherwise=any(editions.otherwise(connection, it) for it in taken.sources),
            outdates=documents.runs_by_slug(connection, {it.outdated for it in newer}),
            heard=documents.runs_by_slug(connection, {it.newer for it in heard}),
            forgotten=(len(left_out.runs), len(left_out.sources)),
            spans=taken.figures.spans if taken.figures else {},
            retractions=taken.retractions,
        )

    def finished(self, last: Path) -> Outcome:
        """Finish; return an outcome of the *last* file, with what went wrong if any."""

        def finish(path: Path) -> Outcome:
            self.finish()
            return Outcome(path)

        return _attempt(last, finish)

    def finish(self) -> None:
        """Bring what follows from all runs up to those that came."""
        changes = self._writer.changes
        self._writer.flush()
        if self._signed:  # whose runs are mine, and what is trusted
            changes.begin()
            changes.touch(self._signed | signers.take_as_mine(self._connection))
        again = findings.refresh(self._connection, sources=self._sources, runs=set())
        changes.touch(again)
        machines.flag_foreign_ids(self._connection)
        changes.touch(flag_contradicting_signers(self._connection))
        changes.refresh()


def _reader(read: Intake, about: About) -> Reader:
    result = {} if read.document is None else msgspec.to_builtins(about)
    facts = {name: fact for name, fact in result.items() if fact}
    map_sha256 = None if read.map_ is None else read.map_.sha256
    return Reader(read.importer, read.version, map_sha256, facts)


class _Taken(msgspec.Struct):
    """What was taken of one file so far; *sources* are digests.

    *brought* are those of all source lines, with the version of what read each,
    *figures* what runs of a document of others say, *signed* those of a signed bundle,
    *mine* that its key is. So many *signatures* of retractions were looked at.
    """

    runs: int = 0
    added: int = 0
    retractions: int = 0
    bad: list[BadLine] = []
    bad_count: int = 0
    sources: set[str] = set()
    brought: dict[str, str] = {}
    figures: Brought | None = None
    signatures: int = 0
    signed: set[str] | None = None
    mine: bool = False

    def note(self, batch: Batch) -> None:
        """Count what is in *batch*."""
        self.runs += batch.runs
        self.bad_count += len(batch.bad)
        self.bad += batch.bad[: BAD_KEPT - len(self.bad)]
        self.sources |= batch.sources
        self.brought |= {
            row["digest"]: row["importer_version"] or ""
            for row in batch.rows.get("source", [])
            if isinstance(row, dict)
        }
