"""What can go wrong in a way that the user can act on, and how a bug is reported."""

import os
import traceback
from collections.abc import Iterable
from pathlib import Path


class BenchdbError(Exception):
    """Something failed; the message says what, why and what to try."""

    exit_status = 1

    @property
    def lines(self) -> list[str]:
        """Return the message, a line for each thing that is wrong."""
        return [str(self)]


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


def suggestion(name: str, there: Iterable[str]) -> str:
    """Return what to try in place of *name*, of the names that are *there*.

    It ends a message: the nearest name, else some of them, else nothing.
    """
    from difflib import get_close_matches  # noqa: PLC0415  only mistakes need it

    known = {plain.casefold(): plain for plain in there}
    near = get_close_matches(name.casefold(), known, n=1, cutoff=0.5)
    if near:
        return f"; did you mean {known[near[0]]!r}?"
    shown = ", ".join(sorted(known.values())[:_SUGGESTED])
    rest = f" and {len(known) - _SUGGESTED} more" if len(known) > _SUGGESTED else ""
    return f"; there are: {shown}{rest}" if shown else ""


_SUGGESTED = 32  # names, all commands among them; more make no line
