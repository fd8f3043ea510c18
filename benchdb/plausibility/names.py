"""Names that contradict each other, and chips of Apple's that were never made.

contradicting-names is a run whose chip and device cannot be the same machine's;
unknown-chip is a variant that the catalogue lacks in a generation that it has.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from benchdb.chips import chips
from benchdb.plausibility.observed import Finding, Observed

CONTRADICTING, UNKNOWN = "contradicting-names", "unknown-chip"
_APPLE = re.compile(r"(?:apple )?m(\d{1,3})(?: (pro|max|ultra))?", re.I)
_NVIDIA = re.compile(r"nvidia|geforce|quadro|tesla|\b[rg]tx\b", re.I)
_MODEL = re.compile(r"[a-z]*\d+[a-z]*", re.I)
_OF_MEMORY = re.compile(r"\d+g(b|ib)?", re.I)


def contradicting(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield runs whose device is none of the machine that they name.

    The collectors ask the system for the one and the framework for the other. A name
    that is no chip of Apple's or NVIDIA's is not judged.
    """
    for run in runs:
        machine = run.chip_vendor, run.chip_name, run.accelerators
        if run.device_name and _contradict(*machine, run.device, run.device_name):
            facts = {"chip": run.chip_name, "device_name": run.device_name}
            if run.device == "cuda" and run.accelerators:
                facts["chip"] = run.accelerators[0]
            yield Finding(run.run, CONTRADICTING, None, facts)


@lru_cache(maxsize=1024)  # there are fewer machines than runs
def _contradict(
    vendor: str, chip: str, cards: tuple[str, ...], device: str, device_name: str
) -> bool:
    named = _apple(device_name)
    if device == "cuda":
        return named is not None or _another_card(device_name, cards)
    if device not in ("metal", "cpu") or vendor != "Apple":
        return False
    own = _apple(chip)
    if named is None or own is None:
        return _NVIDIA.search(device_name) is not None
    return named != own


def _another_card(device_name: str, cards: tuple[str, ...]) -> bool:
    """Tell whether no card of the machine has a model number of *device_name*."""
    named = _models(device_name)
    there = [_models(card) for card in cards]
    return (
        bool(named)
        and bool(there)
        and all(models and not models & named for models in there)
    )


def _models(name: str) -> set[str]:
    words = re.split(r"[\s_-]+", name.casefold())
    return {
        word
        for word in words
        if _MODEL.fullmatch(word) and not _OF_MEMORY.fullmatch(word)
    }


def unknown(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield runs on a variant of Apple's chips that the catalogue does not have.

    A generation that it does not have may be newer than the catalogue.
    """
    for run in runs:
        if run.chip_vendor == "Apple" and (known := _beside(run.chip_name)):
            facts = {"chip": run.chip_name, "known": known}
            yield Finding(run.run, UNKNOWN, None, facts)


@lru_cache(maxsize=1024)
def _beside(name: str) -> str | None:
    """Return the chips of the generation of *name*, if *name* is none of them."""
    own = _apple(name)
    if own is None:
        return None
    generation = {
        _apple(chip.name): chip.name
        for chip in chips()
        if chip.vendor == "Apple" and (_apple(chip.name) or ("",))[0] == own[0]
    }
    return None if own in generation else ", ".join(generation.values()) or None


@lru_cache(maxsize=1024)
def _apple(name: str) -> tuple[str, str] | None:
    """Return generation and variant of a chip of Apple's, as ``("4", "max")``."""
    bare = name.strip().removesuffix(" (Virtual)")
    found = _APPLE.fullmatch(bare) or _APPLE.fullmatch(bare.removesuffix(" GPU"))
    return None if found is None else (found[1], (found[2] or "").lower())
