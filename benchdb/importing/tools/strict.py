"""JSON as tools write it: numbers that remember their characters, strict facts.

What is wrong with one fact is a ``RefusedError`` that names it; what is wrong with the
text as a whole is a ``DocumentError``. No number is ever not finite.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import (
    Document,
    DocumentError,
    parsed_json,
    require_few_values,
)

Facts = Mapping[str, Any]
LONGEST = 4000  # characters of a fact: the names of 64 GPUs, and some
_ABSURD = 1e18  # more of anything than these tools count: a broken clock or counter
_DIGITS = 400  # characters of one number
_NUMBER = re.compile(r"[+-]?[0-9]{1,400}(?:\.[0-9]{0,400})?(?:[eE][+-]?[0-9]{1,4})?")


class PrintedFloat(float):
    """A number with a fraction or an exponent; *printed* are its characters."""

    __slots__ = ("printed",)
    printed: str

    def __new__(cls, text: str) -> "PrintedFloat":
        """Return the number that *text* is."""
        number = super().__new__(cls, text)
        number.printed = text
        return number


def characters(raw: object) -> str:
    """Return what stands in the document for *raw*, or Python's own for it."""
    return str(getattr(raw, "printed", raw)).strip()


def _fraction(text: str) -> float:
    """Return the number *text*; most are printed as Python does, and take less so."""
    number = float(text)
    return number if str(number) == text else PrintedFloat(text)


parsed = partial(parsed_json, real=_fraction)


@lru_cache(maxsize=1)
def _parsed(document: Document) -> tuple[Any, str | None]:
    """Return the document as JSON, or why it is none: every format asks for it."""
    try:
        return parsed(document.text, nan=True), None
    except DocumentError as why:
        return None, str(why)


def content(document: Document) -> Any:
    """Return what the document holds as JSON; raise ``DocumentError`` if it is none.

    Bare ``NaN`` and ``Infinity``, which several tools write, are floats.
    """
    holder, why = _parsed(document)
    if why is not None:
        raise DocumentError(why)
    return holder


def glimpse(document: Document) -> Any:
    """Return the document as JSON, and ``None`` for what is none; never raise."""
    return _parsed(document)[0]


def glimpse_text(document: Document) -> str:
    """Return the document as text, and nothing for what is none; never raise."""
    try:
        return document.text
    except DocumentError:
        return ""


def lists(holder: object, name: str, *fields: str) -> bool:
    """Tell whether *name* of an object is a list of objects with these *fields*."""
    entries = holder.get(name) if isinstance(holder, dict) else None
    return isinstance(entries, list) and all(
        isinstance(entry, dict) and entry.keys() >= set(fields) for entry in entries
    )


def pointer(*parts: object) -> str:
    """Return the JSON pointer (RFC 6901) to what the keys and indexes lead to."""
    escaped = (str(part).replace("~", "~0").replace("/", "~1") for part in parts)
    return "".join(f"/{part}" for part in escaped)


def mapping(raw: object, what: str) -> Facts:
    """Return the object that *raw* is, or refuse *what*."""
    if not isinstance(raw, dict):
        raise RefusedError(f"{what} is no object")
    return raw


def number(raw: object, what: str, per: float = 1.0) -> float:
    """Return the finite number that *raw* is, in quotes or not; or refuse *what*.

    It is divided by *per* in decimal, so that 23.6 ms are 0.0236 s to the last digit.
    """
    if isinstance(raw, str) and _NUMBER.fullmatch(raw.strip()):
        raw = PrintedFloat(raw.strip())
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise RefusedError(f"{what} is {_shown(raw)}, no number")
    try:
        size = float(raw)
    except OverflowError:
        raise RefusedError(f"{what} is too large a number") from None
    if not math.isfinite(size):
        raise RefusedError(f"{what} is {size}, no number")
    if len(characters(raw)) > _DIGITS:
        raise RefusedError(f"{what} is printed with more than {_DIGITS} characters")
    return size if per == 1 else float(Decimal(characters(raw)) / Decimal(per))


def amount(raw: object, what: str, per: float = 1.0) -> float:
    """Return *raw* like ``number``, and refuse it below 0."""
    size = number(raw, what, per)
    if size < 0:
        raise RefusedError(f"{what} is {characters(raw)}, less than nothing")
    return size


def amounts(raw: object, what: str) -> tuple[float, ...]:
    """Return the numbers of a list; refuse any that is none."""
    if not isinstance(raw, list):
        raise RefusedError(f"{what} is {_shown(raw)}, no list")
    return tuple(amount(one, f"{what}[{place}]") for place, one in enumerate(raw))


def count(raw: object) -> int | None:
    """Return the count that *raw* is, in quotes or not; ``None`` if it is none."""
    if isinstance(raw, str) and re.fullmatch("[0-9]{1,15}", raw.strip()):
        raw = int(raw)
    if isinstance(raw, bool) or not isinstance(raw, int):
        return None
    return raw if 1 <= raw <= 10**15 else None


def size(facts: Facts, name: str) -> float:
    """Return the fact *name*, a number that is not negative; or refuse it."""
    if facts.get(name) is None:
        raise RefusedError(f"{name} is missing")
    raw = amount(facts[name], name)
    if raw >= _ABSURD:
        raise RefusedError(f"{name} is {characters(facts[name])[:40]}, which cannot be")
    return raw


def positive(facts: Facts, name: str) -> float:
    """Return the fact *name*, a number above 0; or refuse it."""
    raw = size(facts, name)
    if not raw:
        raise RefusedError(f"{name} is 0, which cannot be")
    return raw


def whole(facts: Facts, name: str, default: int | None = None) -> int:
    """Return the fact *name*, a whole number that is not negative; or refuse it.

    Where it is missing it is *default*, if there is one.
    """
    if default is not None and facts.get(name) is None:
        return default
    raw = size(facts, name)
    if raw != int(raw):
        raise RefusedError(f"{name} is {characters(facts[name])}, not a whole number")
    return int(raw)


def text(facts: Facts, name: str) -> str | None:
    """Return the fact *name* as text without space around it; ``None`` if blank."""
    raw = facts.get(name)
    if raw is None:
        return None
    if not isinstance(raw, str):
        raise RefusedError(f"{name} is {str(raw)[:40]}, not text")
    if len(raw) > LONGEST:
        raise RefusedError(f"{name} has {len(raw)} characters; {LONGEST} are read")
    return " ".join(raw.split()) or None


def _shown(raw: object) -> str:
    shown = "null" if raw is None else repr(raw)
    return shown if len(shown) <= 40 else f"{shown[:40]}…"


def elements(array: str) -> Iterator[tuple[int, str]]:
    """Yield the line of each element of the JSON *array*, and its characters.

    An element need not be strict JSON. Raise ``DocumentError`` after the last whole
    one if the array does not end as it should: a tool was killed while it wrote.
    """
    require_few_values(array)
    decoder = json.JSONDecoder(parse_float=str, parse_int=str)
    at, line, end = 0, 1, array.find("[")
    sign = "["
    while sign != "]":
        start = _after_space(array, end + 1)
        if sign == "[" and array[start : start + 1] == "]":
            return
        line, at = line + array.count("\n", at, start), start
        try:
            end = decoder.raw_decode(array, at)[1]
        except json.JSONDecodeError as error:
            why = f"the array breaks off, or is no JSON ({error.msg})"
            raise DocumentError(f"line {error.lineno}: {why}") from error
        except RecursionError as error:
            raise DocumentError(f"line {line}: nested too deeply") from error
        yield line, array[at:end]
        end = _after_space(array, end)
        sign = array[end : end + 1]
        if sign not in (",", "]"):
            broken = line + array.count("\n", at, end)
            raise DocumentError(f"line {broken}: the array breaks off here")


def _after_space(raw: str, at: int) -> int:
    while at < len(raw) and raw[at] in " \t\n":
        at += 1
    return at
