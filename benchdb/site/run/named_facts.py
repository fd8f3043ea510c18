"""Facts of programs with their names and units, as text."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from benchdb.report.language import Language

# How a number of that name is written, by the end of the name.
_UNITS = {
    "_celsius": ("{} °C", 1),
    "_percent": ("{} %", 3),
    "_pct": ("{} %", 3),
    "_watts": ("{} W", 3),
    "_mhz": ("{} MHz", 4),
    "_seconds": ("{} s", 3),
}


def listed(language: Language, facts: Mapping[str, Any]) -> str:
    """Name facts of programs and their values: names are as programs have them."""
    return "; ".join(_pairs(language, facts))


def _pairs(language: Language, facts: Mapping[str, Any]) -> Iterator[str]:
    for name, fact in facts.items():
        if fact is None or fact in ("", [], {}):
            continue
        yield f"{plain(name)} {_value(language, name, fact)}"


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Return the *name* of a fact without its unit, in words."""
    ending = next((end for end in (*_UNITS, "_bytes") if name.endswith(end)), "")
    return name.removesuffix(ending).replace("_", " ")


def _value(language: Language, name: str, fact: Any) -> str:
    match fact:
        case bool():
            return "yes" if fact else "no"
        case int() | float():
            return _number(language, name, fact)
        case Mapping():
            return f"({listed(language, fact)})"
        case list() | tuple():
            return ", ".join(_value(language, name, one) for one in fact)
    return str(fact)


def _number(language: Language, name: str, fact: float) -> str:
    if name.endswith("_bytes") and fact >= 2**20:
        return language.ordered(language.bytes(int(fact)))
    for ending, (pattern, digits) in _UNITS.items():
        if name.endswith(ending):
            return pattern.format(language.significant(fact, digits))
    return f"{fact:.6g}" if isinstance(fact, float) else str(fact)
