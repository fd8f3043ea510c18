"""What macOS prints about its hardware and itself; pure functions over text.

A key that the system did not print is absent from what these return.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Report = dict[str, Any]

_JOINED = re.compile(r";\s+(?=[a-z]+\.[\w.]+: )")
_SYSCTL = re.compile(r"([a-z_]\w*(?:\.[\w-]+)+)\s*[:=]\s?(.*)")
# macOS 12 has the counts without the names; its chips had these two tiers only.
_UNNAMED = ("Performance", "Efficiency")
_UNITS = {"KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
_MACHINE_UUID = re.compile(r'"IOPlatformUUID"\s*=\s*"([^"]+)"')


@dataclass(frozen=True)
class Level:
    """A tier of cores as the system names it."""

    name: str
    cores: int


def sysctl(text: str) -> dict[str, str]:
    """Return the values by name; a value may run over several lines."""
    values: dict[str, str] = {}
    name = None
    for line in _JOINED.sub("\n", text).splitlines():
        if match := _SYSCTL.match(line):
            name = match[1]
            values[name] = match[2].strip()
        elif name is not None and line.strip():
            values[name] += "\n" + line
    return values


def sysctl_bare(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """Return what ``sysctl -n`` printed, or nothing where a line is missing.

    An unknown name is reported on standard error only, and the rest shifts up.
    """
    lines = text.splitlines()
    return dict(zip(names, lines, strict=True)) if len(lines) == len(names) else {}


def whole(text: str | None) -> int | None:
    """Return the whole number that a text starts with."""
    match = re.match(r"\s*(\d+)", text or "")
    return int(match[1]) if match else None


def core_levels(values: Mapping[str, str]) -> tuple[Level, ...]:
    """Return the tiers of cores, fastest first, or none where all cores are alike.

    perflevel0 is the fastest tier, whatever its name: on M5 Pro and Max
    "Performance" is the lower one, and the same chip may be renamed by an update.
    """
    printed = (int(n[1]) for k in values if (n := re.match(r"hw\.perflevel(\d+)\.", k)))
    count = whole(values.get("hw.nperflevels")) or max(printed, default=-1) + 1
    if count < 2:
        return ()
    levels = []
    for tier in range(count):
        cores = whole(values.get(f"hw.perflevel{tier}.physicalcpu"))
        fallback = _UNNAMED[tier] if count == len(_UNNAMED) else f"Level {tier}"
        if cores is None:
            return ()
        levels.append(Level(values.get(f"hw.perflevel{tier}.name") or fallback, cores))
    return tuple(levels)


def core_count(values: Mapping[str, str]) -> int | None:
    """Return the number of physical cores."""
    levels = core_levels(values)
    names = ("hw.physicalcpu", "hw.perflevel0.physicalcpu", "machdep.cpu.core_count")
    counts = (whole(values.get(name)) for name in names)
    return sum(level.cores for level in levels) or next(filter(None, counts), None)


def profile(text: str | None) -> dict[str, list[Report]]:
    """Return the reports of ``system_profiler -json`` by data type."""
    try:
        reports = json.loads(text or "")
    except ValueError:
        return {}
    if not isinstance(reports, dict):
        return {}
    kept = {k: v for k, v in reports.items() if isinstance(v, list)}
    return {k: [i for i in v if isinstance(i, dict)] for k, v in kept.items()}


def hardware(text: str | None) -> Report:
    """Return model, chip as printed, total cores and memory from the JSON report."""
    item = next(iter(profile(text).get("SPHardwareDataType", [])), {})
    chip = item.get("chip_type") or item.get("cpu_type")
    facts = {
        "model": item.get("machine_model"),
        "model_name": item.get("machine_name"),
        "chip": None if chip == "Unknown" else chip,
        "cpu_cores": processors(item.get("number_processors")),
        "memory_bytes": size_bytes(item.get("physical_memory")),
    }
    return {k: v for k, v in facts.items() if v is not None}


def processors(printed: object) -> int | None:
    """Return the total of ``proc 24:16:8:0`` or ``8``, and no more of it.

    What the other figures mean changed twice within macOS 26 and 27; the tiers
    come from sysctl.
    """
    match = re.fullmatch(r"(?:proc )?(\d+)(?::\d+)*", str(printed))
    return int(match[1]) if match else None


def size_bytes(printed: object) -> int | None:
    """Return ``16 GB`` or ``1,5 TB`` in bytes."""
    match = re.fullmatch(r"(\d+(?:[.,]\d+)?)\s*([KMGT]B)", str(printed).strip())
    return int(float(match[1].replace(",", ".")) * _UNITS[match[2]]) if match else None


def hardware_text(text: str) -> Report:
    """Return the facts of ``system_profiler SPHardwareDataType`` printed as text."""
    lines = fields(text)
    cores = lines.get("Total Number of Cores", "")
    of_gpu = "Chipset Model" in lines
    facts: Report = {
        "model": lines.get("Model Identifier"),
        "model_name": lines.get("Model Name"),
        "chip": lines.get("Chip") or lines.get("Processor Name"),
        "cpu_cores": None if of_gpu else whole(cores),
        "cpu_levels": tuple(
            Level(name.capitalize(), int(count))
            for count, name in re.findall(r"(\d+) ([A-Za-z]+)", cores)
        )
        or None,
        "gpu_cores": whole(cores) if of_gpu else None,
        "gpu": lines.get("Chipset Model"),
        "memory_bytes": size_bytes(lines.get("Memory")),
        "clock_ghz": decimal(lines.get("Processor Speed")),
    }
    return {k: v for k, v in facts.items() if v is not None}


def fields(text: str) -> dict[str, str]:
    """Return the first value of each ``Name: value``, one a line or joined by ``;``.

    Log lines that slipped in from standard error start with a date.
    """
    parts = re.split(r"\n|; ", text)
    logs = re.compile(r"\d{4}-\d\d-\d\d ")
    pairs = (p.strip().split(":", 1) for p in parts if ":" in p and not logs.match(p))
    found: dict[str, str] = {}
    for name, value in pairs:
        if value.strip():
            found.setdefault(name.strip(), value.strip())
    return found


def decimal(printed: str | None) -> float | None:
    """Return the number that a text starts with; some locales print ``2,6``."""
    match = re.match(r"\s*(\d+(?:[.,]\d+)?)", printed or "")
    return float(match[1].replace(",", ".")) if match else None


def displays(text: str | None) -> tuple[Report, ...]:
    """Return the GPUs of the JSON report: vendor, name, cores, memory of their own."""
    return tuple(map(_gpu, profile(text).get("SPDisplaysDataType", [])))


def _gpu(item: Report) -> Report:
    name = item.get("sppci_model") or item.get("_name") or ""
    facts = {
        "vendor": str(item.get("spdisplays_vendor", "")).rpartition("_")[2] or None,
        "name": None if name.startswith("kHW_") else name or None,
        "cores": whole(str(item.get("sppci_cores", ""))),
        "memory_bytes": size_bytes(item.get("spdisplays_vram")),
    }
    return {k: v for k, v in facts.items() if v is not None}


def memory(text: str | None) -> Report:
    """Return bytes and type of memory from SPMemoryDataType, soldered or in slots."""
    found = list(_modules(profile(text).get("SPMemoryDataType", [])))
    total = sum(size for size, _ in found)
    kinds = {kind for _, kind in found if kind}
    return {"memory_bytes": total, "kinds": sorted(kinds)} if total else {}


def _modules(items: list[Report]) -> Iterator[tuple[int, str | None]]:
    for item in items:
        size = size_bytes(item.get("SPMemoryDataType") or item.get("dimm_size"))
        if size is not None:
            yield size, item.get("dimm_type")
        yield from _modules(item.get("_items", []))


def sw_vers(text: str | None) -> dict[str, str]:
    """Return product name, version and build."""
    return fields(text or "")


def believable_version(printed: str) -> str | None:
    """Return a macOS version unless Python is known to invent it.

    Built against an older SDK it answers 10.16 for anything since 11, and 16.0 for 26.
    """
    return None if not printed or re.match(r"10\.16|16\.", printed) else printed


def uname(text: str | None) -> Report:
    """Return kernel, architecture and, on macOS, whether Rosetta is in between."""
    line = (text or "").strip()
    version = re.search(r"Darwin Kernel Version ([\d.]+).*?RELEASE_(\w+)", line)
    words = line.split()
    if version is None or not words:
        return {}
    facts: Report = {"kernel": version[1]}
    if words[-1] in {"arm64", "x86_64"}:
        on_arm = version[2].startswith("ARM64")
        facts["architecture"] = words[-1]
        facts["rosetta"] = on_arm and words[-1] == "x86_64"
    return facts


def gpu_registry(text: str | None) -> Report:
    """Return GPU cores, model and utilisation from the IO registry."""
    text = text or ""
    facts: Report = {
        "cores": registry_number(text, "gpu-core-count"),
        "utilisation_percent": registry_number(text, "Device Utilization %"),
        "memory_used_bytes": registry_number(text, "In use system memory"),
    }
    if model := re.search(r'"model"\s*=\s*"([^"]+)"', text):
        facts |= {"model": model[1]}
    return {k: v for k, v in facts.items() if v is not None}


def registry_number(text: str, name: str) -> int | None:
    """Return a number of the IO registry: decimal, or little-endian data."""
    found = re.search(rf'"{re.escape(name)}"\s*=\s*(?:(\d+)|<([0-9a-f]+)>)', text)
    if found is None:
        return None
    return int(found[1] or int.from_bytes(bytes.fromhex(found[2]), "little"))


def platform_uuid(text: str | None) -> str | None:
    """Return the machine's UUID: only ever hashed, never printed."""
    match = _MACHINE_UUID.search(text or "")
    return match[1] if match else None
