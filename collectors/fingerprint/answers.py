"""What commands of macOS printed, as far as it may leave the machine.

A list of what is kept, never of what is taken out: of every command those lines, or
parts of them, whose shape can hold no name, path, serial number or address. They are
as the parsers of ``macos`` want them, so that a new macOS or chip can be mended from
them on a machine that is none.
"""

import json
import plistlib
import re
from collections.abc import Callable, Mapping
from typing import Any

_WORDS = r"[A-Za-z][A-Za-z ]{0,30}"
_SYSCTL = "|".join(
    (
        r"hw\.model:\s*\w{1,20},\d{1,3}",
        # Counts, sizes and the names of tiers; a new system may have others.
        rf"hw\.\w+(?:\.\w+)*:\s*(?:\d{{1,15}}|{_WORDS})",
        r"machdep\.cpu\.\w+:\s*\d{1,12}",
        r"machdep\.cpu\.brand_string:\s*[\w ()@.+-]{1,80}",
        r"machdep\.cpu\.features:\s*[A-Z0-9_. ]{1,2000}",
        r"kern\.(?:osproductversion:\s*[\d.]+|osversion:\s*\w{1,12})",
        r"(?:kern\.hv_vmm_present|kern\.memorystatus_vm_pressure_level):\s*\d",
        r"sysctl\.proc_translated:\s*\d",
        r"vm\.swapusage:\s*[\dA-Za-z .,=()]{1,100}",
    )
)
# By the first words of a command: what of a line is kept.
_PARTS = {
    # Whoever shows its lines to others may join them.
    "sysctl": rf"(?:^|(?<=; ))(?:{_SYSCTL})(?=\.?$|;)",
    "ioreg -r -c AGXAccelerator": "|".join(
        (
            r"^\+-o AGX\w+",
            r'^ *"model" = "Apple [AM]\d+(?: Pro| Max| Ultra)?"',
            r'^ *"(?:gpu-core-count|num_\w+)" = (?:\d{1,6}|<[0-9a-f]{2,8}>)$',
            r'"(?:[A-Z][a-z]+ Utilization %|(?:num|gpu)_\w+)"=\d{1,6}\b',
            # Of all else the name alone: what is new is seen.
            r'^ *"[A-Za-z][\w -]*" =(?= )',
        )
    ),
    "pmset -g batt": r"^Now drawing from '[A-Za-z ]+'|\b\d{1,3}%; [A-Za-z ;]+",
    "pmset -g custom": r"^[A-Z][A-Za-z ]+:$|^ ?[A-Za-z ]+ +\d+$",
    "pmset -g therm": r"^Note: No [A-Za-z ]+$|^\s*CPU_\w+(?:\s*=\s*\d+)?$",
    "vm_stat": r'^Mach [A-Za-z ]+: \(page size of \d+ bytes\)$|^"?[\w -]+"?: +\d+\.$',
    "uname -rvm": (
        r"Darwin Kernel Version [\d.]+: [\w :]+; "
        r"root:xnu[\w.~+-]+/RELEASE_\w+ \w+$"
    ),
    "uname -m": r"^\w{1,10}$",
    "sw_vers": r"^Product\w+:\s+[\w. ()]{1,30}$|^BuildVersion:\s+\w{1,12}$",
    "notifyutil": r"^com\.apple\.system\.thermalpressurelevel \d+$",
}
# Of system_profiler: what these are called, and of all else what looks harmless.
_NAMES = (
    *("_name", "machine_model", "machine_name", "chip_type", "cpu_type"),
    *("sppci_model", "spdisplays_vendor"),
)
_NAME = re.compile(r"[\w ().,-]{1,60}")
_HARMLESS = re.compile(
    r"Apple [AM]\d+(?: Pro| Max| Ultra)?(?: \(Virtual\))?|\d{1,4}|proc [\d:]+"
    r"|\d{1,4}(?:[.,]\d+)? [KMGT]B|(?:sppci|spdisplays)_[a-z]\w{1,40}"
)
_REPORTS = ("SPHardwareDataType", "SPDisplaysDataType")
LEFT_OUT = "names without values"


def shareable(heard: Mapping[str, str]) -> dict[str, str]:
    """Return of *heard*, by command line, what may leave the machine."""
    kept = {}
    for line, text in heard.items():
        program = line.removeprefix("arch -arm64 ").removeprefix("sudo -n ")
        whole = _WHOLE.get(program.split(" ")[0])
        pattern = next((p for k, p in _PARTS.items() if program.startswith(k)), None)
        if whole is not None:
            kept[line] = whole(text)
        elif pattern is not None:
            parts = re.finditer(pattern, text, re.MULTILINE)
            kept[line] = "\n".join(part[0] for part in parts)
    return {line: text for line, text in kept.items() if text}


def _profile(text: str) -> str:
    """Return the JSON of ``system_profiler`` with the values that are harmless."""
    try:
        profile = json.loads(text)
    except ValueError:
        return ""
    reports: dict[str, list[Any]] = {}
    left_out: set[str] = set()
    for name in _REPORTS:
        items = profile.get(name) if isinstance(profile, dict) else None
        for item in items if isinstance(items, list) else ():
            fields = item.items() if isinstance(item, dict) else ()
            kept = {k: v for k, v in fields if _is_harmless(k, v)}
            left_out |= {k for k, _ in fields if _NAME.fullmatch(k)} - kept.keys()
            reports.setdefault(name, []).append(kept)
    return json.dumps(reports | {LEFT_OUT: sorted(left_out)}, indent=1)


def _is_harmless(key: str, value: object) -> bool:
    if not _NAME.fullmatch(key):
        return False
    pattern = _NAME if key in _NAMES else _HARMLESS
    return pattern.fullmatch(str(value)) is not None


def _macmon(text: str) -> str:
    """Return the numbers of a line of ``macmon pipe``."""
    try:
        result = json.loads(text)
    except ValueError:
        return ""
    return json.dumps(_numbers(result)) if isinstance(result, dict) else ""


def _powermetrics(text: str) -> str:
    """Return the numbers of a document of ``powermetrics``, and its pressure."""
    try:
        facts = plistlib.loads(text.strip("\0\n ").encode())
    except (ValueError, plistlib.InvalidFileException):
        return ""
    parts = ("elapsed_ns", "processor", "gpu", "thermal_pressure")
    kept = plistlib.dumps(_numbers({k: facts[k] for k in parts if k in facts}))
    return kept.decode()


def _numbers(value: Any) -> Any:
    """Return *value* with what is a number, or a short word, in dicts and lists."""
    if isinstance(value, dict):
        named = {k: _numbers(v) for k, v in value.items() if _NAME.fullmatch(str(k))}
        return {k: v for k, v in named.items() if v is not None}
    if isinstance(value, list):
        return [item for item in map(_numbers, value) if item is not None]
    if isinstance(value, str):
        short = re.fullmatch(r"[A-Z]\d?-Cluster|CPU\d{0,3}|[A-Z][a-z]{2,12}", value)
        return value if short else None
    return value if isinstance(value, int | float) else None


_WHOLE: dict[str, Callable[[str], str]] = {
    "system_profiler": _profile,
    "macmon": _macmon,
    "powermetrics": _powermetrics,
}
