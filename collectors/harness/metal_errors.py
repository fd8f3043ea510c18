"""Work that Metal dropped: frameworks print so on standard error, and go on.

PyTorch and TensorFlow raise nothing when Metal aborts a command buffer, for want of
memory or because it took too long. Nothing of it was computed, and a block looks fast.
"""

import os
import re
import sys
import threading
from contextlib import suppress
from typing import IO

_ABORTED = re.compile(
    r"command buffer exited with error status"
    r"|[Ee]xecution of the command buffer was aborted"
    r"|kIO(?:GPU|Accel)CommandBufferCallbackError"
)
# As Metal describes it: "Insufficient Memory (00000008:kIOGPU…OutOfMemory)".
_CAUSE = re.compile(r"([A-Z][^\n.:]*) \((?:[0-9a-f]{8}:([^\n()]+)|IOAF code \d+)\)")
_BEFORE, _ENOUGH = 200, 4000  # characters, of the first message
_PATIENCE = 1.0  # seconds, for what a worker's own children may still say


def dropped(text: str) -> tuple[str, str] | None:
    """Return status and reason of a run that said *text*, None where nothing was."""
    aborted = _ABORTED.search(text)
    if aborted is None:
        return None
    line = text.rfind("\n", 0, aborted.start()) + 1
    cause = _CAUSE.search(text, line)
    what, name = cause.groups("") if cause else ("no cause told", "")
    named = f"{what} ({name})" if name and name != what else what
    if "OutOfMemory" in name or "Memory" in what:
        return "oom", f"Metal dropped work: {named}; try a smaller batch"
    return "failed", f"Metal dropped work: {named}; what it took is of no work"


class Listener:
    """Whoever passes on what a worker says on standard error, and hears this in it."""

    def __init__(self, said: IO[str]) -> None:
        """Begin to listen; *said* is read as it comes, and not closed."""
        self._said = said  # as long as someone may write into it
        self._kept = ""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def heard(self) -> tuple[str, str] | None:
        """Return what ``dropped`` says of it, once the worker is gone."""
        self._thread.join(_PATIENCE)
        return dropped(self._kept)

    def _listen(self) -> None:
        while chunk := os.read(self._said.fileno(), 1 << 16):
            _pass_on(chunk)
            self._keep(self._kept + chunk.decode(errors="replace"))

    def _keep(self, text: str) -> None:
        aborted = _ABORTED.search(text)
        begin = max(0, (aborted.start() if aborted else len(text)) - _BEFORE)
        self._kept = text[begin : begin + _ENOUGH]


def _pass_on(chunk: bytes) -> None:
    if sys.stderr is None:
        return
    with suppress(OSError):  # who does not read it does not end the run
        while chunk:
            chunk = chunk[os.write(sys.stderr.fileno(), chunk) :]
