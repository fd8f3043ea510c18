"""Build a site, and again after each line of standard input, as ``benchdb serve`` does.

    python -m benchmarks.site_followed DATABASE FOLDER

Prints what each build took as a line of JSON: seconds, those of a processor, and the
most memory that was ever held.
"""

import gc
import json
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

from benchdb.report.scope import Wanted, selected
from benchdb.site import whole
from benchdb.site.pages import Frame
from benchdb.store.database import open_database, reading
from benchdb.store.memo import Memo
from benchmarks.costs import PYTHON, ROOT, CannotMeasureError
from benchmarks.rows import Cost

_KIBI = 1 if sys.platform == "darwin" else 1024


class Followed:
    """A site that another process builds again whenever it is asked to."""

    def __init__(self, process: Popen[str]) -> None:
        """Wait until the site is there."""
        self._process = process
        self._built()

    def rebuilt(self) -> tuple[Cost, Cost]:
        """Build it again; return what that took, by the clock and of a processor."""
        assert self._process.stdin is not None
        self._process.stdin.write("again\n")
        self._process.stdin.flush()
        return self._built()

    def _built(self) -> tuple[Cost, Cost]:
        assert self._process.stdout is not None
        if not (line := self._process.stdout.readline()):
            raise CannotMeasureError("the process that follows a database has ended")
        seconds, processor, peak = json.loads(line)
        return Cost(seconds, peak), Cost(processor, peak)


@contextmanager
def followed(database: Path, folder: Path) -> Iterator[Followed]:
    """Give a site in *folder* that follows a *database*."""
    words = [PYTHON, "-m", "benchmarks.site_followed", str(database), str(folder)]
    with Popen(words, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as process:
        yield Followed(process)
        process.communicate()


def main() -> None:
    """Follow the database that the command line names."""
    gc.set_threshold(200_000, 20, 20)  # as the command has it
    database, folder = sys.argv[1:]
    engine, memo = open_database(database), Memo()
    for _ in _asked():
        began = time.perf_counter(), time.process_time()
        with reading(engine) as connection, selected(connection, Wanted()) as scope:
            whole.renew(connection, scope, Frame(("en",)), Path(folder), memo=memo)
        took = time.perf_counter() - began[0], time.process_time() - began[1]
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBI
        print(json.dumps([*took, held]), flush=True)


def _asked() -> Iterator[str]:
    yield "at first"
    yield from sys.stdin


if __name__ == "__main__":
    main()
