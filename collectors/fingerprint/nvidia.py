"""NVIDIA's cards by nvidia-smi: what its forms mean, then the cards of this machine.

Every form gives the same plain facts of a GPU, with what is not known left out.
The XML changed its names between drivers: 510 and 525 say ``power_readings`` and
``clocks_throttle_reasons``, 535 and later ``gpu_power_readings`` and
``clocks_event_reasons``.
"""

import csv
import functools
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Any

from fingerprint import commands
from fingerprint.facts import Facts, cards_by_kind, known

Gpu = dict[str, Any]

_REASON = re.compile(r"clocks_(?:throttle|event)_reason_")
STATIC = (
    *("driver", "cuda_version", "memory_bytes", "power_limit_watts"),
    *("power_limit_default_watts", "ecc", "mig", "mig_devices", "persistence", "vbios"),
)


def printed_text(printed: str | None) -> str | None:
    """Return a text unless it is one of the ways to say that there is none."""
    text = (printed or "").strip()
    absent = {"", "n/a", "[n/a]", "[not supported]", "not supported", "[unknown error]"}
    gone = text.lower() in absent or "deprecated" in text.lower()
    return None if gone or text == "None" else text


def number(printed: str | None) -> float | None:
    """Return ``200.00 W`` or ``97 %`` as a number."""
    match = re.match(r"-?\d+(?:\.\d+)?", printed_text(printed) or "")
    return float(match[0]) if match else None


def switch(printed: str | None) -> bool | None:
    """Return whether something is Enabled or Disabled, or None for neither."""
    return {"Enabled": True, "Disabled": False}.get(printed_text(printed) or "")


def short_name(printed: str) -> str:
    """Return a GPU's name without its vendor, which older drivers left out."""
    return re.sub(r"^NVIDIA\s+", "", printed.strip())


def _value(fact: str, printed: str | None) -> Any:
    """Return a fact as its name says: in bytes, in whole degrees, as a text."""
    if fact in ("ecc", "mig", "persistence"):
        return switch(printed)
    value, unit = number(printed), fact.rpartition("_")[2]
    if unit == "bytes":
        return None if value is None else int(value) * 2**20
    if unit in ("celsius", "mhz", "percent"):
        return None if value is None else round(value)
    if unit == "watts":
        return value
    return printed_text(short_name(printed or "") if fact == "name" else printed)


_CSV = {  # column of --query-gpu: fact
    "name": "name",
    "driver_version": "driver",
    "memory.total": "memory_bytes",
    "power.limit": "power_limit_watts",
    "power.default_limit": "power_limit_default_watts",
    "vbios_version": "vbios",
    "ecc.mode.current": "ecc",
    "temperature.gpu": "temperature_celsius",
    "clocks.sm": "sm_clock_mhz",
    "clocks.current.sm": "sm_clock_mhz",
    "clocks.max.sm": "sm_clock_max_mhz",
    "utilization.gpu": "utilisation_percent",
}
_XML = (  # element of -q -x, and fact: of several that are there the first counts
    ("product_name", "name"),
    ("uuid", "uuid"),
    ("fb_memory_usage/total", "memory_bytes"),
    ("vbios_version", "vbios"),
    ("ecc_mode/current_ecc", "ecc"),
    ("mig_mode/current_mig", "mig"),
    ("persistence_mode", "persistence"),
    ("temperature/gpu_temp", "temperature_celsius"),
    ("clocks/sm_clock", "sm_clock_mhz"),
    ("max_clocks/sm_clock", "sm_clock_max_mhz"),
    ("utilization/gpu_util", "utilisation_percent"),
    *(
        (f"{readings}/{element}", fact)
        for readings in ("gpu_power_readings", "power_readings")
        for element, fact in (
            # A user's limit differs from the default.
            ("enforced_power_limit", "power_limit_watts"),
            ("current_power_limit", "power_limit_watts"),
            ("power_limit", "power_limit_watts"),
            ("default_power_limit", "power_limit_default_watts"),
            ("power_draw", "power_watts"),
            ("instant_power_draw", "power_watts"),
            ("average_power_draw", "power_watts"),
        )
    ),
)


def _facts(printed: Iterable[tuple[str, str | None]]) -> Gpu:
    """Return what is known of (fact, text), of several texts of a fact the first."""
    facts: Gpu = {}
    for fact, text in printed:
        value = _value(fact, text)
        if value is not None:
            facts.setdefault(fact, value)
    return facts


def xml(text: str | None) -> tuple[Gpu, ...]:
    """Return the GPUs of ``nvidia-smi -q -x``; none where it is no such document."""
    try:
        # Not a stranger's document: the output of the driver's own program.
        root = ET.fromstring(text or "")  # noqa: S314
    except ET.ParseError:
        return ()
    gpus = []
    for gpu in root.iter("gpu"):
        facts = {
            "mig_devices": len(gpu.findall("mig_devices/mig_device")) or None,
            "throttle_reasons": _throttle_reasons(gpu),
            "processes": _processes(gpu),
            "driver": printed_text(root.findtext("driver_version")),
            "cuda_version": printed_text(root.findtext("cuda_version")),
        }
        groups = {name: fact for name, fact in facts.items() if fact is not None}
        gpus.append(_facts((fact, gpu.findtext(path)) for path, fact in _XML) | groups)
    return tuple(gpus)


def _throttle_reasons(gpu: ET.Element) -> tuple[str, ...] | None:
    reasons = gpu.find("clocks_event_reasons")
    reasons = gpu.find("clocks_throttle_reasons") if reasons is None else reasons
    if reasons is None or not any(printed_text(r.text) for r in reasons):
        return None
    active = (
        _REASON.sub("", r.tag) for r in reasons if printed_text(r.text) == "Active"
    )
    return tuple(reason for reason in active if reason != "gpu_idle")


def _processes(gpu: ET.Element) -> tuple[int, ...] | None:
    """Return the ids of processes that compute; a desktop's windows only draw."""
    processes = gpu.find("processes")
    if processes is None or (processes.text or "").strip() == "N/A":
        return None
    items = processes.findall("process_info")
    pids = (number(p.findtext("pid")) for p in items if "C" in p.findtext("type", "C"))
    return tuple(int(pid) for pid in pids if pid is not None)


def query_csv(text: str | None) -> tuple[Gpu, ...]:
    """Return the GPUs of ``--query-gpu``, whose first line has the names."""
    lines = (text or "").splitlines() or [""]
    names, *rows = csv.reader(lines, skipinitialspace=True)
    keys = [_CSV.get(re.sub(r"\s*\[.*\]", "", name).strip()) for name in names]
    return tuple(
        _facts((key, entry) for key, entry in zip(keys, row, strict=True) if key)
        for row in rows
        if len(row) == len(keys)
    )


# What nvidia-smi says, were it only that it has no cards.
ask = functools.partial(commands.run, seconds=commands.SLOW_SECONDS)


def cards() -> tuple[Gpu, ...]:
    """Return the cards as nvidia-smi lists them, by PCI address."""
    return xml(ask(*commands.NVIDIA_XML)) or query_csv(ask(*commands.NVIDIA_CSV))


# The cards as first seen: what does not change while we run.
installed = functools.cache(cards)


def accelerators() -> list[Facts]:
    """Return the kinds of cards with their count, for the chip class."""
    return cards_by_kind(
        ("NVIDIA", card["name"], card.get("memory_bytes"))
        for card in installed()
        if "name" in card
    )


def highest_clocks() -> dict[str, float]:
    """Return by name the clock in MHz beyond which no such card goes, where it says."""
    clocks: dict[str, float] = {}
    for card in installed():
        if {"name", "sm_clock_max_mhz"} <= card.keys():
            name, clock = card["name"], card["sm_clock_max_mhz"]
            clocks[name] = max(clock, clocks.get(name, clock))
    return clocks


def devices() -> list[Facts]:
    """Return each card with its driver and limits; its UUID stays here."""
    return [
        known({"kind": "gpu", "vendor": "NVIDIA", "name": card.get("name")})
        | {name: card[name] for name in STATIC if name in card}
        for card in installed()
    ]


def visible(
    gpus: tuple[Gpu, ...], asked: str | None, order: str | None = None
) -> tuple[Gpu, ...]:
    """Return the cards that CUDA_VISIBLE_DEVICES leaves, where that can be told.

    CUDA counts from the fastest card, nvidia-smi by PCI address: numbers of unlike
    cards cannot be matched, and then all cards count.
    """
    if asked is None:
        return gpus
    names = {card.get("name") for card in gpus}
    numbered = re.fullmatch(r"\d+(,\d+)*", asked.replace(" ", ""))
    if numbered and (len(names) == 1 or order == "PCI_BUS_ID"):
        indices = map(int, asked.split(","))
        return tuple(gpus[i] for i in indices if i < len(gpus)) or gpus
    wanted = tuple(word.strip() for word in asked.split(",") if "GPU-" in word)
    matching = (card for card in gpus if card.get("uuid", "").startswith(wanted))
    return tuple(matching) if wanted else gpus


def conditions() -> Facts:
    """Return the state of the visible cards: the hottest, the slowest, the busiest."""
    asked = os.environ.get("CUDA_VISIBLE_DEVICES")
    groups = visible(cards(), asked, os.environ.get("CUDA_DEVICE_ORDER"))
    return state(groups, own={os.getpid(), os.getppid()}) if groups else {}


def state(gpus: tuple[Gpu, ...], own: set[int]) -> Facts:
    """Return one figure each for all cards; *own* processes are not others."""

    def every(name: str) -> list[float]:
        return [card[name] for card in gpus if name in card]

    reasons = [card["throttle_reasons"] for card in gpus if "throttle_reasons" in card]
    running = [card["processes"] for card in gpus if "processes" in card]
    others = {pid for pids in running for pid in pids} - own
    active = sorted({reason for group in reasons for reason in group})
    return known(
        {
            "gpu_count": len(gpus),
            "gpu_temperature_celsius": max(every("temperature_celsius"), default=None),
            "gpu_sm_clock_mhz": min(every("sm_clock_mhz"), default=None),
            "gpu_utilisation_percent": max(every("utilisation_percent"), default=None),
            "gpu_power_watts": sum(every("power_watts")) or None,
            "gpu_throttle_reasons": ("+".join(active) or "none") if reasons else None,
            "gpu_other_processes": len(others) if running else None,
        }
    )
