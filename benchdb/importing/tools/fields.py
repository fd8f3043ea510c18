"""Facts as tools write them in JSON and in words: numbers, texts, and what is beside.

What is wrong with one fact is a ``RefusedError`` that names it; what is wrong with the
text as a whole is a ``DocumentError``. No number is ever not finite. No text keeps a
folder of a home, because its name is somebody's.
"""

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from typing import Any

from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import (
    Document,
    DocumentError,
    PrintedFloat,
    parsed_json,
)
from benchdb.resources import folder

Facts = Mapping[str, Any]
LONGEST = 4000  # characters of a fact: the names of 64 GPUs, and some
_ABSURD = 1e18  # more of anything than these tools count: a broken clock or counter
LEAST = 1 / _ABSURD  # of what is divided by
_SHOWN = 40  # characters of what is no number
_DIGITS = 400  # characters of one number
_NUMBER = re.compile(r"[+-]?[0-9]{1,400}(?:\.[0-9]{0,400})?(?:[eE][+-]?[0-9]{1,4})?")
_SHARED_LIMIT = 2**16  # characters of JSON that many records of a file share
_EXACT = 2**53 - 1  # larger integers are kept as text
_HOME = re.compile(
    r"(?:/(?:home|Users)/|\b[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2})[^/\\\s'\":;,]+"
)


@cache
def words_of(tool: str) -> Facts:
    """Return what ``schema/tools.toml`` says of the files of *tool*."""
    path = folder("schema") / "tools.toml"
    words: Facts = tomllib.loads(path.read_text("utf-8"))[tool]
    return words


def characters(raw: object) -> str:
    """Return what stands in the document for *raw*, or Python's own for it."""
    return str(raw).strip()


def _fraction(text: str) -> float:
    """Return the number *text*; most are printed as Python does, and take less so."""
    number = float(text)
    return number if str(number) == text else PrintedFloat(text)


parsed = partial(parsed_json, real=_fraction)


@lru_cache(maxsize=1)
def glimpse(document: Document) -> Any:
    """Return the document as JSON, and ``None`` for what is none; never raise.

    Bare ``NaN`` and ``Infinity``, which several tools write, are floats. Every format
    asks for it.
    """
    with suppress(DocumentError):
        return parsed(document.text, nan=True)
    return None


def content(document: Document) -> Any:
    """Return what the document holds as JSON; raise ``DocumentError`` if it is none."""
    holder = glimpse(document)
    return parsed(document.text, nan=True) if holder is None else holder


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


def require_small(shared: Facts, what: str) -> None:
    """Raise ``DocumentError`` where *shared* is more than records can repeat.

    Beyond that a hostile file would cost the product of its parts.
    """
    if len(json.dumps(shared)) > _SHARED_LIMIT:
        size = f"more than {_SHARED_LIMIT // 1024} KiB"
        raise DocumentError(f"{what} takes {size}, which each record would repeat")


def pointer(*parts: object) -> str:
    """Return the JSON pointer (RFC 6901) to what the keys and indexes lead to."""
    escaped = (str(part).replace("~", "~0").replace("/", "~1") for part in parts)
    return "".join(f"/{part}" for part in escaped)


def mapping(raw: object, what: str) -> Facts:
    """Return the object that *raw* is, or refuse *what*."""
    if not isinstance(raw, dict):
        raise RefusedError(f"{what} is no object")
    return raw


def amount(raw: object, what: str, *, least: float = 0.0) -> float:
    """Return the number that *raw* is, in quotes or not; or refuse *what*.

    It is finite, not below *least*, and no more than a counter that works can show.
    """
    if isinstance(raw, str) and _NUMBER.fullmatch(raw.strip()):
        raw = PrintedFloat(raw.strip())
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        shown = "null" if raw is None else repr(raw)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
        raise RefusedError(f"{what} is {shown}, no number")
    shown = characters(raw)
    if len(shown) > _DIGITS:
        raise RefusedError(f"{what} is printed with more than {_DIGITS} characters")
    if isinstance(raw, float) and not math.isfinite(raw):
        raise RefusedError(f"{what} is {float(raw)}, no number")
    if raw < 0:
        raise RefusedError(f"{what} is {shown}, less than nothing")
    if not least <= raw < _ABSURD:
        raise RefusedError(f"{what} is {shown[:_SHOWN]}, which cannot be")
    return float(raw)


def amounts(raw: object, what: str, *, least: float = 0.0) -> tuple[float, ...]:
    """Return the numbers of a list, of none where *raw* is empty; or refuse it."""
    if not isinstance(raw or [], list):
        raise RefusedError(f"{what} is {str(raw)[:_SHOWN]!r}, no list")
    listed = enumerate(raw if isinstance(raw, list) else ())
    return tuple(amount(item, f"{what}[{n}]", least=least) for n, item in listed)


def count(raw: object) -> int | None:
    """Return the count that *raw* is, in quotes or not; ``None`` if it is none."""
    if isinstance(raw, str) and re.fullmatch("[0-9]{1,15}", raw.strip()):
        raw = int(raw)
    if isinstance(raw, bool) or not isinstance(raw, int):
        return None
    return raw if 1 <= raw <= 10**15 else None


def size(facts: Facts, name: str, *, least: float = 0.0) -> float:
    """Return the fact *name*, a number that is not below *least*; or refuse it."""
    if facts.get(name) is None:
        raise RefusedError(f"{name} is missing")
    return amount(facts[name], name, least=least)


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


def text(facts: Facts, *names: str) -> str | None:
    """Return the first of the named facts that says something, as one line.

    ``None`` if all are blank. One that is no text is refused, or far too long.
    """
    for name in names:
        raw = facts.get(name)
        if raw is not None and not isinstance(raw, str):
            raise RefusedError(f"{name} is {str(raw)[:40]}, not text")
        if raw and len(raw) > LONGEST:
            raise RefusedError(f"{name} has {len(raw)} characters; {LONGEST} are read")
        if words := line(raw or ""):
            return words
    return None


def name_of(facts: Facts, *names: str) -> str:
    """Return the first of the named facts like ``text``, and refuse a blank."""
    if (named := text(facts, *names)) is None:
        raise RefusedError(f"{names[0]} is missing")
    return named


def line(text: str) -> str:
    """Return *text* as one line, without the names of home folders."""
    return _HOME.sub("…", " ".join(text.split()))


def plain(raw: Any) -> Any:
    """Return JSON as a parameter of a run can be: exact, of plain types, readable."""
    match raw:
        case dict():
            return {line(str(name)): plain(inner) for name, inner in raw.items()}
        case list():
            return [plain(inner) for inner in raw]
        case str():
            return line(raw)
        case float():
            return float(raw)
        case int() if not -_EXACT <= raw <= _EXACT:
            return str(raw)
    return raw


def others(holder: Facts, known: Iterable[str] = ()) -> dict[str, Any]:
    """Return what *holder* says besides *known*, as parameters; nulls left out."""
    placed = set(known)
    return {
        line(name): plain(fact)
        for name, fact in holder.items()
        if name not in placed and fact is not None and fact not in ({}, [], "")
    }


def beside(parameters: Facts, holder: Facts, prefix: str) -> dict[str, Any]:
    """Return both; a name of *holder* that is taken gets *prefix* and a dot."""
    more = others(holder).items()
    return {
        **parameters,
        **{f"{prefix}.{k}" if k in parameters else k: fact for k, fact in more},
    }


def picked(holder: Facts, names: Iterable[str]) -> dict[str, Any]:
    """Return those of the *names* that *holder* has."""
    return {name: holder[name] for name in names if name in holder}


def words(holder: object, prefix: str = "") -> dict[str, str]:
    """Return what *holder* says as text by name, for variables of an environment."""
    facts = others(holder) if isinstance(holder, dict) else {}
    return {f"{prefix}{name}": _word(fact) for name, fact in facts.items()}


def _word(raw: object) -> str:
    match raw:
        case bool():
            return "true" if raw else "false"
        case list():
            return ", ".join(map(_word, raw))
        case dict():
            return ", ".join(f"{name}={_word(inner)}" for name, inner in raw.items())
    return str(raw)
