"""What ``collect`` shows while it runs: a live line, or plain lines in a log."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

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
from benchdb.cli.figure_text import figure
from benchdb.collecting.campaign import Event, Finished, Started
from benchdb.exchange.record import Record
from benchdb.metric_kinds import headlines

_LETTERS = 200  # of a reason


@contextmanager
def display(total: int) -> Iterator["Display"]:
    """Give a live display on a terminal, plain lines otherwise."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield Display(None, total)
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
        yield Display(progress, total)


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


class Display:
    """A bar with the running replicate, finished ones scroll by above it; or lines."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        """Show *total* replicates on the bar of *progress*, if there is one."""
        self._progress = progress
        if progress:
            self._task = progress.add_task("", total=total, left="")

    def follow(self, events: Iterable[Event]) -> tuple[int, int]:
        """Show all *events*; return how many runs are stored, how many have failed."""
        stored = failed = 0
        for event in events:
            self.tell(event)
            if isinstance(event, Finished):
                there = event.record is not None and event.error is None
                ok = event.record is not None and event.record.end.status == "ok"
                stored += there
                failed += not (there and ok)
        return stored, failed

    def tell(self, event: Event) -> None:
        """Show *event*: that a replicate begins, or how one ended."""
        item = event.item
        title = f"{item.cell.title} {item.replicate + 1}/{item.replicates}"
        if isinstance(event, Started):
            seconds = event.seconds_expected
            known = seconds is not None and round(seconds) >= 1
            left = f"about {clock(seconds or 0)} left" if known else ""
            if self._progress:
                name = escape(title)
                total = event.total
                update = self._progress.update
                update(self._task, total=total, description=name, left=left)
            else:
                so_far = f"{clock(event.seconds_so_far)} so far"
                start = f"[{event.position}/{event.total}] {title}"
                tell(", ".join(filter(None, (start, so_far, left))))
            return
        if event.record is None or event.error is not None:
            line = plain(f"  {title}: {event.error}")
        else:
            end = f"{outcome(event.record)} in {clock(event.seconds)}"
            line = plain(f"  {title}: {end}")
        if self._progress:
            self._progress.console.print(escape(line), highlight=False)
            self._progress.update(self._task, advance=1, left="")
        else:
            tell(line)


def outcome(record: Record) -> str:
    """Return the headline figure of a record, or its status and reason."""
    end = record.end
    if end.status != "ok":
        # A framework may fill paragraphs; 'benchdb show' has all of it.
        why = end.reason or ""
        why = why if len(why) <= _LETTERS else f"{why[: _LETTERS - 1]}…"
        return f"{end.status} ({why})" if why else end.status
    figures = {value.metric: value.value for value in end.values}
    workload = record.run.workload
    for metric in headlines(workload):
        if (value := figures.get(metric)) is not None:
            return figure(value, metric, workload)
    return end.status


def clock(seconds: float) -> str:
    """Return *seconds* as ``m:ss`` or ``h:mm:ss``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
