"""Run a command to its end and print what it took, as JSON.

    python -I -S benchmarks/watched.py COMMAND…

A process of its own that holds next to nothing: on Linux ``ru_maxrss`` of a child
starts from what its parent held. Memory is that of the command and all it started,
as far as they were there at one time; what it prints is thrown away.
"""

import json
import os
import resource
import sys
import threading
import time
from pathlib import Path

_EVERY = 0.05  # seconds between looks; the most that a process held is not forgotten
_KIBI = 1024


def watched(command: list[str]) -> tuple[int, float, int]:
    """Return the exit status of *command*, seconds, and bytes of memory at most."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, nothing, 1)]
    ended, seen = threading.Event(), [0]
    begun = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    watch = threading.Thread(target=_watch, args=(process, ended, seen))
    watch.start()
    _, status = os.waitpid(process, 0)
    seconds = time.perf_counter() - begun
    ended.set()
    watch.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    largest = used * (1 if sys.platform == "darwin" else _KIBI)
    return os.waitstatus_to_exitcode(status), seconds, max(largest, *seen)


def _watch(process: int, ended: threading.Event, seen: list[int]) -> None:
    while not ended.wait(_EVERY):
        seen[0] = max(seen[0], _held(process))


def _held(process: int) -> int:
    """Return the most that each of a family of processes ever held, in all.

    0 where the system does not tell (macOS) or the process has gone.
    """
    place = Path("/proc") / str(process)
    try:
        lines = (place / "status").read_text().splitlines()
        tasks = [task / "children" for task in (place / "task").iterdir()]
        children = [int(text) for task in tasks for text in task.read_text().split()]
    except OSError:
        return 0
    own = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return sum(own) * _KIBI + sum(map(_held, children))


def main() -> None:
    """Run what the command line says."""
    status, seconds, peak = watched(sys.argv[1:])
    print(json.dumps({"status": status, "seconds": seconds, "peak_bytes": peak}))


if __name__ == "__main__":
    main()
