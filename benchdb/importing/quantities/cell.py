"""What a cell says: a quantity in its base unit, or why there is none.

This is the only place where texts become figures. Whatever can be read in two ways is
refused, unless the column, its unit or the map settles it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from benchdb.exchange.lines import Status
from benchdb.importing.quantities import missing as missing_values
from benchdb.importing.quantities import numerals, units
from benchdb.importing.quantities.characters import plain, visible
from benchdb.importing.quantities.durations import Duration
from benchdb.importing.quantities.measures import (
    NOTHING,
    Hint,
    Measure,
    measures,
    quantity,
)
from benchdb.importing.quantities.quantity import (
    AmbiguousError,
    Bound,
    Convention,
    Mark,
    Missing,
    Quantity,
    UnreadableError,
    shown,
)
from benchdb.importing.quantities.terms import cleared, numbers, terms
from benchdb.importing.quantities.units import Unit

_TIMES = ("user", "system", "real", "total", "elapsed", "wall")
_KNOWN = (  # what may stand beside the one figure of a cell
    *(*_TIMES, "cpu", "time", "mean", "avg", "average", "median", "best", "worst"),
    *("peak", "max", "maximum", "minimum", "faster", "slower", "speedup"),
)
_SIGNS = re.compile("[<>~=≈≤≥≃\uff1c\uff1e\uff5e]+[ \u00a0]*$")


def role_of_only(measure: Measure) -> str | None:
    """Return the word beside a cell's only figure; refuse what is not known to be one.

    What ``12.3 (batch 64)`` says besides must not get lost.
    """
    beside = (*measure.label, *measure.trail)
    roles = [_role(words) for words in beside]
    for words, role in zip(beside, roles, strict=True):
        if role not in _KNOWN:
            raise UnreadableError(f"{shown(words)} is no unit or word that is known")
    if len(roles) > 1:
        raise UnreadableError("several words stand beside the figure")
    return roles[0] if roles else None


def with_roles(text: str, found: Sequence[Measure]) -> Iterator[Quantity]:
    """Yield what is *found* in *text*, each figure with its role."""
    labelled = bool(found[0].label) or any(one.named for one in found)
    beyond = found[-1].trail or any(len(one.label) > 1 for one in found[1:])
    if labelled and beyond:
        raise UnreadableError("words stand before the figures, and behind them too")
    roles = _roles(found, labelled=labelled)
    _require_units(found, roles)
    for one, role in zip(found, roles, strict=True):
        seconds = "user" in roles and role in _TIMES and not one.spelt
        measure = replace(one, unit=Unit("s")) if seconds else one
        yield quantity(measure, _printed(text, one, labelled=labelled), role)


def _roles(found: Sequence[Measure], *, labelled: bool) -> list[str | None]:
    if not labelled:
        return [_role(" ".join(one.trail)) or None for one in found]
    roles = [_role(one.label[-1]) if one.label else None for one in found]
    # IPython's total is user + system; everywhere else a total is wall time.
    if [_role(title) for title in found[0].label[:-1]] == ["cpu"]:
        return ["cpu total" if role == "total" else role for role in roles]
    return list(roles)


def _role(words: str) -> str:
    name = re.sub(" times?$", "", words.casefold().strip(" .-+"))
    return "system" if name == "sys" else name


def _require_units(found: Sequence[Measure], roles: Sequence[str | None]) -> None:
    """Refuse ``12.3 / 45.6 ms``, where the first may be in milliseconds too."""
    if any(one.spelt for one in found) and not all(
        one.spelt or role for one, role in zip(found, roles, strict=True)
    ):
        raise AmbiguousError("one figure has a unit, another neither unit nor name")


def _printed(text: str, measure: Measure, *, labelled: bool) -> str:
    """Return the figure as it stands in *text*, with its sign, unit and word."""
    sign = _SIGNS.search(text, 0, measure.start)
    start = sign.start() if sign else measure.start
    end = measure.end
    if labelled and measure.label:
        at = plain(text).rfind(measure.label[-1], 0, start)
        start = at if at >= 0 else start
    elif measure.trail and not labelled:
        last = measure.trail[-1]
        at = plain(text).find(last, end)
        end = at + len(last) if at >= 0 else end
        own = text[start:end]  # a bracket that opens before it is not its own
        if own.count("(") > own.count(")") and text[end:][:1] == ")":
            end += 1
    return text[start:end].strip()


__all__ = [
    "LIMIT",
    "AmbiguousError",
    "Bound",
    "Convention",
    "Missing",
    "Quantity",
    "UnreadableError",
    "convention",
    "missing_of",
    "parsed",
    "parts",
    "status_of",
    "unit_of",
]

LIMIT = 200  # characters of a cell with figures; the longest honest one seen has 70

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


def parsed(
    text: str,
    *,
    convention: Convention | None = None,
    unit: str | None = None,
    missing: Mapping[str, str] = {},
) -> Quantity | Missing:
    """Return the one figure of a cell, or why it has none.

    *unit* is that of the column: it holds where the cell has none, and says what
    ``12k`` or ``5m`` means. With a spread in it (``ms (std)``), ``12.3 (0.4)`` has an
    uncertainty. *missing* are texts of the source that mean no figure, with reasons.
    Raise ``AmbiguousError`` or ``UnreadableError``, in one line that names the text.
    """
    if absent := missing_values.missing(text, missing):
        return absent
    hint = _hint(unit)
    try:
        seen = _seen(text)
        words = _plainly_written(seen, hint)
        found = _measures(words, convention, hint)
        if len(found) > 1:
            raise _several(words)
        return quantity(found[0], seen, role_of_only(found[0]))
    except AmbiguousError as why:
        raise AmbiguousError(_told(text, why)) from why
    except UnreadableError as why:
        raise UnreadableError(_told(text, why)) from why


def parts(text: str, *, convention: Convention | None = None) -> tuple[Quantity, ...]:
    """Return all figures of a cell, each with the words beside it as its role.

    Words stand before their figures (``user 1.2 s``) if the cell begins with one, else
    after them (``1.2s user``). Roles are as printed, in lower case, but ``sys`` is
    ``system``, ``wall time`` is ``wall``, and the total of IPython's ``CPU times`` is
    ``cpu total``, for elsewhere the total is wall time. Bare numbers beside ``user``
    are seconds. A cell that says it has no figure gives none. Raise like ``parsed``.
    """
    if missing_values.missing(text, {}):
        return ()
    try:
        seen = _seen(text)
        return tuple(with_roles(seen, _measures(seen, convention, NOTHING)))
    except AmbiguousError as why:
        raise AmbiguousError(_told(text, why)) from why
    except UnreadableError as why:
        raise UnreadableError(_told(text, why)) from why


def convention(cells: Iterable[str]) -> Convention | None:
    """Return what the shapes of numbers show the decimal mark of a column to be.

    ``None`` if nothing settles it, or one cell contradicts another.
    """
    shown_marks: set[Mark] = set()
    for cell in cells:
        if len(cell) <= LIMIT and ("." in cell or "," in cell or not cell.isascii()):
            shown_marks |= _marks(cell)
        if len(shown_marks) > 1:
            return None
    return Convention(shown_marks.pop()) if shown_marks else None


def unit_of(text: str) -> tuple[str, str | None, float] | None:
    """Return base unit, what it counts per, and factor of a unit; ``None`` for others.

    A doubtful one (``m``, ``Mb``, ``tps``, ``GFLOPs``) gives ``None`` as well.
    """
    unit = units.understood(text)
    return (unit.base, unit.per, float(unit.factor)) if unit else None


def missing_of(text: str, extra: Mapping[str, str] = {}) -> Missing | None:
    """Return why *text* is no figure, if it says so; *extra* are words of the source.

    Those come first, so that ``{"0": "not measured"}`` takes a zero out.
    """
    return missing_values.missing(text, extra)


def status_of(missing: Missing) -> Status:
    """Return ``oom``, ``failed``, ``unsupported``, or else ``not-measured``."""
    return missing_values.status_of(missing)


def _seen(text: str) -> str:
    if len(text) > LIMIT:
        raise UnreadableError(f"it has more than {LIMIT} characters")
    return visible(text)


def _plainly_written(text: str, hint: Hint) -> str:
    """Return *text* with ``(a ± b) ms``, ``x3.2`` and ``%50`` written the plain way."""
    text = _NO_SPREAD.sub("", _CLEAR_SPREAD.sub(r"± \1", text))
    if hint.spread:
        text = _SPREAD_IN_CELL.sub(r"± \1", text)
    if around := _AROUND.fullmatch(text):
        return f"{around[1]}{around[3]} ± {around[2]}{around[3]}"
    if first := _UNIT_FIRST.fullmatch(text):
        return f"{first[2]}{first[1]}"
    if text.startswith(_OPENING) or plain(text).endswith(_UNFINISHED):
        raise UnreadableError("a formula, a remark or a part of something else")
    return text


def _told(text: str, why: ValueError) -> str:
    return f"{shown(' '.join(text[:LIMIT].split()))}: {why}"


def _hint(unit: str | None) -> Hint:
    if unit is None:
        return NOTHING
    if unit.strip().casefold() in _CLOCKS:
        return Hint(units.Unit("s"), hours=_CLOCKS[unit.strip().casefold()])
    if len(unit) > LIMIT:
        raise UnreadableError("the unit of the column is longer than any")
    bare = _SPREAD.sub("", unit)
    found = units.understood(bare)
    if found is None and bare.strip().casefold() not in ("", "mean", "avg"):
        raise UnreadableError(f"{shown(unit)} is no unit that is known")
    return Hint(found, spread=bare != unit)


def _marks(cell: str) -> set[Mark]:
    """Return the decimal marks that the numbers of *cell* show by their shape."""
    try:
        text = cleared(plain(visible(cell)))
        marks = {_mark(text, start, one) for start, one in numbers(text)}
    except (AmbiguousError, UnreadableError):
        return set()
    return {mark for mark in marks if mark}


def _mark(text: str, start: int, one: re.Match[str] | Duration) -> Mark | None:
    if not isinstance(one, Duration):
        return numerals.decimal_mark(one)
    mark = re.search("[.,](?=\\d)", text[start : one.end])
    return None if mark is None else "." if mark[0] == "." else ","


def _measures(text: str, given: Convention | None, hint: Hint) -> list[Measure]:
    """Return the figures of a cell; raise ``UnreadableError`` where there is none."""
    own = convention([text]) or given
    found = list(measures(terms(cleared(plain(text)), own), hint))
    if not found:
        raise UnreadableError("no figure")
    return found


def _several(text: str) -> ValueError:
    if re.fullmatch(r"[^()]*\([^()A-Za-z%]*\d[^()A-Za-z%]*\)[^()]*", text):
        return AmbiguousError(
            "what is in parentheses may be an uncertainty or another figure"
        )
    return UnreadableError("it has several figures")
