"""What can go wrong in a way that the user can act on, and how a bug is reported."""

import os
import traceback
from pathlib import Path


class BenchdbError(Exception):
    """Something failed; the message says what, why and what to try."""

    exit_status = 1


class UsageError(BenchdbError):
    """Wrong use, or a device or framework that is not there."""

    exit_status = 2


class DatabaseError(BenchdbError):
    """The database cannot be opened, read or written."""


class ExchangeError(BenchdbError):
    """A file is not an exchange file, or none that this version understands."""


def failure_message(error: Exception) -> str:
    """Return one line for *error*, which nobody foresaw, where others must go on.

    It is a bug of ours, unless memory ran out; with ``BENCHDB_DEBUG`` it is raised.
    """
    if os.environ.get("BENCHDB_DEBUG"):
        raise error
    if isinstance(error, MemoryError):
        return "takes more memory than there is; split it"
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = " ".join(f"{type(error).__name__}: {error}".split())[:_FAILURE_LIMIT]
    return (
        f"a bug of benchdb, {what} ({Path(place.filename).name}:{place.lineno}); "
        "nothing of it was taken; please report it, with the file or with what "
        "BENCHDB_DEBUG=1 prints"
    )


_FAILURE_LIMIT = 200  # characters of an error
