"""Which meters a device has, and the best of them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from energy import macmon, nvml, powermetrics, rapl, zeus
from energy.nvml import Card
from energy.readings import Meter, NoMeterError
from fingerprint import commands

# By name: whether there is one, best first.
_CHECKS: dict[str, dict[str, Callable[[], None]]] = {
    "cuda": {"nvml": nvml.check},
    "mac": {
        "zeus_apple_silicon": zeus.check,
        "macmon": macmon.check,
        "powermetrics": powermetrics.check,
    },
    "linux": {"rapl": rapl.check},
    "none": {},
}


def open_meter(
    device: str, card: Card | None, *, want_powermetrics: bool = False
) -> tuple[Meter | None, dict[str, str]]:
    """Return the best meter that opens, and why those before it did not."""
    refused: dict[str, str] = {}
    openers = _openers(device, card, powermetrics_first=want_powermetrics)
    for name, opened in openers.items():
        try:
            return opened(), refused
        except NoMeterError as missing:
            refused[name] = str(missing)
    return None, refused


def _openers(
    device: str, card: Card | None, *, powermetrics_first: bool
) -> dict[str, Callable[[], Meter]]:
    kind = _kind(device)
    if kind == "cuda":
        return {} if card is None else {"nvml": partial(nvml.open_meter, card)}
    if kind != "mac":
        return {"rapl": rapl.open_meter} if kind == "linux" else {}
    part = "gpu" if device == "metal" else "cpu"
    asked = {"powermetrics": powermetrics.open_meter} if powermetrics_first else {}
    return {
        **asked,
        "zeus_apple_silicon": zeus.open_meter,
        "macmon": partial(macmon.open_meter, part),
    }


def _kind(device: str) -> str:
    if device == "cuda":
        return "cuda"
    if commands.platform() == "darwin":
        return "mac"
    return "none" if device == "metal" else "linux"


def available_meters(device: str) -> list[dict[str, Any]]:
    """Return every meter for *device*, best first: is it there, and if not, why.

    Nothing is started, installed or logged in the asking.
    """
    return [_availability(name, ask) for name, ask in _CHECKS[_kind(device)].items()]


def _availability(name: str, ask: Callable[[], None]) -> dict[str, Any]:
    try:
        ask()
    except NoMeterError as missing:
        there = {"available": False, "why": missing.why, "install": missing.install}
    else:
        there = {"available": True, "why": None, "install": None}
    return {"name": name, **there}
