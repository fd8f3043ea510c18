"""Stands in for zeus-apple-silicon: 5 W of CPU, 20 W of GPU, 2 W of memory, no ANE.

FAKE_ZEUS=no-counters makes a monitor fail as it does where the chip tells nothing.
"""

import os
import time
from types import SimpleNamespace

clock = time.monotonic


class AppleEnergyMonitor:
    """Windows by key, which may overlap; a key that is open cannot be opened again."""

    def __init__(self):
        if os.environ.get("FAKE_ZEUS") == "no-counters":
            raise RuntimeError("Failed to create IOReport subscription.")
        self._windows = {}

    def begin_window(self, key):
        if key in self._windows:
            raise RuntimeError("Measurement with specified key already exists.")
        self._windows[key] = clock()

    def end_window(self, key):
        seconds = clock() - self._windows.pop(key)
        return SimpleNamespace(
            cpu_total_mj=int(5000 * seconds),
            gpu_mj=int(20000 * seconds),
            ane_mj=None,
            dram_mj=int(2000 * seconds),
            gpu_sram_mj=0,
        )
