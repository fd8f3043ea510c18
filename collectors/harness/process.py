"""What the operating system knows about a process: memory, CPU time, how it died."""

import ctypes
import os
import re
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from fingerprint import commands

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LEAST_FILES = 64  # a framework and its libraries open dozens
_GENERATIONS = 10  # of orphans that start more while they are killed
# A clock that goes on while the machine sleeps, and one that stands still. Nobody sets
# either, so that a time that is corrected looks like no sleep.
_CLOCKS = {
    "darwin": ("CLOCK_MONOTONIC_RAW", "CLOCK_UPTIME_RAW"),
    "linux": ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"),
}


@dataclass(frozen=True)
class CpuTime:
    """Seconds of CPU time, in user mode and in the kernel."""

    user: float
    system: float


def own_cpu_time() -> CpuTime:
    """Return the CPU time of this process so far, all its threads together."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return CpuTime(usage.ru_utime, usage.ru_stime)


class Aside:
    """What a process has spent on work that the script it stands for did not do."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.wall = self.user = self.system = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time, and the CPU time of all threads, of what is done inside."""
        began, before = time.perf_counter(), own_cpu_time()
        yield
        after = own_cpu_time()
        self.wall += time.perf_counter() - began
        self.user += after.user - before.user
        self.system += after.system - before.system


def lack_of_files() -> str | None:
    """Return why too few files may be open to measure; None where they suffice."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY or most >= _LEAST_FILES:
        return None
    return f"only {most} files may be open at once; allow more with: ulimit -n 1024"


def usable_cpus() -> int | None:
    """Return on how many processors this process may run, where that is limited."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def asleep_seconds(
    clock: Callable[[int], float] = time.clock_gettime,
) -> float | None:
    """Return for how long the machine has slept since it started; None if unknown."""
    names = _CLOCKS.get(sys.platform, ())
    if not names or not all(hasattr(time, name) for name in names):
        return None
    always, awake = (clock(getattr(time, name)) for name in names)
    return always - awake


def cpu_percent(cpu: CpuTime, wall: float) -> float | None:
    """Return (user + system) / wall in percent; None where no time has passed."""
    return 100 * (cpu.user + cpu.system) / wall if wall > 0 else None


def vm_hwm_bytes(status: str) -> int | None:
    """Return the peak resident bytes from the text of /proc/PID/status."""
    peak = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(peak[1]) * 1024 if peak else None


def maxrss_bytes(maxrss: int) -> int:
    """Return ``ru_maxrss`` in bytes; Linux counts in KiB, macOS in bytes."""
    return maxrss if sys.platform == "darwin" else maxrss * 1024


def peak_resident_bytes() -> int | None:
    """Return the peak resident memory of this process.

    Not ru_maxrss on Linux: there it starts from what the parent held at the spawn.
    """
    if sys.platform == "darwin":
        return maxrss_bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return vm_hwm_bytes(commands.read("/proc/self/status") or "")


def signal_of(status: int) -> str | None:
    """Return the signal behind an exit status: -11 from us, 139 from a shell."""
    number = -status if status < 0 else status - 128
    with suppress(ValueError):
        return signal.Signals(number).name if number > 0 else None
    return None


def oom_kills(root: Path = Path("/")) -> int | None:
    """Return how often the kernel has killed for memory; None if it does not say.

    The sum over the whole system and our own control group: only a rise matters.
    """
    text = commands.read(root / "proc/self/cgroup") or ""
    group = re.search(r"^0::/(.*)$", text, re.MULTILINE)
    folder = root / "sys/fs/cgroup" / (group[1] if group else "")
    texts = map(commands.read, (root / "proc/vmstat", folder / "memory.events"))
    lines = "\n".join(filter(None, texts))
    counts = re.findall(r"^oom_kill (\d+)$", lines, re.MULTILINE)
    return sum(map(int, counts)) if counts else None


def adopt_orphans() -> None:
    """Become the parent of whatever a worker leaves behind; only Linux has that."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans() -> None:
    """Kill our children that are of another session: no process that we start is."""
    for _ in range(_GENERATIONS):
        orphans = list(_children_elsewhere())
        for pid in orphans:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        if not orphans:
            return


def _children_elsewhere() -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name before it is in parentheses, and may hold some itself.
            facts = path.read_bytes().rpartition(b")")[2].split()
            parent, session = int(facts[1]), int(facts[3])
            if parent == os.getpid() and session != os.getsid(0):
                yield int(path.parent.name)


def die_with_parent() -> None:
    """Make sure that this process does not outlive the supervisor.

    Standard input is a pipe whose other end only the supervisor holds: when it
    closes, the supervisor is gone. On Linux the kernel kills us even while a
    framework holds the interpreter's lock.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    threading.Thread(target=_watch_lifeline, daemon=True).start()


def _watch_lifeline() -> NoReturn:
    while os.read(0, 64):
        pass
    os._exit(1)
