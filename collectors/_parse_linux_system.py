"""What Linux says about the system and the state it is in; pure functions over text."""

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any


def os_release(text: str | None) -> dict[str, str]:
    """Return the fields of /etc/os-release without their quotes."""
    found = {}
    for line in (text or "").splitlines():
        name, equals, value = line.partition("=")
        if equals and not name.startswith("#"):
            found[name.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    try:
        return " ".join(shlex.split(value))
    except ValueError:
        return value


def uname(text: str | None) -> dict[str, str]:
    """Return kernel and architecture of ``uname -a``; never the host's name."""
    words = (text or "").split()
    if len(words) < 4 or words[0] != "Linux":
        return {}
    machines = re.compile(r"x86_64|aarch64|armv\w+|ppc64le")
    found = next(filter(machines.fullmatch, words), None)
    return {"kernel": words[2]} | ({"architecture": found} if found else {})


def meminfo(text: str | None) -> dict[str, int]:
    """Return the rows of /proc/meminfo in bytes."""
    rows = re.findall(r"^(\w+):\s+(\d+) kB$", text or "", re.MULTILINE)
    return {name: int(value) * 1024 for name, value in rows}


def installed_bytes(block_size: str | None, states: Iterable[str]) -> int | None:
    """Return memory in whole blocks online: MemTotal lacks what the kernel keeps."""
    online = sum(state.strip() == "online" for state in states)
    return int(block_size, 16) * online if block_size and online else None


def cgroup_paths(text: str | None) -> tuple[str, ...]:
    """Return the cgroup (version 2) of a process and all above it, innermost first."""
    match = re.search(r"^0::(/.*)$", text or "", re.MULTILINE)
    if match is None:
        return ("/",)
    parts = [part for part in match[1].split("/") if part not in {"", ".."}]
    return tuple("/" + "/".join(parts[:n]) for n in range(len(parts), -1, -1))


def cpu_quota(cpu_max: str | None) -> float | None:
    """Return the processors that ``cpu.max`` allows: "150000 100000" is 1.5."""
    match = re.match(r"(\d+) (\d+)", cpu_max or "")
    return int(match[1]) / int(match[2]) if match and int(match[2]) else None


def pressure_percent(text: str | None) -> float | None:
    """Return how much of the last ten seconds some task waited for memory."""
    match = re.search(r"^some avg10=([\d.]+)", text or "", re.MULTILINE)
    return float(match[1]) if match else None


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


def one_of_all(values: Iterable[str]) -> str | None:
    """Return what all processors have in common: "performance", or "a,b" where not."""
    return ",".join(sorted({value.strip() for value in values})) or None


def virtualisation(text: str | None) -> bool | None:
    """Return whether ``systemd-detect-virt --vm`` found a hypervisor."""
    word = (text or "").strip()
    return word != "none" if word else None


def energy_joules(text: str | None) -> float | None:
    """Return a counter of /sys/class/powercap/intel-rapl, kept in microjoules."""
    match = re.fullmatch(r"\s*(\d+)\s*", text or "")
    return int(match[1]) / 1e6 if match else None
