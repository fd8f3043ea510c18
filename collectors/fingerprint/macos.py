"""A Mac: what its commands print, first what their texts mean.

The tables and functions over a text are pure, and a key that the system did not print
is absent from what they give; the last functions ask this machine.
"""

import json
import platform
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from fingerprint import commands
from fingerprint.facts import (
    ChipName,
    Facts,
    Fields,
    cards_by_kind,
    chip_name,
    extract,
    known,
    machine_facts,
    reasons,
    whole,
)
from fingerprint.mach_o import sdk_of

_JOINED = re.compile(r";\s+(?=[a-z]+\.[\w.]+: )")
_SYSCTL = re.compile(r"([a-z_]\w*(?:\.[\w-]+)+)\s*[:=]\s?(.*)")
# macOS 12 has the counts without the names; its chips had these two tiers only.
_UNNAMED = ("Performance", "Efficiency")
_POWERS = {"K": 10, "M": 20, "G": 30, "T": 40}
_SOURCES = {"AC Power": "ac", "Battery Power": "battery", "UPS Power": "ups"}
_SECTIONS = {source: section for section, source in _SOURCES.items()}
_MODES = {"0": "automatic", "1": "low", "2": "high"}
_PRESSURE_LEVELS = ("nominal", "moderate", "heavy", "trapping", "sleeping")
MEMORY_LEVELS = {"1": "normal", "2": "warning", "4": "critical"}
_STATES = ("AC attached; not charging", "discharging", "charging", "charged")
NOT_MEASURED = "the operating system does not report it"
VERSIONS = ("kern.osproductversion", "kern.osversion")
VIRTUAL_MODELS = ("VirtualMac", "VMware", "Parallels")
DISCRETE = {"amd": "AMD", "AMD": "AMD", "nvidia": "NVIDIA", "NVIDIA": "NVIDIA"}
_FAMILIES = ("mtlgpufamilysupport", "metalfamily")
_FAMILY = re.compile(r"(apple|metal|mac)(\d+)$")
_NEED = "Metal needs a Mac with Apple silicon and macOS 14 or newer"
# Macs without a fan, by identifier: every MacBook Air since the M1, the MacBooks of 12
# inches and the MacBook Neo. They slow down when they work for long.
FANLESS = re.compile(
    r"MacBook(8|9|10),1|MacBookAir10,1|Mac14,(2|15)|Mac15,1[23]|Mac16,1[23]|Mac17,[345]"
)


def registry(name: str) -> tuple[str, Callable[[str | None, str | None], int]]:
    """Return the field of a number of the IO registry: decimal, or its bytes."""

    def number(decimal: str | None, octets: str | None) -> int:
        return int(decimal or int.from_bytes(bytes.fromhex(octets or ""), "little"))

    return rf'"{re.escape(name)}"\s*=\s*(?:(\d+)|<([0-9a-f]+)>)', number


def _size(number: str, unit: str) -> int:
    """Return ``1,5`` and ``T`` in bytes; some locales print a comma."""
    return int(float(number.replace(",", ".")) * 2 ** _POWERS[unit])


# Of ``pmset -g batt``; desktops have no more than the source.
BATTERY: Fields = {
    "power_source": (
        r"Now drawing from '([^']+)'",
        lambda source: _SOURCES.get(source, source.lower()),
    ),
    "battery_percent": (r"(\d+)%;\s*[^;]", int),
    "battery_state": (
        r"\d+%;\s*([^;]+(?:; not charging)?)",
        lambda printed: next((state for state in _STATES if state in printed), None),
    ),
}
# Of ``pmset -g therm``, Intel only. On Apple silicon it says "No ... recorded" even
# when slowed: no evidence at all.
THERMAL: Fields = {"cpu_speed_limit_percent": (r"CPU_Speed_Limit\s*=\s*(\d+)", int)}
GPU_REGISTRY: Fields = {
    "cores": registry("gpu-core-count"),
    "utilisation_percent": registry("Device Utilization %"),
}
# Only ever hashed, never printed.
MACHINE_UUID: Fields = {"uuid": (r'"IOPlatformUUID"\s*=\s*"([^"]+)"', str)}
SWAP: Fields = {
    "swap_used_bytes": (r"used\s*=\s*(\d+(?:[.,]\d+)?)([KMG])", _size),
}
# What the other figures of ``proc 24:16:8:0`` mean changed twice within macOS 26 and
# 27; the tiers come from sysctl.
PROCESSORS: Fields = {"total": (r"\A(?:proc )?(\d+)(?::\d+)*\Z", int)}
PRINTED_SIZE: Fields = {
    "memory_bytes": (r"\A\s*(\d+(?:[.,]\d+)?)\s*([KMGT])B\s*\Z", _size)
}


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


def core_levels(values: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
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
        levels.append((values.get(f"hw.perflevel{tier}.name") or fallback, cores))
    return tuple(levels)


def core_count(values: Mapping[str, str]) -> int | None:
    """Return the number of physical cores."""
    tiers = core_levels(values)
    names = ("hw.physicalcpu", "hw.perflevel0.physicalcpu", "machdep.cpu.core_count")
    counts = (whole(values.get(name)) for name in names)
    return sum(cores for _, cores in tiers) or next(filter(None, counts), None)


def profile(text: str | None) -> dict[str, list[Facts]]:
    """Return the reports of ``system_profiler -json`` by data type."""
    try:
        reports = json.loads(text or "")
    except ValueError:
        return {}
    if not isinstance(reports, dict):
        return {}
    kept = {k: v for k, v in reports.items() if isinstance(v, list)}
    return {k: [i for i in v if isinstance(i, dict)] for k, v in kept.items()}


def hardware(text: str | None) -> Facts:
    """Return model, chip as printed, total cores and memory from the JSON report."""
    item = next(iter(profile(text).get("SPHardwareDataType", [])), {})
    chip = item.get("chip_type") or item.get("cpu_type")
    cores = extract(str(item.get("number_processors")), PROCESSORS)
    facts = {
        "model": item.get("machine_model"),
        "chip": None if chip == "Unknown" else chip,
        "cpu_cores": cores.get("total"),
    }
    return known(facts)


def fields(text: str) -> dict[str, str]:
    """Return the first value of each ``Name: value``, one a line or joined by ``;``.

    Log lines that slipped in from standard error start with a date.
    """
    parts = re.split(r"\n|; ", text)
    logs = re.compile(r"\d{4}-\d\d-\d\d ")
    pairs = (p.strip().split(":", 1) for p in parts if ":" in p and not logs.match(p))
    facts: dict[str, str] = {}
    for name, value in pairs:
        if value.strip():
            facts.setdefault(name.strip(), value.strip())
    return facts


def displays(text: str | None) -> tuple[Facts, ...]:
    """Return the GPUs of the JSON report: vendor, name, cores, memory of their own."""
    gpus = []
    for item in profile(text).get("SPDisplaysDataType", []):
        name = item.get("sppci_model") or item.get("_name") or ""
        vendor = str(item.get("spdisplays_vendor", "")).rpartition("_")[2]
        named = "" if name.startswith("kHW_") else name
        cores = whole(str(item.get("sppci_cores", "")))
        memory = extract(str(item.get("spdisplays_vram")), PRINTED_SIZE)
        gpus.append(known({"vendor": vendor, "name": named, "cores": cores}) | memory)
    return tuple(gpus)


def metal_kernels(library: Path) -> dict[str, str | None]:
    """Return what decides which kernels Metal has: GPU family, SDK of a *library*."""
    return {"metal_family": metal_family(), "sdk": sdk_of(library)}


def metal_family(text: str | None = None) -> str | None:
    """Return the newest family of Metal that the GPU of this Mac belongs to.

    Of *text*, the JSON report of its displays, which is asked for by default.
    """
    if text is None:
        text = commands.run(*commands.DISPLAYS, seconds=commands.SLOW_SECONDS)
    for item in profile(text).get("SPDisplaysDataType", []):
        printed = (item.get(f"spdisplays_{name}") for name in _FAMILIES)
        # Metal's own number on newer systems, before them that of Apple's GPUs.
        family = _FAMILY.search(" ".join(map(str, filter(None, printed))))
        if family:
            return f"{family[1].title()} {family[2]}"
    return None


def believable_version(printed: str) -> str | None:
    """Return a macOS version unless Python is known to invent it.

    Built against an older SDK it answers 10.16 for anything since 11, and 16.0 for 26.
    """
    return None if not printed or re.match(r"10\.16|16\.", printed) else printed


def uname(text: str | None) -> Facts:
    """Return kernel, architecture and, on macOS, whether Rosetta is in between."""
    line = (text or "").strip()
    version = re.search(r"Darwin Kernel Version ([\d.]+).*?RELEASE_(\w+)", line)
    words = line.split()
    if version is None or not words:
        return {}
    facts: Facts = {"kernel": version[1]}
    if words[-1] in {"arm64", "x86_64"}:
        on_arm = version[2].startswith("ARM64")
        facts["architecture"] = words[-1]
        facts["rosetta"] = on_arm and words[-1] == "x86_64"
    return facts


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


def thermal_pressure(level: int | None) -> str | None:
    """Return the name of a level of ``com.apple.system.thermalpressurelevel``."""
    return dict(enumerate(_PRESSURE_LEVELS)).get(-1 if level is None else level)


def vm_stat(text: str | None) -> Facts:
    """Return memory in bytes; the page size is in the header and differs by chip."""
    text = text or ""
    page = re.search(r"page size of (\d+) bytes", text)
    rows = dict(re.findall(r'^"?([^":\n]+)"?:\s+(\d+)\.$', text, re.MULTILINE))
    if page is None:
        return {}
    size = int(page[1])
    facts: Facts = {}
    free = [rows.get(f"Pages {k}") for k in ("free", "speculative", "inactive")]
    if None not in free:
        facts["available_bytes"] = size * sum(int(n) for n in free if n is not None)
    for name in ("Swapins", "Swapouts"):
        if name in rows:
            facts[f"{name.lower()}_bytes"] = size * int(rows[name])
    return facts


def machine() -> Facts:
    """Return the machine line of this Mac as far as it is known."""
    values = sysctl(commands.sysctl(commands.SYSCTL_NAMES))
    registry = extract(commands.run(*commands.GPU_REGISTRY), GPU_REGISTRY)
    name = chip_name(values.get("machdep.cpu.brand_string", ""))
    report = None
    if name is None or name.vendor != "Apple" or "cores" not in registry:
        # Slow, so only asked for what the quick commands left open.
        report = commands.system_profiler(rosetta=_rosetta(values))
    reported, gpus = hardware(report), displays(report)
    name = name or chip_name(reported.get("chip", ""))
    of_gpus = (gpu["cores"] for gpu in gpus if "cores" in gpu)
    # The cards of an Intel Mac; built-in graphics belong to the chip.
    cards = (
        (vendor, gpu["name"].removeprefix(f"{vendor} "), gpu.get("memory_bytes"))
        for gpu in gpus
        if (vendor := DISCRETE.get(gpu.get("vendor", ""))) and "name" in gpu
    )
    chip = {
        "cpu_cores": core_count(values) or reported.get("cpu_cores"),
        "cpu_levels": [{"name": n, "cores": c} for n, c in core_levels(values)],
        "gpu_cores": registry.get("cores") or next(of_gpus, None),
        "ram_bytes": whole(values.get("hw.memsize")),
        "accelerators": cards_by_kind(cards),
    }
    model = values.get("hw.model") or reported.get("model")
    virtual = is_virtual(values, name)
    hidden = "a virtual machine does not show them"
    why = {
        "chip": "neither sysctl nor system_profiler names it",
        "cpu_cores": NOT_MEASURED,
        "gpu_cores": hidden if virtual else NOT_MEASURED,
        "ram_bytes": NOT_MEASURED,
        "memory_bandwidth_bytes_per_second": NOT_MEASURED,
        "model": "sysctl hw.model gave nothing",
        "virtual": "sysctl kern.hv_vmm_present gave nothing",
    }
    return machine_facts(name, chip, model=model, virtual=virtual, why=why)


def _rosetta(values: dict[str, str]) -> bool:
    return values.get("sysctl.proc_translated") == "1"


def is_virtual(values: dict[str, str], name: ChipName | None) -> bool | None:
    """Tell a virtual machine by any sign: a CI runner poses as a real Mac mini."""
    signs = (
        values.get("kern.hv_vmm_present") == "1",
        values.get("hw.model", "").startswith(VIRTUAL_MODELS),
        "VMM" in values.get("machdep.cpu.features", "").split(),
        name is not None and name.virtual,
    )
    if any(signs):
        return True
    return False if "kern.hv_vmm_present" in values else None


def system() -> Facts:
    """Return what the environment line says about macOS."""
    values = sysctl(commands.sysctl((*VERSIONS, "sysctl.proc_translated")))
    asked = None if values.keys() >= set(VERSIONS) else commands.run("sw_vers")
    printed = fields(asked or "")
    kernel = uname(commands.run("uname", "-rvm"))
    version = values.get("kern.osproductversion") or printed.get("ProductVersion")
    facts = known(
        {
            "os_name": "macOS",
            "os_version": version or believable_version(platform.mac_ver()[0]),
            "os_build": values.get("kern.osversion") or printed.get("BuildVersion"),
            "kernel": kernel.get("kernel"),
            "architecture": kernel.get("architecture"),
            "rosetta": _rosetta(values) or kernel.get("rosetta"),
        }
    )
    names = ("os_version", "os_build", "kernel", "architecture", "rosetta")
    return facts | {"missing": reasons(facts, dict.fromkeys(names, NOT_MEASURED))}


def processor() -> str | None:
    """Return the processor's name exactly as the system prints it."""
    text = commands.sysctl(("machdep.cpu.brand_string",))
    return sysctl(text).get("machdep.cpu.brand_string")


def conditions() -> Facts:
    """Return the state this Mac is in now."""
    values = sysctl(commands.sysctl(commands.SYSCTL_CONDITIONS))
    memory = vm_stat(commands.run("vm_stat"))
    registry = extract(commands.run(*commands.GPU_REGISTRY), GPU_REGISTRY)
    name = chip_name(values.get("machdep.cpu.brand_string", ""))
    power = extract(commands.run("pmset", "-g", "batt"), BATTERY)
    modes = power_mode(commands.run("pmset", "-g", "custom"), power.get("power_source"))
    level = values.get("kern.memorystatus_vm_pressure_level", "").strip()
    on_arm = values.get("hw.optional.arm64") == "1"
    return known(
        {
            "cpu_count_usable": whole(values.get("hw.activecpu")),
            **power,
            **modes,
            **extract(commands.run("pmset", "-g", "therm"), THERMAL),
            "thermal_pressure": thermal_pressure(commands.thermal_pressure()),
            "memory_available_bytes": memory.get("available_bytes"),
            "swapped_in_bytes": memory.get("swapins_bytes"),
            "swapped_out_bytes": memory.get("swapouts_bytes"),
            **extract(values.get("vm.swapusage"), SWAP),
            "memory_pressure": MEMORY_LEVELS.get(level),
            "gpu_utilisation_percent": registry.get("utilisation_percent"),
            "rosetta": _rosetta(values) if on_arm else None,
            "virtual": is_virtual(values, name),
            # Of other Macs it is not known: the list may be too short.
            "fanless": FANLESS.fullmatch(values.get("hw.model", "")) and True,
        }
    )


def machine_id() -> str | None:
    """Return the id that macOS gave this Mac, to be hashed and forgotten."""
    printed = commands.run(*commands.PLATFORM_REGISTRY)
    return extract(printed, MACHINE_UUID).get("uuid")


def metal_obstacle() -> tuple[str, str] | None:
    """Return why there is no Metal here and what to do; None on Apple silicon."""
    # Of this process: under Rosetta every program claims to run on x86_64.
    architecture = (commands.run("uname", "-m") or platform.machine()).strip()
    if commands.platform() != "darwin":
        return f"this is {platform.system()} on {architecture}", _NEED
    if architecture == "arm64":
        return None
    if (commands.run("sysctl", "hw.optional.arm64") or "").strip().endswith("1"):
        # The frameworks have no Metal there: the Mac has, an arm64 Python finds it.
        return (
            "this Python is an Intel build, which runs under Rosetta",
            "install an arm64 Python and the frameworks in it",
        )
    return "this Mac has an Intel processor", f"measure with --no-metal; {_NEED}"
