"""The strip of a card: one dot for each work, on the axis that all such cards share."""

import math
from collections.abc import Iterable, Sequence

import msgspec

from benchdb.report.charts.spec import doublings
from benchdb.report.language import Language
from benchdb.site.answers.facts import Card, Point

# An axis reaches so far, and further where a figure does.
_RATIOS, _MEMORY, _TOKENS = (0.1, 30.0), (8.0, 128.0), (5.0, 200.0)
_STEPS = (1, 2, 5)  # of a decade


class Tick(msgspec.Struct, frozen=True):
    """A line across a strip with its label; *is_one* is where both are as fast."""

    at: float
    label: str
    is_one: bool = False


class Mark(msgspec.Struct, frozen=True):
    """A dot at so many per cent, with the words that it shows when asked."""

    at: float
    look: str
    title: str


class Strip(msgspec.Struct, frozen=True):
    """A strip with its axis."""

    ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]


def place(value: float, ends: tuple[float, float]) -> float:
    """Return where *value* stands on a logarithmic axis, in per cent."""
    low, high = map(math.log, ends)
    return round((math.log(value) - low) / (high - low) * 100, 1)


def ratio_ends(values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of the axis of ratios, around what all cards show."""
    return _around(values, _RATIOS)


def strip_of(
    language: Language, card: Card, ends: tuple[float, float], names: Sequence[str]
) -> Strip:
    """Return the strip of a card; *names* are those of its points in the language."""
    values = [point.value for point in card.points]
    if card.unit == "GB":
        ends = _around(values, _MEMORY)
        at: Sequence[float] = [it for it in doublings(*ends) if it <= ends[1]]
    elif card.unit == "token/s":
        ends = _around(values, _TOKENS)
        at = [it for it in _decades(ends, _STEPS) if ends[0] <= it <= ends[1]]
    else:
        at = [it for it in _decades(ends, (1,)) if ends[0] <= it <= ends[1]]
    ticks = (
        Tick(place(it, ends), _label(language, card, it), card.unit == "x" and it == 1)
        for it in at
    )
    marks = (
        Mark(place(point.value, ends), point.look, _title(language, card, point, name))
        for point, name in zip(card.points, names, strict=True)
    )
    return Strip(tuple(ticks), tuple(dict.fromkeys(marks)))


def _label(language: Language, card: Card, value: float) -> str:
    if card.unit == "x":
        return language.multiple(language.number(value, 0 if value >= 1 else 1))
    if card.unit == "GB" and value == _MEMORY[0]:
        return language.bytes(round(value) * 2**30)
    return language.number(value)


def _title(language: Language, card: Card, point: Point, name: str) -> str:
    if card.unit == "x":
        phrase = language.times(point.value)
    elif card.unit == "GB":
        phrase = language.bytes(round(point.value) * 2**30)
    else:
        phrase = language.measure(language.significant(point.value), card.unit)
    return f"{name} {phrase}"


def _around(values: Iterable[float], ends: tuple[float, float]) -> tuple[float, float]:
    known = [it for it in values if it > 0]
    return min((*known, ends[0])), max((*known, ends[1]))


def _decades(ends: tuple[float, float], steps: Sequence[int]) -> list[float]:
    first = math.floor(math.log10(ends[0]))
    last = math.ceil(math.log10(ends[1]))
    powers = (10.0**n for n in range(first, last + 1))
    return [float(f"{step * power:.6g}") for power in powers for step in steps]
