"""Start a worker process, forward what it says, see how it ends."""

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import IO, Any, Protocol

from harness.cells import Assignment
from harness.messages import encode, strict_json
from harness.metal_errors import Listener
from harness.process import CpuTime, end_orphans, oom_kills, signal_of

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LINE_LIMIT = 2**20  # bytes; the longest that a worker writes has some thousands
_CHUNK = 2**16
# What a pipe may hold when the worker is gone; a process that it left may write on.
_LAST_CHUNKS = 16
# What only a worker knows; the rest of its run line was handed to it.
_OWN = ("device_name", "compiler")
# The switches of a framework decide which of these float32 is.
_FLOAT32 = ("fp32", "tf32")


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
    def limited(self, seconds: float | None) -> Iterator[None]:
        """Kill a worker that has not ended after *seconds*: it hangs."""
        self.overdue = False
        if seconds is None:
            yield
            return
        timer = threading.Timer(seconds, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _give_up(self) -> None:
        self.overdue = True
        self.kill()

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

    said: set[str] = field(default_factory=set)  # kinds of lines forwarded
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    result: dict[str, Any] | None = None
    unavailable: str | None = None
    phase: str | None = None  # the last one that began
    dropped: tuple[str, str] | None = None  # status and reason: its GPU gave up work
    unreadable: int = 0  # lines that say nothing, as of a worker that died in one
    objection: tuple[str, str] | None = None  # the same of a line of no such run


class Watcher(Protocol):
    """Whoever wants to know what the worker is at, such as the energy meter."""

    worker: int | None

    def phase(self, name: str, *, begin: bool, at_ns: int, samples: int | None) -> None:
        """Take note of a phase: it begins or ends at *at_ns*, monotonic."""


def run_worker_process(
    program: Path,
    assignment: Assignment,
    watch: Watch,
    write: Callable[[str], None],
    watcher: Watcher,
) -> tuple[Course, Death]:
    """Run one worker to its end, forwarding its lines as they come."""
    kills = oom_kills()
    started_ns = time.monotonic_ns()
    process = _start(program, heard=assignment.cell.device == "metal")
    listener = Listener(process.stderr) if process.stderr else None
    watch.worker = process.pid
    watcher.worker = process.pid
    if watch.stopped_by:
        watch.kill()
    order, output = _pipes(process)
    waiter = _Waiter(process, started_ns, kills)
    with watch.limited(assignment.time_limit):
        with suppress(BrokenPipeError):
            # An order between our own two processes: the worker needs it as it is.
            order.write(strict_json(asdict(replace(assignment, started_ns=started_ns))))
            order.flush()
        written = lines(output.fileno(), waiter.readable)
        course = _follow(written, assignment, write, watcher)
        death = waiter.death()
    course.dropped = listener.heard() if listener else None
    watch.kill()  # what it started and left behind
    end_orphans()
    watch.worker = None
    # Not before: to a worker it means that its supervisor is gone.
    with suppress(BrokenPipeError):
        order.close()
    output.close()
    return course, death


def _start(program: Path, *, heard: bool) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(program), "--worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if heard else None,
        text=True,
        encoding="utf-8",
        errors="replace",
        process_group=0,
    )


def _pipes(process: "subprocess.Popen[str]") -> tuple[IO[str], IO[str]]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the worker was started without pipes")
    return process.stdin, process.stdout


def _follow(
    written: Iterable[str | None],
    assignment: Assignment,
    write: Callable[[str], None],
    watcher: Watcher,
) -> Course:
    course = Course()
    for line in written:
        if line is None:
            _object(course, f"a line longer than {LINE_LIMIT} bytes")
            continue
        content = message(line)
        try:
            taken = _take(course, content, watcher)
        except (KeyError, TypeError, ValueError):  # a field is missing or no such thing
            course.unreadable += 1
            continue
        if taken:
            continue
        if why := objection(assignment, course.said, content):
            _object(course, why)
            continue
        course.said.add(content["type"])
        write(line)
    return course


def _object(course: Course, why: str) -> None:
    course.objection = course.objection or ("failed", f"its worker wrote {why}")


def _take(course: Course, content: dict[str, Any], watcher: Watcher) -> bool:
    """Take what is for the supervisor; return whether that was so."""
    fields = dict(content)
    match fields.pop("type"):
        case "value":
            course.values[_metric(fields)] = fields
        case "result":
            checks = dict(fields["checks"])
            course.result = {n: fields[n] for n in ("status", "reason")}
            course.result["checks"] = checks
        case "unavailable":
            course.unavailable = str(fields["text"])
        case "phase":
            _mark(course, fields, watcher)
        case _:
            return False
    return True


def _metric(fields: dict[str, Any]) -> str:
    metric, number = fields["metric"], fields.get("value", 0)
    if isinstance(metric, str) and isinstance(number, int | float):
        return metric
    raise TypeError(metric)


def _mark(course: Course, message: dict[str, Any], watcher: Watcher) -> None:
    if message["begin"]:
        course.phase = message["phase"]
    watcher.phase(
        message["phase"],
        begin=message["begin"],
        at_ns=message["at_ns"],
        samples=message.get("samples"),
    )


class _Waiter:
    """Waits for the end of a worker while somebody else reads what it writes."""

    def __init__(
        self, process: "subprocess.Popen[str]", started_ns: int, kills: int | None
    ) -> None:
        # It can be read from, and holds nothing, as soon as the worker has ended.
        self.readable, self._ended = os.pipe()
        self._deaths: list[Death] = []
        self._process = process, started_ns, kills
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._deaths.append(_wait(*self._process))
        os.close(self._ended)

    def death(self) -> Death:
        """Return how the worker ended, once it has."""
        self._thread.join()
        os.close(self.readable)
        return self._deaths[0]


def _wait(
    process: "subprocess.Popen[str]", started_ns: int, kills: int | None
) -> Death:
    _, wait_status, usage = os.wait4(process.pid, 0)
    wall = (time.monotonic_ns() - started_ns) / 1e9
    status = process.returncode = os.waitstatus_to_exitcode(wait_status)
    more = kills is not None and (oom_kills() or 0) > kills
    return Death(
        status=status,
        wall=wall,
        cpu=CpuTime(usage.ru_utime, usage.ru_stime),
        maxrss=usage.ru_maxrss,
        killed_for_memory=more and signal_of(status) == "SIGKILL",
    )


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
        facts = assignment.environment
        return _difference(
            {name: facts[name] for name in ("key", "framework")}, content
        )
    asked = json.loads(encode(assignment.run))
    return _difference(asked | {n: None for n in content if n not in asked}, content)


def _difference(asked: dict[str, Any], content: dict[str, Any]) -> str | None:
    """Return the first field of *asked* that is not so in *content*."""
    for name, wanted in asked.items():
        given = content.get(name)
        if name not in _OWN and not _agrees(name, wanted, given):
            return f"{name} {given!r:.80} where {wanted!r:.80} was asked for"
    return None


def _agrees(name: str, asked: Any, given: Any) -> bool:
    if name == "parameters" and isinstance(given, dict):
        return bool(asked.items() <= given.items())
    if name == "precision" and asked in _FLOAT32:
        return given in _FLOAT32
    return bool(given == asked)
