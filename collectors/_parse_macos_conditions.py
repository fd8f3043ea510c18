"""What macOS prints about the state it is in: power, heat, memory."""

import re
from typing import Any

Facts = dict[str, Any]

_SOURCES = {"AC Power": "ac", "Battery Power": "battery", "UPS Power": "ups"}
_SECTIONS = {source: section for section, source in _SOURCES.items()}
_MODES = {"0": "automatic", "1": "low", "2": "high"}
_PRESSURE_LEVELS = ("nominal", "moderate", "heavy", "trapping", "sleeping")
_MEMORY_LEVELS = {"1": "normal", "2": "warning", "4": "critical"}
_STATES = ("AC attached; not charging", "discharging", "charging", "charged")


def battery(text: str | None) -> Facts:
    """Return source, percent and state of ``pmset -g batt``; desktops have no more."""
    text = text or ""
    facts: Facts = {}
    if source := re.search(r"Now drawing from '([^']+)'", text):
        facts["power_source"] = _SOURCES.get(source[1], source[1].lower())
    if charge := re.search(r"(\d+)%;\s*([^;]+(?:; not charging)?)", text):
        facts["battery_percent"] = int(charge[1])
        facts["battery_state"] = next((s for s in _STATES if s in charge[2]), None)
    return {k: v for k, v in facts.items() if v is not None}


def settings(text: str | None) -> dict[str, dict[str, str]]:
    """Return the settings of ``pmset -g`` or ``-g custom`` by section.

    Names may hold spaces, values may be followed by who prevents sleep.
    """
    sections: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in (text or "").splitlines():
        if line.endswith(":") and not line.startswith(" "):
            current = sections.setdefault(line[:-1], {})
            continue
        words = re.sub(r"\s\(.*\)\s*$", "", line).rsplit(None, 1)
        if len(words) == 2:
            current[words[0].strip()] = words[1]
    return sections


def power_mode(text: str | None, source: str | None) -> Facts:
    """Return the mode in force: of the section of the current power source.

    ``powermode`` or ``lowpowermode``, depending on model and system; maybe neither.
    """
    sections = settings(text)
    section = sections.get(_SECTIONS.get(source or "", "")) or {}
    section = section or sections.get("Currently in use", {})
    mode = _MODES.get(section.get("powermode", ""))
    low = section.get("lowpowermode")
    if mode is not None:
        return {"power_mode": mode, "low_power_mode": mode == "low"}
    if low in {"0", "1"}:
        return {"low_power_mode": low == "1"}
    return {}


def cpu_speed_limit(text: str | None) -> int | None:
    """Return the limit of ``pmset -g therm``, Intel only.

    On Apple silicon it says "No ... recorded" even when slowed: no evidence at all.
    """
    match = re.search(r"CPU_Speed_Limit\s*=\s*(\d+)", text or "")
    return int(match[1]) if match else None


def thermal_pressure(level: int | None) -> str | None:
    """Return the name of a level of ``com.apple.system.thermalpressurelevel``."""
    known = level is not None and level < len(_PRESSURE_LEVELS)
    return _PRESSURE_LEVELS[level] if known and level is not None else None


def thermal_state(text: str | None) -> str | None:
    """Return ProcessInfo's coarser state, as printed by name."""
    word = (text or "").strip()
    return word if word in {"nominal", "fair", "serious", "critical"} else None


def memory_pressure(level: str | None) -> str | None:
    """Return the name of ``kern.memorystatus_vm_pressure_level``."""
    return _MEMORY_LEVELS.get((level or "").strip())


def vm_stat(text: str | None) -> Facts:
    """Return memory in bytes; the page size is in the header and differs by chip."""
    text = text or ""
    page = re.search(r"page size of (\d+) bytes", text)
    rows = dict(re.findall(r'^"?([^":\n]+)"?:\s+(\d+)\.$', text, re.MULTILINE))
    if page is None:
        return {}
    size = int(page[1])
    facts = {"page_bytes": size}
    free = [rows.get(f"Pages {k}") for k in ("free", "speculative", "inactive")]
    if None not in free:
        facts["available_bytes"] = size * sum(int(n) for n in free if n is not None)
    for name in ("Swapins", "Swapouts"):
        if name in rows:
            facts[f"{name.lower()}_bytes"] = size * int(rows[name])
    return facts


def swap_used_bytes(text: str | None) -> int | None:
    """Return what ``vm.swapusage`` says is used; some locales print ``7843,19M``."""
    match = re.search(r"used\s*=\s*(\d+)(?:[.,](\d+))?([KMG])", text or "")
    if match is None:
        return None
    power = {"K": 10, "M": 20, "G": 30}[match[3]]
    return int(float(f"{match[1]}.{match[2] or 0}") * 2**power)


def power_report(items: list[Facts]) -> Facts:
    """Return the current source from SPPowerDataType, and whether it has a battery."""
    current = (
        source
        for item in items
        for name, source in _SOURCES.items()
        if item.get(name, {}).get("Current Power Source") == "TRUE"
    )
    facts: Facts = {"power_source": next(current, None)}
    facts["battery"] = any("sppower_battery_charge_info" in item for item in items)
    return {k: v for k, v in facts.items() if v is not None}
