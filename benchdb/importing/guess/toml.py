"""A map as TOML, each assumption a comment right above what it is about.

``tomli-w`` writes no comments; this writes the one shape that maps have.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchdb.importing.guess.assumption import Path
from benchdb.importing.mapping.language import Map

Comments = Mapping[Path, Sequence[str]]
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_COMMENT_LIMIT = 300  # characters
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # unseen, or what reorders text


def to_toml(map_: Map, comments: Comments) -> str:
    """Return *map_* as TOML; *comments* go by the path of what they are about.

    Whatever the strings hold, decoding the text gives *map_* again.
    """
    return "\n".join(_lines("", msgspec.to_builtins(map_), (), comments)) + "\n"


def _lines(
    title: str, entries: Mapping[str, Any], path: Path, comments: Comments
) -> Iterator[str]:
    """Yield the lines of one table, then of those below it that have their own head."""
    yield from (f"# {visible(text)}" for text in comments.get(path, ()))
    if title:
        yield title
    below = _below(entries, path)
    for name, value in entries.items():
        if name not in below:
            yield from (
                f"# {visible(text)}" for text in comments.get((*path, name), ())
            )
            yield f"{_key(name)} = {_value(value)}"
    prefix = f"{title.strip('[]')}." if title else ""
    for name in below:
        value, full = entries[name], f"{prefix}{name}"
        tables = [(f"[{full}]", (*path, name), value)]
        if not isinstance(value, dict):
            tables = [
                (f"[[{full}]]", (*path, name, n), one) for n, one in enumerate(value)
            ]
        for head, at, table in tables:
            yield ""
            yield from _lines(head, table, at, comments)


def _below(entries: Mapping[str, Any], path: Path) -> list[str]:
    if path:
        parts = ("columns", "headings", "rows") if isinstance(path[-1], int) else ()
        return [name for name in parts if name in entries]
    arrays = [
        name
        for name, value in entries.items()
        if isinstance(value, list | tuple) and value and isinstance(value[0], dict)
    ]
    return [*(name for name, it in entries.items() if isinstance(it, dict)), *arrays]


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
