"""Run one collector process and hand over its records as they complete."""

import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from io import BufferedReader
from itertools import islice
from typing import IO, cast

from msgspec.structs import replace

from benchdb.collecting.item_runs import failed_run, mismatch, now
from benchdb.collecting.plan import Item, Memory, Settings
from benchdb.collecting.processes import (
    Interruption,
    end_group,
    environment,
    manner,
    refusal,
    signal_group,
    time_limit,
)
from benchdb.collecting.programs import program, publishable, start
from benchdb.collecting.reported import OPTION, report_of
from benchdb.collecting.surroundings import Surroundings
from benchdb.errors import ExchangeError, UsageError
from benchdb.exchange import reader
from benchdb.exchange.record import Record

_INTERRUPTED = 130  # what a collector ends with when it was told to stop


def command(item: Item, settings: Settings, memory: Memory) -> list[str]:
    """Return the command line of one replicate."""
    return [
        *start(item.cell.framework, isolated=settings.isolated),
        *arguments(item, settings, memory),
    ]


def arguments(item: Item, settings: Settings, memory: Memory) -> list[str]:
    """Return what the collector of one replicate is told."""
    cell = item.cell
    options = {
        "--tier": settings.tier,
        "--replicates": item.replicates,
        "--replicate": item.replicate,
        "--campaign": settings.campaign,
        "--seed": settings.seed,
        "--time-limit": max(1, round(settings.time_limit)),
        "--steps-per-block": memory.steps_per_block.get(cell),
        "--cool-down": settings.cool_down,
        "--start-temperature": memory.start_temperature,
        "--blocks-until": item.blocks_until or settings.term,
    }
    given = [(name, str(value)) for name, value in options.items() if value is not None]
    return [
        *cell.arguments,
        *(part for pair in given for part in pair),
        *(["--powermetrics"] if settings.powermetrics else []),
    ]


def run(
    item: Item, settings: Settings, interruption: Interruption, memory: Memory
) -> Iterator[Record]:
    """Run one replicate and yield its record; none if nothing came before a stop.

    A collector that misbehaves, in whatever way, leaves a record that says so, with
    what it had measured, unless that is no answer to what was asked. Dropping the
    iterator early ends the process. Raise ``UsageError`` when the collector refuses
    to start.
    """
    started, its = now(), program(item.cell.framework)
    reported = memory.reported if its.progress else None
    with ExitStack() as kept:
        errors = kept.enter_context(tempfile.TemporaryFile())
        around = None if its.ours else Surroundings(its, item.cell.device)
        if around is not None:
            kept.callback(around.close)
        process = subprocess.Popen(
            [*command(item, settings, memory), *([OPTION] if reported else [])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment(isolated=settings.isolated),
            # Its own group: Ctrl-C reaches us alone, and we decide what it means.
            process_group=0,
        )
        if around is not None:
            around.begin(process.pid)
        if reported is not None:
            kept.enter_context(reported.following(errors.fileno()))
        course = _Course(its.name, process, errors)
        limit = time_limit(process, settings.patience)
        with interruption.watching(process), limit as passed:
            try:
                records = list(islice(course.records(), 2))
            finally:
                end_group(process)
        if around is not None and records:
            records = around.completed(records)
        if passed.is_set():
            course.limit = settings.patience
        if not records and interruption.requested:
            return
        if not records:
            reason: str | None = course.silence()
        elif wrong := mismatch(records[0], item, settings, memory.machine):
            reason = f"{course.name} gave {wrong}"
        else:
            several = len(records) > 1
            reason = f"{course.name} gave more than one run" if several else None
        if reason:
            yield failed_run(item, settings, started, reason)
        else:
            yield course.judged(records[0], stopped=interruption.requested)


class _Course:
    """What becomes of one collector process."""

    def __init__(
        self, name: str, process: "subprocess.Popen[bytes]", errors: IO[bytes]
    ) -> None:
        self._process = process
        self._errors = errors
        self.name = name
        self._nonsense: str | None = None
        self._spoke = False
        self.limit: float | None = None

    def records(self) -> Iterator[Record]:
        """Yield what can be understood; keep the first reason why something cannot."""
        output = cast(BufferedReader, self._process.stdout)
        with output:
            # Without a word it refused to start, or died; its status says why.
            self._spoke = bool(output.peek(1))
            try:
                for item in reader.read(output) if self._spoke else ():
                    if isinstance(item, Record):
                        yield item
                    elif isinstance(item, reader.BadLine):
                        what = f"line {item.number}: {item.reason}"
                        self._nonsense = self._nonsense or what
            except ExchangeError as error:
                self._nonsense = str(error)
                signal_group(self._process, signal.SIGKILL)
        self._process.wait()

    def judged(self, record: Record, *, stopped: bool) -> Record:
        """Return *record*; its run has failed if the collector died before its end.

        A collector itself ends a run as interrupted, with the time, where the machine
        slept in the middle.
        """
        if record.end.status != "interrupted" or stopped or record.end.ended:
            return record
        if self._process.wait() == _INTERRUPTED:
            return record
        reason = f"{self._manner()} before its run ended"
        end = replace(record.end, status="failed", reason=reason)
        return replace(record, end=end)

    def silence(self) -> str:
        """Return why no run came of it; raise ``UsageError`` if it refused to start."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()
        others = [line for line in lines if report_of(line) is None]
        words = refusal("\n".join(others), self.name)
        refused = self._process.returncode == UsageError.exit_status
        if refused and words and not self._spoke:
            raise UsageError(words)
        if self._nonsense:
            return f"{self.name} printed what cannot be taken ({self._nonsense})"
        shared = publishable(words) if words else None
        return f"{self._manner()} and gave no run" + (f": {shared}" if shared else "")

    def _manner(self) -> str:
        if self.limit is not None:
            return f"{self.name} was stopped by the time limit of {self.limit:.0f} s"
        status = self._process.returncode
        return f"{self.name} {manner(status)}"
