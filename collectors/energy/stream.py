"""A program that prints what it measures: started, read by a thread, ended for sure."""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from energy.readings import Integral, Meter, NoMeterError, Reading

# A program that is refused what it needs says so at once.
_REFUSAL_SECONDS = 0.5
_END_SECONDS = 3.0


class ProgramMeter(Meter):
    """A program that prints watts by domain, each the mean since it printed before."""

    scope = "soc_model"
    part_ends = b"\n"

    def __init__(self, command: Sequence[str]) -> None:
        """Start *command*, or raise NoMeterError."""
        self.name = command[0]
        self.integral = Integral()
        self._new: deque[Reading] = deque()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,
                env={**os.environ, "LC_ALL": "C", "LANG": "C"},
            )
        except OSError as failure:
            raise NoMeterError(
                f"{self.name} cannot be started ({failure.strerror})",
                "see that it runs in a terminal",
            ) from None
        if self._process.stdout is None:
            raise RuntimeError(f"{self.name} was started without a pipe")
        self._output = self._process.stdout
        self._told, self._tell = os.pipe()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def readings(self, part: bytes, at: float) -> list[Reading]:
        """Return what a *part* of the output that came *at* a moment amounts to."""
        raise NotImplementedError

    def require(self, why: str, install: str) -> None:
        """Wait a moment; raise NoMeterError if the program has ended already."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REFUSAL_SECONDS)
        if self._process.returncode is not None:
            self.close()
            raise NoMeterError(why, install)

    def read(self) -> list[Reading]:
        """Return the readings that have come since the last call."""
        return [self._new.popleft() for _ in range(len(self._new))]

    def trouble(self) -> str | None:
        """Return how the program ended, or None while it runs."""
        status = self._process.poll()
        return None if status is None else f"{self.name} ended with status {status}"

    def _follow(self) -> None:
        output, pending = self._output.fileno(), b""
        with selectors.DefaultSelector() as either:
            either.register(output, selectors.EVENT_READ)
            either.register(self._told, selectors.EVENT_READ)
            while all(key.fd == output for key, _ in either.select()):
                printed = os.read(output, 1 << 16)
                if not printed:
                    break
                *parts, pending = (pending + printed).split(self.part_ends)
                arrival = time.monotonic()
                for part in parts:
                    self._new += self.readings(part, arrival)

    def close(self) -> None:
        """End the program and all that it started, and reap it.

        What runs as root under sudo cannot be signalled: it ends on its next line,
        when nobody reads.
        """
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        os.close(self._tell)
        self._thread.join()
        os.close(self._told)
        self._output.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
