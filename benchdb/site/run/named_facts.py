"""Facts of programs with their names and units, as text."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from benchdb.report.language import Language, fixed
from benchdb.report.wording.facts import UNITS, bare, fact_text, reason_text, value_text
from benchdb.report.wording.parameters import KNOWN, parameter_text

# How a number of that name is written, by the unit in the name.
_UNITS = {
    "celsius": ("°C", 1),
    "percent": ("%", 3),
    "pct": ("%", 3),
    "watts": ("W", 3),
    "mhz": ("MHz", 4),
    "seconds": ("s", 3),
}
_WHY = "why"  # of a gate: its reason says itself what it is


def listed(language: Language, facts: Mapping[str, Any]) -> str:
    """Name facts of programs and their values, as plain text."""
    return marked(language, facts).striptags()


def marked(language: Language, facts: Mapping[str, Any]) -> Markup:
    """Name facts of programs and their values; what is in no language is marked so."""
    return escape(language.semicolon).join(_pairs(language, facts))


def chosen(language: Language, parameters: Mapping[str, Any]) -> Markup:
    """Name parameters of work and their values."""
    return escape(language.semicolon).join(
        _chosen(language, name, fact) for name, fact in _known(parameters)
    )


def _chosen(language: Language, name: str, fact: Any) -> Markup:
    value = _value(language, name, fact).striptags()
    text = parameter_text(language, name, value)
    if name in KNOWN:
        return escape(text)
    return Markup('<bdi lang="en">{}</bdi>').format(text)


def names(language: Language, some: Iterable[str]) -> Markup:
    """Return the names of facts."""
    return escape(language.comma).join(_name(language, name) for name in some)


def in_brackets(language: Language, text: Markup) -> Markup:
    """Return what belongs to something, as it stands behind it."""
    wide = not language.gap  # as Japanese and Chinese have them
    left, right = ("\N{FULLWIDTH LEFT PARENTHESIS}", "\N{FULLWIDTH RIGHT PARENTHESIS}")
    return Markup("{}{}{}").format(
        *((left, text, right) if wide else (" (", text, ")"))
    )


def reason(language: Language, text: str) -> Markup:
    """Say why something is not known; another's words are marked as English."""
    result = reason_text(language, text)
    if result != language.isolate(text):
        return escape(result)
    return Markup('<bdi lang="en">{}</bdi>').format(text)


def _pairs(language: Language, facts: Mapping[str, Any]) -> Iterator[Markup]:
    for name, fact in _known(facts):
        if name == _WHY:
            yield reason(language, str(fact))
            continue
        gap = "" if isinstance(fact, Mapping) else " "
        value = _value(language, name, fact)
        yield Markup("{}{}{}").format(_name(language, name), gap, value)


def _known(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the facts that say something."""
    for name, fact in facts.items():
        if fact is not None and fact not in ("", [], {}):
            yield name, fact


@lru_cache(maxsize=4096)
def _name(language: Language, name: str) -> Markup:
    """Return a name in words; one that has none is as programs have it."""
    text = fact_text(language, name)
    if text is not None:
        return escape(text)
    return Markup('<bdi lang="en">{}</bdi>').format(bare(name).replace("_", " "))


def _value(language: Language, name: str, fact: Any) -> Markup:
    if isinstance(fact, Mapping):
        return in_brackets(language, marked(language, fact))
    if isinstance(fact, list | tuple):
        return escape(language.comma).join(_value(language, name, it) for it in fact)
    if (result := value_text(language, fact)) is not None:
        return escape(result)
    text = _number(language, name, fact) if isinstance(fact, int | float) else str(fact)
    return Markup("<bdi>{}</bdi>").format(text)


def _number(language: Language, name: str, fact: float) -> str:
    unit = next((part for part in reversed(name.split("_")) if part in UNITS), "")
    if unit == "bytes" and 2**20 <= fact < 2**60:
        return language.ordered(language.bytes(int(fact)))
    if unit == "fraction" and 0 <= fact <= 1:
        return language.share(fact) if fact else language.percent(0)
    if unit in _UNITS:
        symbol, digits = _UNITS[unit]
        shown = language.measure(language.significant(fact, digits), symbol)
        return language.ordered(shown)
    text = f"{fact:.6g}" if isinstance(fact, float) else str(fact)
    return fixed(language.locale, text)
