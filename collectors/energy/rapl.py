"""Energy of processor packages and memory, by the kernel's powercap files (RAPL)."""

import time
from dataclasses import dataclass
from pathlib import Path

from fingerprint import commands

from energy.readings import Joules, Meter, NoMeterError, Reading

POWERCAP = Path("/sys/class/powercap")
# Not core and uncore, which are parts of a package, nor psys, which holds them all.
_DOMAINS = {"package": "cpu", "dram": "dram"}


def energy_joules(text: str | None) -> float | None:
    """Return a counter of /sys/class/powercap/intel-rapl, kept in microjoules."""
    digits = (text or "").strip()
    return int(digits) / 1e6 if digits.isdecimal() else None


@dataclass(frozen=True)
class Zone:
    """One counter: its file, its domain, and the joules after which it begins anew."""

    counter: Path
    domain: str
    wraps_at: float | None


class Rapl(Meter):
    """All packages together, and their memory where it is counted."""

    source = "rapl"
    scope = "package"

    def __init__(self, zones: tuple[Zone, ...]) -> None:
        """Count *zones* from now on."""
        self._zones = zones
        self._last: dict[Path, float] = {}
        self._counted: dict[Path, float] = {}

    def read(self) -> list[Reading]:
        """Return the joules since the first call, over every wrap-around.

        A counter wraps after a minute at the earliest; call it more often.
        """
        at = time.monotonic()
        joules: Joules = {}
        for zone in self._zones:
            counter = zone.counter
            now = energy_joules(commands.read(counter))
            if now is None:
                return []
            passed = now - self._last.get(counter, now)
            if passed < 0 and zone.wraps_at is not None:
                passed += zone.wraps_at
            self._last[counter] = now
            counted = self._counted[counter] = self._counted.get(counter, 0.0) + passed
            joules[zone.domain] = joules.get(zone.domain, 0.0) + counted
        return [Reading(at, joules)]


def open_meter(
    _device: str = "cpu", _card: object = None, root: Path = POWERCAP
) -> Rapl:
    """Return the meter of the zones under *root*."""
    zones = [
        Zone(
            folder / "energy_uj",
            _DOMAINS[kind],
            energy_joules(commands.read(folder / "max_energy_range_uj")),
        )
        for folder in sorted(root.glob("intel-rapl:*"))
        for kind in [(commands.read(folder / "name") or "").partition("-")[0]]
        if kind in _DOMAINS
    ]
    if not any(zone.domain == "cpu" for zone in zones):
        raise NoMeterError(
            "the kernel shows no RAPL counters, as in most virtual machines",
            "measure on the machine itself",
        )
    if any(energy_joules(commands.read(zone.counter)) is None for zone in zones):
        raise NoMeterError(
            "RAPL is readable by root only",
            "run as root, or until the next boot: "
            f"sudo chmod a+r {root}/intel-rapl:*/energy_uj",
        )
    return Rapl(tuple(zones))


check = open_meter  # to open one starts nothing
