"""Energy of a Mac by Apple's powermetrics, which runs as root: only where asked for."""

import os
import plistlib
import shutil
from typing import Any
from xml.parsers.expat import ExpatError

from energy.readings import Joules, NoMeterError, Reading
from energy.stream import ProgramMeter

COMMAND = (
    "powermetrics",
    *("--samplers", "cpu_power,gpu_power"),
    *("--format", "plist"),
    # Of 2 s of rest at least two documents are then wholly inside.
    *("--sample-interval", "500"),
    *("--buffer-size", "1"),
)
WITHOUT_A_PASSWORD = ("sudo", "-n")
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


class Powermetrics(ProgramMeter):
    """Watts by domain twice a second, each the mean since the document before."""

    source = "powermetrics"
    part_ends = b"</plist>"

    def readings(self, part: bytes, at: float) -> list[Reading]:
        """Return the document as a reading, unless it is torn."""
        documents = plists(part + self.part_ends) or ({},)
        result: list[Reading] = []
        for document in documents:
            passed = document.get("elapsed_ns")
            seconds = None if passed is None else passed / 1e9
            result += self.integral.add(at, by_domain(document), seconds=seconds)
        return result


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


def open_meter(_device: str = "cpu", _card: object = None) -> Powermetrics:
    """Return the meter of this Mac, or raise NoMeterError where sudo would ask."""
    if shutil.which("powermetrics") is None:
        raise NoMeterError("powermetrics is not there", "it comes with macOS")
    prefix = () if os.geteuid() == 0 else WITHOUT_A_PASSWORD
    meter = Powermetrics((*prefix, *COMMAND))
    meter.require(
        "powermetrics runs as root only, and sudo would ask for a password",
        "run sudo -v first",
    )
    return meter
