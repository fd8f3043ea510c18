"""impossible-os: a macOS older than the first that ran on the chip."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from benchdb.exchange.lines import Scalar
from benchdb.plausibility.observed import Finding, Observed

CODE = "impossible-os"
_MACOS = frozenset({"macos", "mac os", "mac os x", "macosx", "os x", "osx"})
# The first release that each chip ran, or where that is not certain the major release
# of its time. Chips that are not here are not judged.
_FIRST: dict[str, tuple[int, ...]] = {
    "M1": (11, 0),
    "M1 Pro": (12, 0),
    "M1 Max": (12, 0),
    "M1 Ultra": (12, 3),
    "M2": (12, 4),
    "M2 Pro": (13, 0),
    "M2 Max": (13, 0),
    "M2 Ultra": (13, 4),
    "M3": (13, 0),
    "M3 Pro": (13, 0),
    "M3 Max": (13, 0),
    "M3 Ultra": (15, 0),
    "M4": (15, 0),
    "M4 Pro": (15, 0),
    "M4 Max": (15, 0),
    "M5": (26, 0),
    "M5 Pro": (26, 0),
    "M5 Max": (26, 0),
}
# What macOS 11 and later call themselves to programs built for older releases.
_IN_DISGUISE = (10, 16)
_VERSION = re.compile(r"\s*(?:mac ?os(?: x)? )?(\d{1,4})(?:\.(\d{1,4}))?(?!\d)", re.I)


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield runs on a Mac whose macOS cannot start there."""
    for run in runs:
        if run.chip_vendor == "Apple":
            detail = _too_old(run.chip_name, run.os_name, run.os_version)
            if detail is not None:
                yield Finding(run.run, CODE, None, detail)


@lru_cache(maxsize=1024)  # there are fewer Macs than runs
def _too_old(
    name: str, os_name: str | None, os_version: str | None
) -> dict[str, Scalar] | None:
    """Return the facts, where the system is older than the chip."""
    if (os_name or "").casefold() not in _MACOS:
        return None
    chip = name.strip().removeprefix("Apple ").removesuffix(" (Virtual)")
    first, stated = _FIRST.get(chip), _version(os_version)
    if not first or not stated or stated == _IN_DISGUISE or stated >= first:
        return None
    oldest = ".".join(map(str, first))
    return {"chip": chip, "os_version": os_version, "first": oldest}


def _version(text: str | None) -> tuple[int, ...] | None:
    """Return major and minor release; a lone ``12`` may be any of that major."""
    found = _VERSION.match(text or "")
    if found is None:
        return None
    minor = found[2]
    return (int(found[1]), _ANY if minor is None else int(minor))


_ANY = 10**6
