"""A map as TOML, as a person would write it."""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import msgspec

from benchdb.importing.mapping.language import Map

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_COMMENT_LIMIT = 300  # characters
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # unseen, or what reorders text


def to_toml(map_: Map, remarks: Sequence[str] = ()) -> str:
    """Return *map_* as TOML; *remarks* are comments above its tables, one for each.

    Whatever the strings hold, decoding the text gives *map_* again.
    """
    entries = msgspec.to_builtins(map_)
    tables = entries.pop("table", ())
    lines = _lines(entries)
    for n, table in enumerate(tables):
        columns = table.pop("columns", {})
        lines += [
            "",
            *(f"# {visible(remark)}" for remark in remarks[n : n + 1]),
            "[[table]]",
        ]
        lines += [*_lines(table), "[table.columns]", *_lines(columns)]
    return "\n".join(lines) + "\n"


def _lines(entries: dict[str, Any]) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in entries.items()]


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
        return f"{{ {', '.join(_lines(value))} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    # Strings and truth are as in JSON, but for what would not be seen.
    is_json = isinstance(value, str | bool)
    return _escape(json.dumps(value, ensure_ascii=False)) if is_json else repr(value)
