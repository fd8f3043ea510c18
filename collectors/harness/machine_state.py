"""The state of a machine while it measured: sampled, counted, and summed up."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from energy.nvml import Card, CardState
from energy.readings import Span
from fingerprint import commands
from fingerprint.facts import known
from fingerprint.macos import thermal_pressure, vm_stat

Facts = dict[str, Any]

POWER_CAPPED = 0x4
# Too hot, or fed too little: HwSlowdown, SwThermal, HwThermal, PowerBrake.
THROTTLED = 0x8 | 0x20 | 0x40 | 0x80
# Named as nvidia-smi names them; an idle GPU is not held back.
_REASONS = {
    0x2: "applications_clocks_setting",
    0x4: "sw_power_cap",
    0x8: "hw_slowdown",
    0x10: "sync_boost",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}


@dataclass(frozen=True)
class State:
    """What cost little to see at a moment; None is unknown."""

    at: float
    load_1m: float | None = None
    pressure: int | None = None  # level of macOS, 0 is nominal
    celsius: float | None = None
    card: CardState = field(default_factory=CardState)
    other_processes: int | None = None


@dataclass(frozen=True)
class Counters:
    """Counters of the whole system at a moment; only their rise means anything."""

    at: float
    counts: Facts


def look(at: float, card: Card | None, *, slow: bool) -> State:
    """Return the state now, its other processes still to be told from ours."""
    card_state = CardState() if card is None else card.state(slow=slow)
    return State(
        at=at,
        load_1m=os.getloadavg()[0],
        pressure=commands.thermal_pressure(),
        celsius=card_state.celsius,
        card=card_state,
    )


def counters(at: float) -> Counters:
    """Return bytes swapped and how often processors were slowed down."""
    mac = commands.platform() == "darwin"
    return Counters(at, known(_mac_counts() if mac else _linux_counts()))


def _mac_counts() -> Facts:
    memory = vm_stat(commands.run("vm_stat"))
    return {
        "swapped_in_bytes": memory.get("swapins_bytes"),
        "swapped_out_bytes": memory.get("swapouts_bytes"),
    }


def _linux_counts() -> Facts:
    pages = dict(
        line.split(" ", 1)
        for line in (commands.read("/proc/vmstat") or "").splitlines()
    )
    size = os.sysconf("SC_PAGE_SIZE")
    slowed = commands.read_each(
        "sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count"
    )
    counts = {
        "swapped_in_bytes": pages.get("pswpin"),
        "swapped_out_bytes": pages.get("pswpout"),
    }
    return {
        **{name: int(n) * size for name, n in counts.items() if n is not None},
        "cpu_throttle_count": sum(map(int, slowed.values())) if slowed else None,
    }


def rises(taken: Sequence[Counters], spans: Sequence[Span]) -> Facts:
    """Return how far counters rose from the begin of *spans* to their end."""
    if not spans:
        return {}
    first = next((one for one in taken if one.at >= spans[0].begin), None)
    last = next((one for one in taken if one.at >= spans[-1].end), None)
    if first is None or last is None or first is last:
        return {}
    shared = first.counts.keys() & last.counts.keys()
    return {name: last.counts[name] - first.counts[name] for name in sorted(shared)}


def group_of(process: int) -> int | None:
    """Return the process group, or None for a process of another namespace."""
    with suppress(ProcessLookupError, PermissionError):
        return os.getpgid(process)
    return None


def others(
    seen: frozenset[int] | None,
    before: frozenset[int],
    worker: int | None,
    group: Callable[[int], int | None] = group_of,
) -> int | None:
    """Return how many processes besides ours compute on the card.

    In a container the driver may show the host's numbers, or nothing. What was there
    *before* the worker is not ours; a single newcomer, or a single process, is.
    """
    if not seen:
        return None  # ours must be there: they are hidden from us
    ours = {pid for pid in seen if worker and worker in (pid, group(pid))}
    newcomers = seen - before
    if ours:
        return len(seen - ours)
    if len(seen) == 1:
        return 0
    return len(seen) - len(newcomers) if len(newcomers) <= 1 else None


def summary(states: Sequence[State]) -> Facts:
    """Return one figure each, of what is known."""
    pressures = _known(state.pressure for state in states)
    loads = _known(state.load_1m for state in states)
    pressure = thermal_pressure(max(pressures)) if pressures else None
    found = {
        "samples": len(states) or None,
        "load_1m_max": round(max(loads), 2) if loads else None,
        "thermal_pressure_max": pressure,
    }
    return known(found | _temperatures(states) | _card(states))


def _temperatures(states: Sequence[State]) -> Facts:
    celsius = _known(state.celsius for state in states)
    if not celsius:
        return {}
    first, last = round(celsius[0], 1), round(celsius[-1], 1)
    return {
        "temperature_celsius_start": first,
        "temperature_celsius_end": last,
        "temperature_celsius_max": round(max(celsius), 1),
    }


def _card(states: Sequence[State]) -> Facts:
    clocks = _known(state.card.sm_clock_mhz for state in states)
    use = _known(state.card.utilisation_percent for state in states)
    strangers = _known(state.other_processes for state in states)
    reasons = _known(state.card.reasons for state in states)
    return {
        "sm_clock_mhz_min": min(clocks, default=None),
        "sm_clock_mhz_median": round(median(clocks)) if clocks else None,
        "sm_clock_mhz_max": max(clocks, default=None),
        "gpu_utilisation_percent_median": round(median(use), 1) if use else None,
        "gpu_other_processes_max": max(strangers, default=None),
        "throttled_fraction": _fraction(reasons, THROTTLED),
        "power_capped_fraction": _fraction(reasons, POWER_CAPPED),
        "throttle_reasons": _named(reasons) if reasons else None,
    }


def _known(found: Iterable[Any]) -> list[Any]:
    return [one for one in found if one is not None]


def _fraction(reasons: Sequence[int], mask: int) -> float | None:
    if not reasons:
        return None
    return round(sum(bool(bits & mask) for bits in reasons) / len(reasons), 4)


def _named(reasons: Sequence[int]) -> str:
    """Return every reason that was seen, joined as the machine's state joins them."""
    seen = 0
    for bits in reasons:
        seen |= bits
    names = sorted(name for bit, name in _REASONS.items() if seen & bit)
    return "+".join(names) or "none"
