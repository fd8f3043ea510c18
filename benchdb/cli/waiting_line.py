"""A line on a terminal while nothing else comes: what we wait for, and how long."""

import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TextIO, TypeVar

from benchdb.cli.console import LIVE, clock, plain

_FIRST, _PERIOD = 0.5, 1.0  # seconds until it is shown, and between its changes
_T = TypeVar("_T")


def is_live(stream: TextIO | None) -> bool:
    """Tell whether *stream* is a terminal on which a line can be written anew."""
    if stream is None or not stream.isatty():
        return False
    return os.environ.get("TERM") not in ("dumb", "unknown")


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show *what* is waited for while the block runs, if that takes a while."""
    with _shown() as line:
        line.begin(what)
        yield


def awaited(items: Iterable[_T], what: Callable[[int], str]) -> Iterator[_T]:
    """Yield the *items*, and show *what* number is waited for while each is made."""
    with _shown() as line:
        line.begin(what(0))
        for number, item in enumerate(items, start=1):
            line.hide()
            yield item
            line.begin(what(number))


@contextmanager
def _shown() -> Iterator["Line"]:
    line = Line(sys.stderr if is_live(sys.stderr) else None)
    ended = threading.Event()

    def tick() -> None:
        over = ended.wait(_FIRST)
        while not over:
            line.show()
            over = ended.wait(_PERIOD)

    if line.stream is not None:
        threading.Thread(target=tick, daemon=True).start()
        LIVE.append(line.wipe)
    try:
        yield line
    finally:
        ended.set()
        line.hide()
        if line.wipe in LIVE:
            LIVE.remove(line.wipe)


class Line:
    """The line itself; it is on the screen, or there is no trace of it."""

    def __init__(
        self, stream: TextIO | None, now: Callable[[], float] = monotonic
    ) -> None:
        """Write to *stream*, nothing where it is None; *now* is the clock."""
        self.stream, self._now = stream, now
        self._lock = threading.Lock()
        self._what: str | None = None
        self._since = 0.0
        self._drawn = False

    def begin(self, what: str) -> None:
        """Wait for *what* from now on."""
        with self._lock:
            self._what, self._since = plain(what), self._now()

    def show(self) -> None:
        """Write it anew, as long as something is waited for."""
        with self._lock:
            if self._what is None:
                return
            text = f"{self._what} … {clock(self._now() - self._since)}"
            width = shutil.get_terminal_size().columns - 1
            self._write(f"\r\x1b[2K{text[:width]}")
            self._drawn = True

    def hide(self) -> None:
        """Wait for nothing, and leave no trace."""
        with self._lock:
            self._what = None
        self.wipe()

    def wipe(self) -> None:
        """Leave no trace until it is written anew."""
        with self._lock:
            if self._drawn:
                self._write("\r\x1b[2K")
            self._drawn = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # nobody is left who could look
            if self.stream is not None:
                self.stream.write(text)
                self.stream.flush()
