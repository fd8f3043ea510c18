"""NVIDIA's cards: what they are, how they are set, and the state they are in."""

import functools
import os
import re

import _ask
import _parse_nvidia as parse
from _machine_found import Facts, known

STATIC = (
    "driver",
    "cuda_version",
    "memory_bytes",
    "power_limit_watts",
    "power_limit_default_watts",
    "ecc",
    "mig",
    "mig_devices",
    "persistence",
    "vbios",
)


def cards() -> tuple[parse.Gpu, ...]:
    """Return the cards as nvidia-smi lists them, by PCI address."""
    return parse.xml(_ask.nvidia_xml()) or parse.query_csv(_ask.nvidia_csv())


@functools.cache
def installed() -> tuple[parse.Gpu, ...]:
    """Return the cards as first seen: what does not change while we run."""
    return cards()


def accelerators() -> list[Facts]:
    """Return the kinds of cards with their count, for the chip class."""
    kinds: dict[tuple[str, int | None], int] = {}
    for card in installed():
        if "name" in card:
            key = (card["name"], card.get("memory_bytes"))
            kinds[key] = kinds.get(key, 0) + 1
    return [
        known({"vendor": "NVIDIA", "name": name, "memory_bytes": size, "count": count})
        for (name, size), count in kinds.items()
    ]


def highest_clocks() -> dict[str, float]:
    """Return by name the clock in MHz beyond which no such card goes, where it says."""
    told = (card for card in installed() if {"name", "sm_clock_max_mhz"} <= card.keys())
    found: dict[str, float] = {}
    for card in told:
        name, clock = card["name"], card["sm_clock_max_mhz"]
        found[name] = max(clock, found.get(name, clock))
    return found


def devices() -> list[Facts]:
    """Return each card with its driver and limits; its UUID stays here."""
    return [
        known({"kind": "gpu", "vendor": "NVIDIA", "name": card.get("name")})
        | {name: card[name] for name in STATIC if name in card}
        for card in installed()
    ]


def visible(
    found: tuple[parse.Gpu, ...], asked: str | None, order: str | None = None
) -> tuple[parse.Gpu, ...]:
    """Return the cards that CUDA_VISIBLE_DEVICES leaves, where that can be told.

    CUDA counts from the fastest card, nvidia-smi by PCI address: numbers of unlike
    cards cannot be matched, and then all cards count.
    """
    if asked is None:
        return found
    names = {card.get("name") for card in found}
    numbered = re.fullmatch(r"\d+(,\d+)*", asked.replace(" ", ""))
    if numbered and (len(names) == 1 or order == "PCI_BUS_ID"):
        indices = map(int, asked.split(","))
        return tuple(found[i] for i in indices if i < len(found)) or found
    wanted = tuple(word.strip() for word in asked.split(",") if "GPU-" in word)
    matching = (card for card in found if card.get("uuid", "").startswith(wanted))
    return tuple(matching) if wanted else found


def conditions() -> Facts:
    """Return the state of the visible cards: the hottest, the slowest, the busiest."""
    asked = os.environ.get("CUDA_VISIBLE_DEVICES")
    found = visible(cards(), asked, os.environ.get("CUDA_DEVICE_ORDER"))
    return state(found, own={os.getpid(), os.getppid()}) if found else {}


def state(found: tuple[parse.Gpu, ...], own: set[int]) -> Facts:
    """Return one figure each for all cards; *own* processes are not others."""

    def every(name: str) -> list[float]:
        return [card[name] for card in found if name in card]

    reasons = [card["throttle_reasons"] for card in found if "throttle_reasons" in card]
    running = [card["processes"] for card in found if "processes" in card]
    others = {pid for pids in running for pid in pids} - own
    active = sorted({reason for group in reasons for reason in group})
    return known(
        {
            "gpu_count": len(found),
            "gpu_temperature_celsius": max(every("temperature_celsius"), default=None),
            "gpu_sm_clock_mhz": min(every("sm_clock_mhz"), default=None),
            "gpu_utilisation_percent": max(every("utilisation_percent"), default=None),
            "gpu_power_watts": sum(every("power_watts")) or None,
            "gpu_throttle_reasons": ("+".join(active) or "none") if reasons else None,
            "gpu_other_processes": len(others) if running else None,
        }
    )
