"""Which metric of the catalogue a column of figures is, by its header and units."""

from collections.abc import Iterable

import msgspec

from benchdb.importing.guess.header_terms import Ideas
from benchdb.importing.guess.profile import Kind

_SAMPLES = ("img", "seq", "sample")
_STEPS = ("step", "it", "batch")


class Metric(msgspec.Struct, frozen=True):
    """A metric; *unit* is what bare numbers are taken to be in, *why* the assumption.

    *doubt* is what cannot be decided.
    """

    name: str
    unit: str | None = None
    why: str | None = None
    doubt: str | None = None


_VAGUE = {"throughput", "memory", "power"}  # headings say "Performance" of anything
RATIO = "ratio"  # no metric: what a source computed from two figures


def metric(kinds: Iterable[Kind], header: Ideas, around: Ideas) -> Metric:
    """Return what figures of *kinds* under *header* are; *around* is said above."""
    units = {unit for unit, _ in kinds}
    pers = {per for _, per in kinds if per}
    if len(units - {"1"}) > 1:
        return _undecided(f"the cells have several units: {', '.join(sorted(units))}")
    unit = next(iter(units - {"1"}), "1")
    if "ratio" in header and unit in ("1", "x", "%"):
        return Metric(RATIO)
    if unit == "1":
        return (
            _bare(header)
            or _bare(around - _VAGUE)
            or _undecided("the header names no unit")
        )
    if unit in _FIXED:
        return Metric(_FIXED[unit])
    return _BY_UNIT[unit](pers, header, around) if unit in _BY_UNIT else _odd(unit)


def _undecided(why: str) -> Metric:
    return Metric("reported_value", doubt=why)


def _odd(unit: str) -> Metric:
    return _undecided(f"no metric of ours is in {unit}")


_FIXED = {
    "FLOP/s": "teraflops",
    "B/s": "gigabytes_per_second",
    "J": "energy_joules",
}


def _rate(pers: set[str], header: Ideas, around: Ideas) -> Metric:
    if "token" in pers or (not pers and "token" in header | around):
        return Metric("tokens_per_second")
    if "frame" in pers or "fps" in header:
        return Metric("frames_per_second")
    if pers & set(_SAMPLES):
        return Metric("reported_samples_per_second")
    if pers & {"query", "request", "op", "inference"}:
        return Metric("operations_per_second")
    counted = ", ".join(sorted(pers)) or "something"
    return _undecided(f"no metric of ours counts {counted} in a second")


def _hourly(pers: set[str], header: Ideas, around: Ideas) -> Metric:
    if "epoch" in pers | header | around:
        return Metric("epochs_per_hour")
    return _undecided("what is counted in an hour is not said")


def _bytes(pers: set[str], header: Ideas, around: Ideas) -> Metric:
    del pers, around
    if header & {"memory", "ram", "used", "peak"}:
        return Metric("peak_memory_observed_bytes")
    return _undecided("a size, but of what is not said")


def _watts(pers: set[str], header: Ideas, around: Ideas) -> Metric:
    del pers
    for idea, name in (
        ("idle", "idle_power_watts"),
        ("mean", "mean_power_watts"),
        ("gpu", "peak_gpu_power_watts"),
        ("soc", "peak_soc_power_watts"),
    ):
        if idea in header:
            sure = idea in ("idle", "mean") or "peak" in header | around
            return Metric(name, why=None if sure else "the power is a peak")
    if "mean" in around and "peak" not in header | around:
        return Metric("mean_power_watts", why="the power is a mean, as it says above")
    sure = "peak" in header
    return Metric("peak_power_watts", why=None if sure else "the power is a peak")


def _seconds(pers: set[str], header: Ideas, around: Ideas) -> Metric:
    if pers & {"token", *_SAMPLES}:
        return _undecided(f"time for each {', '.join(sorted(pers))}: ours count rates")
    told = header | pers | ({"step"} if pers & set(_STEPS) else set())
    sure = next((name for needed, name in _TIMES if needed <= told), None)
    if sure is not None:
        return Metric(sure)
    for idea, name in _ABOVE.items():
        if idea in around:
            return Metric(name, why=f"the time is that of one {idea}, as it says above")
    return Metric("script_wall_seconds", why="the time is that of the whole script")


_TIMES: tuple[tuple[set[str], str], ...] = (
    ({"ttft"}, "time_to_first_token_seconds"),
    ({"first", "token"}, "time_to_first_token_seconds"),
    ({"epoch"}, "epoch_seconds"),
    ({"p99"}, "latency_p99_seconds"),
    ({"p90"}, "latency_p90_seconds"),
    ({"latency", "median"}, "latency_median_seconds"),
    ({"latency"}, "latency_mean_seconds"),
    ({"compile", "time"}, "compile_seconds"),
    ({"load", "time"}, "load_seconds"),
    ({"step"}, "reported_step_seconds"),
    ({"user"}, "script_user_seconds"),
)
_ABOVE = {
    "epoch": "epoch_seconds",
    "step": "reported_step_seconds",
    "operation": "operation_seconds",
}


def _percent(pers: set[str], header: Ideas, around: Ideas) -> Metric:
    del pers, around
    if "accuracy" in header:
        return Metric("final_accuracy")
    return _undecided("a percentage, but of what is not said")


def _efficiency(pers: set[str], header: Ideas, around: Ideas) -> Metric:
    if "token" in pers | header | around:
        return Metric("tokens_per_joule")
    return Metric("samples_per_joule")


def _times(pers: set[str], header: Ideas, around: Ideas) -> Metric:
    del pers, header, around
    return Metric(RATIO)


_BY_UNIT = {
    "1/s": _rate,
    "1/h": _hourly,
    "B": _bytes,
    "W": _watts,
    "s": _seconds,
    "%": _percent,
    "1/J": _efficiency,
    "x": _times,
}


def _bare(said: Ideas) -> Metric | None:
    """Return what numbers without a unit are, by the words about them."""
    found = next((one for needed, one in _BARE if needed <= said), None)
    if found is not None:
        return found
    if "power" in said:
        watts = _watts(set(), said, frozenset())
        return Metric(watts.name, unit="W", why="the numbers are watts")
    if said & {"time", "epoch"}:
        seconds = _seconds(set(), said, frozenset())
        why = "; ".join(filter(None, (seconds.why, "the numbers are seconds")))
        return Metric(seconds.name, unit="s", why=why)
    return None


_BARE: tuple[tuple[set[str], Metric], ...] = (
    ({"score"}, Metric("score")),
    ({"loss"}, Metric("final_loss")),
    ({"accuracy"}, Metric("final_accuracy", unit="%", why="it is in percent")),
    ({"fps"}, Metric("frames_per_second", unit="fps")),
    ({"flops"}, Metric("teraflops", unit="TFLOPS", why="the numbers are TFLOPS")),
    (
        {"bandwidth"},
        Metric("gigabytes_per_second", unit="GB/s", why="the numbers are GB/s"),
    ),
    ({"latency"}, _undecided("a latency, but in which unit is not said")),
    ({"energy"}, _undecided("an energy, but in which unit is not said")),
    (
        {"throughput", "token"},
        Metric("tokens_per_second", unit="tokens/s", why="the numbers are tokens/s"),
    ),
    (
        {"throughput"},
        Metric(
            "reported_samples_per_second",
            unit="samples/s",
            why="the numbers are samples in a second",
        ),
    ),
    ({"memory"}, _undecided("memory, but in which unit is not said")),
)
