"""Which meters a device has, and the best of them."""

import time
from contextlib import ExitStack, suppress
from typing import Any, Protocol

from fingerprint import commands

from energy import macmon, nvml, powermetrics, rapl, zeus
from energy.nvml import Card, open_card
from energy.readings import Meter, NoMeterError, Span, energy_over, rounded

_READING_SECONDS, _LEAST_SECONDS = 0.5, 1.0


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


def watts_now(
    device: str, seconds: float, *, as_root: bool = False
) -> dict[str, dict[str, Any]]:
    """Return by meter of *device* its mean power over *seconds*, or why there is none.

    All are read together, so that they are of the same work; powermetrics only
    *as_root*, for sudo logs who asks.
    """
    watts: dict[str, dict[str, Any]] = {}
    with ExitStack() as opened:
        card = None
        if device == "cuda":
            with suppress(NoMeterError):
                card = open_card()
                opened.callback(card.close)
        meters: dict[str, Meter] = {}
        for name, module in METERS[_meters_of(device)].items():
            if name == "powermetrics" and not as_root:
                watts[name] = {"why": "runs as root only: run sudo -v, and ask for it"}
                continue
            try:
                if device == "cuda" and card is None:
                    module.check()  # which says why
                meters[name] = module.open_meter(device, card)
                opened.callback(meters[name].close)
            except NoMeterError as missing:
                watts[name] = {"why": str(missing)}
        began, readings = (
            time.monotonic(),
            {name: meter.read() for name, meter in meters.items()},
        )
        while time.monotonic() < began + seconds:
            time.sleep(_READING_SECONDS)
            for name, meter in meters.items():
                readings[name] += meter.read()
        for name, meter in meters.items():
            taken = readings[name]
            span = Span(taken[0].at, taken[-1].at) if taken else Span(began, began)
            energy = energy_over(taken, span, _LEAST_SECONDS)
            if isinstance(energy, str):
                why = "; ".join(filter(None, (energy, meter.trouble())))
                watts[name] = {"why": why}
            else:
                shares = energy.domains.items()
                domains = {k: rounded(v / energy.seconds) for k, v in shares}
                watts[name] = {"watts": rounded(energy.watts), "domains": domains}
    return watts
