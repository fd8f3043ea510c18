"""Energy of a Mac by Apple's powermetrics, which runs as root: only where asked for."""

import os
import plistlib
import shutil
from dataclasses import replace
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
_MOST_MHZ = 1e5


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
    sensor = "gpu"  # or cpu: what clock and busy share are of

    def readings(self, part: bytes, at: float) -> list[Reading]:
        """Return the document as a reading, unless it is torn."""
        documents = plists(part + self.part_ends) or ({},)
        result: list[Reading] = []
        for document in documents:
            passed = document.get("elapsed_ns")
            seconds = None if passed is None else passed / 1e9
            added = self.integral.add(at, by_domain(document), seconds=seconds)
            result += [replace(it, **self._of_gpu(document)) for it in added]
        return result

    def _of_gpu(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return clock and busy share of the GPU, where that is what is measured."""
        gpu = document.get("gpu", {}) if self.sensor == "gpu" else {}
        facts: dict[str, Any] = {}
        if clock := gpu.get("freq_hz"):  # in MHz on newer systems, under the same name
            facts["clock_mhz"] = clock / (1e6 if clock > _MOST_MHZ else 1)
        if (idle := gpu.get("idle_ratio")) is not None:
            facts["busy_percent"] = 100 * (1 - idle)
        return facts


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


def open_meter(device: str = "cpu", _card: object = None) -> Powermetrics:
    """Return the meter of this Mac, or raise NoMeterError where sudo would ask."""
    if shutil.which("powermetrics") is None:
        raise NoMeterError("powermetrics is not there", "it comes with macOS")
    prefix = () if os.geteuid() == 0 else WITHOUT_A_PASSWORD
    meter = Powermetrics((*prefix, *COMMAND))
    meter.sensor = "gpu" if device == "metal" else "cpu"
    meter.require(
        "powermetrics runs as root only, and sudo would ask for a password",
        "run sudo -v first",
    )
    return meter
