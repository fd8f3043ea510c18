"""What the GPU of a run can do at most, by the catalogue of chips."""

import re
from collections.abc import Callable
from functools import lru_cache

import msgspec

from benchdb.chips import Chip, chips, find
from benchdb.plausibility.observed import Observed

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
    mode: str = "any"

    def passed_by(self, rate: float) -> bool:
        """Tell whether *rate* is more than the chip can do."""
        return rate > self.rate * self.slack


def compute(run: Observed, precision: str | None) -> Ceiling | None:
    """Return the most FLOP/s in *precision*; where it is None, in any of 16 bits.

    Return None where the chip or that rate is not known. Work in fewer bits says so.
    """
    return _compute(_hardware(run), precision)


def bandwidth(run: Observed) -> Ceiling | None:
    """Return the most bytes a second that the memory moves, or None if not known."""
    return _bandwidth(_hardware(run))


def shared(run: Observed) -> bool:
    """Tell whether several GPUs or machines may have shared the work."""
    return any(
        isinstance(value, int) and value > 1
        for name, value in run.parameters.items()
        if _SEVERAL.search(name) and not _OF_ONE.search(name)
    )


class _Hardware(msgspec.Struct, frozen=True):
    """What decides the ceilings; *cards* are as many as compute together."""

    device: str
    vendor: str
    name: str
    gpu_cores: int | None
    cards: int


def _hardware(run: Observed) -> _Hardware:
    cards = run.accelerators if run.device == "cuda" else ()
    name = run.chip_name
    if run.device == "cuda":
        name = cards[0] if len(set(cards)) == 1 else run.device_name or name
    many = max(len(cards), 1)
    return _Hardware(run.device, run.chip_vendor, name, run.gpu_cores, many)


@lru_cache(maxsize=1024)
def _compute(hardware: _Hardware, precision: str | None) -> Ceiling | None:
    return _widest(hardware, lambda chip: _flops(chip, precision), precision or "any")


@lru_cache(maxsize=1024)
def _bandwidth(hardware: _Hardware) -> Ceiling | None:
    return _widest(hardware, lambda chip: chip.memory_bandwidth_bytes_per_second)


def _widest(
    hardware: _Hardware, rate: Callable[[Chip], float | None], mode: str = "any"
) -> Ceiling | None:
    """Return the highest ceiling of the chips that may be meant, if all have one."""
    found = [(rate(chip), chip) for chip in _candidates(hardware)]
    known = [(most, chip) for most, chip in found if most is not None]
    if not known or len(known) < len(found):
        return None
    most, chip = max(known, key=lambda one: one[0])
    sure = hardware.device == "metal" and chip.confidence == "high"
    slack = _EXACT if sure else BOOST
    return Ceiling(_title(chip), most * hardware.cards, slack, mode)


def _candidates(hardware: _Hardware) -> list[Chip]:
    """Return the chips that may be meant: those that bear all words of the name."""
    vendor = _VENDORS.get(hardware.device)
    if vendor == "Apple" and hardware.vendor == vendor:
        known = find(vendor, hardware.name, hardware.gpu_cores)
        known = known or find(vendor, hardware.name)
        return [known] if known else []
    wanted = _words(hardware.name) - {"nvidia"}
    if vendor != "NVIDIA" or not any(re.search(r"\d", word) for word in wanted):
        return []
    cards = [chip for chip in chips() if chip.vendor == vendor]
    return [chip for chip in cards if wanted <= _words(chip.name)]


def _words(name: str) -> set[str]:
    return set(re.split(r"[\s-]+", name.casefold().strip()))


def _flops(chip: Chip, precision: str | None) -> float | None:
    rates = {mode: peak.flops_per_second for mode, peak in chip.peaks.items()}
    fp32 = rates.get("fp32")
    sixteen = rates.keys() & _SIXTEEN_BITS
    match precision:
        case "fp32" | "tf32" if fp32 is not None:
            # On the newer cards, tf32 is what frameworks may do for fp32.
            return max(fp32, rates.get("tf32", 0.0))
        case "fp64" | "fp8":
            return rates.get(precision)
        case None | "fp16" | "bf16" | "mixed" | "fp16-mixed" | "bf16-mixed":
            if sixteen:
                return max(rates.get(mode, 0.0) for mode in (*_SIXTEEN_BITS, *_WIDER))
            if fp32 is not None and _WITHOUT_MATRIX_UNITS.match(chip.name):
                return _AT_MOST_TWICE * fp32
    return None


def _title(chip: Chip) -> str:
    return f"{chip.name}, {chip.gpu_cores} GPU cores" if chip.gpu_cores else chip.name
