"""Wait until a GPU is as cool as it was: the next run shall not pay for the last."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import _ask
import _energy_macmon as macmon
from _energy import NoMeterError
from _energy_card import open_card

NEAR_CELSIUS = 3.0
_BETWEEN_SECONDS = 1.0

Thermometer = Callable[[], float | None]


def temperature(device: str) -> float | None:
    """Return the temperature of *device* in Celsius, or None if it cannot be read."""
    with _thermometer(device) as celsius:
        return celsius()


@contextmanager
def _thermometer(device: str) -> Iterator[Thermometer]:
    if device == "cuda":
        try:
            card = open_card()
        except NoMeterError:
            yield lambda: None
            return
        try:
            yield card.celsius
        finally:
            card.close()
    elif _ask.platform() == "darwin":
        part = "gpu" if device == "metal" else "cpu"
        yield lambda: macmon.temperature(part)
    else:
        yield lambda: None


def cool_down(
    device: str,
    until_celsius: float,
    limit_seconds: float,
    *,
    stopped: Callable[[], bool] = lambda: False,
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any] | None:
    """Wait until *device* is within 3 degrees of *until_celsius*, or not.

    Return how long that took and what the temperatures were; None, at once, where
    none can be read. *stopped* is asked every second.
    """
    with _thermometer(device) as celsius:
        began, first = clock(), celsius()
        now = first
        while now is not None and now > until_celsius + NEAR_CELSIUS:
            left = began + limit_seconds - clock()
            if left <= 0 or stopped():
                break
            pause(min(_BETWEEN_SECONDS, left))
            last, now = now, celsius()
            now = last if now is None else now
    if first is None:
        return None
    seconds = round(clock() - began, 1)
    return {"seconds": seconds, "from_celsius": first, "to_celsius": now}
