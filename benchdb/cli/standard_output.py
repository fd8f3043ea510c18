"""Bytes for standard output, where there is one."""

import sys
from collections.abc import Iterable

from benchdb.errors import UsageError


def show(parts: Iterable[bytes]) -> None:
    """Write *parts*; raise ``UsageError`` where standard output is closed."""
    # Closed by whoever started us, Python has none.
    if sys.stdout is None:
        raise UsageError("there is no standard output; name a place with -o")
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
