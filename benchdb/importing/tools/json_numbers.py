"""Numbers of a JSON document, and the figures of a run that they become.

A number keeps the characters it was printed in. Nothing here yields a number that is
not finite, and a length of time is never less than nothing.
"""

import math
import re
import statistics
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from benchdb.exchange.lines import Phase, Samples, Value
from benchdb.exchange.packing import Series, joined
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import Document, DocumentError, parsed_json
from benchdb.importing.tools.printed_json import PrintedFloat, fraction, printed

# Lengths of time that cannot be nothing: a printed 0 is what its digits leave of them.
_NEVER_ZERO = frozenset({"operation_seconds", "command_wall_seconds", "load_seconds"})
_DIGITS = 400  # characters of one number
_NUMBER = re.compile(r"[+-]?[0-9]{1,400}(?:\.[0-9]{0,400})?(?:[eE][+-]?[0-9]{1,4})?")


@lru_cache(maxsize=1)
def _parsed(document: Document) -> tuple[Any, str | None]:
    """Return the document as JSON, or why it is none: every format asks for it."""
    try:
        return parsed_json(document.text, nan=True, real=fraction), None
    except DocumentError as why:
        return None, str(why)


def told(document: Document) -> Any:
    """Return what the document says as JSON; raise ``DocumentError`` if it is none.

    Bare ``NaN`` and ``Infinity``, which several tools write, are floats.
    """
    found, why = _parsed(document)
    if why is not None:
        raise DocumentError(why)
    return found


def glimpse(document: Document) -> Any:
    """Return the document as JSON, and ``None`` for what is none; never raise."""
    return _parsed(document)[0]


def number(found: object, what: str, per: float = 1.0) -> float:
    """Return the finite number that *found* is, in quotes or not; or refuse *what*.

    It is divided by *per* in decimal, so that 23.6 ms are 0.0236 s to the last digit.
    """
    if isinstance(found, str) and _NUMBER.fullmatch(found.strip()):
        found = PrintedFloat(found.strip())
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise RefusedError(f"{what} is {_shown(found)}, no number")
    try:
        size = float(found)
    except OverflowError:
        raise RefusedError(f"{what} is too large a number") from None
    if not math.isfinite(size):
        raise RefusedError(f"{what} is {size}, no number")
    if len(characters(found)) > _DIGITS:
        raise RefusedError(f"{what} is printed with more than {_DIGITS} characters")
    return size if per == 1 else float(Decimal(characters(found)) / Decimal(per))


def amount(found: object, what: str, per: float = 1.0) -> float:
    """Return *found* like ``number``, and refuse it below 0."""
    size = number(found, what, per)
    if size < 0:
        raise RefusedError(f"{what} is {characters(found)}, less than nothing")
    return size


def amounts(found: object, what: str) -> tuple[float, ...]:
    """Return the numbers of a list; refuse any that is none."""
    if not isinstance(found, list):
        raise RefusedError(f"{what} is {_shown(found)}, no list")
    return tuple(amount(one, f"{what}[{place}]") for place, one in enumerate(found))


def characters(found: object) -> str:
    """Return what stands in the document for *found*."""
    if isinstance(found, int | float):
        return printed(found)
    return str(found).strip()


def value(
    metric: str,
    found: object,
    locator: str,
    *,
    per: float = 1.0,
    uncertainty: float | None = None,
) -> Value:
    """Return the figure that stands at *locator*, divided by *per*.

    Only a figure of an unknown kind may be less than nothing.
    """
    read = number if metric == "reported_value" else amount
    size = read(found, locator, per)
    text = characters(found)
    if size == 0 and metric in _NEVER_ZERO:
        return Value(
            metric=metric, reason=_too_short(text), printed=text, locator=locator
        )
    return Value(
        metric=metric,
        value=size,
        uncertainty=uncertainty,
        printed=text,
        locator=locator,
    )


def median(metric: str, samples: Sequence[float], locator: str, *, of: str) -> Value:
    """Return the median of *samples*; *of* is what one of them is."""
    middle = statistics.median(samples)
    count = f"{len(samples)} {of}{'' if len(samples) == 1 else 's'}"
    if middle == 0 and metric in _NEVER_ZERO:
        why = _too_short("0")
        return Value(metric=metric, reason=why, locator=locator)
    return Value(
        metric=metric, value=middle, locator=locator, derived=f"median of {count}"
    )


def no_value(metric: str, why: str, found: object = None, locator: str = "") -> Value:
    """Return that there is no figure, and why; *found* is what stands there instead."""
    text = None if found is None else characters(found)
    return Value(metric=metric, reason=why, printed=text, locator=locator or None)


def series(parts: Iterable[tuple[Phase, Sequence[float]]]) -> tuple[Series, ...]:
    """Return times in the order taken: phase by phase, one step each, none empty."""
    return joined(
        Samples(run="-", phase=phase, values=tuple(times)) for phase, times in parts
    )


def _too_short(text: str) -> str:
    return f"printed as {text}: shorter than its digits show"


def _shown(found: object) -> str:
    text = "null" if found is None else repr(found)
    return text if len(text) <= 40 else f"{text[:40]}…"


def whole(found: object) -> int | None:
    """Return the count that *found* is, in quotes or not; ``None`` if it is none."""
    if isinstance(found, str) and re.fullmatch("[0-9]{1,15}", found.strip()):
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int):
        return None
    return found if 1 <= found <= 10**15 else None
