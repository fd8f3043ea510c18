"""What a tool's file says in words, as a run can keep it: readable, and without people.

A run keeps no folder of a home, because its name is somebody's.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from benchdb.exchange.messages import Scalar

_HOME = re.compile(
    r"(?:/(?:home|Users)/|\b[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2})[^/\\\s'\":;,]+"
)
_EXACT = 2**53 - 1  # larger integers are kept as text


def line(text: str) -> str:
    """Return *text* as one line, without the names of home folders."""
    return _HOME.sub("…", " ".join(text.split()))


def plain(raw: Any) -> Any:
    """Return JSON as a parameter of a run can be: exact, of plain types, readable."""
    if isinstance(raw, dict):
        return {line(str(name)): plain(one) for name, one in raw.items()}
    if isinstance(raw, list):
        return [plain(one) for one in raw]
    if isinstance(raw, str):
        return line(raw)
    if isinstance(raw, float):
        return float(raw)
    if isinstance(raw, int) and not -_EXACT <= raw <= _EXACT:
        return str(raw)
    return raw


def others(holder: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return what *holder* says besides *known*, as parameters; nulls left out."""
    placed = set(known)
    return {
        line(name): plain(one)
        for name, one in holder.items()
        if name not in placed and one is not None and one not in ({}, [], "")
    }


def words(holder: object, prefix: str = "") -> dict[str, str]:
    """Return what *holder* says as text by name, for variables of an environment."""
    if not isinstance(holder, dict):
        return {}
    return {f"{prefix}{name}": _word(one) for name, one in others(holder, ()).items()}


def scalars(holder: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return what *holder* says as conditions; lists and objects as text."""
    return {
        name: one if isinstance(one, str | int | float) else _word(one)
        for name, one in others(holder, ()).items()
    }


def first_text(holder: object, *names: str) -> str | None:
    """Return the first of the named fields that is a text with something in it."""
    if not isinstance(holder, dict):
        return None
    raw = (holder.get(name) for name in names)
    some = (line(one) for one in raw if isinstance(one, str) and one.strip())
    return next(some, None)


def _word(raw: object) -> str:
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, list):
        return ", ".join(map(_word, raw))
    if isinstance(raw, dict):
        return ", ".join(f"{name}={_word(one)}" for name, one in raw.items())
    return str(raw)


def beside(
    parameters: Mapping[str, Any], holder: Mapping[str, Any], prefix: str
) -> dict[str, Any]:
    """Return both; a name of *holder* that is taken gets *prefix* and a dot."""
    more = others(holder, ())
    return {
        **parameters,
        **{f"{prefix}.{k}" if k in parameters else k: one for k, one in more.items()},
    }
