"""Start a worker process, forward what it says, see how it ends."""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from types import FrameType
from typing import IO, Any

from harness.cells import Assignment
from harness.messages import encode, strict_json
from harness.process import (
    CpuTime,
    asleep_seconds,
    end_orphans,
    oom_kills,
    signal_of,
)
from harness.progress import Progress
from harness.telemetry import Telemetry

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LINE_LIMIT = 2**20  # bytes; the longest that a worker writes has some thousands
_CHUNK = 2**16
# What a pipe may hold when the worker is gone; a process that it left may write on.
_LAST_CHUNKS = 16
# What only a worker knows; the rest of its run line was handed to it.
_OWN = ("device_name", "compiler")
# The switches of a framework decide which of these float32 is.
_FLOAT32 = ("fp32", "tf32")
_ABORTED = re.compile(
    r"command buffer exited with error status"
    r"|[Ee]xecution of the command buffer was aborted"
    r"|kIO(?:GPU|Accel)CommandBufferCallbackError"
)
# As Metal describes it: "Insufficient Memory (00000008:kIOGPU…OutOfMemory)".
_CAUSE = re.compile(r"([A-Z][^\n.:]*) \((?:[0-9a-f]{8}:([^\n()]+)|IOAF code \d+)\)")
_BEFORE, _ENOUGH = 200, 4000  # characters, of the first message
_PATIENCE = 1.0  # seconds, for what a worker's own children may still say
_SLEPT_SECONDS = 1.0  # less is what two clocks differ by
# A block of a halted worker takes so many times the usual one, and so much longer.
_HALTED_TIMES, _HALTED_SECONDS = 10.0, 3.0


@dataclass
class Watch:
    """The worker that runs now, and the signal that told us to stop."""

    worker: int | None = None
    stopped_by: str | None = None
    overdue: bool = False  # the worker ran into its time limit

    def take_signals(self) -> None:
        """Stop in good order on Ctrl-C, on a kill and when the terminal closes.

        Under nohup that is ignored already, and stays so.
        """
        for number in _STOPPING:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._stop)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        # Nothing is raised, so a line being written is always written whole; whoever
        # reads from the worker sees its output end.
        self.stopped_by = signal.Signals(number).name
        self.kill()

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """Kill a worker that has not ended after *seconds*: it hangs."""

        def give_up() -> None:
            self.overdue = True
            self.kill()

        self.overdue = False
        timer = threading.Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def kill(self) -> None:
        """Kill the worker and all it started."""
        if self.worker is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.worker, signal.SIGKILL)


@dataclass(frozen=True)
class Death:
    """How a worker ended, and what it used, as only its parent can know."""

    status: int
    wall: float
    cpu: CpuTime
    maxrss: int
    killed_for_memory: bool = False


@dataclass
class Course:
    """What came from a worker before it ended."""

    kinds: set[str] = field(default_factory=set)  # of lines forwarded
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    result: dict[str, Any] | None = None
    unavailable: str | None = None
    phase: str | None = None  # the last one that began
    dropped: tuple[str, str] | None = None  # status and reason: its GPU gave up work
    unreadable: int = 0  # lines that say nothing, as of a worker that died in one
    objection: tuple[str, str] | None = None  # the same of a line of no such run
    blocks: list[float] = field(default_factory=list)  # seconds of each
    pause: str | None = None  # what stood still in the middle


def run_worker_process(
    program: Path,
    assignment: Assignment,
    watch: Watch,
    write: Callable[[str], None],
    telemetry: Telemetry,
) -> tuple[Course, Death]:
    """Run one worker to its end, forwarding its lines as they come."""
    kills, metal = oom_kills(), assignment.cell.device == "metal"
    slept = asleep_seconds()
    started_ns = time.monotonic_ns()
    process = subprocess.Popen(
        [sys.executable, str(program), "--worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if metal else None,
        text=True,
        encoding="utf-8",
        errors="replace",
        process_group=0,
    )
    order, output = process.stdin, process.stdout
    if order is None or output is None:
        raise RuntimeError("the worker was started without pipes")
    listener = Listener(process.stderr) if process.stderr else None
    watch.worker = telemetry.worker = process.pid
    if watch.stopped_by:
        watch.kill()
    waiter = _Waiter(process, started_ns, kills)
    with watch.limited(assignment.time_limit):
        with suppress(BrokenPipeError):
            # An order between our own two processes: the worker needs it as it is.
            order.write(strict_json(asdict(replace(assignment, started_ns=started_ns))))
            order.flush()
        written = lines(output.fileno(), waiter.readable)
        course = _follow(written, assignment, write, telemetry)
        death = waiter.death()
    course.dropped = listener.heard() if listener else None
    course.pause = pause(slept, asleep_seconds(), course.blocks)
    watch.kill()  # what it started and left behind
    end_orphans()
    watch.worker = None
    # Not before: to a worker it means that its supervisor is gone.
    with suppress(BrokenPipeError):
        order.close()
    output.close()
    return course, death


def _follow(
    written: Iterable[str | None],
    assignment: Assignment,
    write: Callable[[str], None],
    telemetry: Telemetry,
) -> Course:
    course, progress = Course(), Progress(assignment)
    for line in written:
        why: str | None = f"a line longer than {LINE_LIMIT} bytes"
        if line is not None:
            content = message(line)
            try:
                if _take(course, content, telemetry):
                    if content["type"] == "phase" and content["begin"]:
                        progress.begin(content["phase"])
                    continue
            except (KeyError, TypeError, ValueError):  # a field lacks, or is no such
                course.unreadable += 1
                continue
            why = objection(assignment, course.kinds, content)
            if why is None:
                course.kinds.add(content["type"])
                course.blocks += blocks(content)
                write(line)
                progress.samples(content)
        if why:
            text = f"its worker wrote {why}"
            course.objection = course.objection or ("failed", text)
    return course


def _take(course: Course, content: dict[str, Any], telemetry: Telemetry) -> bool:
    """Take what is for the supervisor; return whether that was so."""
    fields = dict(content)
    match fields.pop("type"):
        case "value":
            metric, number = fields["metric"], fields.get("value", 0)
            if not (isinstance(metric, str) and isinstance(number, int | float)):
                raise TypeError(metric)
            course.values[metric] = fields
        case "result":
            checks = dict(fields["checks"])
            course.result = {n: fields[n] for n in ("status", "reason")}
            course.result["checks"] = checks
        case "unavailable":
            course.unavailable = str(fields["text"])
        case "phase":
            name, begin = fields["phase"], fields["begin"]
            course.phase = name if begin else course.phase
            at_ns, samples = fields["at_ns"], fields.get("samples")
            telemetry.phase(name, begin=begin, at_ns=at_ns, samples=samples)
        case _:
            return False
    return True


def blocks(content: dict[str, Any]) -> list[float]:
    """Return the seconds of the measured blocks in a line of samples."""
    times = content.get("values") if content.get("phase") == "measure" else None
    numbers = times if isinstance(times, list) else []
    return [seconds for seconds in numbers if isinstance(seconds, int | float)]


def pause(
    before: float | None, after: float | None, seconds: Sequence[float]
) -> str | None:
    """Return what stood still while a worker ran; None where nothing did.

    *before* and *after* are for how long the machine had slept, *seconds* those of the
    blocks. Clocks stand still with a Mac that sleeps, so its blocks look like others;
    but caches and chip are cold after it, and energy was counted over all of it. A
    worker alone is halted by Ctrl-Z, a debugger, or with its virtual machine.
    """
    slept = 0.0 if before is None or after is None else after - before
    if slept > _SLEPT_SECONDS:
        return f"the machine slept for {slept:.0f} s while it was measured"
    usual, longest = median(seconds or [0.0]), max(seconds, default=0.0)
    if longest > max(_HALTED_TIMES * usual, usual + _HALTED_SECONDS):
        return (
            f"a block took {longest:.1f} s where the usual one takes {usual:.2g} s: "
            "the worker was halted in between"
        )
    return None


class _Waiter:
    """Waits for the end of a worker while somebody else reads what it writes."""

    def __init__(
        self, process: "subprocess.Popen[str]", started_ns: int, kills: int | None
    ) -> None:
        # It can be read from, and holds nothing, as soon as the worker has ended.
        self.readable, self._ended = os.pipe()
        self._process, self._started_ns, self._kills = process, started_ns, kills
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def _wait(self) -> None:
        _, wait_status, usage = os.wait4(self._process.pid, 0)
        wall = (time.monotonic_ns() - self._started_ns) / 1e9
        status = self._process.returncode = os.waitstatus_to_exitcode(wait_status)
        more = self._kills is not None and (oom_kills() or 0) > self._kills
        self._death = Death(
            status=status,
            wall=wall,
            cpu=CpuTime(usage.ru_utime, usage.ru_stime),
            maxrss=usage.ru_maxrss,
            killed_for_memory=more and signal_of(status) == "SIGKILL",
        )
        os.close(self._ended)

    def death(self) -> Death:
        """Return how the worker ended, once it has."""
        self._thread.join()
        os.close(self.readable)
        return self._death


def lines(output: int, ended: int) -> Iterator[str | None]:
    """Yield the lines from *output*; None for one that is longer than the limit.

    They end when *output* is closed, or with the worker: *ended* can be read then. A
    process that the worker left may hold *output* open for as long as it likes.
    """
    pending, skipping = b"", False
    for chunk in _chunks(output, ended):
        *whole, pending = (pending + chunk).split(b"\n")
        for raw in whole:
            if not skipping:
                yield raw.decode(errors="replace") + "\n"
            skipping = False
        if len(pending) > LINE_LIMIT or skipping:
            if not skipping:
                yield None
            pending, skipping = b"", True
    if pending:
        yield pending.decode(errors="replace") + "\n"


def _chunks(output: int, ended: int) -> Iterator[bytes]:
    with selectors.DefaultSelector() as either:
        either.register(output, selectors.EVENT_READ)
        either.register(ended, selectors.EVENT_READ)
        while ended not in {key.fd for key, _ in either.select()}:
            chunk = os.read(output, _CHUNK)
            if not chunk:
                return
            yield chunk
        either.unregister(ended)
        for _ in range(_LAST_CHUNKS):
            if not either.select(0) or not (chunk := os.read(output, _CHUNK)):
                return
            yield chunk


def message(line: str) -> dict[str, Any]:
    """Return what a line says; {} for one cut off when the worker was killed.

    So it is for what cannot be written again, such as NaN or half a character.
    """
    try:
        content = json.loads(line)
        strict_json(content).encode()
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def objection(
    assignment: Assignment, seen: set[str], content: dict[str, Any]
) -> str | None:
    """Return why a line is not of this worker's run; None where it is.

    *seen* are the kinds of lines before it. A framework runs in the worker's process,
    so its code can write there what it likes.
    """
    kind = content["type"]
    if kind == "samples":
        own = content.get("run") == assignment.run["key"] and "run" in seen
        return None if own else "samples of another run"
    if kind not in ("environment", "run") or kind in seen:
        return f"a line of type {kind!r:.40} that was not asked for"
    if kind == "environment":
        asked = {name: assignment.environment[name] for name in ("key", "framework")}
    else:
        asked = json.loads(encode(assignment.run))
        asked |= {name: None for name in content if name not in asked}
    for name, wanted in asked.items():
        given = content.get(name)
        agrees = given == wanted or name in _OWN
        if name == "parameters" and isinstance(given, dict):
            agrees = wanted.items() <= given.items()
        elif name == "precision" and wanted in _FLOAT32:
            agrees = given in _FLOAT32
        if not agrees:
            return f"{name} {given!r:.80} where {wanted!r:.80} was asked for"
    return None


def dropped(text: str) -> tuple[str, str] | None:
    """Return status and reason of a run that said *text*, None where nothing was."""
    aborted = _ABORTED.search(text)
    if aborted is None:
        return None
    line = text.rfind("\n", 0, aborted.start()) + 1
    cause = _CAUSE.search(text, line)
    what, name = cause.groups("") if cause else ("no cause told", "")
    named = f"{what} ({name})" if name and name != what else what
    if "OutOfMemory" in name or "Memory" in what:
        return "oom", f"Metal dropped work: {named}; try a smaller batch"
    return "failed", f"Metal dropped work: {named}; what it took is of no work"


class Listener:
    """Whoever passes on what a worker says on standard error, and hears this in it.

    PyTorch and TensorFlow raise nothing when Metal aborts a command buffer, for want of
    memory or because it took too long: they print so, and go on. Nothing of it was
    computed, and a block looks fast.
    """

    def __init__(self, io: IO[str]) -> None:
        """Begin to listen; *io* is read as it comes, and not closed."""
        self._output = io  # as long as someone may write into it
        self._kept = ""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def heard(self) -> tuple[str, str] | None:
        """Return what ``dropped`` says of it, once the worker is gone."""
        self._thread.join(_PATIENCE)
        return dropped(self._kept)

    def _listen(self) -> None:
        while chunk := os.read(self._output.fileno(), _CHUNK):
            text = self._kept + chunk.decode(errors="replace")
            aborted = _ABORTED.search(text)
            begin = max(0, (aborted.start() if aborted else len(text)) - _BEFORE)
            self._kept = text[begin : begin + _ENOUGH]
            with suppress(OSError):  # who does not read it does not end the run
                while chunk and sys.stderr is not None:
                    chunk = chunk[os.write(sys.stderr.fileno(), chunk) :]
