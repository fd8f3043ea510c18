"""Energy of Apple silicon without root, by the package zeus-apple-silicon.

Apple's own model of the chip, not a measurement at a wire.
"""

import importlib
import importlib.metadata
import importlib.util
import re
import time
from typing import Any

from fingerprint import commands

from energy.readings import Joules, Meter, NoMeterError, Reading

MODULE, PACKAGE = "zeus_apple_silicon", "zeus-apple-silicon"
_DOMAINS = {
    "cpu": "cpu_total_mj",
    "gpu": "gpu_mj",
    "ane": "ane_mj",
    "dram": "dram_mj",
    "gpu_sram": "gpu_sram_mj",
}
# Until then the second die of an Ultra overwrote the first (their issue 9).
_ONE_DIE_ONLY = (1, 1, 0)


class AppleEnergy(Meter):
    """Joules by domain, added up over windows without a gap between them."""

    source = "zeus_apple_silicon"
    scope = "soc_model"

    def __init__(self, monitor: Any) -> None:
        """Begin the first window of *monitor*, an AppleEnergyMonitor."""
        self._monitor = monitor
        self._window = 0
        self._joules: Joules = {}
        monitor.begin_window("0")

    def read(self) -> list[Reading]:
        """Return the joules until now; what this chip does not count is left out."""
        ended = str(self._window)
        self._window += 1
        self._monitor.begin_window(str(self._window))
        metrics, at = self._monitor.end_window(ended), time.monotonic()
        counted = {name: getattr(metrics, key) for name, key in _DOMAINS.items()}
        self._joules = {
            name: self._joules.get(name, 0.0) + millijoules / 1000
            for name, millijoules in counted.items()
            if millijoules is not None
        }
        return [Reading(at, dict(self._joules))]


def open_meter(_device: str = "cpu", _card: object = None) -> AppleEnergy:
    """Return the meter of this Mac."""
    check()
    try:
        return AppleEnergy(importlib.import_module(MODULE).AppleEnergyMonitor())
    except (ImportError, RuntimeError) as failure:
        raise NoMeterError(
            f"{PACKAGE} finds no counters ({type(failure).__name__})",
            f"pip install --upgrade {PACKAGE}",
        ) from None


def check() -> None:
    """Raise NoMeterError where there is no such meter."""
    chip = commands.run("sysctl", "machdep.cpu.brand_string") or ""
    if "Apple" not in chip:
        raise NoMeterError("this Mac has no Apple silicon", "ask for powermetrics")
    if importlib.util.find_spec(MODULE) is None:
        raise NoMeterError(f"{PACKAGE} is not installed", f"pip install {PACKAGE}")
    try:
        printed = importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        printed = ""
    version = tuple(map(int, re.findall(r"\d+", printed)[:3]))
    if "Ultra" in chip and version <= _ONE_DIE_ONLY:
        shown = ".".join(map(str, version)) or "of unknown version"
        raise NoMeterError(
            f"{PACKAGE} {shown} counts one die of an Ultra only",
            "brew install macmon",
        )
