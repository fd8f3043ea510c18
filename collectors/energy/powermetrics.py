"""Energy of a Mac by Apple's powermetrics, which runs as root: only where asked for."""

import os
import plistlib
import shutil
from collections import deque
from typing import Any
from xml.parsers.expat import ExpatError

from energy.readings import Integral, Joules, NoMeterError, Reading
from energy.stream import Stream

COMMAND = (
    "powermetrics",
    *("--samplers", "cpu_power,gpu_power"),
    *("--format", "plist"),
    # Of 2 s of rest at least two documents are then wholly inside.
    *("--sample-interval", "500"),
    *("--buffer-size", "1"),
)
WITHOUT_A_PASSWORD = ("sudo", "-n")
_END = b"</plist>"
_DOMAINS = ("cpu", "gpu", "ane")


def plists(raw: bytes) -> tuple[dict[str, Any], ...]:
    """Return the documents of a stream; the last one may be cut short."""
    documents = []
    for part in raw.split(b"\0"):
        try:
            documents.append(plistlib.loads(part.strip()))
        except (plistlib.InvalidFileException, ExpatError, ValueError):
            continue
    return tuple(document for document in documents if isinstance(document, dict))


class Powermetrics:
    """Watts by domain twice a second, each the mean since the document before."""

    source = "powermetrics"
    scope = "soc_model"

    def __init__(self) -> None:
        """Start powermetrics, or raise NoMeterError where sudo would ask."""
        self._integral = Integral()
        self._new: deque[Reading] = deque()
        prefix = () if os.geteuid() == 0 else WITHOUT_A_PASSWORD
        self._stream = Stream((*prefix, *COMMAND), _END, self._take)
        if self._stream.refused():
            self.close()
            raise NoMeterError(
                "powermetrics runs as root only, and sudo would ask for a password",
                "run sudo -v first",
            )

    def _take(self, printed: bytes, at: float) -> None:
        documents = plists(printed + _END)
        if not documents:
            self._integral.skip()
        for document in documents:
            watts = by_domain(document)
            if self._integral.lacking(watts):
                self._integral.skip()
                continue
            passed = document.get("elapsed_ns")
            seconds = None if passed is None else passed / 1e9
            self._new.append(self._integral.add(at, watts, seconds=seconds))

    def read(self) -> list[Reading]:
        """Return the readings that have come since the last call."""
        return [self._new.popleft() for _ in range(len(self._new))]

    def trouble(self) -> str | None:
        """Return how powermetrics ended, if it did."""
        return self._stream.ended()

    def close(self) -> None:
        """End powermetrics."""
        self._stream.close()


def by_domain(document: dict[str, Any]) -> Joules:
    """Return the watts of a document, which has milliwatts, and sums as well."""
    processor = document.get("processor", {})
    powers = {name: processor.get(f"{name}_power") for name in _DOMAINS}
    return {name: power / 1000 for name, power in powers.items() if power is not None}


def check() -> None:
    """Raise NoMeterError where it would not run; sudo is not asked, as it logs that."""
    if shutil.which("powermetrics") is None:
        raise NoMeterError("powermetrics is not there", "it comes with macOS")
    if os.geteuid() != 0:
        raise NoMeterError(
            "powermetrics runs as root only", "run sudo -v first, and ask for it"
        )


def open_meter() -> Powermetrics:
    """Return the meter of this Mac."""
    if shutil.which("powermetrics") is None:
        raise NoMeterError("powermetrics is not there", "it comes with macOS")
    return Powermetrics()
