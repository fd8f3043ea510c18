"""The machine around a collector of others, looked at by what looks for ours.

Such a program says what it measured; what the machine did meanwhile, and whether its
blocks were steady, a grade asks of all alike.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from benchdb.collecting.item_runs import completed
from benchdb.collecting.processes import end_group, environment
from benchdb.collecting.programs import Program, fingerprint, machine_program
from benchdb.exchange.record import Record

_END_SECONDS = 15.0  # for its last look, and to say what it saw


class Surroundings:
    """Looks at the machine while the process of a collector of others runs.

    A watcher that fails costs the run nothing but what it would have seen.
    """

    def __init__(self, its: Program, device: str) -> None:
        """Begin to look at *device*, in a process that has started when this returns.

        So its start takes no time from what is measured.
        """
        self._its, self._here = its, fingerprint()
        self._watcher = subprocess.Popen(
            [sys.executable, machine_program(), "--watch", device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            process_group=0,
            text=True,
        )
        if self._watcher.stdout is not None:
            self._watcher.stdout.readline()
        self._began = time.monotonic()  # before the process: it takes no less

    def begin(self, process: int) -> None:
        """Take what happens from now on as around *process*, and its group."""
        with suppress(OSError, AttributeError):
            self._watcher.stdin.write(f"{process}\n")  # type: ignore[union-attr]
            self._watcher.stdin.flush()  # type: ignore[union-attr]

    def close(self) -> None:
        """See to it that nobody looks on."""
        end_group(self._watcher)  # type: ignore[arg-type]

    def completed(self, records: Sequence[Record]) -> list[Record]:
        """Return the *records* of the process, which has ended, with what was seen."""
        seconds = time.monotonic() - self._began
        blocks = [
            value / series.per
            for record in records[:1]
            for series in record.series
            if series.phase == "measure"
            for value in series.values
        ]
        seen = self._seen(blocks)
        return [
            _with(completed(record, self._its, self._here, seconds), seen)
            for record in records
        ]

    def _seen(self, blocks: Sequence[float]) -> dict[str, Any]:
        with suppress(OSError, ValueError, subprocess.TimeoutExpired):
            out, _ = self._watcher.communicate(json.dumps(blocks), _END_SECONDS)
            seen = json.loads(out)
            return seen if isinstance(seen, dict) else {}
        return {}


def _with(record: Record, seen: dict[str, Any]) -> Record:
    """Return *record* with what was *seen*; what its collector says itself stays."""
    end = record.end
    checks = {**seen.get("checks", {}), **end.checks}
    conditions = {**seen.get("conditions", {}), **end.conditions}
    return replace(record, end=replace(end, checks=checks, conditions=conditions))
