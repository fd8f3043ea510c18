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
from benchdb.importing.quantities.missing_values import Missing, missing_of
from benchdb.importing.quantities.tokens import LIMIT, ROLES, Bound, Mark, Term, terms
from benchdb.importing.quantities.unit_names import Unit


class Quantity(msgspec.Struct, frozen=True):
    """A figure as printed, in the base unit of its kind.

    *unit* is ``s``, ``B``, ``W``, ``J``, ``Hz``, ``%``, ``1/s``, ``1/h``, ``FLOP/s``,
    ``B/s``, ``1/J``, ``x`` (a ratio) or ``1`` (a bare number); *per* is what a rate or
    a time counts: ``img``, ``seq``, ``token``, ``sample``, ``step``, ``epoch``, ``it``,
    ``batch`` … (``nouns`` in ``units.toml``). *role* is a word beside it (``user``,
    ``system``, ``cpu``, ``total``). *uncertainty* is what stands after ``±``, in the
    same unit. A range has *low* and *high*, its value is the middle. *bound* says that
    the figure is only a limit, or rounded (``~``).
    """

    value: float
    unit: str
    printed: str
    per: str | None = None
    role: str | None = None
    uncertainty: float | None = None
    low: float | None = None
    high: float | None = None
    bound: Bound | None = None


class Hint(msgspec.Struct, frozen=True):
    """What a header says of its cells: *unit*; *spread*: ``12.3 (0.4)`` has a ± in it.

    *hours*: ``1:53`` are hours and minutes.
    """

    unit: Unit | None = None
    spread: bool = False
    hours: bool = False


_SIGNS = re.compile("[<>~=≈≤≥≃\uff1c\uff1e\uff5e]+[ \u00a0]*$")

_SPREAD = re.compile(
    r"(?<=.)(?:[ (,]+|(?=±))"
    r"(?:±|\b(?:std|stddev|std\.? ?dev|sd|stderr|sem|mad)\b|\u03c3).*$",
    re.IGNORECASE,
)
_SPREAD_IN_CELL = re.compile(r"\(([^()±+-]*\d[^()]*)\)")
_CLOCKS = {
    **dict.fromkeys(("h:mm", "hh:mm"), True),
    **dict.fromkeys(("m:ss", "mm:ss", "h:mm:ss", "hh:mm:ss", "min:sec"), False),
}
_AROUND = re.compile(r"\(([^()±]+?)(?:±|\+/?-)([^()±]+)\)([^()]*)")
_OPENING = tuple("=([{/|@")
_UNFINISHED = tuple("=([{/|@:-")
_CLEAR_SPREAD = re.compile(r"\([ ]?(?:±|\+/?-)([^()±]+)\)")
_NO_SPREAD = re.compile(r"[ ]?(?:±|\+/-)[ ]?(?:nan|n/?a|-)$", re.IGNORECASE)
_UNIT_FIRST = re.compile(r"([xX×%٪])[ \u00a0]?(\d[\d.,\u066b]*)")
_TWO_FIGURES = re.compile(r"[^()]*\([^()A-Za-z%]*\d[^()A-Za-z%]*\)[^()]*")


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
    with _naming(text):
        seen = visible(text, LIMIT)
        written = _NO_SPREAD.sub("", _CLEAR_SPREAD.sub(r"± \1", seen))
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
        groups = terms(written, decimal)
        figures = [_quantity(group, hint) for group in groups]
        if len(figures) > 1:
            if _TWO_FIGURES.fullmatch(written):
                raise AmbiguousError(
                    "what is in parentheses may be an uncertainty or another figure"
                )
            raise UnreadableError("it has several figures")
        role = _only_role((*groups[0][0].label, *groups[0][-1].trail))
        return replace(figures[0], printed=seen, role=role)


def parts(text: str, *, decimal: Mark | None = None) -> tuple[Quantity, ...]:
    """Return all figures of a cell, each with the words beside it as its role.

    Words stand before their figures (``user 1.2 s``) if the cell begins with one, else
    after them (``1.2s user``). Roles are as printed, in lower case, but ``sys`` is
    ``system``, ``wall time`` is ``wall``, and the total of IPython's ``CPU times`` is
    ``cpu total``, for elsewhere the total is wall time. Bare numbers beside ``user``
    are seconds. A cell that says it has no figure gives none. Raise like ``parsed``.
    """
    if missing_of(text):
        return ()
    with _naming(text):
        seen = visible(text, LIMIT)
        groups = terms(seen, decimal)
        figures = [_quantity(group, Hint()) for group in groups]
        head = groups[0][0].label
        labelled = bool(head) or any(group[0].named for group in groups)
        beyond = groups[-1][-1].trail or any(
            len(one[0].label) > 1 for one in groups[1:]
        )
        if labelled and beyond:
            raise UnreadableError("words stand before the figures, and behind them too")
        if labelled:
            roles = [
                _role(one[0].label[-1]) if one[0].label else None for one in groups
            ]
            # IPython's total is user + system; everywhere else a total is wall time.
            if [_role(title) for title in head[:-1]] == ["cpu"]:
                roles = ["cpu total" if role == "total" else role for role in roles]
        else:
            roles = [_role(" ".join(one[-1].trail)) or None for one in groups]
        spelt = [any(term.spelt or term.time for term in group) for group in groups]
        # The first of ``12.3 / 45.6 ms`` may be in milliseconds too.
        if any(spelt) and not all(map(any, zip(spelt, roles, strict=True))):
            raise AmbiguousError("one figure has a unit, another neither unit nor name")
        return tuple(
            replace(
                figure,
                unit="s"
                if "user" in roles and ROLES.get(role or "") == "times" and not has_unit
                else figure.unit,
                printed=_printed(seen, group, labelled=labelled),
                role=role,
            )
            for figure, group, role, has_unit in zip(
                figures, groups, roles, spelt, strict=True
            )
        )


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


def _only_role(beside: tuple[str, ...]) -> str | None:
    """Return the word beside a cell's only figure; refuse what is not known to be one.

    What ``12.3 (batch 64)`` says besides must not get lost.
    """
    for words in beside:
        if _role(words) not in ROLES:
            raise UnreadableError(f"{shown(words)} is no unit or word that is known")
    if len(beside) > 1:
        raise UnreadableError("several words stand beside the figure")
    return _role(beside[0]) if beside else None


def _role(words: str) -> str:
    name = re.sub(" times?$", "", words.casefold().strip(" .-+"))
    return "system" if name == "sys" else name


def _printed(text: str, group: list[Term], *, labelled: bool) -> str:
    """Return the figure as it stands in *text*, with its sign, unit and word."""
    label, trail = group[0].label, group[-1].trail
    sign = _SIGNS.search(text, 0, group[0].start)
    start = sign.start() if sign else group[0].start
    end = group[-1].end
    if labelled and label:
        at = text.translate(PLAIN).rfind(label[-1], 0, start)
        start = at if at >= 0 else start
    elif trail and not labelled:
        at = text.translate(PLAIN).find(trail[-1], end)
        end = at + len(trail[-1]) if at >= 0 else end
        own = text[start:end]  # a bracket that opens before it is not its own
        if own.count("(") > own.count(")") and text[end:][:1] == ")":
            end += 1
    return text[start:end].strip()


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
