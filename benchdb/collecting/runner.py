"""Run one collector process and hand over its records as they complete."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from typing import IO, cast

from benchdb.collecting.plan import Item
from benchdb.collecting.programs import environment, program
from benchdb.errors import BenchdbError, UsageError
from benchdb.exchange import reader
from benchdb.exchange.record import Record


@dataclass(frozen=True)
class Settings:
    """What all processes of a campaign share."""

    campaign: str
    tier: str
    seed: int
    batch_size: int | None = None
    precision: str | None = None


def command(item: Item, settings: Settings, steps_per_block: int | None) -> list[str]:
    """Return the command line of one replicate."""
    options = {
        "--device": item.cell.device,
        "--tier": settings.tier,
        "--replicates": item.replicates,
        "--replicate": item.replicate,
        "--campaign": settings.campaign,
        "--seed": settings.seed,
        "--size": item.cell.size,
        # A sized workload is one operation; it has no batch.
        "--batch-size": None if item.cell.size else settings.batch_size,
        "--precision": settings.precision,
        "--steps-per-block": steps_per_block,
    }
    given = [(name, str(value)) for name, value in options.items() if value is not None]
    return [
        sys.executable,
        str(program(item.cell.framework)),
        item.cell.workload,
        *(part for pair in given for part in pair),
    ]


class Interruption:
    """Ctrl-C asks the running collector to end its run; a second one kills it.

    The signal is not turned into an exception: what the collector has sent so far
    is still read, and its run is kept as interrupted.
    """

    def __init__(self) -> None:
        """Nothing is running, and nobody has asked to stop."""
        self.requested = False
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Interruption":
        """Take over SIGINT and SIGTERM."""
        self._before = {
            number: signal.signal(number, self._stop)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, *_: object) -> None:
        if self.process is not None:
            if self.requested:
                _kill_group(self.process)
            else:
                self.process.send_signal(signal.SIGINT)
        self.requested = True


def run(
    item: Item,
    settings: Settings,
    interruption: Interruption,
    steps_per_block: int | None = None,
) -> Iterator[Record]:
    """Run one replicate and yield its records, one when all is well.

    A collector that dies leaves its record behind, with what it had measured.
    Dropping the iterator early ends the process. Raise ``UsageError`` when the
    collector refuses to start, ``BenchdbError`` when it does not speak our format.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command(item, settings, steps_per_block),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment(),
            # Its own group: Ctrl-C reaches us alone, and we decide what it means.
            process_group=0,
        )
        interruption.process = process
        if interruption.requested:  # while it was being started
            process.send_signal(signal.SIGINT)
        told = False
        try:
            for record in _records(process, item):
                told = True
                yield record
        finally:
            interruption.process = None
            _kill_group(process)
            process.wait()
        if not told:
            raise _silence(process.returncode, item, errors)


def _records(process: subprocess.Popen[bytes], item: Item) -> Iterator[Record]:
    output = cast(BufferedReader, process.stdout)
    with output:
        if not output.peek(1):  # it refused to start; its status says why
            process.wait()
            return
        for found in reader.read(output):
            if isinstance(found, Record):
                yield found
            elif isinstance(found, reader.BadLine):
                raise BenchdbError(
                    f"{item.cell.title}: line {found.number} of the collector cannot "
                    f"be taken: {found.reason}"
                )
    process.wait()


def _silence(status: int, item: Item, errors: IO[bytes]) -> BenchdbError:
    """Return why a collector ended without a run, as far as it said so itself."""
    why = _last_line(errors) or f"it ended with status {status} and said nothing"
    if status == UsageError.exit_status:
        return UsageError(why)
    return BenchdbError(f"{item.cell.title}: no run came of it: {why}")


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
