"""A line that is one flat dict, as Python or JSON prints it; nothing is evaluated."""

import re

_LIMIT = 200  # entries
_STRING = re.compile(
    r"\s*+(?:'((?>(?:[^'\\]++|\\.)*))'|\"((?>(?:[^\"\\]++|\\.)*))\")\s*+"
)
_BARE = re.compile(
    r"\s*+([^\s,{}\[\]'\"()][^,{}\[\]'\"()]{0,60}(?:\([^(){}\[\],]{0,60}\))?)"
)


def flat(text: str) -> tuple[tuple[str, str], ...] | None:
    """Return the entries of the dict that ends *text*, values as printed.

    ``None`` if there is none, or it holds lists or other dicts.
    """
    begins = text.find("{")
    if begins < 0 or not text.rstrip().endswith("}"):
        return None
    return _entries(text.rstrip()[begins + 1 : -1])


def _entries(inner: str) -> tuple[tuple[str, str], ...] | None:
    entries: list[tuple[str, str]] = []
    at = 0
    while at < len(inner) and len(entries) < _LIMIT:
        name = _STRING.match(inner, at)
        if name is None or inner[name.end() : name.end() + 1] != ":":
            return None
        value = _STRING.match(inner, name.end() + 1) or _BARE.match(
            inner, name.end() + 1
        )
        if value is None:
            return None
        entries.append((_said(name), _said(value).strip()))
        at = value.end()
        if at < len(inner) and inner[at] != ",":
            return None
        at += 1
        if not inner[at:].strip():
            break
    return tuple(entries) if at >= len(inner) or not inner[at:].strip() else None


def _said(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)
