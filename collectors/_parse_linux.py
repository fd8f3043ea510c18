"""What Linux says about its processors and itself; pure functions over text."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from _parse_chip import ChipName, chip_name

# (implementer, part) of ARM cores that a kernel without lscpu leaves as numbers.
ARM_CORES = {
    "0x41": {
        "0xc0f": "Cortex-A15", "0xd03": "Cortex-A53", "0xd05": "Cortex-A55",
        "0xd07": "Cortex-A57", "0xd08": "Cortex-A72", "0xd0b": "Cortex-A76",
        "0xd0c": "Neoverse-N1", "0xd40": "Neoverse-V1", "0xd41": "Cortex-A78",
        "0xd42": "Cortex-A78AE", "0xd44": "Cortex-X1", "0xd46": "Cortex-A510",
        "0xd47": "Cortex-A710", "0xd48": "Cortex-X2", "0xd49": "Neoverse-N2",
        "0xd4d": "Cortex-A715", "0xd4e": "Cortex-X3", "0xd4f": "Neoverse-V2",
        "0xd84": "Neoverse-V3", "0xd8e": "Neoverse-N3",
    },
}  # fmt: skip
# Apple's own cores: chip and tier.  An Ultra is two Max dies and says Max.
APPLE_CORES = {
    "0x022": ("M1", "Efficiency"), "0x023": ("M1", "Performance"),
    "0x024": ("M1 Pro", "Efficiency"), "0x025": ("M1 Pro", "Performance"),
    "0x028": ("M1 Max", "Efficiency"), "0x029": ("M1 Max", "Performance"),
    "0x032": ("M2", "Efficiency"), "0x033": ("M2", "Performance"),
    "0x034": ("M2 Pro", "Efficiency"), "0x035": ("M2 Pro", "Performance"),
    "0x038": ("M2 Max", "Efficiency"), "0x039": ("M2 Max", "Performance"),
}  # fmt: skip


@dataclass(frozen=True)
class Cpus:
    """What /proc/cpuinfo says about the processors that are online."""

    count: int
    cores: int
    chip: ChipName | None = None
    model: str | None = None
    printed: str | None = None
    hypervisor: bool = False
    parts: Mapping[str, int] = field(default_factory=dict)
    threads: Mapping[int, tuple[str, str]] = field(default_factory=dict)


def cpuinfo(text: str | None) -> Cpus | None:
    """Return the processors; ARM kernels print neither a name nor core ids."""
    blocks = list(_blocks(text or ""))
    if not blocks:
        return None
    merged = {k: v for block in reversed(blocks) for k, v in block.items()}
    cpus = [block for block in blocks if "processor" in block]
    parts = _parts(cpus, merged)
    printed = merged.get("model name") or merged.get("cpu")
    return Cpus(
        count=len(cpus),
        cores=_physical_cores(cpus),
        chip=_chip(printed, merged, parts),
        model=merged.get("Model") or merged.get("Hardware"),
        printed=printed,
        hypervisor="hypervisor" in merged.get("flags", "").split(),
        parts=parts,
        threads=_threads(cpus),
    )


def _blocks(text: str) -> Iterator[dict[str, str]]:
    """Start a new block at each ``processor``: not every capture has blank lines.

    "Processor : AArch64 ..." with a capital is a name, repeated in each block.
    """
    block: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        name = name.strip()
        if not colon:
            continue
        if name == "processor" and "processor" in block:
            yield block
            block = {}
        block[name] = value.strip()
    if "processor" in block:
        yield block


def _parts(cpus: list[dict[str, str]], merged: dict[str, str]) -> dict[str, int]:
    parts: dict[str, int] = {}
    for cpu in cpus:
        implementer = cpu.get("CPU implementer", merged.get("CPU implementer"))
        part = cpu.get("CPU part", merged.get("CPU part"))
        if implementer and part:
            key = f"{implementer}:{part}"
            parts[key] = parts.get(key, 0) + 1
    return parts


def _physical_cores(cpus: list[dict[str, str]]) -> int:
    """Return cores, not threads: packages times cores each, or what is listed."""
    packages = {c.get("physical id"): whole(c.get("cpu cores")) for c in cpus}
    each = [cores for cores in packages.values() if cores is not None]
    return sum(each) if len(each) == len(packages) else len(cpus)


def _threads(cpus: list[dict[str, str]]) -> dict[int, tuple[str, str]]:
    return {
        int(c["processor"]): (c["physical id"], c["core id"])
        for c in cpus
        if "physical id" in c and "core id" in c
    }


def _chip(
    printed: str | None, merged: dict[str, str], parts: dict[str, int]
) -> ChipName | None:
    """Prefer the parts on ARM, whose "model name" is "ARMv8 Processor rev 1"."""
    if parts:
        return arm_chip(parts)
    return chip_name(printed, merged.get("vendor_id")) if printed else None


def arm_chip(parts: Mapping[str, int]) -> ChipName | None:
    """Return Apple's chip, or the names of the cores, biggest first."""
    keys = [key.split(":") for key in reversed(list(parts))]
    apple = {APPLE_CORES[p][0] for i, p in keys if i == "0x61" and p in APPLE_CORES}
    if len(apple) == 1:
        return ChipName("Apple", apple.pop())
    names = [ARM_CORES.get(i, {}).get(p) for i, p in keys]
    known = [name for name in names if name]
    return ChipName("Arm", " + ".join(known)) if len(known) == len(names) else None


def arm_levels(parts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return tiers of cores with counts, biggest first: little cores come first."""
    if len(parts) < 2:
        return ()
    levels = []
    for key in reversed(list(parts)):
        implementer, part = key.split(":")
        apple = APPLE_CORES.get(part) if implementer == "0x61" else None
        name = apple[1] if apple else ARM_CORES.get(implementer, {}).get(part, part)
        levels.append((name, parts[key]))
    return tuple(levels)


def hybrid_levels(
    cpus: Cpus, fast: str | None, slow: str | None
) -> tuple[tuple[str, int], ...]:
    """Return Intel's tiers from the lists of processors that perf keeps for each."""
    tiers = (("Performance", fast), ("Efficiency", slow))
    counts = []
    for name, listed in tiers:
        ids = cpu_list(listed)
        cores = {cpus.threads.get(i, (str(i), "")) for i in ids}
        counts.append((name, len(cores)))
    return tuple(counts) if all(count for _, count in counts) else ()


def cpu_list(text: str | None) -> tuple[int, ...]:
    """Return the numbers of ``0-3,8``."""
    ids: list[int] = []
    for span in re.findall(r"\d+(?:-\d+)?", text or ""):
        first, _, last = span.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return tuple(ids)


def whole(text: str | None) -> int | None:
    """Return the whole number that a text starts with."""
    match = re.match(r"\s*(\d+)", text or "")
    return int(match[1]) if match else None


def lscpu(text: str | None) -> tuple[tuple[str, str], ...]:
    """Return field and value of ``lscpu`` in order, printed as text, flat or nested."""
    try:
        items = json.loads(text or "")["lscpu"]
    except (ValueError, KeyError, TypeError):
        lines = (line.partition(":") for line in (text or "").splitlines())
        return tuple((k.strip(), v.strip()) for k, c, v in lines if c and v.strip())
    return tuple(_walk(items))


def _walk(items: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for item in items:
        if item.get("data") is not None:
            yield item["field"].rstrip(":"), item["data"]
        yield from _walk(item.get("children", []))


@dataclass(frozen=True)
class CoreType:
    """Cores of one model, as lscpu groups them."""

    name: str
    cores: int
    max_mhz: float = 0.0


def core_types(pairs: Iterable[tuple[str, str]]) -> tuple[CoreType, ...]:
    """Return the kinds of cores, fastest first; hybrids repeat every field."""
    groups: list[dict[str, str]] = []
    for name, value in pairs:
        if name == "Model name":
            groups.append({})
        if groups:
            groups[-1][name] = value
    types = [
        CoreType(
            name=group["Model name"],
            cores=_cores_of(group),
            max_mhz=float(group.get("CPU max MHz", 0)),
        )
        for group in groups
        if _cores_of(group)
    ]
    return tuple(sorted(types, key=lambda kind: -kind.max_mhz))


def _cores_of(group: Mapping[str, str]) -> int:
    per_socket = whole(
        group.get("Core(s) per socket") or group.get("Core(s) per cluster")
    )
    sockets = whole(group.get("Socket(s)")) or whole(group.get("Cluster(s)")) or 1
    return (per_socket or 0) * sockets
