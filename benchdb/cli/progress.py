"""What ``collect`` shows while it runs: a live line, or plain lines in a log."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, TextIO, cast

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TimeElapsedColumn,
)
from rich.progress_bar import ProgressBar
from rich.table import Column
from rich.text import Text

from benchdb.cli.console import clock, plain, tell
from benchdb.cli.figure_text import ending, figure
from benchdb.cli.waiting_line import is_live
from benchdb.collecting.campaign import Event, Finished, Started
from benchdb.collecting.plan import Memory
from benchdb.collecting.reported import Report, Reported
from benchdb.exchange.record import Record
from benchdb.metric_kinds import headlines

_MOST = 0.95  # of a process, as long as it runs


@contextmanager
def display(total: int, memory: Memory) -> Iterator["Display"]:
    """Give a live display on a terminal, plain lines otherwise.

    For the former, processes that remember by *memory* tell of their progress.
    """
    if not is_live(sys.stderr):
        yield Display(None, total)
        return
    reported = memory.reported = Reported()
    progress = Progress(
        MofNCompleteColumn(),
        _Bar(bar_width=20),
        # On a narrow terminal the title gives way; a line that wraps leaves litter.
        _Doing(table_column=Column(no_wrap=True, ratio=1)),
        TimeElapsedColumn(),
        _Left(table_column=Column(no_wrap=True)),
        console=Console(file=cast(TextIO, _Untold(sys.stderr))),
        # Once a second: a livelier display would take time from what it watches.
        refresh_per_second=1,
    )
    with progress:
        yield Display(progress, total, reported)


class Course(msgspec.Struct, frozen=True):
    """The replicate that runs, since *begun*: what is expected, in seconds.

    *each* is of itself, *left* of all that are still to come, itself among them. What
    it *reported* counts, and the clock goes on from there.
    """

    begun: float
    each: float | None = None
    left: float | None = None
    reported: Reported | None = None

    @property
    def latest(self) -> Report | None:
        """Return what the process told last, if it does."""
        return self.reported.latest() if self.reported else None

    def share(self, now: float) -> float:
        """Return how much of it is done; never all, before it is."""
        if (last := self.latest) is None:
            return min((now - self.begun) / self.each, _MOST) if self.each else 0.0
        each = self.each or (last.share and (last.at - self.begun) / last.share)
        ahead = (now - last.at) / each if each else 0.0
        return max(last.share, min(last.share + ahead, _MOST))

    def left_text(self, now: float) -> str:
        """Return the time that is left; it changes by the second."""
        if self.left is None or round(self.left) < 1:
            return ""
        each = self.left if self.each is None else self.each
        left = self.left - (
            min(now - self.begun, each)
            if self.latest is None or now - self.begun > each
            else each * self.share(now)
        )
        return f"about {clock(left)} left" if left >= 1 else "longer than expected"


class _Bar(BarColumn):
    """A bar that moves while a replicate runs, as far as is known how long it takes."""

    def render(self, task: Task) -> ProgressBar:
        """Return the bar as it is now."""
        share = task.fields["course"].share(monotonic())
        return ProgressBar(task.total, task.completed + share, width=self.bar_width)


class _Doing(ProgressColumn):
    """What runs, and the phase that it is in."""

    def render(self, task: Task) -> Text:
        """Return it as it is now."""
        last = task.fields["course"].latest
        return Text(f"{task.description}: {last.phase}" if last else task.description)


class _Left(ProgressColumn):
    """The time that is left."""

    def render(self, task: Task) -> Text:
        """Return it as it is now."""
        return Text(task.fields["course"].left_text(monotonic()))


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

    def __init__(
        self,
        progress: Progress | None,
        total: int,
        reported: Reported | None = None,
    ) -> None:
        """Show *total* replicates on the bar of *progress*, if there is one."""
        self._progress, self._reported = progress, reported
        if progress:
            course = Course(monotonic())
            self._task = progress.add_task("", total=total, course=course)

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
            now = monotonic()
            expected = event.seconds_each, event.seconds_expected
            course = Course(now, *expected, self._reported)
            if self._progress:
                update = self._progress.update
                name, total = plain(title), event.total
                update(self._task, total=total, description=name, course=course)
            else:
                so_far = f"{clock(event.seconds_so_far)} so far"
                start = f"[{event.position}/{event.total}] {title}"
                left = course.left_text(now)
                tell(", ".join(filter(None, (start, so_far, left))))
            return
        if event.record is None or event.error is not None:
            line = plain(f"  {title}: {event.error}")
        else:
            end = f"{outcome(event.record)} in {clock(event.seconds)}"
            if event.doubts:
                end += f"; worth a second look: {_doubts(event.doubts)}"
            line = plain(f"  {title}: {end}")
        if self._progress:
            self._progress.console.print(escape(line), highlight=False)
            self._progress.update(self._task, advance=1, course=Course(monotonic()))
        else:
            tell(line)


def _doubts(doubts: Iterable[tuple[str, str | None]]) -> str:
    """Return the codes of rules, each with the figures that it doubts."""
    metrics: dict[str, list[str]] = {}
    for code, metric in doubts:
        metrics.setdefault(code, []).extend([metric] if metric else [])
    return ", ".join(
        f"{code} ({', '.join(names)})" if names else code
        for code, names in metrics.items()
    )


def outcome(record: Record) -> str:
    """Return the headline figure of a record, or its status and reason."""
    end = record.end
    if end.status != "ok":
        return ending(end.status, end.reason)
    figures = {value.metric: value.value for value in end.values}
    workload = record.run.workload
    for metric in headlines(workload):
        if (value := figures.get(metric)) is not None:
            return figure(value, metric, workload)
    return end.status
