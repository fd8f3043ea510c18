"""The machine that a tool's file describes: processor, memory, cards, label."""

from collections.abc import Iterable
from typing import Any

import msgspec

from benchdb.exchange.lines import Chip, Machine
from benchdb.importing import building, naming
from benchdb.importing.tools.json_numbers import whole
from benchdb.importing.tools.texts import line

_VENDORS = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD", "HygonGenuine": "Hygon"}


class Told(msgspec.Struct, frozen=True):
    """What a file tells of a machine, as it tells it; ``None`` where it does not.

    *threads* are what it counts as processors, *vendor* what the processor says itself
    (``GenuineIntel``), *cards* names of GPUs, *missing* why something is not known.
    """

    processor: str | None = None
    vendor: str | None = None
    threads: object = None
    cores: object = None
    ram_bytes: object = None
    cards: Iterable[str] = ()
    label: str | None = None
    missing: dict[str, str] = {}


def machine(told: Told) -> Machine:
    """Return the machine; only chips of Apple have as many cores as threads."""
    chip = _chip(told)
    missing = dict(told.missing)
    if chip.name == "unknown":
        missing.setdefault("chip", "not in the file")
    cores, threads, ram = whole(told.cores), whole(told.threads), whole(told.ram_bytes)
    if cores is None and chip.vendor == "Apple":
        cores = threads
    elif cores is None and threads is not None:
        missing["cpu_cores"] = f"the file counts {threads} logical processors"
    if ram is None:
        missing.setdefault("ram_bytes", "not in the file")
    facts: dict[str, Any] = {"cpu_cores": cores, "ram_bytes": ram}
    known = {name: fact for name, fact in facts.items() if fact is not None}
    cards = naming.accelerators(map(line, told.cards))
    chip = msgspec.structs.replace(chip, accelerators=cards, **known)
    return building.unknown_machine(chip=chip, label=told.label, missing=missing)


def _chip(told: Told) -> Chip:
    found = naming.processor(line(told.processor or ""))
    vendor = _VENDORS.get(told.vendor or "")
    if found is None:
        return Chip(vendor=vendor or "unknown", name="unknown")
    if found.vendor == "unknown" and vendor:
        return Chip(vendor=vendor, name=found.name)
    return Chip(
        vendor=found.vendor,
        name=found.name,
        cpu_cores=found.cpu_cores,
        gpu_cores=found.gpu_cores,
    )
