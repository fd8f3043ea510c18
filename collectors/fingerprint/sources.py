"""One fact, several sources: what each says of this machine.

The fingerprint takes a fact from the first source that has it. Here all are asked, so
that a machine nobody has tried shows where one of them means something else.
"""

import os
import platform
import re
from typing import Any

from energy import macmon, powermetrics

from fingerprint import commands, linux, macos, nvidia
from fingerprint.facts import (
    ChipName,
    Facts,
    Fields,
    chip_name,
    extract,
    known,
    whole,
)

Sources = dict[str, Facts]
_GPU_NAME: Fields = {"name": (r'"model" = "([^"]+)"', str)}
_NVIDIA_DRIVER: Fields = {"driver": (r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s", str)}
ONE_DOCUMENT = (*powermetrics.WITHOUT_A_PASSWORD, *powermetrics.COMMAND, "-n", "1")


def by_source(*, as_root: bool = False) -> Sources:
    """Return by fact what each source says of it; *as_root* powermetrics is heard."""
    if commands.platform() == "darwin":
        return _answered(_mac(as_root=as_root))
    return _answered(_linux())


def _answered(sources: Sources) -> Sources:
    return {
        fact: result for fact, outcome in sources.items() if (result := known(outcome))
    }


def _mac(*, as_root: bool) -> Sources:
    values = macos.sysctl(commands.sysctl(commands.SYSCTL_NAMES))
    translated = values.get("sysctl.proc_translated")
    report = commands.system_profiler(rosetta=translated == "1")
    reported, gpus = macos.hardware(report), macos.displays(report)
    gpu = next((gpu for gpu in gpus if "cores" in gpu), {})
    registry = commands.run(*commands.GPU_REGISTRY)
    in_registry = extract(registry, macos.GPU_REGISTRY)
    item = next(iter(macos.profile(report).get("SPHardwareDataType", [])), {})
    memory = extract(str(item.get("physical_memory")), macos.PRINTED_SIZE)
    printed = macos.fields(commands.run("sw_vers") or "")
    kernel = macos.uname(commands.run("uname", "-rvm"))
    model = values.get("hw.model", "")
    # Heard for whoever mends a parser; what they say is looked at by the meters.
    commands.run(*macmon.ONCE)
    if as_root:
        commands.run(*ONE_DOCUMENT)
    return {
        "chip": {
            "sysctl": _name(values.get("machdep.cpu.brand_string")),
            "system_profiler": _name(reported.get("chip")),
            "its GPU": _name(gpu.get("name")),
            "ioreg": _name(extract(registry, _GPU_NAME).get("name")),
        },
        "model": {"sysctl": model, "system_profiler": reported.get("model")},
        "cpu_cores": {
            "sysctl": whole(values.get("hw.physicalcpu")),
            "its tiers": sum(cores for _, cores in macos.core_levels(values)) or None,
            "system_profiler": reported.get("cpu_cores"),
        },
        "gpu_cores": {
            "ioreg": in_registry.get("cores"),
            "system_profiler": gpu.get("cores"),
        },
        "ram_bytes": {
            "sysctl": whole(values.get("hw.memsize")),
            "system_profiler": memory.get("memory_bytes"),
        },
        "os_version": {
            "sysctl": values.get("kern.osproductversion"),
            "sw_vers": printed.get("ProductVersion"),
        },
        "os_build": {
            "sysctl": values.get("kern.osversion"),
            "sw_vers": printed.get("BuildVersion"),
        },
        "rosetta": {
            "sysctl": None if translated is None else translated == "1",
            "uname": kernel.get("rosetta"),
        },
        "fanless": _fanless(model, str(item.get("machine_name", ""))),
        "thermal_pressure": {
            "notify(3)": macos.thermal_pressure(commands.thermal_pressure()),
            "notifyutil": macos.thermal_pressure(commands.printed_level()),
        },
    }


def _name(printed: str | None) -> str | None:
    """Return the name of a chip of Apple's; of Intel's the sources say unlike parts."""
    name: ChipName | None = chip_name(printed or "")
    return name.name if name and name.vendor == "Apple" else None


def _fanless(model: str, series: str) -> Facts:
    """Return whether the Mac has no fan, by its identifier and by what it is called.

    Of a MacBook Air only those with Apple's chips are meant; those have other names
    than the last with Intel's, whose own says so.
    """
    if not model or not series:
        return {}
    old = re.match(r"MacBookAir[1-9],", model) is not None
    called = series in {"MacBook", "MacBook Air", "MacBook Neo"} and not old
    return {
        "identifier": macos.FANLESS.fullmatch(model) is not None,
        "system_profiler": called,
    }


def _linux() -> Sources:
    cpus = linux.cpuinfo(commands.read("/proc/cpuinfo"))
    printed = dict(linux.lscpu(commands.run("lscpu", "-J")))
    listed = chip_name(printed.get("Model name", ""), printed.get("Vendor ID"))
    memory = linux.meminfo(commands.read("/proc/meminfo"))
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    cards = nvidia.xml(nvidia.ask(*commands.NVIDIA_XML))
    rows = nvidia.query_csv(nvidia.ask(*commands.NVIDIA_CSV))
    module = extract(commands.read("/proc/driver/nvidia/version"), _NVIDIA_DRIVER)

    def of_cards(groups: tuple[nvidia.Gpu, ...], name: str) -> Any:
        return " + ".join(str(card[name]) for card in groups if name in card) or None

    return {
        "chip": {
            "/proc/cpuinfo": cpus.chip.name if cpus and cpus.chip else None,
            "lscpu": listed.name if listed else None,
        },
        "architecture": {
            "kernel": platform.machine(),
            "lscpu": printed.get("Architecture"),
        },
        "ram_bytes": {"/proc/meminfo": memory.get("MemTotal"), "sysconf": pages},
        **{
            f"gpu_{fact}": {
                "nvidia-smi -q": of_cards(cards, fact),
                "nvidia-smi --query-gpu": of_cards(rows, fact),
            }
            for fact in ("name", "memory_bytes", "power_limit_watts")
        },
        "gpu_driver": {
            "nvidia-smi": next(
                (row["driver"] for row in rows if "driver" in row), None
            ),
            "kernel module": module.get("driver"),
        },
    }
