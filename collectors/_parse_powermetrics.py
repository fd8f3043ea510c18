"""What powermetrics (root only) prints: text, or property lists separated by NUL."""

import plistlib
import re
from dataclasses import dataclass, field
from typing import Any
from xml.parsers.expat import ExpatError

_HEADER = re.compile(
    r"\*\*\* Sampled system activity \(.*?\) \(([\d.]+)ms elapsed\) \*\*\*"
)
# Names changed with the system: 11 and 12 have Package and DRAM, 13 has Combined.
_POWERS = {
    "CPU": "cpu",
    "GPU": "gpu",
    "ANE": "ane",
    "DRAM": "dram",
    "Package": "package",
    "Clusters Total": "clusters",
    "Combined": "combined",
}
_POWER = re.compile(
    r"^(CPU|GPU|ANE|DRAM|Package|Clusters Total|Combined) Power(?: \(.*?\))?: (\d+) mW",
    re.MULTILINE,
)
_INTEL_POWER = re.compile(r"Intel energy model derived package power.*?: ([\d.]+)W")
_CLUSTER = re.compile(r"^(\w+)-Cluster (.+?): (.*)$", re.MULTILINE)
_GPU_CLOCK = re.compile(r"^GPU (?:HW )?active frequency: (\d+) MHz", re.MULTILINE)
_GPU_ACTIVE = re.compile(
    r"^GPU (?:HW )?active residency:\s*([\d.]+)%(.*)$", re.MULTILINE
)
_PRESSURE = re.compile(r"^Current pressure level: (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Cluster:
    """A cluster of cores: E, P, P0, M1 ...; percents are of the sampled time."""

    name: str
    mhz: int | None = None
    max_mhz: int | None = None
    active_percent: float | None = None
    idle_percent: float | None = None
    down_percent: float | None = None
    watts: float | None = None


@dataclass(frozen=True)
class PowerSample:
    """One sample; powers in watts by domain, as the model of the chip estimates."""

    seconds: float | None = None
    watts: dict[str, float] = field(default_factory=dict)
    clusters: tuple[Cluster, ...] = ()
    gpu_mhz: int | None = None
    gpu_max_mhz: int | None = None
    gpu_active_percent: float | None = None
    thermal_pressure: str | None = None
    battery_percent: int | None = None
    celsius: dict[str, float] = field(default_factory=dict)
    fan_rpm: int | None = None
    system_mhz: float | None = None


def machine(text: str) -> dict[str, str]:
    """Return model and system build from the lines above the first sample."""
    names = {"model": "Machine model", "os_build": "OS version"}
    found = {
        k: re.search(rf"^{v}: (\S+)", text, re.MULTILINE) for k, v in names.items()
    }
    return {k: match[1] for k, match in found.items() if match}


def samples(text: str) -> tuple[PowerSample, ...]:
    """Return the samples of a text; an excerpt without a header counts as one."""
    parts = _HEADER.split(text)
    pairs = list(zip(parts[1::2], parts[2::2], strict=True)) or [("", parts[0])]
    found = (_sample(float(ms) / 1000 if ms else None, part) for ms, part in pairs)
    return tuple(sample for sample in found if sample != PowerSample(sample.seconds))


def _sample(seconds: float | None, text: str) -> PowerSample:
    active = _GPU_ACTIVE.search(text)
    return PowerSample(
        seconds=seconds,
        watts=_watts(text),
        clusters=_clusters(text),
        gpu_mhz=_whole(_GPU_CLOCK, text),
        gpu_max_mhz=_fastest(active[2]) if active else None,
        gpu_active_percent=float(active[1]) if active else None,
        thermal_pressure=pressure[1].lower()
        if (pressure := _PRESSURE.search(text))
        else None,
        battery_percent=_whole(r"^Battery: percent_charge: (\d+)", text),
        celsius={
            name.lower(): float(value)
            for name, value in re.findall(r"(CPU|GPU) die temperature: ([\d.]+)", text)
        },
        fan_rpm=_whole(r"^Fan: (\d+) rpm", text),
        system_mhz=_number(r"^System Average frequency .*\(([\d.]+) Mhz\)", text),
    )


def _watts(text: str) -> dict[str, float]:
    """Return power by domain; GPU Power is printed twice, the first sums up."""
    watts: dict[str, float] = {}
    for name, milliwatts in _POWER.findall(text):
        watts.setdefault(_POWERS[name], int(milliwatts) / 1000)
    if intel := _INTEL_POWER.search(text):
        watts["package"] = float(intel[1])
    return watts


def _clusters(text: str) -> tuple[Cluster, ...]:
    rows: dict[str, dict[str, Any]] = {}
    for name, what, value in _CLUSTER.findall(text):
        row = rows.setdefault(name, {})
        amount = _number(r"(-?[\d.]+)", value)
        if what == "HW active frequency":
            row["mhz"] = None if amount is None else int(amount)
        elif what == "HW active residency":
            row |= {"active_percent": amount, "max_mhz": _fastest(value)}
        elif what in {"idle residency", "down residency"}:
            row[f"{what.split()[0]}_percent"] = amount
        elif what == "Power" and amount is not None:
            row["watts"] = amount / 1000
    return tuple(Cluster(name, **row) for name, row in rows.items())


def _fastest(residencies: str) -> int | None:
    """Return the highest clock listed: the list is unsorted and repeats itself."""
    return max(map(int, re.findall(r"(\d+) MHz:", residencies)), default=None)


def _number(pattern: str, text: str) -> float | None:
    match = re.search(pattern, text, re.MULTILINE)
    return float(match[1]) if match else None


def _whole(pattern: str | re.Pattern[str], text: str) -> int | None:
    match = re.search(pattern, text, re.MULTILINE if isinstance(pattern, str) else 0)
    return int(match[1]) if match else None


def plists(raw: bytes) -> tuple[dict[str, Any], ...]:
    """Return the documents of a stream; the last one may be cut short."""
    documents = []
    for part in raw.split(b"\0"):
        try:
            documents.append(plistlib.loads(part.strip()))
        except (plistlib.InvalidFileException, ExpatError, ValueError):
            continue
    return tuple(document for document in documents if isinstance(document, dict))


def plist_sample(document: dict[str, Any]) -> PowerSample:
    """Return one document as a sample.

    Its ``gpu.freq_hz`` is in megahertz, ``*_power`` in milliwatts.
    """
    processor, gpu = document.get("processor", {}), document.get("gpu", {})
    names = ("cpu", "gpu", "ane", "combined", "package")
    powers = {name: processor.get(f"{name}_power") for name in names}
    clocks = [state["freq"] for state in gpu.get("dvfm_states", [])]
    pressure = document.get("thermal_pressure")
    return PowerSample(
        seconds=document["elapsed_ns"] / 1e9 if "elapsed_ns" in document else None,
        watts={k: v / 1000 for k, v in powers.items() if v is not None},
        gpu_mhz=round(gpu["freq_hz"]) if "freq_hz" in gpu else None,
        gpu_max_mhz=max(clocks, default=None),
        gpu_active_percent=100 * (1 - gpu["idle_ratio"])
        if "idle_ratio" in gpu
        else None,
        thermal_pressure=pressure.lower() if pressure else None,
        battery_percent=document.get("battery", {}).get("percent_charge"),
    )
