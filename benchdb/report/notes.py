"""Footnotes: flags of runs as lettered notes, in the order of their appearance."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from benchdb.report.query import Flagged
from benchdb.report.view import Note


@dataclass(frozen=True)
class Subject:
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
        self._runs: dict[tuple[str, ...], list[str]] = {}
        self._facts: dict[tuple[str, ...], Flagged] = {}

    def on(self, runs: Iterable[str], metric: str) -> tuple[str, ...]:
        """Return the letters of what is flagged about *metric* of *runs*."""
        return self._letters(
            (run, flag)
            for run in runs
            for flag in self._flags.get(run, ())
            if flag.metric in (None, metric)
        )

    def beside(self, run: str, shown: Sequence[str]) -> tuple[str, ...]:
        """Return the letters of what is flagged about metrics that are not *shown*."""
        return self._letters(
            (run, flag)
            for flag in self._flags.get(run, ())
            if flag.metric is not None and flag.metric not in shown
        )

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
        detail = json.dumps(flag.detail, sort_keys=True)
        place = (subject.source or "", subject.chip, subject.device)
        key = (flag.code, *place, detail)
        self._facts.setdefault(key, flag)
        runs = self._runs.setdefault(key, [])
        if run not in runs:
            runs.append(run)
        return list(self._facts).index(key)

    def _note(self, position: int, key: tuple[str, ...]) -> Note:
        flag, runs = self._facts[key], self._runs[key]
        subjects = [self._subjects[run] for run in runs]
        first = subjects[0]
        # A note on several workloads is about the chip; naming one would mislead.
        workload = {one.workload for one in subjects} == {first.workload}
        batch = workload and {one.batch_size for one in subjects} == {first.batch_size}
        about: dict[str, object] = {
            "chip": first.chip,
            "device": first.device,
            "workload": first.workload if workload else None,
            "batch_size": first.batch_size if batch else None,
        }
        return Note(_letter(position), flag.code, flag.detail, about, tuple(runs))


def _letter(position: int) -> str:
    """Return a … z, aa, ab … as spreadsheets name their columns."""
    more, last = divmod(position, len(ascii_lowercase))
    return (_letter(more - 1) if more else "") + ascii_lowercase[last]
