"""A Linux machine: what its files and commands say, first what their texts mean.

The functions over a text are pure; the last ones ask this machine.
"""

import json
import os
import platform
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from fingerprint import commands
from fingerprint.facts import (
    ChipName,
    Facts,
    Fields,
    chip_name,
    extract,
    known,
    machine_facts,
    reasons,
    whole,
)

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
NOT_MEASURED = "the operating system does not report it"
PLACEHOLDERS = {
    "system product name",
    "to be filled by o.e.m.",
    "default string",
    "none",
}
CPU = "sys/devices/system/cpu/cpu[0-9]*"
# How much of the last ten seconds some task waited for memory.
PRESSURE: Fields = {"memory_pressure_percent": (r"^some avg10=([\d.]+)", float)}
# The processors that ``cpu.max`` allows: "150000 100000" is 1.5.
QUOTA: Fields = {
    "cpus": (r"\A(\d+) (\d+)", lambda quota, period: int(quota) / int(period))
}


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
    parts: dict[str, int] = {}
    for cpu in blocks:
        numbers = ("CPU implementer", "CPU part")
        key = ":".join(filter(None, (cpu.get(n, merged.get(n)) for n in numbers)))
        if ":" in key:
            parts[key] = parts.get(key, 0) + 1
    printed = merged.get("model name") or merged.get("cpu")
    chip = chip_name(printed, merged.get("vendor_id")) if printed else None
    packages = {cpu.get("physical id"): whole(cpu.get("cpu cores")) for cpu in blocks}
    cores = [count for count in packages.values() if count is not None]
    return Cpus(
        count=len(blocks),
        # Not threads: packages times cores each, or what is listed.
        cores=sum(cores) if len(cores) == len(packages) else len(blocks),
        # On ARM the "model name" is "ARMv8 Processor rev 1".
        chip=arm_chip(parts) if parts else chip,
        model=merged.get("Model") or merged.get("Hardware"),
        printed=printed,
        hypervisor="hypervisor" in merged.get("flags", "").split(),
        parts=parts,
        threads={
            int(cpu["processor"]): (cpu["physical id"], cpu["core id"])
            for cpu in blocks
            if "physical id" in cpu and "core id" in cpu
        },
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
    counts = []
    for name, listed in (("Performance", fast), ("Efficiency", slow)):
        cores = set()
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", listed or ""):
            ids = range(int(first), int(last or first) + 1)  # of 0-3,8
            cores |= {cpus.threads.get(i, (str(i), "")) for i in ids}
        counts.append((name, len(cores)))
    return tuple(counts) if all(count for _, count in counts) else ()


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
    types = []
    for group in groups:
        number = {name: whole(value) for name, value in group.items()}
        each = number.get("Core(s) per socket") or number.get("Core(s) per cluster")
        sockets = number.get("Socket(s)") or number.get("Cluster(s)") or 1
        if each:
            mhz = float(group.get("CPU max MHz", 0))
            types.append(CoreType(group["Model name"], each * sockets, mhz))
    return tuple(sorted(types, key=lambda kind: -kind.max_mhz))


def os_release(text: str | None) -> dict[str, str]:
    """Return the fields of /etc/os-release without their quotes."""
    facts = {}
    for line in (text or "").splitlines():
        name, equals, value = line.partition("=")
        if equals and not name.startswith("#"):
            value = value.strip()
            with suppress(ValueError):  # quotes that do not end
                value = " ".join(shlex.split(value))
            facts[name.strip()] = value
    return facts


def meminfo(text: str | None) -> dict[str, int]:
    """Return the rows of /proc/meminfo in bytes."""
    rows = re.findall(r"^(\w+):\s+(\d+) kB$", text or "", re.MULTILINE)
    return {name: int(value) * 1024 for name, value in rows}


def cgroup_paths(text: str | None) -> tuple[str, ...]:
    """Return the cgroup (version 2) of a process and all above it, innermost first."""
    match = re.search(r"^0::(/.*)$", text or "", re.MULTILINE)
    if match is None:
        return ("/",)
    parts = [part for part in match[1].split("/") if part not in {"", ".."}]
    return tuple("/" + "/".join(parts[:n]) for n in range(len(parts), -1, -1))


def power_supply(files: Mapping[str, str]) -> dict[str, Any]:
    """Return the power source from /sys/class/power_supply/*/{type,online,...}.

    Mice and pens have batteries too: those say ``scope`` Device.
    """
    supplies: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        supplies.setdefault(folder, {})[name] = text.strip()
    own = [s for s in supplies.values() if s.get("scope") != "Device"]
    mains = [s for s in own if s.get("type") in {"Mains", "USB"} and "online" in s]
    batteries = [s for s in own if s.get("type") == "Battery"]
    facts: dict[str, Any] = {}
    if mains or batteries:
        on_mains = any(s["online"] == "1" for s in mains)
        draining = any(s.get("status") == "Discharging" for s in batteries)
        facts["power_source"] = "ac" if on_mains or not draining else "battery"
    levels = [int(s["capacity"]) for s in batteries if "capacity" in s]
    if levels:
        facts["battery_percent"] = round(sum(levels) / len(levels))
    return facts


def machine() -> Facts:
    """Return the machine line as far as it is known, without graphics cards."""
    cpus = cpuinfo(commands.read("/proc/cpuinfo"))
    pairs = lscpu(commands.run("lscpu", "-J"))
    types = core_types(pairs)
    names = " + ".join(kind.name for kind in types if kind.name != "-")
    name = (cpus and cpus.chip) or chip_name(names, dict(pairs).get("Vendor ID"))
    # Prefer /proc/cpuinfo, which lists ARM's cores and x86's packages.
    cores = (cpus.cores if cpus else 0) or sum(kind.cores for kind in types) or None
    chip = {
        "cpu_cores": cores,
        "cpu_levels": _levels(cpus, types),
        "ram_bytes": _ram_bytes(),
    }
    sources = (
        commands.read("/proc/device-tree/model"),
        commands.read("/sys/class/dmi/id/product_name"),
        cpus.model if cpus else None,
    )
    models = (source.strip() for source in sources if source)
    model = next((m for m in models if m and m.lower() not in PLACEHOLDERS), None)
    why = {
        "chip": "neither /proc/cpuinfo nor lscpu names it",
        "cpu_cores": NOT_MEASURED,
        "ram_bytes": "/proc/meminfo cannot be read",
        "memory_bandwidth_bytes_per_second": NOT_MEASURED,
        "model": "neither firmware nor device tree names it",
        "virtual": "systemd-detect-virt is not installed",
    }
    return machine_facts(name, chip, model=model, virtual=_virtual(cpus), why=why)


def _levels(cpus: Cpus | None, types: tuple[CoreType, ...]) -> list[Facts]:
    if cpus is None:
        return []
    fast = commands.read("/sys/devices/cpu_core/cpus")
    slow = commands.read("/sys/devices/cpu_atom/cpus")
    tiers = hybrid_levels(cpus, fast, slow) or arm_levels(cpus.parts)
    listed = tuple((kind.name, kind.cores) for kind in types if kind.name != "-")
    tiers = tiers or (listed if len(listed) > 1 else ())
    return [{"name": name, "cores": cores} for name, cores in tiers]


def _ram_bytes() -> int | None:
    """Prefer the memory blocks that are online: MemTotal changes with every kernel."""
    folder = "sys/devices/system/memory"
    states = commands.read_each(f"{folder}/memory[0-9]*/state").values()
    online = sum(state.strip() == "online" for state in states)
    block = commands.read(f"/{folder}/block_size_bytes")
    if block and online:
        return int(block, 16) * online
    return meminfo(commands.read("/proc/meminfo")).get("MemTotal")


def _virtual(cpus: Cpus | None) -> bool | None:
    if cpus is not None and cpus.hypervisor:
        return True
    word = (commands.run("systemd-detect-virt", "--vm") or "").strip()
    return word != "none" if word else None


def system() -> Facts:
    """Return what the environment line says about this distribution."""
    release = os_release(commands.read("/etc/os-release"))
    facts = known(
        {
            "os_name": release.get("NAME") or "Linux",
            "os_version": release.get("VERSION_ID"),
            "os_build": release.get("BUILD_ID"),
            "kernel": platform.release(),
            "architecture": platform.machine(),
        }
    )
    why = {
        "os_version": "the distribution has no versions, or no /etc/os-release",
        "os_build": "the distribution has no build numbers",
    }
    return facts | {"missing": reasons(facts, why)}


def processor() -> str | None:
    """Return the processor's name exactly as the kernel prints it."""
    cpus = cpuinfo(commands.read("/proc/cpuinfo"))
    return cpus.printed if cpus else None


def conditions() -> Facts:
    """Return the state this machine is in now, without its graphics cards."""
    memory = meminfo(commands.read("/proc/meminfo"))
    swap = {"SwapTotal", "SwapFree"} <= memory.keys() or None
    return known(
        {
            "cpu_count_usable": _usable_cpus(),
            **power_supply(commands.read_each("sys/class/power_supply/*/[a-z]*")),
            "power_mode": commands.read("/sys/firmware/acpi/platform_profile"),
            "governor": _of_all_cpus("scaling_governor"),
            "energy_preference": _of_all_cpus("energy_performance_preference"),
            "core_throttle_count": throttle_count(),
            "memory_available_bytes": memory.get("MemAvailable"),
            "swap_used_bytes": swap and memory["SwapTotal"] - memory["SwapFree"],
            **extract(commands.read("/proc/pressure/memory"), PRESSURE),
            "virtual": _virtual(cpuinfo(commands.read("/proc/cpuinfo"))),
        }
    )


def throttle_count() -> int | None:
    """Return how often processors were slowed down for heat, all cores together."""
    counts = commands.read_each(f"{CPU}/thermal_throttle/core_throttle_count")
    return sum(map(int, counts.values())) if counts else None


def _of_all_cpus(name: str) -> str | None:
    """Return what all processors have in common: "performance", or "a,b" where not."""
    values = commands.read_each(f"{CPU}/cpufreq/{name}").values()
    return ",".join(sorted({value.strip() for value in values})) or None


def _usable_cpus() -> int | float:
    """Return the processors we may use: a container's quota may be less than one."""
    # Not every system that we take for Linux has an affinity to ask for.
    asked = getattr(os, "sched_getaffinity", None)
    affinity = len(asked(0)) if asked else os.cpu_count() or 1
    groups = cgroup_paths(commands.read("/proc/self/cgroup"))
    limits = (commands.read(f"/sys/fs/cgroup{group}/cpu.max") for group in groups)
    quotas: list[float] = [n for text in limits for n in extract(text, QUOTA).values()]
    return min([affinity, *quotas])


def machine_id() -> str | None:
    """Return the id that the system was given when installed, to be hashed."""
    paths = ("/etc/machine-id", "/var/lib/dbus/machine-id")
    return next(filter(None, map(commands.read, paths)), None)
