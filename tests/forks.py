"""Processes of the command line that begin with all of benchdb imported.

A server imports it once for a session, and what its commands import when they come to
it; each process is forked from it, and has descriptors, folder, environment and end of
its own. What a start does is left to tests that start Python themselves, such as those
of ``test_start_up.py``.
"""

import atexit
import gc
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from socket import AF_UNIX, SOCK_SEQPACKET, recv_fds, send_fds, socket, socketpair
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, NoReturn

_LONGEST = 2**17  # bytes of a request
_ONE_AT_A_TIME = Lock()  # or each of several threads would start a server
_CLEAN = dict(os.environ)  # as it is before any test changes it
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
# What every command may import later than its own module, and what those import whose
# arguments have a word.
_LATER = ("alembic.autogenerate", "alembic.command", "benchdb.store.checks", "wcwidth")
_LATER_WITH = {
    "report": (
        *("benchdb.cli.report_making", "benchdb.report.charts.mpl"),
        *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"),
        *("benchdb.site.report_files", "benchdb.site.whole"),
    ),
    "parquet": ("benchdb.parquet.dataset", "pandas"),
}


class Forked:
    """A process that runs ``benchdb``."""

    def __init__(self, answer: int) -> None:
        """Read what becomes of it from the pipe *answer*."""
        self._answer = os.fdopen(answer)
        self.pid = int(self._answer.readline())

    def wait(self) -> int:
        """Return the exit status at its end, less than 0 for a signal."""
        with self._answer:
            return int(self._answer.readline())


def start(
    arguments: Sequence[object],
    streams: Sequence[int],
    cwd: Path | None = None,
    *,
    environment: Mapping[str, str] = os.environ,
    alone: bool = False,
) -> Forked:
    """Run ``benchdb`` on three *streams*; *alone* in a session of its own."""
    wanted = {
        "arguments": list(map(str, arguments)),
        "cwd": str(cwd or Path.cwd()),
        "environment": dict(environment),
        "alone": alone,
    }
    reading, writing = os.pipe()
    try:
        with _ONE_AT_A_TIME:
            server = _server()
        send_fds(server, [json.dumps(wanted).encode()], [*streams, writing])
    finally:
        os.close(writing)
    return Forked(reading)


@cache
def _server() -> socket:
    """Return a connection to the server, which ends with this process."""
    ours, theirs = socketpair(AF_UNIX, SOCK_SEQPACKET)
    with theirs:
        subprocess.run(
            [sys.executable, "-m", "tests.forks", str(theirs.fileno())],
            cwd=Path(__file__).parents[1],
            env=_CLEAN,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            check=True,
        )
    atexit.register(ours.close)
    return ours


def _serve(connection: socket) -> None:
    """Fork what is asked for until nobody asks any more.

    It imports, and calls nothing: what a user has at home would be kept for all.
    """
    from benchdb.cli import COMMANDS, module_of  # noqa: PLC0415

    for name in (*map(module_of, COMMANDS), *_LATER):
        import_module(name)
    gc.freeze()  # or each process would copy the pages on which it looks for garbage
    while True:
        request, descriptors, *_ = recv_fds(connection, _LONGEST, 4)
        if not request:
            break
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        wanted = json.loads(request)
        for word in _LATER_WITH.keys() & {*wanted["arguments"]}:
            _prepare_for(word)
        if os.fork() == 0:
            _watch(wanted, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
    with suppress(ChildProcessError):
        while True:
            os.wait()


@cache
def _prepare_for(word: str) -> None:
    """Import what commands with this *word* do; a folder of its own lists the fonts."""
    with TemporaryDirectory() as folder:
        os.environ["MPLCONFIGDIR"] = folder
        for name in _LATER_WITH[word]:
            import_module(name)


def _watch(wanted: dict[str, Any], descriptors: Sequence[int]) -> NoReturn:
    """Fork the process, say which it is, and at its end how it ended."""
    *streams, answer = descriptors
    try:
        if (pid := os.fork()) == 0:
            _become(wanted, streams)
        for stream in streams:
            os.close(stream)
        os.write(answer, b"%d\n" % pid)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(answer, b"%d\n" % status)
    finally:
        os._exit(0)


def _become(wanted: dict[str, Any], streams: Sequence[int]) -> NoReturn:
    """Run the command line as if this process had been started for it."""
    status: object = 1
    try:
        if wanted["alone"]:
            os.setsid()
        for number, (stream, (name, mode)) in enumerate(
            zip(streams, _STREAMS, strict=True)
        ):
            os.dup2(stream, number)
            made = open(number, mode, closefd=False)  # noqa: SIM115 - to its end
            setattr(sys, name, made)
            setattr(sys, f"__{name}__", made)
        os.closerange(3, 256)
        os.chdir(wanted["cwd"])
        os.environ.clear()
        os.environ.update(wanted["environment"])
        more = wanted["environment"].get("PYTHONPATH", "").split(os.pathsep)
        sys.path[1:1] = filter(None, more)
        sys.argv[:] = ["benchdb", *wanted["arguments"]]
        status = _ended()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # nothing of ours goes on in a fork
        traceback.print_exc()
    finally:
        os._exit(status if isinstance(status, int) else 1)


def _ended() -> object:
    from benchdb.cli import main  # noqa: PLC0415

    try:
        main()
    except SystemExit as end:
        return end.code or 0
    return 0


if __name__ == "__main__":
    # No child of who asks: tests count those.
    if os.fork() == 0:
        _serve(socket(fileno=int(sys.argv[1])))
