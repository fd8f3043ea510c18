"""A line on a terminal while nothing else comes: what we wait for, and how long.

From the start of a command to the first that is written it is there by itself.
"""

import atexit
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TextIO, TypeVar

from benchdb.cli.console import clock, plain

# Seconds in which nothing was shown until it is, and between its changes.
_FIRST, _PERIOD = 0.5, 1.0
_LOOK = 0.1
_T = TypeVar("_T")


def is_live(stream: TextIO | None) -> bool:
    """Tell whether *stream* is a terminal on which a line can be written anew."""
    if stream is None or not stream.isatty():
        return False
    return os.environ.get("TERM") not in ("dumb", "unknown")


def begin() -> None:
    """Show from now on that the command runs, until anything is written."""
    # A shell that completes a name is no place for it.
    if not any(name.endswith("_COMPLETE") for name in os.environ):
        _line().usual = "working", monotonic()
        _line().wake()


def quiet() -> None:
    """Show nothing any more by itself: another program asks on the terminal."""
    _line().give_way()


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show *what* is waited for while the block runs, if that takes a while."""
    line = _line()
    line.begin(what)
    try:
        yield
    finally:
        line.end()


def awaited(items: Iterable[_T], what: Callable[[int], str]) -> Iterator[_T]:
    """Yield the *items*, and show *what* number is waited for while each is made."""
    every = iter(items)
    number = 0
    while True:
        with waiting(what(number)):
            try:
                item = next(every)
            except StopIteration:
                return
        yield item
        number += 1


class Line:
    """The line itself; it is on the screen, or there is no trace of it.

    Whatever else is written to its terminal takes its place.
    """

    def __init__(
        self, stream: TextIO | None, now: Callable[[], float] = monotonic
    ) -> None:
        """Write to *stream*, nothing where it is None; *now* is the clock."""
        self.stream, self._now = stream, now
        self.usual: tuple[str, float] | None = None
        self._waits: list[tuple[str, float]] = []
        self._lock, self._wanted = threading.RLock(), threading.Event()
        self._shown = 0.0  # when anything was last
        self._drawn = False
        self._put = stream.write if stream is not None else len

    def watch(self) -> None:
        """Show it by itself from now on, and give way to what others write."""
        self._shown = self._now()
        for stream in {self.stream, sys.stdout}:
            if stream is not None:
                self._hold_up(stream)
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.give_way)
        threading.Thread(target=self._tick, daemon=True).start()

    def begin(self, what: str) -> None:
        """Wait for *what* from now on, until its ``end``."""
        with self._lock:
            self._waits.append((plain(what), self._now()))
        self.wake()

    def end(self) -> None:
        """Wait for it no longer, and leave no trace."""
        with self._lock:
            self._waits.pop()
            self.wipe()

    def wake(self) -> None:
        """Begin to look whether it is time to show something."""
        self._wanted.set()

    def show(self) -> None:
        """Write it anew, as long as something is waited for."""
        with self._lock:
            newest = self._waits[-1] if self._waits else self.usual
            if newest is None:
                self._wanted.clear()
                return
            what, since = newest
            text = f"{what} … {clock(self._now() - since)}"
            width = shutil.get_terminal_size().columns - 1
            self._write(f"\r\x1b[2K{text[:width]}")
            self._drawn = True

    def wipe(self) -> None:
        """Leave no trace until it is written anew."""
        with self._lock:
            if self._drawn:
                self._write("\r\x1b[2K")
            self._drawn = False

    def give_way(self) -> None:
        """Leave the terminal to something else, which shows that the command runs."""
        with self._lock:
            self.usual = None
            self.wipe()
            self._shown = self._now()

    def _hold_up(self, stream: TextIO) -> None:
        put = stream.write

        def write(text: str) -> int:
            with self._lock:
                self.give_way()
                return put(text)

        stream.write = write  # type: ignore[method-assign]

    def _tick(self) -> None:
        """Show the line where nothing was for a while, then in every period."""
        while self._wanted.wait():
            pause = _PERIOD if self._drawn else _FIRST
            if self._now() - self._shown >= pause:
                self.show()
                self._shown = self._now()
            time.sleep(min(_LOOK, _PERIOD))

    def _forget(self) -> None:
        """Be no line in a process that was forked, which has no thread for it."""
        self._lock, self.stream = threading.RLock(), None
        self._waits, self.usual, self._put = [], None, len

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # nobody is left who could look
            self._put(text)
            if self.stream is not None:
                self.stream.flush()


_lines: list[Line] = []


def _line() -> Line:
    """Return the line of standard error as it is now."""
    stream = sys.stderr if is_live(sys.stderr) else None
    if not _lines or _lines[-1].stream is not stream:
        _lines[:] = [Line(stream)]
        if stream is not None:
            _lines[-1].watch()
    return _lines[-1]
