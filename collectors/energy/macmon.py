"""Energy of Apple silicon without root, by the program macmon where it is installed."""

import json
import math
import shutil
from collections import deque
from typing import Any

from energy.readings import Integral, Joules, NoMeterError, Reading
from energy.stream import Stream
from fingerprint import commands

_POWERS = ("cpu", "gpu", "ane", "all", "sys", "ram", "gpu_ram")
COMMAND = ("macmon", "pipe", "-i", "500")
ONCE = ("macmon", "pipe", "-s", "1", "-i", "200")
# Not "all", a sum of these, nor "sys", which is the whole computer.
_DOMAINS = {
    "cpu": "cpu",
    "gpu": "gpu",
    "ane": "ane",
    "ram": "dram",
    "gpu_ram": "gpu_sram",
}


def parse(text: str) -> dict[str, Any]:
    """Return a line of ``macmon pipe``: watts by its own names, temperatures."""
    try:
        line = json.loads(text)
    except ValueError:
        return {}
    celsius = line.get("temp") or {}
    return {
        "watts": {p: line[f"{p}_power"] for p in _POWERS if f"{p}_power" in line},
        "celsius": {k[:3]: v for k, v in celsius.items() if k.endswith("_avg")},
    }


class Macmon:
    """Watts by domain twice a second, each the mean since the line before."""

    source = "macmon"
    scope = "soc_model"

    def __init__(self, part: str) -> None:
        """Start macmon; *part*, cpu or gpu, is what the temperature is of."""
        self._part = part
        self._integral = Integral()
        self._new: deque[Reading] = deque()
        self._stream = Stream(COMMAND, b"\n", self._take)
        if self._stream.refused():
            self.close()
            raise NoMeterError(
                "macmon ends at once", "see what macmon pipe -s 1 says in a terminal"
            )

    def _take(self, line: bytes, at: float) -> None:
        text = line.decode("utf-8", "replace")
        facts = parse(text) if text.startswith("{") else {}
        watts = by_domain(facts)
        # The next line is held over the time of one that is left out.
        if not self._integral.lacking(watts):
            celsius = believable(facts["celsius"].get(self._part))
            self._new.append(self._integral.add(at, watts, celsius=celsius))

    def read(self) -> list[Reading]:
        """Return the readings that have come since the last call."""
        return [self._new.popleft() for _ in range(len(self._new))]

    def trouble(self) -> str | None:
        """Return how macmon ended, if it did."""
        return self._stream.ended()

    def close(self) -> None:
        """End macmon."""
        self._stream.close()


def by_domain(facts: dict[str, Any]) -> Joules:
    """Return the watts of a line by our names of the domains."""
    watts = facts.get("watts", {})
    return {
        domain: watts[name]
        for name, domain in _DOMAINS.items()
        if isinstance(found := watts.get(name), int | float) and math.isfinite(found)
    }


def believable(celsius: float | None) -> float | None:
    """Return a temperature, not the zero of a sensor that a chip lacks."""
    return celsius if celsius and math.isfinite(celsius) else None


def temperature(part: str) -> float | None:
    """Return the mean temperature of cpu or gpu now, where macmon is installed."""
    text = commands.run(*ONCE) or ""
    celsius = parse(text).get("celsius", {}) if text.startswith("{") else {}
    return believable(celsius.get(part))


def check() -> None:
    """Raise NoMeterError where there is no such meter."""
    if shutil.which("macmon") is None:
        raise NoMeterError("macmon is not installed", "brew install macmon")


def open_meter(part: str) -> Macmon:
    """Return the meter of this Mac."""
    check()
    return Macmon(part)
