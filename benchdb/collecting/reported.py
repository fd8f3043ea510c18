"""How far the running collector says that it is, on its standard error."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import NamedTuple

OPTION = "--progress"
_LINE = re.compile(r"(?:.*: )?([^:,]{1,40}), (\d{1,3}(?:\.\d{1,3})?) %")
_TAIL = 2**16  # bytes: what a framework has printed before the end is of no interest


class Report(NamedTuple):
    """A phase, the share of the process that is done, and when that was heard."""

    phase: str
    share: float
    at: float


def report_of(line: str) -> Report | None:
    """Return what *line* tells: ``PHASE, N %``, or None where it is another line."""
    match = _LINE.fullmatch(line.strip())
    if match is None or float(match[2]) > 100:
        return None
    return Report(match[1].strip(), float(match[2]) / 100, monotonic())


class Reported:
    """What the process that runs now has told of its progress; any thread may ask.

    Nothing watches: whoever shows it looks into the file of the process's messages.
    """

    def __init__(self) -> None:
        """No process runs."""
        self._lock = Lock()
        self._errors: int | None = None
        self._read = 0
        self._latest: Report | None = None

    @contextmanager
    def following(self, errors: int) -> Iterator[None]:
        """Listen to the process whose standard error is the file *errors*."""
        with self._lock:
            self._errors, self._read, self._latest = errors, 0, None
        try:
            yield
        finally:
            with self._lock:
                self._errors = self._latest = None

    def latest(self) -> Report | None:
        """Return the newest report of the process; None where there is none."""
        with self._lock:
            if self._errors is not None:
                size = os.fstat(self._errors).st_size
                start = max(self._read, size - _TAIL)
                whole = os.pread(self._errors, _TAIL, start).rpartition(b"\n")[0]
                self._read = start + len(whole)
                reports = map(report_of, whole.decode(errors="replace").splitlines())
                self._latest = [self._latest, *filter(None, reports)][-1]
            return self._latest
