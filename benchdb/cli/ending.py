"""How a command ends: with all that it printed, its status, and at once."""

import atexit
import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from benchdb.cli.plain import plain

# What a full or broken disk answers; a stream, unlike a file, has no name.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def run(command: Callable[[], object]) -> None:
    """Run *command*, and end the process with its status.

    Python would first free hundreds of thousands of objects one by one: a fourth of
    the time that a report takes. An error that nobody foresaw goes its usual way.
    """
    status = 0
    try:
        command()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        status = end.code or 0
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        status = _tell(error)
    atexit._run_exitfuncs()
    os._exit(_flush() or status)


def _flush() -> int:
    """Hand on what is still to be written; return the status, not 0 if that failed."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return 1  # a reader who has seen enough is told nothing
    except OSError as error:
        return _tell(error)
    finally:
        with suppress(OSError):  # nobody is left who could be told
            if sys.stderr is not None:
                sys.stderr.flush()
    return 0


def _tell(error: OSError) -> int:
    why = plain(error.strerror or str(error))
    with suppress(OSError, AttributeError):  # standard error may be full, or closed
        sys.stderr.write(f"benchdb: cannot write to standard output: {why}\n")
    return 1
