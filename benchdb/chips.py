"""The catalogue of chips in ``schema/``: cores, memory bandwidth and peak rates."""

import json
from functools import cache
from typing import Any, Literal

import msgspec

from benchdb.resources import folder

Confidence = Literal["high", "medium", "low"]


class Peak(msgspec.Struct, frozen=True):
    """The most that a chip computes in one math mode, without sparsity.

    *clock_mhz* is the clock that it is of, where that is not the chip's own.
    """

    flops_per_second: float
    basis: str
    confidence: Confidence
    clock_mhz: int | None = None


class Chip(msgspec.Struct, frozen=True):
    """A chip, or a variant of it; what is not known is ``None`` or left out.

    *cpu_levels* are the cores of each tier, fastest first. *peaks* go by math mode.
    *max_memory_gb* is the most that was sold with it.
    """

    vendor: str
    name: str
    kind: Literal["soc", "gpu"]
    confidence: Confidence
    cpu_cores: int | None = None
    cpu_levels: dict[str, int] = {}
    gpu_cores: int | None = None
    gpu_alus: int | None = None
    gpu_clock_mhz: int | None = None
    max_memory_gb: int | None = None
    memory_bandwidth_bytes_per_second: float | None = None
    peaks: dict[str, Peak] = {}


@cache
def chips() -> tuple[Chip, ...]:
    """Return the chips, in the order of the catalogue."""
    path = folder("collectors") / "catalogue" / "chips.json"
    return tuple(map(_chip, json.loads(path.read_text(encoding="utf-8"))))


def find(vendor: str, name: str, gpu_cores: int | None = None) -> Chip | None:
    """Return the chip that a machine names so; with its vendor's name or without.

    Where *gpu_cores* is not known it is the largest variant: a share of its peak is
    then too small, never too large. Its CPU cores may be another variant's.
    """
    bare = name.strip().removeprefix(f"{vendor} ").removesuffix(" (Virtual)")
    variants = [
        chip
        for chip in chips()
        if (chip.vendor, chip.name) == (vendor, bare)
        and gpu_cores in (None, chip.gpu_cores)
    ]
    return max(variants, key=_size, default=None)


def _size(chip: Chip) -> tuple[int, int]:
    return chip.gpu_cores or 0, chip.cpu_cores or 0


def _chip(facts: dict[str, Any]) -> Chip:
    peaks = {mode: Peak(**peak) for mode, peak in facts["peaks"].items()}
    return Chip(**facts | {"peaks": peaks})
