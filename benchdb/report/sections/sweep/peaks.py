"""The peak of the chip at work in one precision, where the catalogue is sure of it."""

import re
from collections.abc import Sequence

from benchdb.catalogue import Chip, chips
from benchdb.catalogue import Peak as Rate
from benchdb.report.sections.sweep import Peak
from benchdb.report.systems import Place, chip_at_work, tidy

_TERA = 1e12
# The catalogue has the rates of GPUs, none of processors.
_VENDORS = {"metal": "Apple", "cuda": "NVIDIA"}
_SURE = ("high", "medium")


def peak(place: Place, gpu_cores: int | None, precision: str | None) -> Peak | None:
    """Return the most that one chip at *place* does; None where nobody is sure."""
    vendor = _VENDORS.get(place.device)
    if vendor is None or precision is None:
        return None
    name = place.chip if vendor == "Apple" else chip_at_work(place)
    return highest(_meant(vendor, name, gpu_cores), precision)


def highest(variants: Sequence[Chip], precision: str) -> Peak | None:
    """Return the peak of the largest of the *variants* that a name may mean.

    One whose rate nobody is sure of leaves the peak open: it may be that one.
    """
    known = [(one.peaks[precision], one) for one in variants if precision in one.peaks]
    sure = all(rate.confidence in _SURE for rate, _ in known)
    if not known or len(known) < len(variants) or not sure:
        return None
    most, chip = max(known, key=lambda pair: pair[0].flops_per_second)
    return Peak(
        teraflops=most.flops_per_second / _TERA,
        chip=tidy(chip.name),
        basis=most.basis,
        confidence=most.confidence,
        largest=len({rate.flops_per_second for rate, _ in known}) > 1,
        # The lanes of a GPU run at its clock; units for products may have another.
        clock_mhz=most.clock_mhz or (chip.gpu_clock_mhz if _by_lanes(most) else None),
    )


def _by_lanes(rate: Rate) -> bool:
    return "ALUs" in rate.basis


def _meant(vendor: str, name: str, gpu_cores: int | None) -> list[Chip]:
    """Return the chips that bear all words of *name*, or just these."""
    wanted = _words(name)
    ours = [chip for chip in chips() if chip.vendor == vendor]
    alike = [chip for chip in ours if wanted == _words(chip.name)]
    if not alike and vendor != "Apple" and any(re.search(r"\d", w) for w in wanted):
        alike = [chip for chip in ours if wanted <= _words(chip.name)]
    exact = [chip for chip in alike if gpu_cores in (None, chip.gpu_cores)]
    return exact or alike


def _words(name: str) -> set[str]:
    bare = tidy(name.removesuffix(" (Virtual)"))
    return set(re.split(r"[\s-]+", bare.casefold()))
