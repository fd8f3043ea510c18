"""What a chip can do at most: the bound that no honest measurement passes."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from harness.cells import CATALOGUE

CHIPS = CATALOGUE / "chips.json"
_VENDORS = {"cuda": "NVIDIA", "metal": "Apple"}


@dataclass(frozen=True)
class Peak:
    """Dense peak rates of one chip; *clock_mhz* is what a rate by formula assumes."""

    flops_per_second: float | None
    bytes_per_second: float | None
    clock_mhz: float | None = None

    def boosted(self, clock_mhz: float | None) -> float | None:
        """Return the FLOP/s of a card that goes up to *clock_mhz*.

        GeForce cards boost far beyond the clock that their rates are stated for.
        """
        rate, usual = self.flops_per_second, self.clock_mhz
        if rate is None or usual is None or clock_mhz is None:
            return rate
        return rate * max(1.0, clock_mhz / usual)


def peak(
    device: str, device_name: str | None, gpu_cores: int | None, precision: str
) -> Peak | None:
    """Return the peaks of the GPU of this name, or None where none are known.

    *device* is cuda or metal, *precision* the math mode in effect. Where the number of
    GPU cores is not known it is the largest chip of the name, so that no measurement
    is called impossible wrongly.
    """
    variants = _variants(device, device_name, gpu_cores)
    if not variants:
        return None
    chip = max(variants, key=lambda one: one.get("gpu_cores", 0))
    rate = chip["peaks"].get(precision)
    bandwidth = chip.get("memory_bandwidth_bytes_per_second")
    if rate is None and bandwidth is None:
        return None
    return Peak(
        flops_per_second=rate and float(rate["flops_per_second"]),
        bytes_per_second=bandwidth and float(bandwidth),
        clock_mhz=chip.get("gpu_clock_mhz"),
    )


def why_unknown(
    device: str,
    device_name: str | None,
    precision: str | None = None,
    gpu_cores: int | None = None,
) -> str:
    """Return why no peak is known: of *precision*, or without one of the memory."""
    if device not in _VENDORS:
        # Clocks vary by core, load and heat; caches outrun the memory.
        return "what a CPU can do at most follows from nothing that it reports"
    if device_name is None:
        return "the name of the GPU is not known"
    variants = _variants(device, device_name, gpu_cores)
    if not variants:
        cores = (
            f" with {gpu_cores} GPU cores" if device == "metal" and gpu_cores else ""
        )
        return f"the catalogue of chips has no {device_name}{cores}"
    wanted = f"{precision} rate" if precision else "memory bandwidth"
    return f"the catalogue of chips has no {wanted} of {_short(device, device_name)}"


def _variants(
    device: str, device_name: str | None, gpu_cores: int | None
) -> list[dict[str, Any]]:
    if device not in _VENDORS or device_name is None:
        return []
    vendor, name = _VENDORS[device], _short(device, device_name)
    named = [c for c in _chips() if c["vendor"] == vendor and c["name"] == name]
    if gpu_cores is None or device == "cuda":
        return named
    return [chip for chip in named if chip.get("gpu_cores") == gpu_cores]


def _short(device: str, device_name: str) -> str:
    """Return the name as our fingerprint gives it: without vendor, and whether real."""
    bare = device_name.strip().removeprefix(f"{_VENDORS[device]} ")
    return bare.removesuffix(" (Virtual)")


@cache
def _chips() -> list[dict[str, Any]]:
    chips: list[dict[str, Any]] = json.loads(CHIPS.read_text(encoding="utf-8"))
    return chips
