"""What the Phoronix Test Suite tells of a system, in two lines of words."""

import re
from collections.abc import Mapping
from typing import Any

from benchdb.exchange.lines import Environment, Machine
from benchdb.importing.tools.processors import Told, machine
from benchdb.importing.tools.texts import line, words

_NEXT = re.compile(r", (?=[A-Z][\w /+-]{1,30}: )")
_CORES = re.compile(r"\((\d{1,5}) Cores?(?: / (\d{1,5}) Threads?)?\)")
# How many of it, and of its cores.
_COUNTS = re.compile(r"^\d{1,3} x | \d{1,3}-Core\b")
_MEMORY = re.compile(r"(?:(\d{1,3}) x )?(\d{1,7}) ?([GM])B\b")
_KERNEL = re.compile(r"(\S{1,100}) \((\w{1,20})\)")
_RELEASE = re.compile(r"(.{1,80}?) (\d[\w.]{0,30})")
# What a card is called, without its memory and its clocks.
_CARD = re.compile(r"(.{1,100}?)(?: \d{1,4}[GM]B)?(?: \(.{0,100}\))?")
_BYTES = {"G": 2**30, "M": 2**20}


def parts(told: str) -> dict[str, str]:
    """Return ``Processor: …, Memory: …`` by name."""
    found = (one.partition(": ") for one in _NEXT.split(line(told)))
    return {name: fact.strip() for name, _, fact in found if fact.strip()}


def described(hardware: Mapping[str, str], label: str) -> Machine:
    """Return the machine with the hardware that is told."""
    processor = hardware.get("Processor", "")
    cores = _CORES.search(processor)
    card = _CARD.fullmatch(hardware.get("Graphics", ""))
    return machine(
        Told(
            processor=_COUNTS.sub("", _CORES.sub("", processor)),
            cores=cores[1] if cores else None,
            ram_bytes=_ram(hardware.get("Memory", "")),
            cards=[card[1]] if card else [],
            label=label,
        )
    )


def _ram(told: str) -> int | None:
    found = _MEMORY.match(told)
    if not found:
        return None
    return int(found[1] or 1) * int(found[2]) * _BYTES[found[3]]


def environment(
    software: Mapping[str, str], hardware: Mapping[str, str], version: str
) -> Environment:
    """Return the software that is told, and what else is in the machine."""
    release = _RELEASE.fullmatch(software.get("OS", ""))
    kernel = _KERNEL.fullmatch(software.get("Kernel", ""))
    system: dict[str, Any] = {}
    if release:
        system = {"os_name": release[1], "os_version": release[2]}
    elif "OS" in software:
        system = {"os_name": software["OS"]}
    rest = {k: one for k, one in software.items() if k not in {"OS", "Kernel"}}
    shown = {
        k: one
        for k, one in hardware.items()
        if k not in {"Processor", "Memory", "Monitor", "Network", "Audio"}
    }
    return Environment(
        key="-",
        kernel=kernel[1] if kernel else software.get("Kernel"),
        architecture=kernel[2] if kernel else None,
        framework_version=version or None,
        variables=words(rest, "Software.") | words(shown, "Hardware."),
        missing={} if system else {"os_name": "not in the file"},
        **system,
    )
