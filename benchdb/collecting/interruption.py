"""What Ctrl-C means while a collector runs, or that the terminal is gone."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# timeout(1) signals us, and then the group that we are of: that is one request.
_ONE_REQUEST_SECONDS = 0.5
# Docker sends SIGTERM and kills us 10 s later, others after 30 or 90: what was measured
# is to be stored by then.
_GRACE_SECONDS = 8.0


class Interruption:
    """Ctrl-C asks the running collector to end its run; a second one kills it.

    So does the time: whoever manages services sends one signal. The signal is not
    turned into an exception: what the collector has sent so far is still read, and its
    run is kept as interrupted.
    """

    def __init__(self) -> None:
        """Nothing is running, and nobody has asked to stop."""
        self.requested = False
        self._asked_at = -_ONE_REQUEST_SECONDS
        self._process: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> "Interruption":
        """Take over SIGINT, SIGTERM and, but for nohup, SIGHUP."""
        asking = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            asking.append(signal.SIGHUP)
        self._before = {number: signal.signal(number, self._stop) for number in asking}
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def watching(self, process: "subprocess.Popen[bytes]") -> Iterator[None]:
        """Pass on to the group of *process* that somebody asked to stop."""
        self._process = process
        if self.requested:  # while it was being started
            self._ask(process)
        try:
            yield
        finally:
            self._process = None
            if self._timer:
                self._timer.cancel()

    def _stop(self, *_: object) -> None:
        now = time.monotonic()
        if now - self._asked_at < _ONE_REQUEST_SECONDS:
            return
        if self._process is not None and self.requested:
            signal_group(self._process, signal.SIGKILL)
        elif self._process is not None:
            self._ask(self._process)
        self.requested, self._asked_at = True, now

    def _ask(self, process: "subprocess.Popen[bytes]") -> None:
        """Ask *process* to end, and kill it if it has not after a while."""
        signal_group(process, signal.SIGINT)
        killed = (process, signal.SIGKILL)
        self._timer = threading.Timer(_GRACE_SECONDS, signal_group, killed)
        self._timer.daemon = True
        self._timer.start()


def signal_group(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """Send a signal to *process* and all that it has started, uv's child above all."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
