"""The fingerprint of a Mac, from what its commands say."""

import os
import platform
import time

import _ask
import _parse_macos as parse
import _parse_macos_conditions as state
from _machine_found import Facts, Found, known, levels, reasons
from _parse_chip import ChipName, chip_name

NOT_MEASURED = "the operating system does not report it"
VERSIONS = ("kern.osproductversion", "kern.osversion")
VIRTUAL_MODELS = ("VirtualMac", "VMware", "Parallels")
DISCRETE = {"amd": "AMD", "AMD": "AMD", "nvidia": "NVIDIA", "NVIDIA": "NVIDIA"}


def machine() -> Found:
    """Return chip and model of this Mac."""
    values = parse.sysctl(_ask.sysctl(_ask.SYSCTL_NAMES))
    registry = parse.gpu_registry(_ask.gpu_registry())
    name = chip_name(values.get("machdep.cpu.brand_string", ""))
    report = None
    if name is None or name.vendor != "Apple" or "cores" not in registry:
        # Slow, so only asked for what the quick commands left open.
        report = _ask.system_profiler(rosetta=_rosetta(values))
    hardware, gpus = parse.hardware(report), parse.displays(report)
    name = name or chip_name(hardware.get("chip", ""))
    gpu_cores = registry.get("cores") or next(
        (gpu["cores"] for gpu in gpus if "cores" in gpu), None
    )
    virtual = is_virtual(values, name)
    chip = known(
        {
            "vendor": name.vendor if name else "unknown",
            "name": name.name if name else "unknown",
            "cpu_cores": parse.core_count(values) or hardware.get("cpu_cores"),
            "cpu_levels": levels(
                (level.name, level.cores) for level in parse.core_levels(values)
            ),
            "gpu_cores": gpu_cores,
            "ram_bytes": parse.whole(values.get("hw.memsize")),
            "accelerators": _discrete(gpus),
        }
    )
    model = values.get("hw.model") or hardware.get("model")
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
    values = parse.sysctl(_ask.sysctl((*VERSIONS, "sysctl.proc_translated")))
    asked = None if values.keys() >= set(VERSIONS) else _ask.run("sw_vers")
    printed = parse.sw_vers(asked)
    kernel = parse.uname(_ask.run("uname", "-rvm"))
    version = values.get("kern.osproductversion") or printed.get("ProductVersion")
    facts = known(
        {
            "os_name": "macOS",
            "os_version": version or parse.believable_version(platform.mac_ver()[0]),
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
    text = _ask.sysctl(("machdep.cpu.brand_string",))
    return parse.sysctl(text).get("machdep.cpu.brand_string")


def conditions() -> Facts:
    """Return the state this Mac is in now."""
    values = parse.sysctl(_ask.sysctl(_ask.SYSCTL_CONDITIONS))
    memory = state.vm_stat(_ask.run("vm_stat"))
    registry = parse.gpu_registry(_ask.gpu_registry())
    name = chip_name(values.get("machdep.cpu.brand_string", ""))
    on_arm = values.get("hw.optional.arm64") == "1"
    return known(
        {
            "load_1m": round(os.getloadavg()[0], 2),
            # To the minute: enough to tell boots apart, too little to tell machines.
            "uptime_seconds": 60 * round(time.monotonic() / 60),
            "cpu_count_usable": parse.whole(values.get("hw.activecpu")),
            **_power(),
            "thermal_pressure": state.thermal_pressure(_ask.thermal_pressure()),
            "memory_available_bytes": memory.get("available_bytes"),
            "swapped_in_bytes": memory.get("swapins_bytes"),
            "swapped_out_bytes": memory.get("swapouts_bytes"),
            "swap_used_bytes": state.swap_used_bytes(values.get("vm.swapusage")),
            "memory_pressure": state.memory_pressure(
                values.get("kern.memorystatus_vm_pressure_level")
            ),
            "gpu_utilisation_percent": registry.get("utilisation_percent"),
            "rosetta": _rosetta(values) if on_arm else None,
            "virtual": is_virtual(values, name),
        }
    )


def _power() -> Facts:
    battery = state.battery(_ask.run("pmset", "-g", "batt"))
    mode = state.power_mode(
        _ask.run("pmset", "-g", "custom"), battery.get("power_source")
    )
    limit = state.cpu_speed_limit(_ask.run("pmset", "-g", "therm"))
    return known({**battery, **mode, "cpu_speed_limit_percent": limit})


def machine_id() -> str | None:
    """Return the id that macOS gave this Mac, to be hashed and forgotten."""
    return parse.platform_uuid(_ask.platform_registry())
