"""Figures as people read them on a command line: scaled, with unit and interval."""

import math
from typing import NamedTuple

from benchdb.metric_kinds import unit_of

NONE = "–"
_THOUSANDTHS = ((1e-6, 1e9, "n"), (1e-3, 1e6, "µ"), (1.0, 1e3, "m"))
_PREFIXES = {"TFLOPS": "TGMk", "GB/s": "GMk"}  # the usual one first
_BYTES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_MANY = {"op": "operations", "pass": "passes"}
_ABBREVIATED = ("img", "seq")
_LETTERS = 200  # of a reason: a framework may fill paragraphs
_HUGE, _DECIMALS = 1e15, 12  # beyond them nobody counts digits


class Scale(NamedTuple):
    """By what figures of a size are multiplied, and the unit that they have then."""

    factor: float
    unit: str

    def digits(self, value: float) -> str:
        """Return *value* with three digits or more; whole numbers stay whole."""
        return significant(value * self.factor)

    def text(self, value: float) -> str:
        """Return *value* with its unit."""
        return f"{self.digits(value)} {self.unit}".rstrip()


def scale_of(value: float, metric: str, workload: str) -> Scale:
    """Return in which unit people read a *value* of *metric*."""
    unit = unit_of(metric, workload)
    size = abs(value)
    if unit == "s" and 0 < size < 1:
        factor, prefix = next((f, p) for least, f, p in _THOUSANDTHS if size < least)
        return Scale(factor, f"{prefix}s")
    if unit in _PREFIXES and 0 < size < 1:
        steps = _PREFIXES[unit]
        step = next((n for n in range(len(steps)) if size * 1e3**n >= 1), -1)
        step = step % len(steps)
        return Scale(1e3**step, steps[step] + unit[1:])
    if unit == "B":
        least, name = next((byte for byte in _BYTES if size >= byte[0]), (1.0, "B"))
        return Scale(1 / least, name)
    return Scale(1.0, _plural(unit))


def _plural(unit: str) -> str:
    """Return a unit with what it counts as one says it: ``tokens/s``."""
    noun, slash, per = unit.partition("/")
    if not slash or not noun.islower() or noun in _ABBREVIATED:
        return unit
    many = noun if noun.endswith("s") else f"{noun}s"
    return f"{_MANY.get(noun, many)}/{per}"


def figure(value: float | None, metric: str, workload: str) -> str:
    """Return *value* of *metric* with its unit, in the size that people read."""
    if value is None:
        return NONE
    return scale_of(value, metric, workload).text(value)


def interval(
    value: float, ends: tuple[float | None, float | None], metric: str, workload: str
) -> str:
    """Return the *ends* of the interval of *value*, in the unit of the value."""
    low, high = ends
    if low is None or high is None:
        return NONE
    scale = scale_of(value, metric, workload)
    return f"{scale.digits(low)}–{scale.digits(high)}"


def ending(status: str, reason: str | None) -> str:
    """Return how something without a figure ended; 'benchdb show' has all of why."""
    why = reason or ""
    why = why if len(why) <= _LETTERS else f"{why[: _LETTERS - 1]}…"
    return f"{status} ({why})" if why else status


def significant(value: float) -> str:
    """Return *value* with three digits or more, thousands in groups."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    exponent = int(f"{value:.2e}".partition("e")[2])
    decimals = max(0, 2 - exponent)
    if abs(value) >= _HUGE or decimals > _DECIMALS:
        return f"{value:.3g}"
    return f"{value:,.{decimals}f}"
