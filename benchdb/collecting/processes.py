"""Processes of collectors: groups, signals, time limits, and questions to them."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from types import FrameType
from typing import IO, Any, NoReturn

import msgspec

from benchdb.errors import BenchdbError, UsageError

# timeout(1) signals us, and then the group that we are of: that is one request.
_ONE_REQUEST_SECONDS = 0.5
# Docker sends SIGTERM and kills us 10 s later, others after 30 or 90: what was measured
# is to be stored by then.
_GRACE_SECONDS = 8.0
# Many times the slowest import of a framework.
PATIENCE_SECONDS = 180.0
# The first time, uv downloads whole frameworks.
DOWNLOAD_SECONDS = 3600.0
_ENDING = (signal.SIGTERM, signal.SIGHUP)
# Most answers have a few kilobytes; the run of a trial has megabytes of samples.
_MOST_PRINTED = 16 * 2**20
_LOOK_SECONDS = 0.05
# They would lead an environment of its own to the packages of another.
_OTHERS = ("PYTHONPATH", "PYTHONHOME")


# Whether a collector runs in an environment of its own: one that uv makes, by further
# options of uv such as the versions to install, or that of the Python at a path.
Isolation = bool | tuple[str, ...] | str


def is_by_uv(isolated: Isolation) -> bool:
    """Tell whether uv makes the environment."""
    return bool(isolated) and not isinstance(isolated, str)


class Interruption:
    """Ctrl-C asks the running collector to end its run; a second one kills it.

    So does the time: whoever manages services sends one signal. The signal is not
    turned into an exception: what the collector has sent so far is still read, and its
    run is kept as interrupted.
    """

    def __init__(self) -> None:
        """Nothing is running, and nobody has asked to stop."""
        self.requested = self.expired = False
        self._asked_at = -_ONE_REQUEST_SECONDS
        self._process: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> "Interruption":
        """Take over SIGINT, SIGTERM and, but for nohup, SIGHUP."""
        asking = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            asking.append(signal.SIGHUP)
        self._before = {number: signal.signal(number, self._stop) for number in asking}
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def watching(self, process: "subprocess.Popen[bytes]") -> Iterator[None]:
        """Pass on to the group of *process* that somebody asked to stop."""
        self._process = process
        if self.requested:  # while it was being started
            self._ask(process)
        try:
            yield
        finally:
            self._process = None
            if self._timer:
                self._timer.cancel()

    def expire(self) -> None:
        """Stop as if asked to, for the time is over."""
        self.requested = self.expired = True
        if self._process is not None:
            self._ask(self._process)

    def _stop(self, *_: object) -> None:
        now = time.monotonic()
        if now - self._asked_at < _ONE_REQUEST_SECONDS:
            return
        if self._process is not None and self.requested:
            signal_group(self._process, signal.SIGKILL)
        elif self._process is not None:
            self._ask(self._process)
        self.requested, self._asked_at = True, now

    def _ask(self, process: "subprocess.Popen[bytes]") -> None:
        """Ask *process* to end, and kill it if it has not after a while."""
        signal_group(process, signal.SIGINT)
        killed = (process, signal.SIGKILL)
        self._timer = threading.Timer(_GRACE_SECONDS, signal_group, killed)
        self._timer.daemon = True
        self._timer.start()


def signal_group(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """Send a signal to *process* and all that it has started, uv's child above all."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """See to it that nothing of *process* is left."""
    if process.poll() is None:
        signal_group(process, signal.SIGKILL)
    process.wait()


@contextmanager
def time_limit(
    process: "subprocess.Popen[bytes]", seconds: float
) -> Iterator[threading.Event]:
    """End *process* after *seconds*, for it hangs; the event tells that it was so."""
    passed = threading.Event()

    def give_up() -> None:
        passed.set()
        signal_group(process, signal.SIGKILL)

    timer = threading.Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield passed
    finally:
        timer.cancel()


def age() -> float:
    """Return for how many seconds this program has run, its own start included."""
    try:
        content = Path("/proc/self/stat").read_text(encoding="utf-8")
        ticks = int(content.rpartition(")")[2].split()[19])
        up = float(Path("/proc/uptime").read_text(encoding="utf-8").split()[0])
    except (OSError, ValueError, IndexError):  # not on Linux; as a laptop starts
        return 0.5
    return max(0.0, up - ticks / os.sysconf("SC_CLK_TCK"))


class Reply(msgspec.Struct, frozen=True):
    """What a program printed, and its exit status."""

    out: str
    err: str
    status: int


class Question:
    """A program that was asked something and has not answered yet."""

    def __init__(
        self,
        name: str,
        process: "subprocess.Popen[bytes]",
        printed: tuple[IO[bytes], IO[bytes]],
        patience: float,
    ) -> None:
        """Wait *patience* seconds for *process*, and then read what it *printed*."""
        self.name = name
        self._process, self._printed, self._patience = process, printed, patience
        self._until = time.monotonic() + patience

    def reply(self) -> Reply:
        """Wait for the end and return what was printed; raise ``BenchdbError``."""
        status = None
        while status is None:
            with suppress(subprocess.TimeoutExpired):
                status = self._process.wait(_LOOK_SECONDS)
            sizes = [os.fstat(file.fileno()).st_size for file in self._printed]
            if why := self._excess(max(sizes), ended=status is not None):
                end_group(self._process)
                raise BenchdbError(f"{self.name} {why}")
        texts = []
        for file in self._printed:
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Reply(texts[0], texts[1], status)

    def _excess(self, size: int, *, ended: bool) -> str | None:
        """Return why nobody waits or reads further; None if it may go on."""
        if size > _MOST_PRINTED:
            return f"printed more than {_MOST_PRINTED // 2**20} MiB, which is no answer"
        if not ended and time.monotonic() > self._until:
            return f"gave no answer in {self._patience:.0f} s"
        return None

    def facts(self) -> dict[str, Any]:
        """Return the JSON object that was printed; raise ``BenchdbError`` without.

        It is a ``UsageError`` in the program's own words where it refused.
        """
        reply = self.reply()
        why = refusal(reply.err, self.name) or f"it {manner(reply.status)}"
        if reply.status == UsageError.exit_status:
            raise UsageError(why)
        if reply.status != 0:
            raise BenchdbError(f"{self.name} failed: {why}")
        if not reply.out.strip():
            raise BenchdbError(
                f"{self.name} ended before it said anything; a module that it imports "
                "ends it"
            )
        try:
            facts = json.loads(reply.out)
        except (ValueError, RecursionError) as error:
            raise BenchdbError(f"{self.name} printed no JSON: {error}") from error
        if not isinstance(facts, dict):
            raise BenchdbError(f"{self.name} printed no JSON object")
        return facts


def manner(status: int) -> str:
    """Return how a program ended that did: its status, or the signal behind it."""
    # -11 from a child, 139 through uv.
    number = -status if status < 0 else status - 128
    with suppress(ValueError):
        return f"was killed by {signal.Signals(number).name}"
    return f"ended with status {status}"


def refusal(errors: str, name: str) -> str:
    """Return the last line that the program *name* printed, without its name."""
    lines = errors.strip().splitlines()
    last = lines[-1] if lines else ""
    return last.removeprefix(f"{name}: ").removeprefix("error: ")


def name_of(command: Sequence[str]) -> str:
    """Return what to call the program that *command* starts: that, if it is Python."""
    scripts = (Path(part).stem for part in command if part.endswith(".py"))
    return next(scripts, Path(command[0]).name)


@contextmanager
def asking(
    command: Sequence[str],
    text: str = "",
    *,
    isolated: Isolation = False,
    variables: Mapping[str, str] | None = None,
    patience: float | None = None,
) -> Iterator[Question]:
    """Start *command* with *text* as its input; raise ``BenchdbError`` if it does not.

    *variables* are set in its environment beside those that there are. It has
    *patience* seconds to answer, and more where uv has to download for it.

    Several may run at a time. Leaving ends what still runs, with all that it started:
    an import that hangs may have processes of its own.
    """
    name = name_of(command)
    usual = DOWNLOAD_SECONDS if is_by_uv(isolated) else PATIENCE_SECONDS
    patience = usual if patience is None else patience
    with ExitStack() as kept:
        kept.enter_context(_unwinding())
        try:
            # Files, not pipes: nobody has to read while it runs.
            given, *printed = (kept.enter_context(TemporaryFile()) for _ in range(3))
            given.write(text.encode(errors="replace"))
            given.seek(0)
            process = subprocess.Popen(
                command,
                stdin=given,
                stdout=printed[0],
                stderr=printed[1],
                env=environment(isolated=isolated) | dict(variables or {}),
                process_group=0,
            )
        except OSError as refused:
            why = f"{name} cannot be asked: {refused.strerror}"
            raise BenchdbError(why) from refused
        kept.callback(end_group, process)
        yield Question(name, process, (printed[0], printed[1]), patience)


@contextmanager
def _unwinding() -> Iterator[None]:
    """Let a signal that would end us at once end first what we have asked."""
    mine = threading.current_thread() is threading.main_thread()

    def leave(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    usual = [n for n in _ENDING if mine and signal.getsignal(n) == signal.SIG_DFL]
    for number in usual:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


def environment(*, isolated: Isolation = False) -> dict[str, str]:
    """Return the environment that collectors run in."""
    ours = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if not isolated:
        return ours
    return {name: value for name, value in ours.items() if name not in _OTHERS}
