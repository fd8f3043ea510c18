"""Energy of Apple silicon without root, by the program macmon where it is installed."""

import json
import math
import shutil
from dataclasses import replace
from typing import Any

from fingerprint import commands

from energy.readings import Joules, NoMeterError, Reading
from energy.stream import ProgramMeter

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
    clocks = {
        "gpu": _number(line.get("gpu_freq_mhz", _first(line.get("gpu_usage")))),
        "cpu": _number(line.get("pcpu_freq_mhz", _first(line.get("pcpu_usage")))),
    }
    # Its older "usage" is scaled by the clock.
    busy = _number(line.get("gpu_active_ratio"))
    return {
        "clock_mhz": clocks,
        "busy_percent": {"gpu": None if busy is None else 100 * busy},
        "watts": {p: line[f"{p}_power"] for p in _POWERS if f"{p}_power" in line},
        "celsius": {k[:3]: v for k, v in celsius.items() if k.endswith("_avg")},
    }


def _first(pair: object) -> Any:
    return pair[0] if isinstance(pair, list) and pair else None


def _number(fact: Any) -> float | None:
    is_number = isinstance(fact, int | float) and math.isfinite(fact)
    return fact if is_number else None


class Macmon(ProgramMeter):
    """Watts by domain twice a second, each the mean since the line before."""

    source = "macmon"
    sensor = "gpu"  # or cpu: what the temperature is of

    def readings(self, part: bytes, at: float) -> list[Reading]:
        """Return the line as a reading, unless it is none."""
        text = part.decode("utf-8", "replace")
        facts = parse(text) if text.startswith("{") else {}
        celsius = believable(facts.get("celsius", {}).get(self.sensor))
        readings = self.integral.add(at, by_domain(facts), celsius=celsius)
        clock, busy = (
            facts.get(name, {}).get(self.sensor)
            for name in ("clock_mhz", "busy_percent")
        )
        return [replace(it, clock_mhz=clock, busy_percent=busy) for it in readings]


def by_domain(facts: dict[str, Any]) -> Joules:
    """Return the watts of a line by our names of the domains."""
    watts = facts.get("watts", {})
    return {
        domain: watts[name]
        for name, domain in _DOMAINS.items()
        if _number(watts.get(name)) is not None
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


def open_meter(device: str, _card: object = None) -> Macmon:
    """Return the meter of this Mac, with the temperature of *device*."""
    check()
    meter = Macmon(COMMAND)
    meter.sensor = "gpu" if device == "metal" else "cpu"
    meter.require("macmon ends at once", "see what macmon pipe -s 1 says in a terminal")
    return meter
