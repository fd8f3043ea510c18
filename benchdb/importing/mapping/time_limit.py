"""A limit of processor time: a stranger's regular expression may never end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benchdb.importing.document import DocumentError


class TimeUpError(Exception):
    """The time is up; nothing but ``time_limit`` catches it without raising it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``DocumentError`` once the block has taken *seconds* of processor time.

    Python looks for signals while it searches. Only the main thread gets them: there is
    no limit in another.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    except TimeUpError as error:
        raise DocumentError(
            f"takes more than {seconds:.0f} s of processor time with this map{error}; "
            "simplify its expressions: repeats inside repeats, as in (a+)+, may never "
            "end"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _end(*_: object) -> None:
    raise TimeUpError
