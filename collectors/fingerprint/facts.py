"""What a fingerprint is made of on any system: names of chips, what is known."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

APPLE = re.compile(r"Apple ((?:M|A)\d+(?: Pro| Max| Ultra)?)( \(Virtual\))?")
VENDORS = {
    "GenuineIntel": "Intel",
    "AuthenticAMD": "AMD",
    "HygonGenuine": "Hygon",
    "Intel": "Intel",
    "AMD": "AMD",
    "ARM": "Arm",
    "Ampere": "Ampere",
    "Apple": "Apple",
    "POWER": "IBM",
}
# What adds nothing: marks, generations, clock speeds, core counts, bare words.
NOISE = re.compile(
    r"^\S+-Core (?=Intel)|\((?:R|TM|C)\)|\bCPU\b|@.*$|\b\d+(?:st|nd|rd|th) Gen\b"
    r"|\b\w+-Core Processor\b|\bwith Radeon.*$|,.*$",
    re.IGNORECASE,
)
Facts = dict[str, Any]
Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class ChipName:
    """Who made a chip and what it is called, without the vendor."""

    vendor: str
    name: str
    virtual: bool = False


def chip_name(printed: str, vendor: str | None = None) -> ChipName | None:
    """Return vendor and name, or None where the system gives a name that says nothing.

    The first Big Sur called every Apple chip "Apple processor"; under Rosetta
    system_profiler says "Unknown".
    """
    printed = " ".join(printed.split())
    if apple := APPLE.fullmatch(printed):
        return ChipName("Apple", apple[1], virtual=apple[2] is not None)
    if printed.lower() in {"", "-", "unknown", "apple processor"}:
        return None
    tidy = " ".join(NOISE.sub(" ", printed).split())
    named = (v for k, v in VENDORS.items() if re.search(rf"\b{k}(?=\b|\d)", tidy))
    maker = VENDORS.get(vendor or "") or next(named, vendor)
    if maker is None:
        return None
    name = re.sub(rf"^{re.escape(maker)}\s+", "", tidy, flags=re.IGNORECASE)
    return ChipName(maker, re.sub(r"\s+Processor$", "", name) or tidy)


def known(facts: Mapping[str, Any]) -> Facts:
    """Return what is known: absent, never null, empty or 0, is our word for unknown."""
    return {k: v for k, v in facts.items() if v is not None and v not in ((), [], "")}


def reasons(facts: Mapping[str, Any], why: Mapping[str, str]) -> dict[str, str]:
    """Return the reasons of what is not known."""
    return {name: reason for name, reason in why.items() if name not in facts}


def machine_facts(
    name: ChipName | None,
    chip: Mapping[str, Any],
    *,
    model: str | None,
    virtual: bool | None,
    why: Mapping[str, str],
) -> Facts:
    """Return the machine line as far as it is known, and *why* the rest is missing."""
    named = {"vendor": "unknown", "name": "unknown"}
    if name:
        named = {"vendor": name.vendor, "name": name.name}
    facts = named | known(chip)
    values = facts | known({"model": model, "virtual": virtual, "chip": name})
    missing = reasons(values, why)
    return {"chip": facts, "model": model, "virtual": virtual, "missing": missing}


def cards_by_kind(cards: Iterable[tuple[str, str, int | None]]) -> list[Facts]:
    """Return the kinds of *cards* with their counts: vendor, name and memory."""
    return [
        known({"vendor": vendor, "name": name, "memory_bytes": size, "count": count})
        for (vendor, name, size), count in Counter(cards).items()
    ]


Fields = dict[str, tuple[str, Callable[..., Any]]]


def extract(text: str | None, fields: Fields) -> Facts:
    """Return what the pattern of each field finds first in *text*, by field.

    Beside the pattern is what makes a value of its groups, None for none.
    """
    facts = {}
    for name, (pattern, convert) in fields.items():
        if match := re.search(pattern, text or "", re.MULTILINE):
            facts[name] = convert(*match.groups())
    return known(facts)


def whole(text: str | None) -> int | None:
    """Return the whole number that a text starts with."""
    match = re.match(r"\s*(\d+)", text or "")
    return int(match[1]) if match else None
