"""The GPU of a fake Mac: work takes time in it, and the program does not wait."""

import atexit
import os
import re
import time
from pathlib import Path

# Of one core, far below what Apple's can do: no run may pass the peak of its chip, and
# on a busy machine launching must still be quick beside the work.
FLOPS_PER_CORE = 0.03e12
BYTES_PER_CORE = 5e9
# What the smallest piece of work takes.
LAUNCH_SECONDS = float(os.environ.get("FAKE_METAL_SECONDS", "20e-6"))
USABLE_MEMORY = 2 / 3  # what Metal recommends to use at most

_HOST = Path(os.environ["FAKE_MAC"])
_LOST = os.environ.get("FAKE_METAL_LOST")
_WRONG = os.environ.get("FAKE_METAL")


def _host_says(name, pattern):
    file = _HOST / name
    found = re.search(pattern, file.read_text() if file.exists() else "")
    return found[1] if found else None


NAME = _host_says("gpu.txt", r'"model" = "(.+)"')
CORES = int(_host_says("gpu.txt", r'"gpu-core-count" = (\d+)') or 0)
MEMORY = int(int(_host_says("sysctl.txt", r"hw.memsize: (\d+)") or 0) * USABLE_MEMORY)


def there():
    """Return whether the host has a GPU, and has not lost it."""
    return CORES > 0 and not (_LOST and Path(_LOST).exists())


def _abort():
    """Say, as Metal's frameworks do and no exception does, that work was dropped."""
    os.write(2, _ABORTED[_WRONG].encode())


_ABORTED = {
    "out of memory": """Error: command buffer exited with error status.
\tThe operations encoded on it may not have completed.
\tError:
\t(null)
\tInsufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)
\t<AGXG13XFamilyCommandBuffer: 0x1>
""",
    "timeout": "Execution of the command buffer was aborted due to an error during "
    "execution. Caused GPU Timeout Error "
    "(00000002:kIOGPUCommandBufferCallbackErrorTimeout)\n",
    "chatty": "a warning of 3 lines,\nthe second (00000008:nothing),\nthe third\n",
}


class Queue:
    """What the GPU still has to do, one thing after the other."""

    def __init__(self):
        self._idle_at = 0.0
        self.allocated = 0
        self.started = 0

    def start(self, *, operations=0, moved=0):
        """Put work into the queue and return at once."""
        if self._idle_at == 0 and _LOST:
            atexit.register(Path(_LOST).touch)
        self.started += 1
        if self.started == 5 and _WRONG in _ABORTED:
            _abort()
        rate, bandwidth = FLOPS_PER_CORE * CORES, BYTES_PER_CORE * CORES
        seconds = max(operations / rate, moved / bandwidth, LAUNCH_SECONDS)
        self._idle_at = max(self._idle_at, time.perf_counter()) + seconds

    def wait(self):
        """Wait until all of it is done."""
        left = self._idle_at - time.perf_counter()
        if left > 0 and _WRONG != "impatient":
            time.sleep(left)

    def allocate(self, count):
        """Take memory, or return False where there is not so much."""
        if self.allocated + count > MEMORY:
            return False
        self.allocated += count
        return True

    def free(self, count):
        """Give memory back."""
        self.allocated -= count


QUEUE = Queue()
# What a product is multiplied by: one, but for a GPU that computes wrongly.
FACTOR = 1.01 if _WRONG == "wrong" else 1.0
