"""What a cell says: a quantity in its base unit, or why there is none.

This is the only place where texts become figures. Whatever can be read in two ways is
refused, unless the column, its unit or the map settles it.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

import msgspec
from msgspec.structs import replace

from benchdb.importing.quantities import unit_names
from benchdb.importing.quantities.characters import (
    PLAIN,
    AmbiguousError,
    UnreadableError,
    shown,
    visible,
)
from benchdb.importing.quantities.missing_values import (
    Missing,
    missing_of,
    status_of,
)
from benchdb.importing.quantities.tokens import (
    LIMIT,
    PATTERNS,
    SIDES,
    Bound,
    Mark,
    Term,
    convention,
    terms,
)
from benchdb.importing.quantities.unit_names import Unit


class Quantity(msgspec.Struct, frozen=True):
    """A figure as printed, in the base unit of its kind.

    *unit* is ``s``, ``B``, ``W``, ``J``, ``Hz``, ``%``, ``1/s``, ``1/h``, ``FLOP/s``,
    ``B/s``, ``1/J``, ``x`` (a ratio) or ``1`` (a bare number); *per* is what a rate or
    a time counts: ``img``, ``seq``, ``token``, ``sample``, ``step``, ``epoch``, ``it``,
    ``batch`` … (``nouns`` in ``units.toml``). *uncertainty* is what stands after ``±``,
    in the same unit; one that is not the same both ways (``+3 -2``) is in *printed*
    alone. A range has *low* and *high*, its value is the middle. *bound* says that the
    figure is only a limit, or rounded (``~``). *beside* is what qualifies it:
    ``output`` tok/s, tok/s (``decode``), img/s @ ``bs 64``, 3 ms (``warmup``).
    """

    value: float
    unit: str
    printed: str
    per: str | None = None
    uncertainty: float | None = None
    low: float | None = None
    high: float | None = None
    bound: Bound | None = None
    beside: str = ""


class Hint(msgspec.Struct, frozen=True):
    """What a header says of its cells: *unit*; *spread*: ``12.3 (0.4)`` has a ± in it.

    *hours*: ``1:53`` are hours and minutes.
    """

    unit: Unit | None = None
    spread: bool = False
    hours: bool = False


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of ``figures.toml``."""
    return re.compile(PATTERNS[name].replace("SIDES", "|".join(SIDES)))


TIMED = _pattern("timed")
_SPREAD = _pattern("spread")
_SPREAD_IN_CELL = _pattern("spread_in_cell")
_AROUND = _pattern("around")
_CLEAR_SPREAD = _pattern("clear_spread")
_BOTH_WAYS = _pattern("both_ways")
_NO_SPREAD = _pattern("no_spread")
_BEFORE_UNIT = _pattern("before_unit")
_BEHIND_UNIT = _pattern("behind_unit")
_IN_BRACKETS = _pattern("in_brackets")
_COUNTED = _pattern("counted")
_FIRST_RUN = _pattern("first_run")
_SPEED_UP = _pattern("speed_up")
_RESTATED = _pattern("restated")
_UNIT_FIRST = _pattern("unit_first")
_BARE = re.compile(r"\d{1,12}(?:\.\d{1,12})?", re.ASCII)
_CLOCKS = {
    **dict.fromkeys(("h:mm", "hh:mm"), True),
    **dict.fromkeys(("m:ss", "mm:ss", "h:mm:ss", "hh:mm:ss", "min:sec"), False),
}
_OPENING = tuple("=([{/|@")
_UNFINISHED = tuple("=([{/|@:-")
_ROUNDED = 0.01  # of a time that is said again in another unit


def parsed(
    text: str,
    *,
    decimal: Mark | None = None,
    unit: str | None = None,
    missing: Mapping[str, str] = {},
) -> Quantity | Missing:
    """Return the one figure of a cell, or why it has none.

    *decimal* is the mark of decimals in the column, *unit* the column's: it holds where
    the cell has none, and says what ``12k`` or ``5m`` means. With a spread in it
    (``ms (std)``), ``12.3 (0.4)`` has an uncertainty. *missing* are texts of the source
    that mean no figure, with reasons. Raise ``AmbiguousError`` or ``UnreadableError``,
    in one line that names the text.
    """
    if absent := missing_of(text, missing):
        return absent
    hint = _hint(unit)
    if decimal != "," and _BARE.fullmatch(text):  # so are most cells
        group = [Term(0, len(text), Fraction(text))]
        return replace(_quantity(group, hint), printed=text)
    with _naming(text):
        seen = visible(text, LIMIT)
        written = _SPEED_UP.sub("", seen)
        written = _NO_SPREAD.sub("", _CLEAR_SPREAD.sub(r"± \1", written))
        if "+" in written and (ways := _BOTH_WAYS.fullmatch(written)):
            alike = f" ± {ways[2]}" if ways[2] == ways[3] else ""
            written = f"{ways[1]}{alike}"
            decimal = convention([seen]) or decimal  # of the spread as well
        if hint.spread:
            written = _SPREAD_IN_CELL.sub(r"± \1", written)
        if around := _AROUND.fullmatch(written):
            written = f"{around[1]}{around[3]} ± {around[2]}{around[3]}"
        elif first := _UNIT_FIRST.fullmatch(written):
            written = f"{first[2]}{first[1]}"
        elif written.startswith(_OPENING) or written.translate(PLAIN).endswith(
            _UNFINISHED
        ):
            raise UnreadableError("a formula, a remark or a part of something else")
        if again := _RESTATED.fullmatch(written):
            return replace(_restated(again, decimal, hint), printed=seen)
        written, beside = _unqualified(written)
        amount = _quantity(terms(written, decimal), hint)
        return replace(amount, printed=seen, beside=beside)


def is_remark(beside: str) -> bool:
    """Tell whether what stands beside a figure is about its run: how it went."""
    counted = _COUNTED.fullmatch(f"{beside} @ ") or _FIRST_RUN.fullmatch(f"({beside})")
    return counted is not None or _says_failed(beside)


def _says_failed(text: str) -> bool:
    absent = missing_of(text)
    return absent is not None and status_of(absent) in ("oom", "failed")


def _unqualified(text: str) -> tuple[str, str]:
    """Return *text* without what qualifies its unit, and that."""
    for qualifier in (_COUNTED, _BEFORE_UNIT, _BEHIND_UNIT, _FIRST_RUN):
        if match := qualifier.search(text):
            beside = next(filter(None, match.groups()))
            return text[: match.start()] + text[match.end() :], beside.lower()
    remark = _IN_BRACKETS.search(text)
    if remark and _says_failed(remark[1]):
        return text[: remark.start()], remark[1]
    return text, ""


def _restated(again: re.Match[str], decimal: Mark | None, hint: Hint) -> Quantity:
    """Return the figure that stands in two units: ``5046 s (84 min)``."""
    first = _quantity(terms(again[1], decimal), hint)
    second = _quantity(terms(again[2], decimal), Hint(hint.unit or Unit("s")))
    number = float(f"{again[3]}.{again[4]}")
    last = second.value / (number or 1) / 10 ** len(again[4]) / 2  # half of a digit
    if (first.unit, first.per) != (second.unit, second.per) or first.unit == "1":
        raise UnreadableError("it has several figures")
    # Of sizes, near ones are used and reserved.
    rounded = _ROUNDED * first.value if first.unit == "s" else 0
    if abs(first.value - second.value) > max(last, rounded):
        raise UnreadableError("it has two figures that are not the same")
    return first


def parts(text: str, *, decimal: Mark | None = None) -> dict[str, Quantity]:
    """Return the figures of what ``time`` printed, by the words behind them.

    ``54.17s user 3.32s system 115% cpu 49.707 total``: bare numbers are seconds. Raise
    like ``parsed``, also where anything else stands there.
    """
    with _naming(text):
        seen = visible(text, LIMIT)
        timed = list(TIMED.finditer(seen))
        if not timed or TIMED.sub("", seen).strip():
            raise UnreadableError("it is not what time prints")
    figures: dict[str, Quantity] = {}
    for part in timed:
        figure, word = part[1], part[2].lower()
        unit = None if "%" in figure else "s"
        amount = parsed(figure, decimal=convention([seen]) or decimal, unit=unit)
        if word in figures:
            raise UnreadableError(f"{shown(seen)}: {word} stands there twice")
        if isinstance(amount, Quantity):
            figures[word] = replace(amount, printed=part[0].strip())
    return figures


@contextmanager
def _naming(text: str) -> Iterator[None]:
    try:
        yield
    except (AmbiguousError, UnreadableError) as why:
        raise type(why)(f"{shown(' '.join(text[:LIMIT].split()))}: {why}") from why


def _hint(unit: str | None) -> Hint:
    if unit is None:
        return Hint()
    if unit.strip().casefold() in _CLOCKS:
        return Hint(Unit("s"), hours=_CLOCKS[unit.strip().casefold()])
    if len(unit) > LIMIT:
        raise UnreadableError("the unit of the column is longer than any")
    bare = _SPREAD.sub("", unit)
    known = unit_names.understood(bare)
    if known is None and bare.strip().casefold() not in ("", "mean", "avg"):
        raise UnreadableError(f"{shown(unit)} is no unit that is known")
    return Hint(known, spread=bare != unit)


def _quantity(group: list[Term], hint: Hint) -> Quantity:
    """Return what terms that belong together amount to, not yet as printed."""
    lead, last = group[0], group[-1]
    low = high = uncertainty = None
    if len(group) > 2:
        raise UnreadableError("three and more numbers are joined by dashes")
    if lead is last:
        unit = _unit(lead, hint)
        exact = lead.amount * _factor(lead, unit, hint)
    elif last.joint == "±":
        exact, uncertainty, unit = _uncertain(lead, last, hint)
    else:
        first, unit = _common(lead, last, hint)
        low = lead.amount * _factor(lead, first, hint)
        high = last.amount * _factor(last, unit, hint)
        if not 0 <= low < high:
            why = "it looks like a range, but does not rise from 0 or more"
            raise UnreadableError(why)
        exact = (low + high) / 2
    bounds = {term.bound for term in group if term.bound}
    if len(bounds) > 1:
        raise UnreadableError("it has two bounds")
    for number in filter(None, (low, high, uncertainty, exact)):
        if abs(number) > sys.float_info.max:
            raise UnreadableError("it is larger than what a float64 holds")
        if abs(number) < sys.float_info.min:
            raise UnreadableError("it is smaller than what a float64 holds exactly")
    return Quantity(
        value=float(exact),
        unit=unit.base if unit else "1",
        printed="",
        per=unit.per if unit else None,
        uncertainty=None if uncertainty is None else float(uncertainty),
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        bound=next(iter(bounds), None),
    )


def _uncertain(
    term: Term, other: Term, hint: Hint
) -> tuple[Fraction, Fraction, Unit | None]:
    """Return a figure, its uncertainty and its unit: ``12 ± 1 ms``, ``12 ms ± 3 %``."""
    if other.amount < 0:
        raise UnreadableError("what follows ± is negative")
    if other.spelt == "%" and term.spelt != "%":
        unit = _unit(term, hint)
        if unit is None:
            raise AmbiguousError(
                "± and a percentage: of the figure, or is that in percent as well?"
            )
        if unit.base != "%":
            exact = term.amount * _factor(term, unit, hint)
            return exact, abs(exact) * other.amount / 100, unit
    unit, second = _common(term, other, hint)
    exact = term.amount * _factor(term, unit, hint)
    uncertainty = other.amount * _factor(other, second, hint)
    if unit and second:
        unit = replace(unit, per=unit.per or second.per)
    return exact, uncertainty, unit


def _common(own: Term, other: Term, hint: Hint) -> tuple[Unit | None, Unit | None]:
    """Return the units of two terms that belong together; one stands for both."""
    first, second = (
        _unit(term, hint) if term.doubts or term.time else term.unit
        for term in (own, other)
    )
    if (own.time or other.time) and not (first and second):
        raise UnreadableError("a time and a bare number do not go together")
    first, second = first or second or hint.unit, second or first or hint.unit
    if first and second:
        if first.base != second.base:
            raise UnreadableError(f"{first.base} and {second.base} do not go together")
        if first.per and second.per and first.per != second.per:
            raise UnreadableError(f"{first.per} and {second.per} do not go together")
    return first, second


def _unit(term: Term, hint: Hint) -> Unit | None:
    """Return the unit of *term*: its own, that of a time, or the column's."""
    if term.time:
        own = term.unit
        if own and (own.base != "s" or (own.factor < 60 and not own.per)):
            raise UnreadableError(f"a time in {shown(term.spelt)}")
        if own is None and hint.unit and hint.unit.base != "s":
            raise UnreadableError("a time, in a column of other figures")
        counted = own or hint.unit
        return Unit("s", counted.per if counted else None)
    if not term.doubts:
        return term.unit or hint.unit
    unit = unit_names.clarified(term.spelt, hint.unit) if hint.unit else None
    if unit is None:
        raise AmbiguousError(
            f"{shown(term.spelt)} may mean {' or '.join(term.doubts)}: the unit of the "
            "column does not tell"
        )
    return unit


def _factor(term: Term, unit: Unit | None, hint: Hint) -> Fraction:
    """Return how many base units *term* counts; ``1:53 h`` are hours and minutes."""
    if term.time is None:
        return unit.factor if unit else Fraction(1)
    own = term.unit or hint.unit
    hours = hint.hours or (own is not None and own.factor == 3600)
    return Fraction(60 if hours and term.time.two_parts else 1)
