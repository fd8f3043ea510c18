"""Footnotes with letters and sources with numbers, in the order of their appearance."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from string import ascii_lowercase

import msgspec
from sqlalchemy import Connection, func, select

from benchdb.report.exclusions import Flagged
from benchdb.report.exclusions import flags as flags_by_run
from benchdb.report.runs import StoredRun
from benchdb.report.scope import EVERYTHING, Scope
from benchdb.report.view.listed import ClaimRow, Note, SourceRow
from benchdb.store.tables import claim, run, source

# Doubts about a source rather than a chip: one note for all runs that they are about.
_OF_SOURCES = frozenset(
    {"approximate", "duplicate-key", "hearsay", "same-figures", "superseded"}
)
# Of these each figure has facts of its own, which are no more than the figure says.
_ALIKE = frozenset(
    {"approximate", "contradicting-copies", "copied-samples", "future-date"}
)
# These stand in the table of values, and keep no figure out of a comparison: a doubt
# about what is said of the software is none about the speed, and a batch may well be
# too large for the memory; a figure that measures the host is that of this machine.
_BESIDE = frozenset(
    {
        *("impossible-os", "launch-bound", "out-of-bin"),
        *("slower-in-larger-batches", "zero-power"),
    }
)
# They say what is not alike or not stated, and doubt no figure.
_OF_CONDITIONS = frozenset(
    {"batch-differs-from-command", "power-scope-unknown", "unlike-conditions"}
)


class Subject(msgspec.Struct, frozen=True):
    """Whom a flag is about: the run's source, chip, device, workload and batch."""

    source: str | None
    chip: str
    device: str
    workload: str
    batch_size: int | None


class Notes:
    """Gives letters to flags as the page is built, one for each code and subject.

    The same flag with the same facts on several runs of a chip is one note.
    """

    def __init__(
        self, flags: Mapping[str, Sequence[Flagged]], subjects: Mapping[str, Subject]
    ) -> None:
        """Start without notes; *subjects* are given for every run with *flags*."""
        self._flags = flags
        self._subjects = subjects
        self._runs: dict[tuple[str, ...], dict[str, None]] = {}
        self._facts: dict[tuple[str, ...], Flagged] = {}
        self._positions: dict[tuple[str, ...], int] = {}
        self._codes: dict[str, str] = {}

    def on(self, runs: Iterable[str], metric: str) -> tuple[str, ...]:
        """Return the letters of what is flagged about *metric* of *runs*."""
        return self._letters(
            (run, flag)
            for run in runs
            if run in self._flags  # few are
            for flag in self._flags[run]
            if flag.metric in (None, metric) and flag.code not in _BESIDE
        )

    def beside(self, run: str, shown: Sequence[str]) -> tuple[str, ...]:
        """Return the letters of what else is flagged: metrics that are not *shown*."""
        if run not in self._flags:
            return ()
        return self._letters(
            (run, flag)
            for flag in self._flags.get(run, ())
            if flag.code in _BESIDE
            or (flag.metric is not None and flag.metric not in shown)
        )

    def flags_of(self, run: str) -> tuple[Sequence[Flagged], tuple[str, ...]]:
        """Return what is flagged of a run, and the letters of it."""
        flags = self.flagged(run)
        return flags, self._letters((run, flag) for flag in flags)

    def flagged(self, run: str) -> Sequence[Flagged]:
        """Return what is flagged of a run."""
        return self._flags.get(run, ())

    def explained(self) -> frozenset[str]:
        """Return the letters of notes that say what is unlike, and doubt no figure."""
        return frozenset(n.key for n in self.rows() if n.code in _OF_CONDITIONS)

    def codes(self, letters: Collection[str]) -> tuple[str, ...]:
        """Return the codes of the notes with these *letters*, each once, in order."""
        return tuple(sorted({self._codes[letter] for letter in letters}))

    def rows(self) -> tuple[Note, ...]:
        """Return the notes met so far, in order."""
        return tuple(
            self._note(position, key) for position, key in enumerate(self._facts)
        )

    def _letters(self, flagged: Iterable[tuple[str, Flagged]]) -> tuple[str, ...]:
        positions = set()
        for digest, flag in flagged:
            subject = self._subjects[digest]
            chip = () if flag.code in _OF_SOURCES else (subject.chip, subject.device)
            facts = {} if flag.code in _ALIKE else flag.detail
            detail = json.dumps(facts, sort_keys=True)
            key = (flag.code, subject.source or "", *chip, detail)
            self._facts.setdefault(key, Flagged(flag.code, flag.metric, facts))
            self._runs.setdefault(key, {})[digest] = None
            position = self._positions.setdefault(key, len(self._positions))
            self._codes[_letter(position)] = flag.code
            positions.add(position)
        return tuple(map(_letter, sorted(positions)))

    def _note(self, position: int, key: tuple[str, ...]) -> Note:
        flag, runs = self._facts[key], tuple(self._runs[key])
        subjects = [self._subjects[run] for run in runs]
        first = subjects[0]
        # A note on several workloads is about the chip; naming one would mislead.
        about: dict[str, object] = {}
        alike = True
        for names in (("chip", "device"), ("workload",), ("batch_size",)):
            kinds = {
                tuple(getattr(subject, name) for name in names) for subject in subjects
            }
            alike = alike and len(kinds) == 1
            about |= {name: getattr(first, name) if alike else None for name in names}
        facts = dict(flag.detail)
        if flag.metric is not None:
            facts.setdefault("metric", flag.metric)
        return Note(_letter(position), flag.code, facts, about, runs)


def _letter(position: int) -> str:
    """Return a … z, aa, ab … as spreadsheets name their columns."""
    more, last = divmod(position, len(ascii_lowercase))
    return (_letter(more - 1) if more else "") + ascii_lowercase[last]


def notes_of(connection: Connection, runs: Sequence[StoredRun], scope: Scope) -> Notes:
    """Return what is noted of *runs*: flags, findings, and why one is left out."""
    flags = flags_by_run(connection, scope.among)
    for stored_run in runs:
        if stored_run.left_out:
            flags.setdefault(stored_run.facts.digest, []).append(stored_run.left_out)
    subjects = {
        item.facts.digest: Subject(
            source=item.place.source,
            chip=item.party.chip,
            device=item.party.device,
            workload=item.facts.workload,
            batch_size=item.facts.batch_size,
        )
        for item in runs
        if item.facts.digest in flags
    }
    return Notes(flags, subjects)


class Sources:
    """Gives numbers to sources as the page is built."""

    def __init__(self) -> None:
        """Start without sources."""
        self._numbers: dict[str, int] = {}

    def key(self, digest: str | None) -> str | None:
        """Return the number of a source; ``None`` for what has none."""
        if digest is None:
            return None
        return str(self._numbers.setdefault(digest, len(self._numbers) + 1))

    def keys(self, digests: Iterable[str | None]) -> tuple[str, ...]:
        """Return the numbers of several sources, each once, in order."""
        texts = {key for digest in digests if (key := self.key(digest)) is not None}
        return tuple(sorted(texts, key=int))

    def rows(
        self,
        connection: Connection,
        left_out: Mapping[str | None, int],
        scope: Scope = EVERYTHING,
    ) -> tuple[SourceRow, ...]:
        """Return all sources in *scope*, those that no section used at the end.

        *left_out* counts the runs of each that are in no comparison.
        """
        query = select(source).order_by(source.c.slug, source.c.digest)
        query = query.where(scope.tells(source.c.digest))
        stored = {row.digest: row for row in connection.execute(query)}
        for digest in stored:
            self.key(digest)
        counted = select(run.c.source, func.count()).group_by(run.c.source)
        rows = connection.execute(counted.where(scope.has(run.c.digest)))
        runs, claims = Counter({row[0]: row[1] for row in rows}), _claims(connection)
        facts = "slug", "title", "url", "licence", "language", "document"
        return tuple(
            SourceRow(
                key=str(key),
                **{name: getattr(stored[digest], name) for name in facts},
                document_sha256=stored[digest].document_sha256,
                authors=tuple(stored[digest].authors),
                runs=runs[digest],
                claims=tuple(claims[digest]),
                protocol_only=runs[digest] == 0,
                left_out=left_out.get(digest, 0),
            )
            for digest, key in self._numbers.items()
        )


def _claims(connection: Connection) -> defaultdict[str, list[ClaimRow]]:
    by_source = defaultdict[str, list[ClaimRow]](list)
    for row in connection.execute(select(claim)):
        by_source[row.source].append(
            ClaimRow(
                kind=row.kind,
                statement=row.statement,
                printed=row.printed,
                locator=row.locator,
                recomputed=row.recomputed,
                codes=tuple(flag["code"] for flag in row.flags),
                details=tuple(flag.get("detail", {}) for flag in row.flags),
            )
        )
    for claims in by_source.values():
        claims.sort(key=_in_document)
    return by_source


def _in_document(row: ClaimRow) -> tuple[int, str, str, str]:
    """Order claims as the document does: its lines are numbers, not words."""
    digits = "".join(c if c.isdigit() else " " for c in row.locator).split()
    first = int(digits[0]) if digits else 0
    return first, row.locator, row.statement, row.printed
