"""What ``collect`` shows while it runs: a live line, or plain lines in a log."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TextIO, cast

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column

from benchdb.cli.console import plain, tell
from benchdb.collecting.campaign import Event, Finished, Started
from benchdb.exchange.record import Record

_LETTERS = 200  # of a reason


class Display(Protocol):
    """Something that can be told what happens."""

    def tell(self, event: Event) -> None:
        """Show *event*."""


@contextmanager
def display(total: int) -> Iterator[Display]:
    """Give a live display on a terminal, plain lines otherwise."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield _Plain()
        return
    progress = Progress(
        MofNCompleteColumn(),
        BarColumn(bar_width=20),
        # On a narrow terminal the title gives way; a line that wraps leaves litter.
        TextColumn("{task.description}", table_column=Column(no_wrap=True, ratio=1)),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True)),
        console=Console(file=cast(TextIO, _Untold(sys.stderr))),
        # Once a second: a livelier display would take time from what it watches.
        refresh_per_second=1,
    )
    with progress:
        yield _Live(progress, total)


class _Untold:
    """A terminal that may be gone: the campaign goes on, or ends in good order."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Plain:
    """One line when a replicate starts, one when it ends."""

    def tell(self, event: Event) -> None:
        tell(started(event) if isinstance(event, Started) else finished(event))


class _Live:
    """A bar with the running replicate; finished ones scroll by above it."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=total, left="")

    def tell(self, event: Event) -> None:
        if isinstance(event, Started):
            left = _left(event)
            title = escape(_title(event))
            self._progress.update(self._task, description=title, left=left)
        else:
            self._progress.console.print(escape(finished(event)), highlight=False)
            self._progress.update(self._task, advance=1, left="")


def started(event: Started) -> str:
    """Return the line that says what begins."""
    so_far = clock(event.seconds_so_far)
    parts = [f"[{event.position}/{event.total}] {_title(event)}", f"{so_far} so far"]
    return ", ".join([*parts, _left(event)] if _left(event) else parts)


def finished(event: Finished) -> str:
    """Return the line that says how a replicate ended."""
    item = event.item
    name = f"{item.cell.title} {item.replicate + 1}/{item.replicates}"
    if event.record is None or event.error is not None:
        return plain(f"  {name}: {event.error}")
    return plain(f"  {name}: {outcome(event.record)} in {clock(event.seconds)}")


def outcome(record: Record) -> str:
    """Return the headline figure of a record, or its status and reason."""
    end = record.end
    if end.status != "ok":
        # A framework may fill paragraphs; 'benchdb show' has all of it.
        why = end.reason or ""
        why = why if len(why) <= _LETTERS else f"{why[: _LETTERS - 1]}…"
        return f"{end.status} ({why})" if why else end.status
    figures = {value.metric: value.value for value in end.values}
    for metric, digits, unit in (
        ("teraflops", 3, "TFLOP/s"),
        ("gigabytes_per_second", 4, "GB/s"),
        ("samples_per_second", 4, "samples/s"),
    ):
        figure = figures.get(metric)
        if figure is not None:
            rounded = float(f"{figure:.{digits}g}")
            return f"{rounded:,.10g} {unit}"
    return end.status


def clock(seconds: float) -> str:
    """Return *seconds* as ``m:ss`` or ``h:mm:ss``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _title(event: Started) -> str:
    item = event.item
    return f"{item.cell.title} {item.replicate + 1}/{item.replicates}"


def _left(event: Started) -> str:
    expected = event.seconds_expected
    if expected is None or round(expected) < 1:
        return ""
    return f"about {clock(expected)} left"
