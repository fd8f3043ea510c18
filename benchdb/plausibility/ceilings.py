"""The most that a chip does: operations or bytes a second, from the catalogue."""

import re
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import Chip, chips, find_chip
from benchdb.plausibility.figures import rounded
from benchdb.plausibility.observed import Doubt, Observed

_SIXTEEN_BITS = ("fp16", "bf16")
_WIDER = ("fp64", "fp32", "tf32")  # what 16-bit work may do in part
# Since M5 their GPUs have matrix units, whose rates no catalogue has.
_WITHOUT_MATRIX_UNITS = re.compile(r"M[1-4]\b")
_AT_MOST_TWICE = 2.0  # of the 32-bit rate, on GPUs without matrix units
# Cards boost beyond the clock that a rate by formula assumes; Apple's do not.
BOOST = 1.2
_EXACT = 1.05
_SEVERAL = re.compile(r"gpu|device|node|rank|world|worker|parallel|replica", re.I)
_OF_ONE = re.compile(r"layer|loader|core|mem|clock|mhz|power", re.I)
_VENDORS = {"cuda": "NVIDIA", "metal": "Apple"}


class Ceiling(msgspec.Struct, frozen=True):
    """A rate that no honest figure passes, *slack* above what the chip is sold with.

    *mode* is the math mode that it holds for, ``any`` for what none is named for.
    """

    chip: str
    rate: float
    slack: float
    mode: str

    def doubt(self, metric: str, stated: float, unit: float) -> Doubt:
        """Return the facts of a figure above it, in multiples of *unit*."""
        facts = {"stated": stated, "peak": rounded(self.rate / unit)}
        return metric, {**facts, "chip": self.chip, "mode": self.mode}


def ceiling(
    run: Observed, precision: str | None, *, memory: bool = False
) -> Ceiling | None:
    """Return the most FLOP/s in *precision*; where it is None, in any of 16 bits.

    Of *memory* the most bytes a second. Return None where the chip or its rate is not
    known. Several cards compute together.
    """
    cards = run.accelerators if run.device == "cuda" else ()
    name = run.chip_name
    if run.device == "cuda":
        name = cards[0] if len(set(cards)) == 1 else run.device_name or name
    chip = (run.device, run.chip_vendor, name, run.gpu_cores)
    most = _highest(*chip, precision, memory=memory)
    return most and replace(most, rate=most.rate * max(len(cards), 1))


@lru_cache(maxsize=1024)
def _highest(
    device: str,
    vendor: str,
    name: str,
    gpu_cores: int | None,
    precision: str | None,
    *,
    memory: bool,
) -> Ceiling | None:
    """Return the highest ceiling of the chips that may be meant, if all have one."""
    candidates = _candidates(device, vendor, name, gpu_cores)
    rates = [
        chip.memory_bandwidth_bytes_per_second if memory else _flops(chip, precision)
        for chip in candidates
    ]
    known = [rate for rate in rates if rate is not None]
    if not known or len(known) < len(rates):
        return None
    chip = candidates[known.index(max(known))]
    exact = device == "metal" and chip.confidence == "high"
    cores = f", {chip.gpu_cores} GPU cores" if chip.gpu_cores else ""
    slack, mode = _EXACT if exact else BOOST, precision or "any"
    return Ceiling(f"{chip.name}{cores}", max(known), slack, mode)


def _candidates(
    device: str, vendor: str, name: str, gpu_cores: int | None
) -> list[Chip]:
    """Return the chips that may be meant: those that bear all words of the name."""
    maker = _VENDORS.get(device)
    if maker == "Apple" and vendor == maker:
        known = find_chip(maker, name, gpu_cores) or find_chip(maker, name)
        return [known] if known else []
    wanted = _words(name) - {"nvidia"}
    if maker != "NVIDIA" or not any(re.search(r"\d", word) for word in wanted):
        return []
    cards = (chip for chip in chips() if chip.vendor == maker)
    return [chip for chip in cards if wanted <= _words(chip.name)]


def _words(name: str) -> set[str]:
    return set(re.split(r"[\s-]+", name.casefold().strip()))


def _flops(chip: Chip, precision: str | None) -> float | None:
    rates = {mode: peak.flops_per_second for mode, peak in chip.peaks.items()}
    fp32 = rates.get("fp32")
    sixteen = rates.keys() & _SIXTEEN_BITS
    match precision:
        case "fp32" if fp32 is not None:
            # On the newer cards, tf32 is what frameworks may do for fp32.
            return max(fp32, rates.get("tf32", 0.0))
        case "fp64" | "fp8" | "tf32":
            return rates.get(precision)
        case None | "fp16" | "bf16" | "mixed" | "fp16-mixed" | "bf16-mixed":
            if sixteen:
                return max(rates.get(mode, 0.0) for mode in (*_SIXTEEN_BITS, *_WIDER))
            if fp32 is not None and _WITHOUT_MATRIX_UNITS.match(chip.name):
                return _AT_MOST_TWICE * fp32
    return None


def is_shared(run: Observed) -> bool:
    """Tell whether several GPUs or machines may have shared the work."""
    return any(
        isinstance(value, int) and value > 1
        for name, value in run.parameters.items()
        if _SEVERAL.search(name) and not _OF_ONE.search(name)
    )
