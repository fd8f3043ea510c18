"""The command line on a real terminal, with somebody who answers its questions."""

import os
import pty
import re
import select
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from tests import forks
from tests.command_line import Outcome

_PROMPT = r"(?:answer(?: to \d+)?: |\(yes or no\) )$"
_PATIENCE = 60  # seconds
END = ""  # of the input


def talk(
    answers: Sequence[str | int],
    *arguments: object,
    cwd: Path | None = None,
    prompt: str = _PROMPT,
) -> Outcome:
    """Answer each question; a number is a signal. What a terminal shows is *out*.

    A question ends with *prompt*, a regular expression.
    """
    ours, theirs = pty.openpty()
    started = forks.start(arguments, [theirs] * 3, cwd, alone=True)
    os.close(theirs)
    shown, left = "", list(answers)
    for chunk in _chunks(ours):
        shown += chunk
        if re.search(prompt, shown):
            answer = left.pop(0) if left else END
            if isinstance(answer, int):
                os.killpg(started.pid, answer)
            else:
                os.write(ours, f"{answer}\n".encode() if answer else b"\x04")
    status = started.wait()
    os.close(ours)
    # A slow machine shows what it waits for, and takes that back.
    lasting = re.sub(r"[^\n]*\x1b\[2K", "", shown.replace("\r\n", "\n"))
    return Outcome(status, lasting, "")


def _chunks(terminal: int) -> Iterator[str]:
    """Yield what is shown, until nothing more comes."""
    end = time.monotonic() + _PATIENCE
    with suppress(OSError):  # the other side is closed
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                chunk = os.read(terminal, 65536)
                if not chunk:
                    return
                yield chunk.decode()
