"""What a machine cannot be: its devices, its memory, its system, its names.

impossible-device is a kind of device that the machine cannot have; impossible-memory
more than its chip was ever sold with; impossible-os a macOS older than the first that
ran on the chip; contradicting-names a run whose chip and device cannot be the same
machine's; unknown-chip a variant that the catalogue lacks in a generation that it has.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from benchdb.catalogue import chips, find_chip
from benchdb.plausibility.figures import figure
from benchdb.plausibility.observed import Doubt, Observed

# Macs have had GPUs of these, and what is unknown may be any.
_METAL = frozenset({"apple", "intel", "amd", "unknown", ""})
_NO_MACOS = (
    *("linux", "ubuntu", "debian", "fedora", "centos", "red hat", "rhel", "rocky"),
    *("almalinux", "arch", "alpine", "opensuse", "windows", "freebsd", "android"),
)


def impossible_device(run: Observed) -> Iterator[Doubt]:
    """Doubt runs by CUDA on Apple silicon, and by Metal where there is none.

    An Apple machine with a discrete GPU (in a case of its own) may have CUDA.
    """
    vendor, system = run.chip_vendor.casefold(), (run.os_name or "").casefold()
    cuda = run.device == "cuda" and vendor == "apple" and not run.accelerators
    other = vendor not in _METAL or system.startswith(_NO_MACOS)
    if cuda or (run.device == "metal" and other):
        facts = {"device": run.device, "chip": run.chip_name}
        if run.os_name is not None and not cuda:
            facts["os_name"] = run.os_name
        yield None, facts


_MACOS = frozenset({"macos", "mac os", "mac os x", "macosx", "os x", "osx"})
# The first release that each chip ran, or where that is not certain the major release
# of its time. Chips that are not here are not judged.
_OF_RELEASES = {
    (11, 0): ("M1",),
    (12, 0): ("M1 Pro", "M1 Max"),
    (12, 3): ("M1 Ultra",),
    (12, 4): ("M2",),
    (13, 0): ("M2 Pro", "M2 Max", "M3", "M3 Pro", "M3 Max"),
    (13, 4): ("M2 Ultra",),
    (15, 0): ("M3 Ultra", "M4", "M4 Pro", "M4 Max"),
    (26, 0): ("M5", "M5 Pro", "M5 Max"),
}
_FIRST = {name: first for first, names in _OF_RELEASES.items() for name in names}
# What macOS 11 and later call themselves to programs built for older releases.
_IN_DISGUISE = (10, 16)
_ANY = 10**6
_ROUNDED = 1.1  # who reads 16 GB as decimal or binary is off by less
_VERSION = re.compile(r"\s*(?:mac ?os(?: x)? )?(\d{1,4})(?:\.(\d{1,4}))?(?!\d)", re.I)


def impossible_system(run: Observed) -> Iterator[Doubt]:
    """Doubt runs on a Mac whose macOS cannot start there."""
    if run.chip_vendor != "Apple" or (run.os_name or "").casefold() not in _MACOS:
        return
    chip = run.chip_name.strip().removeprefix("Apple ").removesuffix(" (Virtual)")
    first, version = _FIRST.get(chip), _VERSION.match(run.os_version or "")
    if first and version:
        # A lone 12 may be any release of that year.
        stated = int(version[1]), int(version[2] or _ANY)
        if stated != _IN_DISGUISE and stated < first:
            oldest = ".".join(map(str, first))
            yield None, {"chip": chip, "os_version": run.os_version, "first": oldest}


_GIB = 2**30


def impossible_memory(run: Observed) -> Iterator[Doubt]:
    """Doubt what others say of Macs: more memory than their chip was sold with.

    Where the catalogue is sure of it, the GPU's cores tell the variant of the chip.
    """
    if run.chip_vendor != "Apple" or run.label == "measured" or not run.ram_bytes:
        return
    name = run.chip_name
    every = (find_chip("Apple", name, cores) for cores in _gpu_sizes(name))
    most = max((chip.max_memory_gb or 0 for chip in every if chip), default=0)
    own = find_chip("Apple", name, run.gpu_cores) if run.gpu_cores else None
    if own is not None and own.confidence == "high" and own.max_memory_gb:
        most = own.max_memory_gb
    if most and run.ram_bytes > most * _GIB * _ROUNDED:
        facts = {
            "chip": own.name if own else name,
            "memory": figure(run.ram_bytes / _GIB),
        }
        yield None, {**facts, "most": most}


@lru_cache(maxsize=1024)
def _gpu_sizes(name: str) -> tuple[int | None, ...]:
    bare = name.strip().removeprefix("Apple ").removesuffix(" (Virtual)")
    return tuple(chip.gpu_cores for chip in chips() if chip.name == bare)


_APPLE = re.compile(r"(?:apple )?m(\d{1,3})(?: (pro|max|ultra))?", re.I)
_NVIDIA = re.compile(r"nvidia|geforce|quadro|tesla|\b[rg]tx\b", re.I)
_MODEL = re.compile(r"[a-z]*\d+[a-z]*", re.I)
_OF_MEMORY = re.compile(r"\d+g(b|ib)?", re.I)


def contradicting_names(run: Observed) -> Iterator[Doubt]:
    """Doubt runs whose device is none of the machine that they name.

    The collectors ask the system for the one and the framework for the other. A name
    that is no chip of Apple's or NVIDIA's is not judged.
    """
    machine = run.chip_vendor, run.chip_name, run.accelerators
    if run.device_name and _contradict(*machine, run.device, run.device_name):
        cards = run.accelerators if run.device == "cuda" else ()
        chip = cards[0] if cards else run.chip_name
        yield None, {"chip": chip, "device_name": run.device_name}


@lru_cache(maxsize=1024)  # there are fewer machines than runs
def _contradict(
    vendor: str, chip: str, cards: tuple[str, ...], device: str, device_name: str
) -> bool:
    named = _apple(device_name)
    if device == "cuda":
        # No card of the machine has a model number of the device.
        models, there = _models(device_name), [_models(card) for card in cards]
        other = all(card and not card & models for card in there)
        return named is not None or (bool(models and there) and other)
    if device not in ("metal", "cpu") or vendor != "Apple":
        return False
    own = _apple(chip)
    if named is None or own is None:
        return _NVIDIA.search(device_name) is not None
    return named != own


def _models(name: str) -> set[str]:
    """Return the words of the name of a card that are model numbers."""
    words = re.split(r"[\s_-]+", name.casefold())
    return {w for w in words if _MODEL.fullmatch(w) and not _OF_MEMORY.fullmatch(w)}


def unknown_chip(run: Observed) -> Iterator[Doubt]:
    """Doubt runs on a variant of Apple's chips that the catalogue does not have.

    A generation that it does not have may be newer than the catalogue.
    """
    if run.chip_vendor == "Apple" and (known := _beside(run.chip_name)):
        yield None, {"chip": run.chip_name, "known": known}


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
    match = _APPLE.fullmatch(bare) or _APPLE.fullmatch(bare.removesuffix(" GPU"))
    return None if match is None else (match[1], (match[2] or "").lower())
