"""What nvidia-smi prints, in each of its forms; pure functions over text.

Every form gives the same plain facts of a GPU, with what is not known left out.
The XML changed its names between drivers: 510 and 525 say ``power_readings`` and
``clocks_throttle_reasons``, 535 and later ``gpu_power_readings`` and
``clocks_event_reasons``.
"""

import csv
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from typing import Any

Gpu = dict[str, Any]

_MIB = 2**20
_METRIC = re.compile(r"nvidia_smi_(\w+?)(?:\{(.*)\})? ([-+\d.eE]+|NaN)")
_REASON = re.compile(r"clocks_(?:throttle|event)_reason_")
_CSV = {  # column of --query-gpu: fact
    "name": "name",
    "driver_version": "driver",
    "memory.total": "memory_bytes",
    "power.limit": "power_limit_watts",
    "power.default_limit": "power_limit_default_watts",
    "vbios_version": "vbios",
    "ecc.mode.current": "ecc",
    "mig.mode.current": "mig",
    "persistence_mode": "persistence",
    "compute_cap": "compute_capability",
    "temperature.gpu": "temperature_celsius",
    "clocks.sm": "sm_clock_mhz",
    "clocks.current.sm": "sm_clock_mhz",
    "clocks.max.sm": "sm_clock_max_mhz",
    "utilization.gpu": "utilisation_percent",
    "power.draw": "power_watts",
}
_METRICS = {  # metric of the exporter: fact, factor
    "memory_total_bytes": ("memory_bytes", 1),
    "power_limit_watts": ("power_limit_watts", 1),
    "power_default_limit_watts": ("power_limit_default_watts", 1),
    "temperature_gpu": ("temperature_celsius", 1),
    "clocks_current_sm_clock_hz": ("sm_clock_mhz", 1e-6),
    "utilization_gpu_ratio": ("utilisation_percent", 100),
    "power_draw_watts": ("power_watts", 1),
}
_SWITCHES = {"ecc", "mig", "persistence"}
_TEXTS = {"name", "driver", "vbios", "compute_capability"}


def known(printed: str | None) -> str | None:
    """Return a text unless it is one of the ways to say that there is none."""
    text = (printed or "").strip()
    absent = {"", "n/a", "[n/a]", "[not supported]", "not supported", "[unknown error]"}
    gone = text.lower() in absent or "deprecated" in text.lower()
    return None if gone or text == "None" else text


def number(printed: str | None) -> float | None:
    """Return ``200.00 W`` or ``97 %`` as a number."""
    match = re.match(r"-?\d+(?:\.\d+)?", known(printed) or "")
    return float(match[0]) if match else None


def switch(printed: str | None) -> bool | None:
    """Return whether something is Enabled or Disabled, or None for neither."""
    return {"Enabled": True, "Disabled": False}.get(known(printed) or "")


def short_name(printed: str) -> str:
    """Return a GPU's name without its vendor, which older drivers left out."""
    return re.sub(r"^NVIDIA\s+", "", printed.strip())


def _tidy(facts: Gpu) -> Gpu:
    clocks = {"sm_clock_mhz", "sm_clock_max_mhz"}
    wholes = {"temperature_celsius", "utilisation_percent", *clocks}
    kept = {k: v for k, v in facts.items() if v is not None}
    return {k: round(v) if k in wholes else v for k, v in kept.items()}


def xml(text: str | None) -> tuple[Gpu, ...]:
    """Return the GPUs of ``nvidia-smi -q -x``; none where it is no such document."""
    try:
        # Not a stranger's document: the output of the driver's own program.
        root = ET.fromstring(text or "")  # noqa: S314
    except ET.ParseError:
        return ()
    system = {
        "driver": known(root.findtext("driver_version")),
        "cuda_version": known(root.findtext("cuda_version")),
    }
    return tuple(_tidy({**_xml_gpu(gpu), **system}) for gpu in root.iter("gpu"))


def _xml_gpu(gpu: ET.Element) -> Gpu:
    memory = number(gpu.findtext("fb_memory_usage/total"))
    return {
        "name": short_name(gpu.findtext("product_name") or "") or None,
        "uuid": known(gpu.findtext("uuid")),
        "memory_bytes": None if memory is None else int(memory) * _MIB,
        "vbios": known(gpu.findtext("vbios_version")),
        "ecc": switch(gpu.findtext("ecc_mode/current_ecc")),
        "mig": switch(gpu.findtext("mig_mode/current_mig")),
        "mig_devices": len(gpu.findall("mig_devices/mig_device")) or None,
        "persistence": switch(gpu.findtext("persistence_mode")),
        "temperature_celsius": number(gpu.findtext("temperature/gpu_temp")),
        "sm_clock_mhz": number(gpu.findtext("clocks/sm_clock")),
        "sm_clock_max_mhz": number(gpu.findtext("max_clocks/sm_clock")),
        "utilisation_percent": number(gpu.findtext("utilization/gpu_util")),
        "throttle_reasons": _throttle_reasons(gpu),
        "processes": _processes(gpu),
        **_power(gpu),
    }


def _power(gpu: ET.Element) -> Gpu:
    """Read both spellings; a user's limit differs from the default."""
    readings = gpu.find("gpu_power_readings")
    readings = gpu.find("power_readings") if readings is None else readings
    if readings is None:
        return {}

    def first(names: Sequence[str]) -> float | None:
        found = (number(readings.findtext(name)) for name in names)
        return next((watts for watts in found if watts is not None), None)

    limits = ("enforced_power_limit", "current_power_limit", "power_limit")
    draws = ("power_draw", "instant_power_draw", "average_power_draw")
    return {
        "power_limit_watts": first(limits),
        "power_limit_default_watts": first(("default_power_limit",)),
        "power_watts": first(draws),
    }


def _throttle_reasons(gpu: ET.Element) -> tuple[str, ...] | None:
    reasons = gpu.find("clocks_event_reasons")
    reasons = gpu.find("clocks_throttle_reasons") if reasons is None else reasons
    if reasons is None or not any(known(r.text) for r in reasons):
        return None
    active = (_REASON.sub("", r.tag) for r in reasons if known(r.text) == "Active")
    return tuple(reason for reason in active if reason != "gpu_idle")


def _processes(gpu: ET.Element) -> tuple[int, ...] | None:
    """Return the ids of processes that compute; a desktop's windows only draw."""
    processes = gpu.find("processes")
    if processes is None or (processes.text or "").strip() == "N/A":
        return None
    items = processes.findall("process_info")
    pids = (number(p.findtext("pid")) for p in items if "C" in p.findtext("type", "C"))
    return tuple(int(pid) for pid in pids if pid is not None)


def query_csv(text: str | None, columns: Iterable[str] = ()) -> tuple[Gpu, ...]:
    """Return the GPUs of ``--query-gpu``; *columns* where there is no header line."""
    rows = list(csv.reader((text or "").splitlines(), skipinitialspace=True))
    names = list(columns) or (rows.pop(0) if rows else [])
    keys = [re.sub(r"\s*\[.*\]", "", name).strip() for name in names]
    return tuple(
        _csv_gpu(dict(zip(keys, row, strict=True)))
        for row in rows
        if len(row) == len(keys)
    )


def _csv_gpu(row: dict[str, str]) -> Gpu:
    facts: Gpu = {}
    for column, fact in _CSV.items():
        if column not in row:
            continue
        if fact in _TEXTS:
            facts[fact] = known(row[column])
        elif fact in _SWITCHES:
            facts[fact] = switch(row[column])
        else:
            facts[fact] = number(row[column])
    if facts.get("name"):
        facts["name"] = short_name(facts["name"])
    if facts.get("memory_bytes"):
        facts["memory_bytes"] = int(facts["memory_bytes"]) * _MIB
    return _tidy(facts)


def report(text: str | None) -> tuple[Gpu, ...]:
    """Return the GPUs of ``nvidia-smi -q`` as text; columns move between drivers."""
    parts = re.split(r"^GPU [0-9A-F:.]+$", text or "", flags=re.MULTILINE)
    shared = _report_fields(parts[0])
    gpus = []
    for part in parts[1:]:
        lines = {**shared, **_report_fields(part)}
        facts = {
            "name": short_name(lines.get("Product Name", "")) or None,
            "driver": known(lines.get("Driver Version")),
            "cuda_version": known(lines.get("CUDA Version")),
            "vbios": known(lines.get("VBIOS Version")),
            "persistence": switch(lines.get("Persistence Mode")),
            "mig": switch(lines.get("MIG Mode/Current")),
        }
        gpus.append(_tidy(facts))
    return tuple(gpus)


def _report_fields(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    heading = ""
    for line in text.splitlines():
        name, colon, value = line.partition(" : ")
        deep = line.startswith(" " * 8)
        if colon:
            key = f"{heading}/{name.strip()}" if deep else name.strip()
            found.setdefault(key, value.strip())
        elif not deep:
            heading = line.strip()
    return found


def metrics(text: str | None) -> tuple[Gpu, ...]:
    """Return the GPU of nvidia_gpu_exporter's metrics: one card to a file."""
    facts: Gpu = {}
    labels: dict[str, str] = {}
    for name, inside, value in _METRIC.findall(text or ""):
        if name in _METRICS:
            fact, factor = _METRICS[name]
            facts[fact] = float(value) * factor
        elif name in {"ecc_mode_current", "mig_mode_current"}:
            facts[name.split("_")[0]] = value == "1"
        elif name == "gpu_info":
            labels = dict(re.findall(r'(\w+)="([^"]*)"', inside))
    if not labels:
        return ()
    facts["memory_bytes"] = int(facts["memory_bytes"])
    facts["name"] = short_name(labels["name"])
    facts["driver"] = known(labels.get("driver_version"))
    facts["cuda_version"] = known(labels.get("cuda_version"))
    facts["vbios"] = known(labels.get("vbios_version"))
    return (_tidy(facts),)


def query_fields(text: str) -> frozenset[str]:
    """Return the fields that ``nvidia-smi --help-query-gpu`` lists."""
    heads = re.findall(r'^("[\w.]+"(?: or "[\w.]+")*)\s*$', text, re.MULTILINE)
    return frozenset(name for head in heads for name in re.findall(r'"([\w.]+)"', head))
