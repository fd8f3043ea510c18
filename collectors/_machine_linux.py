"""The fingerprint of a Linux machine, from its files and commands."""

import os
import platform
import time

import _ask
import _parse_linux as parse
import _parse_linux_system as state
from _machine_found import Facts, Found, known, levels, reasons
from _parse_chip import ChipName, chip_name

NOT_MEASURED = "the operating system does not report it"
PLACEHOLDERS = {
    "system product name",
    "to be filled by o.e.m.",
    "default string",
    "none",
}
CPUFREQ = "sys/devices/system/cpu/cpu[0-9]*/cpufreq"


def machine() -> Found:
    """Return chip and model of this machine, without its graphics cards."""
    cpus = parse.cpuinfo(_ask.read("/proc/cpuinfo"))
    pairs = parse.lscpu(_ask.run("lscpu", "-J"))
    types = parse.core_types(pairs)
    name = (cpus and cpus.chip) or _named_by_lscpu(types, dict(pairs))
    chip = known(
        {
            "vendor": name.vendor if name else "unknown",
            "name": name.name if name else "unknown",
            "cpu_cores": _cores(cpus, types),
            "cpu_levels": _levels(cpus, types),
            "ram_bytes": _ram_bytes(),
        }
    )
    model, virtual = _model(cpus), _virtual(cpus)
    facts = chip | known({"model": model, "virtual": virtual, "chip": name})
    why = {
        "chip": "neither /proc/cpuinfo nor lscpu names it",
        "cpu_cores": NOT_MEASURED,
        "ram_bytes": "/proc/meminfo cannot be read",
        "memory_bandwidth_bytes_per_second": NOT_MEASURED,
        "model": "neither firmware nor device tree names it",
        "virtual": "systemd-detect-virt is not installed",
    }
    return Found(chip, model, virtual, reasons(facts, why))


def _named_by_lscpu(
    types: tuple[parse.CoreType, ...], fields: dict[str, str]
) -> ChipName | None:
    names = [kind.name for kind in types if kind.name != "-"]
    vendor = fields.get("Vendor ID")
    return chip_name(" + ".join(names), vendor) if names else None


def _cores(cpus: parse.Cpus | None, types: tuple[parse.CoreType, ...]) -> int | None:
    """Prefer /proc/cpuinfo, which lists ARM's cores and x86's packages."""
    return (cpus.cores if cpus else 0) or sum(kind.cores for kind in types) or None


def _levels(cpus: parse.Cpus | None, types: tuple[parse.CoreType, ...]) -> list[Facts]:
    if cpus is None:
        return []
    fast = _ask.read("/sys/devices/cpu_core/cpus")
    slow = _ask.read("/sys/devices/cpu_atom/cpus")
    tiers = parse.hybrid_levels(cpus, fast, slow) or parse.arm_levels(cpus.parts)
    listed = tuple((kind.name, kind.cores) for kind in types if kind.name != "-")
    return levels(tiers or (listed if len(listed) > 1 else ()))


def _ram_bytes() -> int | None:
    """Prefer the memory blocks: MemTotal changes with every kernel."""
    folder = "/sys/devices/system/memory"
    states = _ask.read_each("sys/devices/system/memory/memory[0-9]*/state")
    installed = state.installed_bytes(
        _ask.read(f"{folder}/block_size_bytes"), states.values()
    )
    return installed or state.meminfo(_ask.read("/proc/meminfo")).get("MemTotal")


def _model(cpus: parse.Cpus | None) -> str | None:
    sources = (
        _ask.read("/proc/device-tree/model"),
        _ask.read("/sys/class/dmi/id/product_name"),
        cpus.model if cpus else None,
    )
    names = (name.strip() for name in sources if name)
    return next((n for n in names if n and n.lower() not in PLACEHOLDERS), None)


def _virtual(cpus: parse.Cpus | None) -> bool | None:
    if cpus is not None and cpus.hypervisor:
        return True
    return state.virtualisation(_ask.run("systemd-detect-virt", "--vm"))


def system() -> Facts:
    """Return what the environment line says about this distribution."""
    release = state.os_release(_ask.read("/etc/os-release"))
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
    cpus = parse.cpuinfo(_ask.read("/proc/cpuinfo"))
    return cpus.printed if cpus else None


def conditions() -> Facts:
    """Return the state this machine is in now, without its graphics cards."""
    memory = state.meminfo(_ask.read("/proc/meminfo"))
    swap = [memory.get("SwapTotal"), memory.get("SwapFree")]
    throttled = _ask.read_each(
        "sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count"
    )
    return known(
        {
            "load_1m": round(os.getloadavg()[0], 2),
            # To the minute: enough to tell boots apart, too little to tell machines.
            "uptime_seconds": 60 * round(time.monotonic() / 60),
            "cpu_count_usable": _usable_cpus(),
            **state.power_supply(_ask.read_each("sys/class/power_supply/*/[a-z]*")),
            "power_mode": _ask.read("/sys/firmware/acpi/platform_profile"),
            "governor": _of_all_cpus("scaling_governor"),
            "energy_preference": _of_all_cpus("energy_performance_preference"),
            "core_throttle_count": sum(map(int, throttled.values()))
            if throttled
            else None,
            "memory_available_bytes": memory.get("MemAvailable"),
            "swap_used_bytes": None
            if swap[0] is None or swap[1] is None
            else swap[0] - swap[1],
            "memory_pressure_percent": state.pressure_percent(
                _ask.read("/proc/pressure/memory")
            ),
            "virtual": _virtual(parse.cpuinfo(_ask.read("/proc/cpuinfo"))),
        }
    )


def _of_all_cpus(name: str) -> str | None:
    return state.one_of_all(_ask.read_each(f"{CPUFREQ}/{name}").values())


def _usable_cpus() -> int | float:
    """Return the processors we may use: a container's quota may be less than one."""
    # Not every system that we take for Linux has an affinity to ask for.
    asked = getattr(os, "sched_getaffinity", None)
    affinity = len(asked(0)) if asked else os.cpu_count() or 1
    groups = state.cgroup_paths(_ask.read("/proc/self/cgroup"))
    limits = (_ask.read(f"/sys/fs/cgroup{group}/cpu.max") for group in groups)
    quotas = [quota for quota in map(state.cpu_quota, limits) if quota is not None]
    return min([affinity, *quotas])


def machine_id() -> str | None:
    """Return the id that the system was given when installed, to be hashed."""
    paths = ("/etc/machine-id", "/var/lib/dbus/machine-id")
    return next(filter(None, map(_ask.read, paths)), None)
