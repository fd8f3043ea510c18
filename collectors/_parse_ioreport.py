"""What programs that read Apple's IOReport without root print."""

import json
import re
from typing import Any

Facts = dict[str, Any]

_POWERS = ("cpu", "gpu", "ane", "all", "sys", "ram", "gpu_ram")
_LEVEL = re.compile(r"(\d+) (Super|Performance|Efficiency)")


def macmon(text: str) -> Facts:
    """Return a line of ``macmon pipe``: watts by domain, clocks, temperatures."""
    try:
        line = json.loads(text)
    except ValueError:
        return {}
    temperature = line.get("temp") or {}
    return {
        "watts": {p: line[f"{p}_power"] for p in _POWERS if f"{p}_power" in line},
        "gpu_mhz": line.get("gpu_freq_mhz"),
        "celsius": {k[:3]: v for k, v in temperature.items() if k.endswith("_avg")},
        "fan_rpm": [fan["rpm"] for fan in line.get("fans") or []],
    }


def socpowerbud(text: str) -> Facts:
    """Return chip, and clock and activity of each block."""
    chip = re.search(r"Profiling (Apple [\w ]+?) \(", text)
    blocks = re.findall(
        r"^(\S.*)\n\s+Average frequency:\s+(\d+) mhz(?:\n\s+.*)*?"
        r"\n\s+Active residency:\s+([\d.]+) %",
        text,
        re.MULTILINE,
    )
    return {
        "chip": chip[1] if chip else None,
        "blocks": {
            b: {"mhz": int(m), "active_percent": float(a)} for b, m, a in blocks
        },
    }


def probe(text: str) -> Facts:
    """Return tiers of cores, watts by domain and the thermal state of a probe."""
    levels = {name: int(count) for count, name in _LEVEL.findall(text)}
    powers = re.findall(r"\b(E|P|GPU|ANE|DRAM|SoC)\s+(\d+\.\d)(?=\s)", text)
    state = re.search(r"thermal (\w+)", text)
    return {
        "cpu_levels": levels,
        "watts": {name.lower(): float(watts) for name, watts in powers},
        "thermal_state": state[1] if state else None,
    }


def cluster_cores(text: str) -> dict[str, int]:
    """Return cores by type letter from lists of processor ranges.

    The numbers start with the slow cores: cpu0 is not of the fastest tier.
    """
    forms = re.findall(r"(\d+)(?:\.\.|[–-])(\d+)\s+cluster.*?\b([EPM])\b", text)
    cores: dict[str, int] = {}
    for first, last, letter in forms:
        cores[letter] = cores.get(letter, 0) + int(last) - int(first) + 1
    return cores


def system_info(text: str) -> Facts:
    """Return what another benchmark's fingerprint knows, without what it guessed.

    Its ``gpu_cores_estimate`` was wrong on every chip that we could check.
    """
    try:
        info = json.loads(text)
    except ValueError:
        return {}
    chip, software = info.get("chip", {}), info.get("software", {})
    return {
        "chip": chip.get("brand_string"),
        "model": chip.get("model_identifier"),
        "cpu_cores": chip.get("core_count"),
        "memory_bytes": info.get("memory", {}).get("total_bytes"),
        "os_version": software.get("macos_version"),
    }
