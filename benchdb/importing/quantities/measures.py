"""From the terms of a cell to quantities in base units."""

from collections.abc import Iterator
from fractions import Fraction

import msgspec
from msgspec.structs import replace

from benchdb.importing.quantities import units
from benchdb.importing.quantities.quantity import (
    AmbiguousError,
    Bound,
    Quantity,
    UnreadableError,
    shown,
)
from benchdb.importing.quantities.terms import Term
from benchdb.importing.quantities.units import Unit

_BARE = Unit("1")
_SECOND = Unit("s")
_HOUR = Fraction(3600)


class Hint(msgspec.Struct, frozen=True):
    """What a header says of its cells: *unit*; *spread*: ``12.3 (0.4)`` has a ± in it.

    *hours*: ``1:53`` are hours and minutes.
    """

    unit: Unit | None = None
    spread: bool = False
    hours: bool = False


NOTHING = Hint()


class Measure(msgspec.Struct, frozen=True):
    """A figure with its *uncertainty*, or with the end of its range, in base units."""

    value: Fraction
    unit: Unit
    start: int
    end: int
    bound: Bound | None
    label: tuple[str, ...]
    trail: tuple[str, ...]
    named: bool
    spelt: bool
    uncertainty: Fraction | None = None
    low: Fraction | None = None
    high: Fraction | None = None


def measures(found: list[Term], hint: Hint) -> Iterator[Measure]:
    """Yield what *found* amounts to: terms that ``±`` or a dash joins are one.

    Raise ``AmbiguousError`` or ``UnreadableError``.
    """
    groups: list[list[Term]] = []
    for term in found:
        if term.joint:
            groups[-1].append(term)
        else:
            groups.append([term])
    for group in groups:
        match group:
            case [one]:
                yield _single(one, hint)
            case [one, other] if other.joint == "±":
                yield _uncertain(one, other, hint)
            case [one, other]:
                yield _range(one, other, hint)
            case _:
                raise UnreadableError("three and more numbers are joined by dashes")


def quantity(measure: Measure, printed: str, role: str | None) -> Quantity:
    """Return *measure* in floats; raise ``UnreadableError`` where they overflow."""
    low, high, uncertainty = (
        None if one is None else _float(one)
        for one in (measure.low, measure.high, measure.uncertainty)
    )
    return Quantity(
        value=_float(measure.value),
        unit=measure.unit.base,
        printed=printed,
        per=measure.unit.per,
        role=role,
        uncertainty=uncertainty,
        low=low,
        high=high,
        bound=measure.bound,
    )


def _float(exact: Fraction) -> float:
    try:
        value = float(exact)
    except OverflowError:
        raise UnreadableError("it is larger than what a float64 holds") from None
    if exact and abs(value) < 2.3e-308:
        raise UnreadableError("it is smaller than what a float64 holds exactly")
    return value


def _single(term: Term, hint: Hint) -> Measure:
    unit = _unit(term, hint)
    return _measure(term, term, _amount(term, unit, hint), unit or _BARE)


def _uncertain(one: Term, other: Term, hint: Hint) -> Measure:
    if other.amount < 0:
        raise UnreadableError("what follows ± is negative")
    relative = other.spelt == "%" and one.spelt != "%"
    if relative:
        unit = _unit(one, hint)
        if unit is None:
            raise AmbiguousError(
                "± and a percentage: of the figure, or is that in percent as well?"
            )
        if unit.base != "%":
            value = _amount(one, unit, hint)
            found = _measure(one, other, value, unit)
            return replace(found, uncertainty=abs(value) * other.amount / 100)
    first, second = _common(one, other, hint)
    found = _measure(one, other, _amount(one, first, hint), first or _BARE)
    per = found.unit.per or (second.per if second else None)
    return replace(
        found,
        unit=replace(found.unit, per=per),
        uncertainty=_amount(other, second, hint),
    )


def _range(one: Term, other: Term, hint: Hint) -> Measure:
    first, second = _common(one, other, hint)
    low, high = _amount(one, first, hint), _amount(other, second, hint)
    if not 0 <= low < high:
        raise UnreadableError("it looks like a range, but does not rise from 0 or more")
    unit = second or first or _BARE
    found = _measure(one, other, (low + high) / 2, unit)
    return replace(found, low=low, high=high)


def _common(one: Term, other: Term, hint: Hint) -> tuple[Unit | None, Unit | None]:
    """Return the units of two terms that belong together; one stands for both."""
    first, second = _own(one, hint), _own(other, hint)
    if (one.time or other.time) and not (first and second):
        raise UnreadableError("a time and a bare number do not go together")
    if first is None and second is None:
        return hint.unit, hint.unit
    first, second = first or second, second or first
    if first and second:
        if first.base != second.base:
            raise UnreadableError(f"{first.base} and {second.base} do not go together")
        if first.per and second.per and first.per != second.per:
            raise UnreadableError(f"{first.per} and {second.per} do not go together")
    return first, second


def _own(term: Term, hint: Hint) -> Unit | None:
    if not term.doubts and not term.time:
        return term.unit
    return _unit(term, hint)


def _unit(term: Term, hint: Hint) -> Unit | None:
    """Return the unit of *term*: its own, that of a time, or the column's."""
    if term.time:
        return _unit_of_time(term, hint)
    if not term.doubts:
        return term.unit or hint.unit
    unit = units.clarified(term.spelt, hint.unit) if hint.unit else None
    if unit is None:
        raise AmbiguousError(
            f"{shown(term.spelt)} may mean {' or '.join(term.doubts)}: the unit of the "
            "column does not tell"
        )
    return unit


def _unit_of_time(term: Term, hint: Hint) -> Unit:
    own = term.unit
    if own and (own.base != "s" or (own.factor < 60 and not own.per)):
        raise UnreadableError(f"a time in {shown(term.spelt)}")
    if own is None and hint.unit and hint.unit.base != "s":
        raise UnreadableError("a time, in a column of other figures")
    per = own.per if own else hint.unit.per if hint.unit else None
    return replace(_SECOND, per=per)


def _amount(term: Term, unit: Unit | None, hint: Hint) -> Fraction:
    """Return *term* in base units; ``1:53 h`` are hours and minutes."""
    if term.time is None:
        return term.amount * (unit.factor if unit else 1)
    own = term.unit or hint.unit
    hours = hint.hours or (own is not None and own.factor == _HOUR)
    return term.amount * 60 if hours and term.time.two_parts else term.amount


def _measure(one: Term, last: Term, value: Fraction, unit: Unit) -> Measure:
    bounds = {term.bound for term in (one, last)} - {None}
    if len(bounds) > 1:
        raise UnreadableError("it has two bounds")
    return Measure(
        value=value,
        unit=unit,
        start=one.start,
        end=last.end,
        bound=next(iter(bounds), None),
        label=one.label,
        trail=last.trail,
        named=one.named,
        spelt=bool(one.spelt or last.spelt or one.time),
    )
