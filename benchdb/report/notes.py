"""Footnotes: flags of runs as lettered notes, in the order of their appearance."""

import json
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase

import msgspec

from benchdb.report.doubts import Flagged
from benchdb.report.view.listed import Note

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
# too large for the memory.
_BESIDE = frozenset({"impossible-os", "slower-in-larger-batches"})
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

    def on(self, runs: Iterable[str], metric: str) -> tuple[str, ...]:
        """Return the letters of what is flagged about *metric* of *runs*."""
        return self._letters(
            (run, flag)
            for run in runs
            for flag in self._flags.get(run, ())
            if flag.metric in (None, metric) and flag.code not in _BESIDE
        )

    def beside(self, run: str, shown: Sequence[str]) -> tuple[str, ...]:
        """Return the letters of what else is flagged: metrics that are not *shown*."""
        return self._letters(
            (run, flag)
            for flag in self._flags.get(run, ())
            if flag.code in _BESIDE
            or (flag.metric is not None and flag.metric not in shown)
        )

    def explained(self) -> frozenset[str]:
        """Return the letters of notes that say what is unlike, and doubt no figure."""
        return frozenset(n.key for n in self.rows() if n.code in _OF_CONDITIONS)

    def rows(self) -> tuple[Note, ...]:
        """Return the notes met so far, in order."""
        return tuple(
            self._note(position, key) for position, key in enumerate(self._facts)
        )

    def _letters(self, flagged: Iterable[tuple[str, Flagged]]) -> tuple[str, ...]:
        positions = {self._position(run, flag) for run, flag in flagged}
        return tuple(_letter(position) for position in sorted(positions))

    def _position(self, run: str, flag: Flagged) -> int:
        subject = self._subjects[run]
        source = subject.source or ""
        chip = () if flag.code in _OF_SOURCES else (subject.chip, subject.device)
        facts = {} if flag.code in _ALIKE else flag.detail
        detail = json.dumps(facts, sort_keys=True)
        key = (flag.code, source, *chip, detail)
        self._facts.setdefault(key, Flagged(flag.code, flag.metric, facts))
        self._runs.setdefault(key, {})[run] = None
        return self._positions.setdefault(key, len(self._positions))

    def _note(self, position: int, key: tuple[str, ...]) -> Note:
        flag, runs = self._facts[key], tuple(self._runs[key])
        subjects = [self._subjects[run] for run in runs]
        first = subjects[0]
        # A note on several workloads is about the chip; naming one would mislead.
        chip = {(one.chip, one.device) for one in subjects} == {
            (first.chip, first.device)
        }
        workload = chip and {one.workload for one in subjects} == {first.workload}
        batch = workload and {one.batch_size for one in subjects} == {first.batch_size}
        about: dict[str, object] = {
            "chip": first.chip if chip else None,
            "device": first.device if chip else None,
            "workload": first.workload if workload else None,
            "batch_size": first.batch_size if batch else None,
        }
        facts = dict(flag.detail)
        if flag.metric is not None:
            facts.setdefault("metric", flag.metric)
        return Note(_letter(position), flag.code, facts, about, runs)


def _letter(position: int) -> str:
    """Return a … z, aa, ab … as spreadsheets name their columns."""
    more, last = divmod(position, len(ascii_lowercase))
    return (_letter(more - 1) if more else "") + ascii_lowercase[last]
