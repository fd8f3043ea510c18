"""What macOS prints about its hardware and itself; pure functions over text.

A key that the system did not print is absent from what these return.
"""

import json
import os
import platform
import re
import time
from collections.abc import Mapping

from fingerprint import commands
from fingerprint.facts import (
    ChipName,
    Facts,
    Found,
    chip_name,
    known,
    levels,
    reasons,
    whole,
)

_JOINED = re.compile(r";\s+(?=[a-z]+\.[\w.]+: )")
_SYSCTL = re.compile(r"([a-z_]\w*(?:\.[\w-]+)+)\s*[:=]\s?(.*)")
# macOS 12 has the counts without the names; its chips had these two tiers only.
_UNNAMED = ("Performance", "Efficiency")
_UNITS = {"KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
_MACHINE_UUID = re.compile(r'"IOPlatformUUID"\s*=\s*"([^"]+)"')

_SOURCES = {"AC Power": "ac", "Battery Power": "battery", "UPS Power": "ups"}
_SECTIONS = {source: section for section, source in _SOURCES.items()}
_MODES = {"0": "automatic", "1": "low", "2": "high"}
_PRESSURE_LEVELS = ("nominal", "moderate", "heavy", "trapping", "sleeping")
_MEMORY_LEVELS = {"1": "normal", "2": "warning", "4": "critical"}
_STATES = ("AC attached; not charging", "discharging", "charging", "charged")
NOT_MEASURED = "the operating system does not report it"
VERSIONS = ("kern.osproductversion", "kern.osversion")
VIRTUAL_MODELS = ("VirtualMac", "VMware", "Parallels")
DISCRETE = {"amd": "AMD", "AMD": "AMD", "nvidia": "NVIDIA", "NVIDIA": "NVIDIA"}
_NEED = "Metal needs a Mac with Apple silicon and macOS 14 or newer"


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
    found = []
    for tier in range(count):
        cores = whole(values.get(f"hw.perflevel{tier}.physicalcpu"))
        fallback = _UNNAMED[tier] if count == len(_UNNAMED) else f"Level {tier}"
        if cores is None:
            return ()
        found.append((values.get(f"hw.perflevel{tier}.name") or fallback, cores))
    return tuple(found)


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
    facts = {
        "model": item.get("machine_model"),
        "chip": None if chip == "Unknown" else chip,
        "cpu_cores": processors(item.get("number_processors")),
    }
    return known(facts)


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


def displays(text: str | None) -> tuple[Facts, ...]:
    """Return the GPUs of the JSON report: vendor, name, cores, memory of their own."""
    return tuple(map(_gpu, profile(text).get("SPDisplaysDataType", [])))


def _gpu(item: Facts) -> Facts:
    name = item.get("sppci_model") or item.get("_name") or ""
    facts = {
        "vendor": str(item.get("spdisplays_vendor", "")).rpartition("_")[2] or None,
        "name": None if name.startswith("kHW_") else name or None,
        "cores": whole(str(item.get("sppci_cores", ""))),
        "memory_bytes": size_bytes(item.get("spdisplays_vram")),
    }
    return known(facts)


def sw_vers(text: str | None) -> dict[str, str]:
    """Return product name, version and build."""
    return fields(text or "")


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


def gpu_registry(text: str | None) -> Facts:
    """Return GPU cores and utilisation from the IO registry."""
    text = text or ""
    return known(
        {
            "cores": registry_number(text, "gpu-core-count"),
            "utilisation_percent": registry_number(text, "Device Utilization %"),
        }
    )


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


def battery(text: str | None) -> Facts:
    """Return source, percent and state of ``pmset -g batt``; desktops have no more."""
    text = text or ""
    facts: Facts = {}
    if source := re.search(r"Now drawing from '([^']+)'", text):
        facts["power_source"] = _SOURCES.get(source[1], source[1].lower())
    if charge := re.search(r"(\d+)%;\s*([^;]+(?:; not charging)?)", text):
        facts["battery_percent"] = int(charge[1])
        facts["battery_state"] = next((s for s in _STATES if s in charge[2]), None)
    return known(facts)


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
    facts: Facts = {}
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


def machine() -> Found:
    """Return chip and model of this Mac."""
    values = sysctl(commands.sysctl(commands.SYSCTL_NAMES))
    registry = gpu_registry(commands.gpu_registry())
    name = chip_name(values.get("machdep.cpu.brand_string", ""))
    report = None
    if name is None or name.vendor != "Apple" or "cores" not in registry:
        # Slow, so only asked for what the quick commands left open.
        report = commands.system_profiler(rosetta=_rosetta(values))
    reported, gpus = hardware(report), displays(report)
    name = name or chip_name(reported.get("chip", ""))
    gpu_cores = registry.get("cores") or next(
        (gpu["cores"] for gpu in gpus if "cores" in gpu), None
    )
    virtual = is_virtual(values, name)
    chip = known(
        {
            "vendor": name.vendor if name else "unknown",
            "name": name.name if name else "unknown",
            "cpu_cores": core_count(values) or reported.get("cpu_cores"),
            "cpu_levels": levels(core_levels(values)),
            "gpu_cores": gpu_cores,
            "ram_bytes": whole(values.get("hw.memsize")),
            "accelerators": _discrete(gpus),
        }
    )
    model = values.get("hw.model") or reported.get("model")
    missing = _missing(chip, model=model, virtual=virtual, name=name)
    return Found(chip, model, virtual, missing)


def _missing(
    chip: Facts, *, model: str | None, virtual: bool | None, name: ChipName | None
) -> dict[str, str]:
    facts = chip | known({"model": model, "virtual": virtual, "chip": name})
    gpu = "a virtual machine does not show them" if virtual else NOT_MEASURED
    why = {
        "chip": "neither sysctl nor system_profiler names it",
        "cpu_cores": NOT_MEASURED,
        "gpu_cores": gpu,
        "ram_bytes": NOT_MEASURED,
        "memory_bandwidth_bytes_per_second": NOT_MEASURED,
        "model": "sysctl hw.model gave nothing",
        "virtual": "sysctl kern.hv_vmm_present gave nothing",
    }
    return reasons(facts, why)


def _discrete(gpus: tuple[Facts, ...]) -> list[Facts]:
    """Return the cards of an Intel Mac; built-in graphics belong to the chip."""
    cards: dict[tuple[str, str, int | None], int] = {}
    for gpu in gpus:
        vendor = DISCRETE.get(gpu.get("vendor", ""))
        if vendor and "name" in gpu:
            name = gpu["name"].removeprefix(f"{vendor} ")
            key = (vendor, name, gpu.get("memory_bytes"))
            cards[key] = cards.get(key, 0) + 1
    return [
        known({"vendor": v, "name": n, "memory_bytes": m, "count": count})
        for (v, n, m), count in cards.items()
    ]


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
    return (
        True if any(signs) else None if "kern.hv_vmm_present" not in values else False
    )


def system() -> Facts:
    """Return what the environment line says about macOS."""
    values = sysctl(commands.sysctl((*VERSIONS, "sysctl.proc_translated")))
    asked = None if values.keys() >= set(VERSIONS) else commands.run("sw_vers")
    printed = sw_vers(asked)
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
    registry = gpu_registry(commands.gpu_registry())
    name = chip_name(values.get("machdep.cpu.brand_string", ""))
    on_arm = values.get("hw.optional.arm64") == "1"
    return known(
        {
            "load_1m": round(os.getloadavg()[0], 2),
            # To the minute: enough to tell boots apart, too little to tell machines.
            "uptime_seconds": 60 * round(time.monotonic() / 60),
            "cpu_count_usable": whole(values.get("hw.activecpu")),
            **_power(),
            "thermal_pressure": thermal_pressure(commands.thermal_pressure()),
            "memory_available_bytes": memory.get("available_bytes"),
            "swapped_in_bytes": memory.get("swapins_bytes"),
            "swapped_out_bytes": memory.get("swapouts_bytes"),
            "swap_used_bytes": swap_used_bytes(values.get("vm.swapusage")),
            "memory_pressure": memory_pressure(
                values.get("kern.memorystatus_vm_pressure_level")
            ),
            "gpu_utilisation_percent": registry.get("utilisation_percent"),
            "rosetta": _rosetta(values) if on_arm else None,
            "virtual": is_virtual(values, name),
        }
    )


def _power() -> Facts:
    power = battery(commands.run("pmset", "-g", "batt"))
    mode = power_mode(commands.run("pmset", "-g", "custom"), power.get("power_source"))
    limit = cpu_speed_limit(commands.run("pmset", "-g", "therm"))
    return known({**power, **mode, "cpu_speed_limit_percent": limit})


def machine_id() -> str | None:
    """Return the id that macOS gave this Mac, to be hashed and forgotten."""
    return platform_uuid(commands.platform_registry())


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
