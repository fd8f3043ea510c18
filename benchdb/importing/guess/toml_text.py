"""A map as TOML, as a person would write it."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchdb.importing.mapping.language import Map

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_COMMENT_LIMIT = 300  # characters
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # unseen, or what reorders text


def to_toml(map_: Map, remarks: Sequence[str] = ()) -> str:
    """Return *map_* as TOML; *remarks* are comments, each above the table of its place.

    Whatever the strings hold, decoding the text gives *map_* again.
    """
    return "\n".join(_lines("", msgspec.to_builtins(map_), remarks)) + "\n"


def _lines(
    title: str, entries: Mapping[str, Any], remarks: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the lines of one table, then of those below it that have their own head."""
    below = [name for name, value in entries.items() if _has_head(title, name, value)]
    if title:
        yield title
    for name, value in entries.items():
        if name not in below:
            yield f"{_key(name)} = {_value(value)}"
    prefix = f"{title.strip('[]')}." if title else ""
    for name in below:
        value, full = entries[name], f"{prefix}{_key(name)}"
        several = not isinstance(value, dict)
        for n, table in enumerate(value if several else [value]):
            yield ""
            if several and name == "table" and n < len(remarks):
                yield f"# {visible(remarks[n])}"
            yield from _lines(f"[[{full}]]" if several else f"[{full}]", table)


def _has_head(title: str, name: str, value: Any) -> bool:
    if title:
        return title == "[[table]]" and name in ("columns", "headings", "rows")
    if isinstance(value, list | tuple):
        return bool(value) and isinstance(value[0], dict)
    return isinstance(value, dict)


def visible(text: str) -> str:
    """Return *text* so that it stays in its line and shows what it is."""
    safe = _escape(text[:_COMMENT_LIMIT])
    return safe if len(text) <= _COMMENT_LIMIT else f"{safe} …"


def _escape(text: str) -> str:
    return "".join(
        char
        if unicodedata.category(char) not in _HIDDEN
        else f"\\u{ord(char):04X}"
        if char <= "\uffff"
        else f"\\U{ord(char):08X}"
        for char in text
    )


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(n)} = {_value(one)}" for n, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    # Strings and truth are as in JSON, but for what would not be seen.
    is_json = isinstance(value, str | bool)
    return _escape(json.dumps(value, ensure_ascii=False)) if is_json else repr(value)
