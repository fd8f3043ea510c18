"""Which meters a device has, and the best of them."""

from typing import Any, Protocol

from fingerprint import commands

from energy import macmon, nvml, powermetrics, rapl, zeus
from energy.nvml import Card
from energy.readings import Meter, NoMeterError


class MeterModule(Protocol):
    """What a module of a meter has."""

    def check(self) -> object:
        """Raise NoMeterError where there is no such meter; start and log nothing."""

    def open_meter(self, device: str, card: Any, /) -> Meter:
        """Return the meter, started, or raise NoMeterError."""


# Of what, by name, best first.
METERS: dict[str, dict[str, MeterModule]] = {
    "card": {"nvml": nvml},
    "mac": {"zeus_apple_silicon": zeus, "macmon": macmon, "powermetrics": powermetrics},
    "processor": {"rapl": rapl},
    "nothing": {},
}


def open_meter(
    device: str, card: Card | None, *, want_powermetrics: bool = False
) -> tuple[Meter | None, dict[str, str]]:
    """Return the best meter that opens, and why those before it did not."""
    refused: dict[str, str] = {}
    meters = METERS[_meters_of(device)] if card or device != "cuda" else {}
    if "powermetrics" in meters:  # as root: before all others if asked for, else not
        first = {"powermetrics": powermetrics} if want_powermetrics else {}
        others = {name: m for name, m in meters.items() if name != "powermetrics"}
        meters = first | others
    for name, meter in meters.items():
        try:
            return meter.open_meter(device, card), refused
        except NoMeterError as missing:
            refused[name] = str(missing)
    return None, refused


def _meters_of(device: str) -> str:
    if device == "cuda":
        return "card"
    if commands.platform() == "darwin":
        return "mac"
    return "nothing" if device == "metal" else "processor"


def available_meters(device: str) -> list[dict[str, Any]]:
    """Return every meter for *device*, best first: is it there, and if not, why.

    Nothing is started, installed or logged in the asking.
    """
    meters = []
    for name, meter in METERS[_meters_of(device)].items():
        there: dict[str, Any] = {"available": True, "why": None, "install": None}
        try:
            meter.check()
        except NoMeterError as missing:
            there = {"available": False, "why": missing.why, "install": missing.install}
        meters.append({"name": name, **there})
    return meters
