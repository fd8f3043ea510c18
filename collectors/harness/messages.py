"""Lines of strict JSON, and a standard output that nothing else can write to."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from harness.privacy import publishable

Say = Callable[[dict[str, Any]], None]


def encode(message: dict[str, Any]) -> str:
    """Return *message* as a line for others to read: with nothing private in it."""
    return strict_json(publishable(message))


def strict_json(message: dict[str, Any]) -> str:
    """Return *message* as one line of strict JSON: no NaN, no Infinity."""
    return json.dumps(message, allow_nan=False, ensure_ascii=False) + "\n"


class OutputError(Exception):
    """Our standard output takes no more: why, and no text where nobody reads it."""


def put(text: str, descriptor: int = 1) -> None:
    """Write *text* to standard output, at once; raise OutputError if it is not taken.

    Nothing is held back: at exit Python would try again to write it, and complain.
    """
    rest = memoryview(text.encode())
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BrokenPipeError as gone:
        raise OutputError from gone
    except OSError as refused:
        why = f"cannot write standard output: {refused.strerror}"
        raise OutputError(why) from refused


@contextmanager
def own_stdout() -> Iterator[Say]:
    """Keep the real standard output for messages; all else goes to standard error.

    C libraries print to descriptor 1 as well, so it is the descriptor that moves.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    messages = [kept]

    def close() -> None:
        while messages:
            os.close(messages.pop())

    # A program that is started does not inherit it; what is forked would.
    os.register_at_fork(after_in_child=close)

    def say(message: dict[str, Any]) -> None:
        put(encode(message), kept)

    try:
        yield say
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        close()


def finite(number: float | None) -> float | None:
    """Return *number*, or None for what strict JSON cannot carry."""
    return number if number is not None and math.isfinite(number) else None
