"""What samples of a machine's state say together: over a run, and over its time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import attrgetter, or_
from statistics import median
from typing import Any

from energy.nvml import CardState
from energy.readings import Reading, Span, joules_between
from fingerprint.facts import known
from fingerprint.macos import thermal_pressure

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

# A rate has settled where these have: thirds of the time differ by no more.
CLOCK_PERCENT, POWER_PERCENT = 3.0, 5.0
_PLACES = 60  # in lists over time


@dataclass(frozen=True)
class State:
    """What cost little to see at a moment; None is unknown."""

    at: float
    load_1m: float | None = None
    pressure: int | None = None  # level of macOS, 0 is nominal
    celsius: float | None = None
    clock_mhz: float | None = None  # of the device that is measured
    busy_percent: float | None = None  # share of the time in which it computed
    card: CardState = field(default_factory=CardState)
    other_processes: int | None = None


def summary(states: Sequence[State]) -> Facts:
    """Return one figure each, of what is known."""
    seen = partial(_seen, states)
    loads, levels, celsius = map(seen, ("load_1m", "pressure", "celsius"))
    clocks, use = seen("card.sm_clock_mhz"), seen("busy_percent")
    reasons = seen("card.reasons")

    def fraction(mask: int) -> float | None:
        held = sum(bool(bits & mask) for bits in reasons)
        return round(held / len(reasons), 4) if reasons else None

    return known(
        {
            "samples": len(states) or None,
            "load_1m_max": round(max(loads), 2) if loads else None,
            "thermal_pressure_max": thermal_pressure(max(levels, default=None)),
            "temperature_celsius_start": round(celsius[0], 1) if celsius else None,
            "temperature_celsius_end": round(celsius[-1], 1) if celsius else None,
            "temperature_celsius_max": round(max(celsius), 1) if celsius else None,
            "sm_clock_mhz_min": min(clocks, default=None),
            "sm_clock_mhz_median": round(median(clocks)) if clocks else None,
            "sm_clock_mhz_max": max(clocks, default=None),
            "gpu_utilisation_percent_median": round(median(use), 1) if use else None,
            "gpu_other_processes_max": max(seen("other_processes"), default=None),
            "throttled_fraction": fraction(THROTTLED),
            "power_capped_fraction": fraction(POWER_CAPPED),
            "throttle_reasons": named(reasons),
        }
    )


def named(reasons: Sequence[int]) -> str | None:
    """Return what held a card back, joined as the machine's state joins it."""
    every = reduce(or_, reasons, 0)
    names = "+".join(sorted(name for bit, name in _REASONS.items() if every & bit))
    return (names or "none") if reasons else None


def over_time(
    states: Sequence[State], readings: Sequence[Reading], span: Span
) -> Facts:
    """Return lists of clock, power, temperature and thermal pressure over *span*.

    Each has a place for every ``every_seconds``, None where nothing was seen; what is
    never known is absent. ``held_back`` are pairs: from which place on, by what.
    """
    width = max(1.0, span.seconds / _PLACES)
    count = max(1, round(span.seconds / width))
    parts = [
        Span(span.begin + n * width, span.begin + (n + 1) * width) for n in range(count)
    ]
    seen = [part_of(states, readings, part) for part in parts]
    result: Facts = {"every_seconds": round(width, 2)}
    for name in ("clock_mhz", "power_watts", "temperature_celsius", "thermal_pressure"):
        if any(name in facts for facts in seen):
            result[name] = [facts.get(name) for facts in seen]
    held = [(n, it["held_back"]) for n, it in enumerate(seen) if "held_back" in it]
    changes = [it for n, it in enumerate(held) if n == 0 or it[1] != held[n - 1][1]]
    return result | ({"held_back": list(map(list, changes))} if changes else {})


def part_of(states: Sequence[State], readings: Sequence[Reading], span: Span) -> Facts:
    """Return clock, power, temperature and what held back, as known of *span*."""
    inside = [state for state in states if state.at in span]
    clocks = _seen(inside, "clock_mhz")
    celsius = _seen(inside, "celsius")
    watts = joules_between(readings, span)
    return known(
        {
            "clock_mhz": round(median(clocks)) if clocks else None,
            "power_watts": None if watts is None else round(watts / span.seconds, 1),
            "temperature_celsius": max(celsius, default=None),
            "thermal_pressure": thermal_pressure(
                max(_seen(inside, "pressure"), default=None)
            ),
            "held_back": named(_seen(inside, "card.reasons")),
        }
    )


def unsettled(
    states: Sequence[State], readings: Sequence[Reading], span: Span
) -> str | None:
    """Return how clock or power still changed over *span*; None if neither did.

    The first and the last third are compared. What cannot be seen does not speak
    against it: then the rate alone has settled.
    """
    third = span.seconds / 3
    ends = Span(span.begin, span.begin + third), Span(span.end - third, span.end)
    parts = [part_of(states, readings, end) for end in ends]
    for fact, most, name in (
        ("clock_mhz", CLOCK_PERCENT, "clock went from {} to {} MHz"),
        ("power_watts", POWER_PERCENT, "power went from {} to {} W"),
    ):
        first, last = (part.get(fact) for part in parts)
        if first and last and abs(100 * (last / first - 1)) > most:
            return (
                f"its {name.format(first, last)} within the last {span.seconds:.0f} s"
            )
    return None


def _seen(states: Sequence[State], path: str) -> list[Any]:
    return [fact for fact in map(attrgetter(path), states) if fact is not None]
