"""Names of chips of Macs: their generations, and how tools write them."""

import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from benchdb import catalogue

TIERS = ("", "Pro", "Max", "Ultra")
_GENERATION = re.compile(r"(M\d+)(?: (Pro|Max|Ultra))?")
# A tool that writes the cores of a chip behind its name.
_CORES = re.compile(r" \d+P\+\d+E\+\d+GPU$")


class Mac(msgspec.Struct, frozen=True):
    """A chip of Macs: its *generation*, M1 and so on, and its *tier*."""

    name: str
    generation: str
    tier: str

    @property
    def order(self) -> tuple[int, int]:
        """Return what sorts it by age and size."""
        return int(self.generation[1:]), TIERS.index(self.tier)


@lru_cache
def macs() -> Mapping[str, Mac]:
    """Return the chips of Macs that the catalogue knows, by name, the oldest first."""
    result = {}
    for chip in catalogue.chips():
        match = _GENERATION.fullmatch(chip.name)
        if match and chip.vendor == "Apple":
            result[chip.name] = Mac(chip.name, match[1], match[2] or "")
    return dict(sorted(result.items(), key=lambda it: it[1].order))


@lru_cache(maxsize=4096)
def plain_chip(name: str) -> str:
    """Return the name of a chip without the cores that a tool writes behind it."""
    return _CORES.sub("", name)


def measuring(chip: str | None) -> str:
    """Return the command that measures *chip*, or any Mac without one."""
    is_mac = chip is None or chip in macs()
    return f"benchdb collect {'--metal' if is_mac else '--cuda'}"
