"""What a worker has found so far."""

import struct
import time
from collections.abc import Callable
from typing import Any

from _framework import Work
from _messages import Say, finite


class Findings:
    """What has been found so far; a failure later on does not take it away."""

    def __init__(self, say: Say) -> None:
        """Send each value with *say* as it is found, so that a crash keeps it."""
        self._say = say
        self.checks: dict[str, Any] = {}
        self.losses: list[float] = []

    def value(
        self, metric: str, value: float | None, reason: str = "not known"
    ) -> None:
        """Send one figure; what is not a number needs its *reason*."""
        number = finite(value)
        found = {"value": number} if number is not None else {"reason": reason}
        self._say({"type": "value", "metric": metric, **found})

    def timing(self, metric: str, action: Callable[[], Any]) -> Any:
        """Run *action*, send its seconds as *metric*."""
        started = time.perf_counter()
        result = action()
        self.value(metric, time.perf_counter() - started)
        return result

    def read_loss(self, work: Work) -> None:
        """Keep the loss of the last step as a float32; an operation has none."""
        value = work.loss()
        if value is not None:
            self.losses.append(_as_float32(value))


def _as_float32(value: float) -> float:
    try:
        narrowed: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf")
    return narrowed
